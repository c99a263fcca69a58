import { createHash } from 'node:crypto';
import { CulpritError } from '@culprit/core';
import { type Semaphore, semaphore } from '@culprit/core/internal/resilience/semaphore';
import * as v from 'valibot';
import { atLeast } from '../../http/least-rate.js';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { readAhead } from '../../http/read-ahead.js';
import type { ArchiveState } from '../../source-maps/assemble.js';
import type { ChunkOwner } from '../../source-maps/chunk-owners.js';
import { SOURCE_MAP_LIMITS as LIMITS } from '../../source-maps/limits.js';
import type { SourceMapStore } from '../../source-maps/store.js';
import type { Identity } from '../authenticate.js';
import { readBody } from '../read-body.js';
import type { CoreRoute } from '../route.js';
import { projectOf, sentryRoute } from './sentry-route.js';

const CHUNKS = '/organizations/:organisation/chunk-upload/';

const sha1 = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/, 'must be a SHA-1 in lower-case hex'));
const name = v.nullish(v.pipe(v.string(), v.maxLength(200, 'is longer than 200 characters')));

const optionsShape = v.object({
  url: v.string(),
  chunkSize: v.number(),
  chunksPerRequest: v.number(),
  maxFileSize: v.number(),
  maxRequestSize: v.number(),
  concurrency: v.number(),
  hashAlgorithm: v.literal('sha1'),
  compression: v.array(v.string()),
  accept: v.array(v.string()),
});
const assembleBody = v.object({
  checksum: sha1,
  chunks: v.pipe(v.array(sha1), v.maxLength(LIMITS.chunks, `has over ${LIMITS.chunks} chunks`)),
  projects: v.pipe(
    v.array(v.string()),
    v.minLength(1, 'must name a project'),
    v.maxLength(LIMITS.projects, `has over ${LIMITS.projects} projects`),
  ),
  version: name,
  dist: name,
});
const stateShape = v.object({
  state: v.picklist(['not_found', 'assembling', 'ok', 'error']),
  missingChunks: v.array(v.string()),
  detail: v.optional(v.string()),
});

/** Request overhead of the parts' headers. */
const FORM_BYTES = 16 * 1024;
const RATE = { graceMs: LIMITS.slowMs, bytesPerSecond: LIMITS.slowBytesPerSecond };
const REQUEST_BYTES = LIMITS.chunkBytes * LIMITS.chunksPerRequest;

/**
 * Artifact bundles with source maps, as `sentry-cli sourcemaps upload` and the bundler plugins send them: an archive in chunks,
 * each named by its SHA-1. Of an archive only the source maps are kept.
 */
export function sentryArtifactRoutes(store: SourceMapStore | null): CoreRoute[] {
  const needed = () => {
    if (store !== null) return store;
    throw new CulpritError('not_found', 'This server takes no source maps.');
  };
  const receiving = receiver();
  return [
    sentryRoute({
      method: 'GET',
      path: CHUNKS,
      id: 'sentryGetChunkUpload',
      summary: 'Get the limits of uploads, for sentry-cli',
      answers: { 200: { what: 'The limits', schema: optionsShape } },
      handle: ({ request: { params } }) => jsonResponse(200, optionsFor(params.organisation ?? '')),
    }),
    {
      ...sentryRoute({
        method: 'POST',
        path: CHUNKS,
        id: 'sentryUploadChunks',
        summary: 'Send chunks of archives: parts `file`, or `file_gzip`, whose file name is the SHA-1',
        answers: { 200: { what: 'Stored' } },
        problems: ['malformed', 'too_large', 'overloaded', 'timed_out'],
        handle: ({ request, identity }) => {
          const owner = ownerOf(identity);
          const arriving = atLeast(request.pieces ?? [request.body], RATE);
          return receiving(owner.id, arriving, (pieces) => storeChunks(request, pieces, needed(), owner));
        },
      }),
      streams: true,
      bodyLimit: REQUEST_BYTES + FORM_BYTES,
    },
    sentryRoute({
      method: 'POST',
      path: '/organizations/:organisation/artifactbundle/assemble/',
      id: 'sentryAssembleArtifacts',
      summary: 'Turn chunks into an upload of source maps; ask again until the state is `ok` or `error`',
      body: { schema: assembleBody, limit: 64 * 1024 },
      answers: { 200: { what: 'The state of the archive', schema: stateShape } },
      problems: ['malformed'],
      async handle(call) {
        const { checksum, chunks, projects, version, dist } = readBody(call.request, assembleBody);
        const request = {
          owner: ownerOf(call.identity),
          checksum,
          chunks,
          projects: [...new Set(projects.map((project) => projectOf(call, project)))],
          release: version || null,
          dist: dist || null,
        };
        return jsonResponse(200, stateOf(await needed().assemble(request)));
      },
    }),
  ];
}

