import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CulpritError } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import {
  createMapDirectory,
  folderSize,
  isDiskFull,
  type MapDirectory,
  syncFolder,
  touch,
  writeDurably,
} from './directory.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';

/** A chunk while it arrives. */
export interface SentChunk {
  /** SHA-1 of its bytes before compression, lower-case hex. */
  readonly checksum: string;
  readonly compressed: boolean;
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Chunks of archives that are not unpacked yet. */
export interface KeptChunks {
  /**
   * Stores a chunk durably, in pieces: nothing of it stays if it is not whole. @throws `malformed` if it does not match its checksum,
   * `too_large` beyond the limits or if too many chunks are kept, `storage_unavailable` if the disk is full.
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
      const { checksum } = chunk;
      if (await touch(join(directory.chunks, checksum), now())) {
        await receive(chunk, async () => {});
        // The request that stored it may not have come that far.
        return syncFolder(directory.chunks);
      }
      const kept = await size();
      if (kept.files >= LIMITS.keptChunks) throw full();
      kept.files += 1;
      let bytes = 0;
      try {
        await writeDurably(directory, directory.chunks, checksum, (write) =>
          receive(chunk, async (piece) => {
            if (kept.bytes + piece.length > quotaBytes) throw full();
            kept.bytes += piece.length;
            bytes += piece.length;
            await write(piece);
          }),
        );
      } catch (error) {
        kept.files -= 1;
        kept.bytes -= bytes;
        throw isDiskFull(error) ? diskFull(error) : error;
      }
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

/** Passes on the bytes of a chunk before compression, and checks them. */
async function receive(
  { checksum, compressed, pieces }: SentChunk,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha1');
  let length = 0;
  const take = async (piece: Uint8Array) => {
    length += piece.length;
    if (length > LIMITS.chunkBytes)
      throw new CulpritError(
        'too_large',
        `A chunk is larger than ${LIMITS.chunkBytes} bytes before compression.`,
      );
    hash.update(piece);
    await write(piece);
  };
  if (compressed) await unpack(pieces, take);
  else for await (const piece of pieces) await take(piece);
  if (hash.digest('hex') !== checksum)
    throw new CulpritError('malformed', `Chunk ${checksum} does not match its checksum. Send it again.`);
}

async function unpack(
  pieces: SentChunk['pieces'],
  take: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  /** The streams that end because of it report errors, too. */
  const own: unknown[] = [];
  try {
    await pipeline(Readable.from(pieces), createGunzip(), async (plain: AsyncIterable<Buffer>) => {
      for await (const piece of plain)
        await take(piece).catch((error: unknown) => {
          own.push(error);
          throw error;
        });
    });
  } catch (caught) {
    const [error = caught] = own;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!code.startsWith('Z_')) throw error;
    throw new CulpritError('malformed', 'A chunk is not valid gzip.', { cause: error });
  }
}

const full = () =>
  new CulpritError(
    'too_large',
    'Unfinished uploads of source maps have reached the quota (SOURCE_MAPS_QUOTA). They are deleted after a day.',
  );

const diskFull = (cause: unknown) =>
  new CulpritError(
    'storage_unavailable',
    'The disk of source maps is full. Free space, then upload again: chunks that were stored are not sent twice.',
    { cause },
  );
