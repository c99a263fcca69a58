import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CulpritError } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import { createMapDirectory, folderSize, type MapDirectory, touch, writeDurably } from './directory.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';

/** A chunk as it was sent. */
export interface SentChunk {
  /** SHA-1 of its bytes before compression, lower-case hex. */
  readonly checksum: string;
  readonly compressed: boolean;
  readonly bytes: Buffer;
}

/** Chunks of archives that are not unpacked yet. */
export interface KeptChunks {
  /**
   * Stores a chunk durably. @throws `malformed` if it does not match its checksum, `too_large` beyond the limits, `overloaded` if
   * too many chunks are kept.
   */
  store(chunk: SentChunk): Promise<void>;
  /** Which chunks of an archive have not been sent. Those that have are kept for another day. */
  missing(archive: string, chunks: readonly string[]): Promise<readonly string[]>;
  /** Deletes the chunks of an archive that no other archive of this process waits for. */
  release(archive: string, chunks: readonly string[]): Promise<void>;
}

export interface KeptChunksOptions {
  readonly directory: MapDirectory;
  /** Bytes of all chunks together. */
  readonly quotaBytes: number;
  readonly now: () => number;
}

/** Other processes add and delete chunks, too, so what is kept is counted again after this time. */
const RECOUNT_MS = 60_000;
/** Archives whose chunks are kept for them. */
const MOST_WAITING = 200;

const unzip = promisify(gunzip);

export function keptChunks({ directory, quotaBytes, now }: KeptChunksOptions): KeptChunks {
  const waiting = boundedMap<string, ReadonlySet<string>>(MOST_WAITING);
  let counted: { readonly at: number; readonly size: ReturnType<typeof folderSize> } | null = null;
  const size = async () => {
    if (counted === null || now() - counted.at >= RECOUNT_MS)
      counted = { at: now(), size: folderSize(directory.chunks) };
    try {
      return await counted.size;
    } catch (error) {
      counted = null;
      throw error;
    }
  };
  return {
    async store(chunk) {
      createMapDirectory(directory);
      const plain = await checked(chunk);
      if (await touch(join(directory.chunks, chunk.checksum), now())) return;
      const kept = await size();
      if (kept.bytes + plain.length > quotaBytes || kept.files >= LIMITS.keptChunks)
        throw new CulpritError(
          'overloaded',
          'Unfinished uploads of source maps have reached the quota. They are deleted after a day.',
        );
      kept.bytes += plain.length;
      kept.files += 1;
      await writeDurably(directory, directory.chunks, chunk.checksum, plain);
    },
    async missing(archive, chunks) {
      const distinct = new Set(chunks);
      waiting.set(archive, distinct);
      const missing: string[] = [];
      for (const chunk of distinct)
        if (!(await touch(join(directory.chunks, chunk), now()))) missing.push(chunk);
      return missing;
    },
    async release(archive, chunks) {
      waiting.delete(archive);
      for (const chunk of new Set(chunks)) {
        const wanted = [...waiting.values()].some((others) => others.has(chunk));
        if (!wanted) await rm(join(directory.chunks, chunk), { force: true }).catch(() => {});
      }
      counted = null;
    },
  };
}

/** The bytes of a chunk. */
async function checked({ checksum, compressed, bytes }: SentChunk): Promise<Buffer> {
  const plain = compressed ? await unpacked(bytes) : bytes;
  if (plain.length > LIMITS.chunkBytes) throw tooLarge();
  if (createHash('sha1').update(plain).digest('hex') !== checksum)
    throw new CulpritError('malformed', `Chunk ${checksum} does not match its checksum. Send it again.`);
  return plain;
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
