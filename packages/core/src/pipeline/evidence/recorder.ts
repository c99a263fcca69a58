import type { RecordedCall } from '../../domain/evidence.js';
import type { Investigated } from '../../domain/investigation.js';
import { canonicalJson, type JsonValue } from '../../domain/json.js';
import type { Ownership } from '../../domain/ownership.js';
import { isCulpritError } from '../../errors/error.js';
import type { Blame, CodeHost, Diff } from '../../ports/code-host.js';
import type { Explainer, ExplainRequest } from '../../ports/explainer.js';
import type { SourceMaps } from '../../ports/source-maps.js';
import { runError } from '../../runs/run-error.js';
import { sha256Hex } from '../hash.js';
import { type BuiltPlace, type OriginalPlace, originalsIn } from '../locate/source-maps.js';
import { readOwners } from '../owners/read-owners.js';
import { type Reading, readable } from './readable.js';

/** Records calls in the order in which they were made, regardless of the order of the responses. */
export interface Recording {
  readonly calls: () => readonly RecordedCall[];
  readonly record: <T>(
    port: RecordedCall['port'],
    method: string,
    request: JsonValue,
    call: () => Promise<T>,
  ) => Promise<T>;
}

/** Every response is reduced to what may be read of it before it is used or recorded. */
export function startRecording(reading: Reading): Recording {
  const slots: { call: RecordedCall | null }[] = [];
  return {
    calls: () => slots.flatMap(({ call }) => call ?? []),
    record: async (port, method, request, call) => {
      const slot: { call: RecordedCall | null } = { call: null };
      slots.push(slot);
      try {
        const answer = readable({ port, method }, await call(), reading);
        slot.call = { port, method, request, answer: answer as JsonValue, error: null };
        return answer;
      } catch (error) {
        slot.call = { port, method, request, answer: null, error: recordedError(error, port) };
        throw error;
      }
    },
  };
}

/** The recorded form of code host requests, by which replay finds the responses. */
export const codeHostRequests = {
  tree: (repository: string, hints: { commit: string | null; release: string | null; at: string }) => ({
    repository,
    hints: { commit: hints.commit, release: hints.release, at: hints.at },
  }),
  blame: (repository: string, sha: string, paths: readonly string[]) => ({ repository, sha, paths }),
  commits: (repository: string, shas: readonly string[]) => ({ repository, shas }),
  diff: (repository: string, sha: string) => ({ repository, sha }),
  ownership: (repository: string, sha: string, paths: readonly string[]) => ({ repository, sha, paths }),
  originals: (repository: string, sha: string, map: string, places: readonly BuiltPlace[]) => ({
    repository,
    sha,
    map,
    places: places.map(({ line, column }) => [line, column]),
  }),
} as const;

