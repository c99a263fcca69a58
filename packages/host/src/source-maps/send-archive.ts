/** Core, and who uploads. */
export interface UploadTarget {
  readonly url: string;
  /** With the scope `release`. */
  readonly token: string;
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
}

/** Core refused the upload, or cannot be reached. */
export class UploadFailed extends Error {}

const CHUNKS = '/organizations/culprit/chunk-upload/';
const ASSEMBLE = '/organizations/culprit/artifactbundle/assemble/';
const REQUEST_MS = 120_000;
const POLL_MS = 1_000;
/** Unpacking takes at most five minutes. */
const MAX_POLLS = 400;

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
  { project, release, dist }: SendOptions,
): Promise<void> {
  const { chunkSize, chunksPerRequest } = await call<Limits>(target, 'GET', CHUNKS);
  const { checksum, chunks, read } = await cut(chunkSize);
  const request = JSON.stringify({
    ...{ checksum, chunks, projects: [project] },
    ...(release === null ? {} : { version: release }),
    ...(dist === null ? {} : { dist }),
  });
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { state, missingChunks, detail } = await call<State>(target, 'POST', ASSEMBLE, request);
    if (state === 'ok') return;
    if (state === 'error') throw new UploadFailed(detail ?? 'Core refused the upload.');
    if (state === 'assembling') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    const missing = new Set(missingChunks);
    const wanted = chunks.flatMap((name, index) => (missing.delete(name) ? [index] : []));
    for (let at = 0; at < wanted.length; at += chunksPerRequest) {
      const batch = wanted.slice(at, at + chunksPerRequest);
      const form = new FormData();
      for (const index of batch) form.append('file', await read(index), chunks[index]);
      await call(target, 'POST', CHUNKS, form);
    }
  }
  throw new UploadFailed('Core is still unpacking the upload. Send it again: nothing is sent twice.');
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
      headers: { authorization: `Bearer ${token}`, ...type },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  } catch (error) {
    throw new UploadFailed(`Core cannot be reached at ${url}.`, { cause: error });
  }
  const answer = (await response.json().catch(() => ({}))) as T & { readonly detail?: string };
  if (!response.ok) throw new UploadFailed(answer.detail ?? `Core answered with status ${response.status}.`);
  return answer;
}
