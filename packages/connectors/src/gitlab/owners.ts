import { OWNERS_BYTES, OWNERS_PLACES, type OwnersFile } from '@culprit/core';
import { fileAt, type Target } from './ask.js';
import { isBinary } from './blame.js';

/** The code owners file at a revision that exists. */
export async function readOwnersFile(target: Target, sha: string): Promise<OwnersFile | null> {
  for (const path of OWNERS_PLACES.gitlab) {
    const bytes = await fileAt(target, sha, path);
    if (bytes === null) continue;
    const isText = bytes !== 'too_large' && bytes.length < OWNERS_BYTES && !isBinary(bytes);
    return { path, dialect: 'gitlab', text: isText ? bytes.toString('utf8') : null };
  }
  return null;
}
