import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CulpritError } from '@culprit/core';
import { createMapDirectory, folderBytes, type MapDirectory, writeDurably } from './directory.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';

/** A chunk as it was sent. */
export interface SentChunk {
  /** SHA-1 of its bytes before compression, lower-case hex. */
  readonly checksum: string;
  readonly compressed: boolean;
  readonly bytes: Buffer;
}

const unzip = promisify(gunzip);

/** Stores a chunk durably. @throws `malformed` if it does not match its checksum, `too_large` beyond the limits. */
export async function storeChunk(
  directory: MapDirectory,
  { checksum, compressed, bytes }: SentChunk,
  quotaBytes: number,
): Promise<void> {
  createMapDirectory(directory);
  const plain = compressed ? await unpacked(bytes) : bytes;
  if (plain.length > LIMITS.chunkBytes) throw tooLarge();
  if (createHash('sha1').update(plain).digest('hex') !== checksum)
    throw new CulpritError('malformed', `Chunk ${checksum} does not match its checksum. Send it again.`);
  if ((await folderBytes(directory.chunks)) + plain.length > quotaBytes)
    throw new CulpritError(
      'overloaded',
      'Unfinished uploads of source maps have reached the quota. They are deleted after a day.',
    );
  await writeDurably(directory, directory.chunks, checksum, plain);
}

async function unpacked(bytes: Buffer): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: LIMITS.chunkBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new CulpritError('malformed', 'A chunk is not valid gzip.', { cause: error });
  }
}

const tooLarge = () =>
  new CulpritError('too_large', `A chunk is larger than ${LIMITS.chunkBytes} bytes before compression.`);
