import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltFile } from './find-built-files.js';
import { type ArchivedFile, writeArchive } from './write-archive.js';

export interface SourceMapUploadOptions {
  readonly files: readonly BuiltFile[];
  readonly project: string;
  readonly release: string | null;
  readonly dist: string | null;
  /** Before the names of the files: `~/` or `https://cdn.example/assets/`. */
  readonly urlPrefix: string;
  /** Called after every request. */
  readonly onProgress?: (sent: number, all: number) => void;
}

/** Core, and a token with the scope `release`. */
export interface UploadTarget {
  readonly url: string;
  readonly token: string;
}

/** Core refused the upload, or cannot be reached. */
export class UploadFailed extends Error {}

const POLL_MS = 1_000;
/** Unpacking takes at most five minutes. */
const MOST_POLLS = 400;

/** Sends source maps as sentry-cli does: one archive, in chunks that core does not have yet. */
export async function uploadSourceMaps(target: UploadTarget, options: SourceMapUploadOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-maps-'));
  try {
    const archive = join(folder, 'archive.zip');
    writeFile(archive, options);
    await send(target, archive, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeFile(path: string, { files, urlPrefix, project, release, dist }: SourceMapUploadOptions): void {
  const described: Record<string, object> = {};
  const archived: ArchivedFile[] = [];
  const entries = new Map<string, string>();
  for (const { name, mapPath, debug_id } of files) {
    const known = entries.get(mapPath);
    const entry = known ?? `files/${entries.size}/${name.split('/').at(-1)}.map`;
    const url = `${urlPrefix}${name}`;
    const id = debug_id === null ? {} : { 'debug-id': debug_id };
    described[`scripts/${name}`] = {
      type: 'minified_source',
      url,
      headers: { ...id, sourcemap: `~/${entry}` },
    };
    if (known !== undefined) continue;
    entries.set(mapPath, entry);
    described[entry] = { type: 'source_map', url: `~/${entry}`, headers: id };
    archived.push({ name: entry, read: () => readFileSync(mapPath) });
  }
  const manifest = { files: described, project, ...(release && { release }), ...(dist && { dist }) };
  archived.push({ name: 'manifest.json', read: () => Buffer.from(JSON.stringify(manifest)) });
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeArchive(archived, (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    });
  } finally {
    closeSync(fd);
  }
}

const CHUNKS = '/organizations/culprit/chunk-upload/';
const ASSEMBLE = '/organizations/culprit/artifactbundle/assemble/';
const REQUEST_MS = 120_000;

interface Limits {
  readonly chunkSize: number;
  readonly chunksPerRequest: number;
}
interface State {
  readonly state: 'not_found' | 'assembling' | 'ok' | 'error';
  readonly missingChunks: readonly string[];
  readonly detail?: string;
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

function formOf(chunks: readonly Chunk[]): FormData {
  const form = new FormData();
  for (const { checksum, bytes } of chunks) form.append('file', new Blob([bytes]), checksum);
  return form;
}

interface Chunk {
  readonly checksum: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

async function send(
  target: UploadTarget,
  archive: string,
  { project, release, dist, onProgress = () => {} }: SourceMapUploadOptions,
): Promise<void> {
  const { chunkSize, chunksPerRequest } = await call<Limits>(target, 'GET', CHUNKS);
  const whole = createHash('sha1');
  const checksums: string[] = [];
  for (const { checksum, bytes } of chunksOf(archive, chunkSize)) {
    whole.update(bytes);
    checksums.push(checksum);
  }
  const request = {
    checksum: whole.digest('hex'),
    chunks: checksums,
    projects: [project],
    ...(release === null ? {} : { version: release }),
    ...(dist === null ? {} : { dist }),
  };
  let sent = 0;
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    const { state, missingChunks, detail } = await call<State>(
      target,
      'POST',
      ASSEMBLE,
      JSON.stringify(request),
    );
    if (state === 'ok') return;
    if (state === 'error') throw new UploadFailed(detail ?? 'Core refused the upload.');
    if (state === 'assembling') {
      await sleep(POLL_MS);
      continue;
    }
    const missing = new Set(missingChunks);
    let batch: Chunk[] = [];
    const flush = async () => {
      if (batch.length > 0) await call(target, 'POST', CHUNKS, formOf(batch));
      sent += batch.length;
      batch = [];
      onProgress(sent, checksums.length);
    };
    for (const chunk of chunksOf(archive, chunkSize)) {
      if (!missing.delete(chunk.checksum)) continue;
      batch.push(chunk);
      if (batch.length === chunksPerRequest) await flush();
    }
    await flush();
  }
  throw new UploadFailed('Core is still unpacking the upload. Run the command again: nothing is sent twice.');
}

function* chunksOf(path: string, size: number): Generator<Chunk> {
  const fd = openSync(path, 'r');
  try {
    for (;;) {
      const bytes = Buffer.alloc(size);
      const read = readSync(fd, bytes, 0, size, null);
      if (read === 0) return;
      const chunk = bytes.subarray(0, read);
      yield { checksum: createHash('sha1').update(chunk).digest('hex'), bytes: chunk };
    }
  } finally {
    closeSync(fd);
  }
}
