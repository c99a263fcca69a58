// Without Node's APIs: the board's page uploads, too.

/** Core, and who uploads. */
export interface UploadTarget {
  readonly url: string;
  /** A token with the scope `release`; `null`: the session of the page. */
  readonly token: string | null;
}

/** An archive in chunks. */
export interface ChunkedArchive {
  /** SHA-1 of the whole, lower-case hex. */
  readonly checksum: string;
  /** SHA-1 of each chunk, in order. */
  readonly chunks: readonly string[];
  readonly read: (index: number) => Blob | Promise<Blob>;
}

export interface SendOptions {
  readonly project: string;
  readonly release: string | null;
  readonly dist: string | null;
  /** Called after every request with the number of chunks. */
  readonly onProgress?: (sent: number, all: number) => void;
  /** Ends the upload before its next request. What was sent is kept for a day. */
  readonly signal?: AbortSignal;
}

/** Core refused the upload, or cannot be reached. */
export class UploadFailed extends Error {
  /** `status`: of core's answer; 0 without one, 200 if core refused the archive. */
  constructor(
    message: string,
    readonly status: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const CHUNKS = '/organizations/culprit/chunk-upload/';
const ASSEMBLE = '/organizations/culprit/artifactbundle/assemble/';
const REQUEST_MS = 120_000;
const POLL_MS = 1_000;
/** Unpacking takes at most five minutes. */
const MOST_POLLS = 400;

interface Limits {
  readonly chunkSize: number;
  readonly chunksPerRequest: number;
}
interface State {
  readonly state: 'not_found' | 'assembling' | 'ok' | 'error';
  readonly missingChunks: readonly string[];
  readonly detail?: string;
}

/** Sends an archive as sentry-cli does: only the chunks that core does not have yet. @throws {@link UploadFailed} */
export async function sendArchive(
  target: UploadTarget,
  cut: (chunkSize: number) => Promise<ChunkedArchive>,
  { project, release, dist, onProgress = () => {}, signal }: SendOptions,
): Promise<void> {
  const { chunkSize, chunksPerRequest } = await call<Limits>(target, 'GET', CHUNKS);
  const { checksum, chunks, read } = await cut(chunkSize);
  const request = JSON.stringify({
    ...{ checksum, chunks, projects: [project] },
    ...(release === null ? {} : { version: release }),
    ...(dist === null ? {} : { dist }),
  });
  let sent = 0;
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    signal?.throwIfAborted();
    const { state, missingChunks, detail } = await call<State>(target, 'POST', ASSEMBLE, request);
    if (state === 'ok') return;
    if (state === 'error') throw new UploadFailed(detail ?? 'Core refused the upload.', 200);
    if (state === 'assembling') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    const missing = new Set(missingChunks);
    const wanted = chunks.flatMap((name, index) => (missing.delete(name) ? [index] : []));
    for (let at = 0; at < wanted.length; at += chunksPerRequest) {
      signal?.throwIfAborted();
      const batch = wanted.slice(at, at + chunksPerRequest);
      const form = new FormData();
      for (const index of batch) form.append('file', await read(index), chunks[index]);
      await call(target, 'POST', CHUNKS, form);
      sent += batch.length;
      onProgress(chunks.length - wanted.length + sent, chunks.length);
    }
  }
  throw new UploadFailed('Core is still unpacking the upload. Send it again: nothing is sent twice.', 200);
}

async function call<T>(
  { url, token }: UploadTarget,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<T> {
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  let response: Response;
  try {
    response = await fetch(`${url.replace(/\/+$/, '')}/api/0${path}`, {
      method,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...type },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  } catch (error) {
    throw new UploadFailed(`Core cannot be reached at ${url}.`, 0, { cause: error });
  }
  const answer = (await response.json().catch(() => ({}))) as T & { readonly detail?: string };
  if (!response.ok)
    throw new UploadFailed(answer.detail ?? `Core answered with status ${response.status}.`, response.status);
  return answer;
}