/** Stores the chunks of a request while they arrive. */
async function storeChunks(
  { headers }: Pick<HttpRequest, 'headers'>,
  arriving: AsyncIterable<Uint8Array>,
  store: SourceMapStore,
  owner: ChunkOwner,
): Promise<HttpResponse> {
  const most = LIMITS.chunksPerRequest * 4;
  for await (const part of formParts(headers['content-type'] ?? '', arriving, most)) {
    const { name: field, filename } = part;
    const known = field === 'file' || field === 'file_gzip';
    if (!known || filename === null || !/^[0-9a-f]{40}$/.test(filename))
      throw new CulpritError('malformed', 'Every part must be "file" or "file_gzip" with a SHA-1.');
    await store.storeChunk({
      owner,
      checksum: filename,
      compressed: field === 'file_gzip',
      pieces: part.pieces,
    });
  }
  return jsonResponse(200, {});
}

/**
 * Few requests at once are as fast as many, and need less memory. Each credential has its own places, and takes none of others.
 * A request that waits for a place is read a little, so that a silent sender does not wait there for others that are silent, too.
 */
function receiver() {
  const inTurn = semaphore(LIMITS.requestsAtOnce);
  const present = new Map<string, { requests: number; readonly inTurn: Semaphore }>();
  return async <T>(
    owner: string,
    arriving: AsyncGenerator<Uint8Array>,
    receive: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> => {
    const own = present.get(owner) ?? { requests: 0, inTurn: semaphore(LIMITS.requestsEach) };
    if (own.requests >= LIMITS.requestsEach + LIMITS.requestsWaitingEach)
      throw new CulpritError('overloaded', 'Too many source maps arrive at once. Upload again in a minute.');
    present.set(owner, own);
    own.requests += 1;
    try {
      const { pieces, failed } = readAhead(arriving, LIMITS.waitingBytes);
      return await own.inTurn(() => inTurn(() => receive(pieces), failed), failed);
    } finally {
      own.requests -= 1;
      if (own.requests === 0) present.delete(owner);
    }
  };
}

/** A token's chunks end with it. Those of people are kept for a day. */
function ownerOf({ token, reviewer }: Identity): ChunkOwner {
  if (token !== null) return { id: token.id, expiresAt: token.expiresAt };
  const name = createHash('sha256').update(reviewer.name).digest('hex').slice(0, 24);
  return { id: `person_${name}`, expiresAt: null };
}

/** `url` is relative to `/api/0`, so that uploads take the address that the sender already uses. */
function optionsFor(organisation: string): v.InferOutput<typeof optionsShape> {
  return {
    url: `/organizations/${organisation}/chunk-upload/`,
    chunkSize: LIMITS.chunkBytes,
    chunksPerRequest: LIMITS.chunksPerRequest,
    maxFileSize: LIMITS.chunkBytes * LIMITS.chunks,
    maxRequestSize: REQUEST_BYTES,
    concurrency: 2,
    hashAlgorithm: 'sha1',
    compression: ['gzip'],
    accept: ['release_files', 'artifact_bundles', 'artifact_bundles_v2'],
  };
}

function stateOf(found: ArchiveState): v.InferOutput<typeof stateShape> {
  switch (found.state) {
    case 'missing':
      return { state: 'not_found', missingChunks: [...found.chunks] };
    case 'working':
      return { state: 'assembling', missingChunks: [] };
    case 'stored':
      return { state: 'ok', missingChunks: [] };
    case 'refused':
      return { state: 'error', missingChunks: [], detail: found.detail };
  }
}

/** A part of a `multipart/form-data` body (RFC 7578). */
interface FormPart {
  readonly name: string;
  readonly filename: string | null;
  /** Its bytes while they arrive. Read them before the next part: what is not read is skipped. */
  readonly pieces: AsyncIterable<Buffer>;
}

/** What stands before the first part, and a part's headers, may have this many bytes. */
const HEAD_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

/** The parts of a body, at most `most`, while they arrive. @throws `malformed` */
export async function* formParts(
  contentType: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): AsyncGenerator<FormPart> {
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  if (boundary === null) throw malformed('it is not multipart/form-data with a boundary');
  const mark = `--${boundary[1] ?? boundary[2]}`;
  const window = slidingWindow(body);
  await window.until(mark, 'its boundary is missing');
  for (let count = 0; ; count++) {
    const next = await window.take(2, 'a boundary is cut');
    if (next === '--') return;
    if (next !== '\r\n') throw malformed('a boundary is cut');
    if (count === most) throw malformed(`it has over ${most} parts`);
    const head = await window.until('\r\n\r\n', 'a part does not end');
    const pieces = window.before(`\r\n${mark}`, 'a part does not end');
    yield { ...dispositionOf(head), pieces };
    for await (const _ of pieces) {
      // Skipped.
    }
  }
}

/** The bytes that have arrived and are not read yet: one piece of the body, and the end of the one before. */
function slidingWindow(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const source = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  let held: Buffer = NOTHING;
  const more = async (why: string) => {
    const { value, done } = await source.next();
    if (done === true) throw malformed(why);
    const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
  };
  return {
    async take(count: number, why: string): Promise<string> {
      while (held.length < count) await more(why);
      const taken = held.toString('latin1', 0, count);
      held = held.subarray(count);
      return taken;
    },
    /** The text before `mark`, which is short. */
    async until(mark: string, why: string): Promise<string> {
      for (;;) {
        const at = held.indexOf(mark, 0, 'latin1');
        if (at > HEAD_BYTES || (at < 0 && held.length > HEAD_BYTES)) throw malformed(why);
        if (at >= 0) {
          const text = held.toString('latin1', 0, at);
          held = held.subarray(at + mark.length);
          return text;
        }
        await more(why);
      }
    },
    /** The bytes before `mark`, of any length. */
    async *before(mark: string, why: string): AsyncGenerator<Buffer> {
      for (;;) {
        const at = held.indexOf(mark, 0, 'latin1');
        const end = at >= 0 ? at : Math.max(0, held.length - mark.length + 1);
        const piece = held.subarray(0, end);
        held = held.subarray(at >= 0 ? end + mark.length : end);
        if (piece.length > 0) yield piece;
        if (at >= 0) return;
        await more(why);
      }
    },
  };
}

function dispositionOf(head: string): Pick<FormPart, 'name' | 'filename'> {
  const line = /^content-disposition:[ \t]*form-data([^\r\n]*)/im.exec(head)?.[1] ?? '';
  const value = (key: string) => new RegExp(`;[ \\t]*${key}="([^"]{0,200})"`, 'i').exec(line)?.[1] ?? null;
  const name = value('name');
  if (name === null) throw malformed('a part has no name');
  return { name, filename: value('filename') };
}

const malformed = (why: string) => new CulpritError('malformed', `The form cannot be read: ${why}.`);