/** The code host as one analysis uses it. Of source maps and code owners, which may be large, only the lookups are recorded. */
export interface AnalysedCodeHost extends CodeHost {
  originals?(
    repository: string,
    sha: string,
    map: string,
    places: readonly BuiltPlace[],
    signal: AbortSignal,
  ): Promise<readonly (OriginalPlace | null)[]>;
  /** `null` if the repository does not say who owns its files. Absent: nobody knows. */
  ownership?(
    repository: string,
    sha: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Ownership | null>;
}

export interface RecordingOptions {
  /** Truncates a diff before it is used or recorded. */
  readonly shape: (diff: Diff) => Diff;
  readonly lines: LineWatch;
}

/** Records every response as it was used. */
export function recordingCodeHost(
  codeHost: AnalysedCodeHost,
  { record }: Recording,
  { shape, lines }: RecordingOptions,
): AnalysedCodeHost {
  const { tree, blame, commits, diff, originals, ownership } = codeHostRequests;
  const readOriginals = originalsOf(codeHost);
  const readOwnership = ownershipOf(codeHost);
  return {
    ...(readOwnership && {
      ownership: (repository, sha, paths, signal) =>
        record('code_host', 'ownership', ownership(repository, sha, paths), () =>
          readOwnership(repository, sha, paths, signal),
        ),
    }),
    originals: (repository, sha, map, places, signal) =>
      record('code_host', 'originals', originals(repository, sha, map, places), () =>
        readOriginals(repository, sha, map, places, signal),
      ),
    tree: (repository, hints, signal) =>
      record('code_host', 'tree', tree(repository, hints), () => codeHost.tree(repository, hints, signal)),
    blame: async (repository, sha, paths, signal) =>
      lines.watched(
        await record('code_host', 'blame', blame(repository, sha, paths), () =>
          codeHost.blame(repository, sha, paths, signal),
        ),
      ),
    commits: (repository, shas, signal) =>
      record('code_host', 'commits', commits(repository, shas), () =>
        codeHost.commits(repository, shas, signal),
      ),
    diff: (repository, sha, signal) =>
      record('code_host', 'diff', diff(repository, sha), async () =>
        shape(await codeHost.diff(repository, sha, signal)),
      ),
  };
}

/** Blame returns a file's text, so a source map can be read from every code host, within the host's limits. */
function originalsOf(codeHost: AnalysedCodeHost): NonNullable<AnalysedCodeHost['originals']> {
  if (codeHost.originals) return codeHost.originals.bind(codeHost);
  return async (repository, sha, map, places, signal) => {
    const { files } = await codeHost.blame(repository, sha, [map], signal);
    return originalsIn(files[0]?.lines?.join('\n') ?? null, map, places);
  };
}

function ownershipOf(codeHost: AnalysedCodeHost): AnalysedCodeHost['ownership'] {
  if (codeHost.ownership) return codeHost.ownership.bind(codeHost);
  const { owners } = codeHost;
  return (
    owners &&
    (async (repository, sha, paths, signal) => {
      const file = await owners.file(repository, sha, signal);
      return file && readOwners(file, paths);
    })
  );
}

/** The request is the whole query, by which replay finds the outcome. */
export function recordingSourceMaps(sourceMaps: SourceMaps, { record }: Recording): SourceMaps {
  return {
    originals: (query, signal) =>
      record('source_maps', 'originals', query as unknown as JsonValue, () =>
        sourceMaps.originals(query, signal),
      ),
  };
}

/** The questions and answers, and what came of them: by it, replay derives the same suspects. */
export async function recordInvestigated(
  { record }: Recording,
  { by, prompt, asked, ...answer }: Investigated,
): Promise<void> {
  const request = { by, prompt, asked } as unknown as JsonValue;
  await record('investigator', by.name, request, async () => answer as unknown as JsonValue);
}

/** Only a hash, because the request can be rebuilt from the rest of the bundle. */
function explainerRequest(request: ExplainRequest): JsonValue {
  return { sha256: sha256Hex(canonicalJson(request)) };
}

export function recordingExplainer(explainer: Explainer, { record }: Recording): Explainer {
  return {
    name: explainer.name,
    explain: (request, signal) =>
      record('explainer', explainer.name, explainerRequest(request), () =>
        explainer.explain(request, signal),
      ),
  };
}

function recordedError(error: unknown, port: RecordedCall['port']): RecordedCall['error'] {
  if (isCulpritError(error)) return runError(error);
  const detail = error instanceof Error ? error.message : 'unknown error';
  return { code: port === 'code_host' ? 'internal' : 'explainer_failed', detail, retryable: false };
}

/** Notes which lines of blamed files are read, so that evidence keeps no other. */
export interface LineWatch {
  /** The same blame; reading its lines is noted. */
  watched(blame: Blame): Blame;
  /** With an empty line for each that nobody read, so that line numbers still count. */
  used(blame: Blame): Blame;
}

export function createLineWatch(): LineWatch {
  const read = new WeakMap<readonly string[], Set<string>>();
  const watch = (lines: readonly string[]): readonly string[] => {
    const seen = read.get(lines) ?? new Set();
    read.set(lines, seen);
    return new Proxy(lines, {
      get(target, key) {
        if (typeof key === 'string') seen.add(key);
        return Reflect.get(target, key);
      },
    });
  };
  const kept = (lines: readonly string[]): readonly string[] => {
    const used = new Array<string>(lines.length).fill('');
    for (const key of read.get(lines) ?? []) {
      const index = Number(key);
      const line = lines[index];
      // What else was read of the list, such as its length, is no line.
      if (line !== undefined) used[index] = line;
    }
    return used;
  };
  const each = (blame: Blame, change: (lines: readonly string[]) => readonly string[]): Blame => ({
    ...blame,
    files: blame.files.map((file) => ({ ...file, lines: file.lines && change(file.lines) })),
  });
  return { watched: (blame) => each(blame, watch), used: (blame) => each(blame, kept) };
}
