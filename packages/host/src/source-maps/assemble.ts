import { createHash } from 'node:crypto';
import { isCulpritError, type Logger } from '@culprit/core';
import { foldersOf } from './chunk-owners.js';
import type { KeptChunks, SentChunks } from './chunks.js';
import { isDiskFull, type MapDirectory, writeUpload } from './directory.js';
import type { KeptUploads } from './kept-uploads.js';
import { SOURCE_MAP_LIMITS as LIMITS } from './limits.js';
import { quotaReached } from './quota-reached.js';
import type { Thread } from './thread/start-thread.js';

/** An archive of source maps whose chunks have been sent. */
export interface ArchiveRequest extends SentChunks {
  /** SHA-1 of the archive, and of its chunks in order; lower-case hex. */
  readonly checksum: string;
  readonly projects: readonly string[];
  readonly release: string | null;
  readonly dist: string | null;
}

/** `missing`: these chunks must be sent first. `working`: ask again. */
export type ArchiveState =
  | { readonly state: 'missing'; readonly chunks: readonly string[] }
  | { readonly state: 'working' }
  | { readonly state: 'stored' }
  | { readonly state: 'refused'; readonly detail: string };

export interface AssembleParts {
  readonly directory: MapDirectory;
  readonly uploads: KeptUploads;
  readonly chunks: KeptChunks;
  readonly thread: Thread;
  readonly logger: Logger;
  readonly now: () => number;
}

/** A request waits this long for the result, before the sender must ask again. */
const WAIT_MS = 5_000;
/** Archives that are unpacked or whose result nobody has asked for yet. */
const MAX_WORK = 100;

/** Turns archives into uploads. Asking again about an archive is safe at any time, also in another process. */
export function archives(parts: AssembleParts): (request: ArchiveRequest) => Promise<ArchiveState> {
  const working = new Map<string, Promise<ArchiveState>>();
  return async (request) => {
    const key = JSON.stringify(request);
    if (!working.has(key)) {
      if (await isStored(parts, request)) return { state: 'stored' };
      const missing = await parts.chunks.missing(key, request);
      if (missing.length > 0) return { state: 'missing', chunks: missing };
      if (working.size >= MAX_WORK) return { state: 'working' };
      if (!working.has(key)) {
        working.set(key, released(parts, key, request));
      }
    }
    const result = await within(working.get(key) as Promise<ArchiveState>);
    if (result.state !== 'working') working.delete(key);
    return result;
  };
}

/** The chunks of an archive that core failed to store stay for another attempt. Never rejects. */
async function released(parts: AssembleParts, key: string, request: ArchiveRequest): Promise<ArchiveState> {
  const { state, failed = false } = await assemble(parts, request);
  if (!failed) await parts.chunks.release(key, request);
  return state;
}

function within(work: Promise<ArchiveState>): Promise<ArchiveState> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ state: 'working' }), WAIT_MS);
    void work.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}

interface Assembled {
  readonly state: ArchiveState;
  /** Not the sender's fault. */
  readonly failed?: boolean;
}

/** Never rejects. */
async function assemble(parts: AssembleParts, request: ArchiveRequest): Promise<Assembled> {
  const { directory, uploads, thread, logger, now } = parts;
  const { checksum, chunks, owner, projects, release, dist } = request;
  try {
    const job = {
      directory: foldersOf(directory, owner),
      checksum,
      chunks,
      room: await uploads.room(projects),
    };
    const { files, unreadable } = await thread.run('unpack', job, LIMITS.unpackMs);
    const exceeded = await uploads.makeRoom(files, projects);
    if (exceeded !== null) return { state: { state: 'refused', detail: quotaReached(exceeded) } };
    for (const project of projects) {
      await writeUpload(directory, {
        format: 'culprit.source-maps/1',
        id: idOf(request, project),
        project,
        release,
        dist,
        uploaded_at: new Date(now()).toISOString(),
        files: [...files],
        unreadable: [...unreadable],
      });
    }
    logger.info({ projects, release, files: files.length }, 'source maps were uploaded');
    return { state: { state: 'stored' } };
  } catch (error) {
    // Another core of the same folder may have stored it meanwhile, and deleted the chunks.
    if (await isStored(parts, request).catch(() => false)) return { state: { state: 'stored' } };
    if (isCulpritError(error, 'malformed')) return { state: { state: 'refused', detail: error.message } };
    logger.error({ err: error }, 'source maps were not stored');
    return { state: { state: 'refused', detail: detailOf(error) }, failed: true };
  }
}

async function isStored({ uploads }: AssembleParts, request: ArchiveRequest): Promise<boolean> {
  const stored = new Set((await uploads.list()).map(({ id }) => id));
  return request.projects.every((project) => stored.has(idOf(request, project)));
}

function detailOf(error: unknown): string {
  if (isCulpritError(error)) return error.message;
  if (isDiskFull(error))
    return 'The disk of source maps is full. Free space, then upload again: nothing is sent twice.';
  return 'The archive could not be stored. See core’s log.';
}

/** The same archive for the same release is one upload. */
function idOf({ checksum, release, dist }: ArchiveRequest, project: string): string {
  const text = JSON.stringify([project, release, dist, checksum]);
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
