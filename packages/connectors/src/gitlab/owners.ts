import { OWNERS_BYTES, OWNERS_PLACES, type OwnersFile } from '@culprit/core';
import { askOrNull, type Target } from './ask.js';
import { isBinary } from './blame.js';
import { read } from './client.js';
import { unreadable } from './errors.js';
import { file as fileSchema } from './schema.js';

/** The code owners file at a revision that exists. */
export async function readOwnersFile(target: Target, sha: string): Promise<OwnersFile | null> {
  for (const path of OWNERS_PLACES.gitlab) {
    const answer = await askOrNull(target, 'GET /projects/{id}/repository/files/{file_path}', {
      file_path: path,
      ref: sha,
    });
    if (answer === null) continue;
    const bytes = Buffer.from(read(fileSchema, answer.data, unreadable).content, 'base64');
    const isText = bytes.length < OWNERS_BYTES && !isBinary(bytes);
    return { path, dialect: 'gitlab', text: isText ? bytes.toString('utf8') : null };
  }
  return null;
}
