import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CulpritError } from '@culprit/core';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { allChunks, type ChunkOwner, foldersOf } from './chunk-owners.js';
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
  /** Chunks of others are neither seen nor used. Absent: nobody's. */
  readonly owner?: ChunkOwner;
  /** SHA-1 of its bytes before compression, lower-case hex. */
  readonly checksum: string;
  readonly compressed: boolean;
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Chunks of archives that are not unpacked yet. */
export interface KeptChunks {
  /**
   * Stores a chunk durably, in pieces: nothing of it stays if it is not whole. @throws `malformed` if it does not match its checksum,
   * `too_large` beyond the limits or if too many chunks are kept, of its owner or of all, `storage_unavailable` if the disk is full.
   */
  store(chunk: SentChunk): Promise<void>;
  /** Which chunks of an archive have not been sent. Those that have are kept for another day. */
  missing(archive: string, sent: SentChunks): Promise<readonly string[]>;
  /** Deletes the chunks of an archive that no other archive of this process waits for. */
  release(archive: string, sent: SentChunks): Promise<void>;
}

/** The chunks of an archive. */
export interface SentChunks {
  readonly owner?: ChunkOwner | undefined;
  readonly chunks: readonly string[];
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
const MAX_WAITING = 200;

/** Owners whose chunks are counted. */
const MAX_OWNERS = 1_000;

interface Counted {
  readonly at: number;
  readonly size: Promise<{ files: number; bytes: number }>;
}

export function keptChunks({ directory, quotaBytes, now }: KeptChunksOptions): KeptChunks {
  const waiting = boundedMap<string, ReadonlySet<string>>(MAX_WAITING);
  /** By folder; that of all is the directory's own. */
  const counted = boundedMap<string, Counted>(MAX_OWNERS);
  const sizeOf = async (folder: string, count: () => Counted['size']) => {
    const known = counted.get(folder);
    const fresh = known && now() - known.at < RECOUNT_MS ? known : { at: now(), size: count() };
    if (fresh !== known) counted.set(folder, fresh);
    try {
      return await fresh.size;
    } catch (error) {
      counted.delete(folder);
      throw error;
    }
  };
  /** Each credential may fill a quarter, and always one archive of the largest size. */
  const share = {
    files: LIMITS.keptChunksEach,
    bytes: Math.min(quotaBytes, Math.max(quotaBytes / 4, LIMITS.chunks * LIMITS.chunkBytes)),
  };
  const shares = async (own: string) => [
    { kept: await sizeOf(own, () => folderSize(own)), most: share, full: shareFull },
    {
      kept: await sizeOf('', () => allChunks(directory)),
      most: { files: LIMITS.keptChunks, bytes: quotaBytes },
      full,
    },
  ];
  const pathsOf = ({ owner, chunks }: SentChunks) => {
    const folder = foldersOf(directory, owner).chunks;
    return [...new Set(chunks)].map((chunk) => join(folder, chunk));
  };
  return {
    async store(chunk) {
      const folders = foldersOf(directory, chunk.owner);
      createMapDirectory(folders);
      const { checksum } = chunk;
      if (await touch(join(folders.chunks, checksum), now())) {
        await receive(chunk, async () => {});
        // The request that stored it may not have come that far.
        return syncFolder(folders.chunks);
      }
      const bounds = await shares(folders.chunks);
      for (const { kept, most, full } of bounds) if (kept.files >= most.files) throw full();
      for (const { kept } of bounds) kept.files += 1;
      let bytes = 0;
      try {
        await writeDurably(folders, folders.chunks, checksum, (write) =>
          receive(chunk, async (piece) => {
            for (const { kept, most, full } of bounds)
              if (kept.bytes + piece.length > most.bytes) throw full();
            for (const { kept } of bounds) kept.bytes += piece.length;
            bytes += piece.length;
            await write(piece);
          }),
        );
      } catch (error) {
        for (const { kept } of bounds) {
          kept.files -= 1;
          kept.bytes -= bytes;
        }
        throw isDiskFull(error) ? diskFull(error) : error;
      }
    },
    async missing(archive, sent) {
      const paths = pathsOf(sent);
      waiting.set(archive, new Set(paths));
      const missing: string[] = [];
      for (const path of paths) if (!(await touch(path, now()))) missing.push(basename(path));
      return missing;
    },
    async release(archive, sent) {
      waiting.delete(archive);
      for (const path of pathsOf(sent)) {
        const wanted = [...waiting.values()].some((others) => others.has(path));
        if (!wanted) await rm(path, { force: true }).catch(() => {});
      }
      counted.clear();
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

const shareFull = () =>
  new CulpritError(
    'too_large',
    'Your unfinished uploads of source maps have reached your share of the quota (SOURCE_MAPS_QUOTA). They are deleted after a day, and with your token.',
  );

const diskFull = (cause: unknown) =>
  new CulpritError(
    'storage_unavailable',
    'The disk of source maps is full. Free space, then upload again: chunks that were stored are not sent twice.',
    { cause },
  );
