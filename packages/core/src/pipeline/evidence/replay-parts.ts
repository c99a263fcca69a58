import type { EvidenceBundle, RecordedCall } from '../../domain/evidence.js';
import type { Explanation } from '../../domain/explanation.js';
import type { Investigated } from '../../domain/investigation.js';
import { canonicalJson, type JsonValue } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';
import type { Clock } from '../../ports/clock.js';
import type { Explainer } from '../../ports/explainer.js';
import type { SourceMapOutcome, SourceMaps } from '../../ports/source-maps.js';
import { storedError } from '../../runs/run-error.js';
import { type AnalysedCodeHost, codeHostRequests } from './recorder.js';

type Lookup = <T>(method: string, request: JsonValue) => Promise<T>;

/** Finds recorded responses by request, in any order. */
function lookupIn(calls: readonly RecordedCall[]): Lookup {
  const key = (method: string, request: JsonValue) => canonicalJson([method, request]);
  const known = new Map(calls.map((call) => [key(call.method, call.request), call]));
  return async <T>(method: string, request: JsonValue): Promise<T> => {
    const call = known.get(key(method, request));
    if (call === undefined) {
      throw new CulpritError(
        'code_host_unavailable',
        `The evidence has no answer to this ${method} request. It was recorded by a different version.`,
        { retryable: false },
      );
    }
    return answerOf<T>(call);
  };
}

function answerOf<T>({ answer, error }: RecordedCall): T {
  if (error === null) return answer as T;
  throw storedError(error);
}

/** The code host with its recorded responses; `null` if the analysis had none. */
export function replayingCodeHost(bundle: Pick<EvidenceBundle, 'calls'>): AnalysedCodeHost | null {
  const calls = bundle.calls.filter(({ port }) => port === 'code_host');
  if (calls.length === 0) return null;
  const lookup = lookupIn(calls);
  const { tree, blame, commits, diff, originals, ownership } = codeHostRequests;
  return {
    // Older versions did not ask.
    ...(calls.some(({ method }) => method === 'ownership') && {
      ownership: (repository, sha, paths) => lookup('ownership', ownership(repository, sha, paths)),
    }),
    tree: (repository, hints) => lookup('tree', tree(repository, hints)),
    blame: (repository, sha, paths) => lookup('blame', blame(repository, sha, paths)),
    commits: (repository, shas) => lookup('commits', commits(repository, shas)),
    diff: (repository, sha) => lookup('diff', diff(repository, sha)),
    originals: (repository, sha, map, places) => lookup('originals', originals(repository, sha, map, places)),
  };
}

/** The recorded outcomes of uploaded source maps; `null` if none was asked for. */
export function replayingSourceMaps(bundle: Pick<EvidenceBundle, 'calls'>): SourceMaps | null {
  const call = sourceMapCall(bundle);
  return call && { originals: async () => answerOf<readonly SourceMapOutcome[]>(call) };
}

/** An event has one call: its places are the same in every version of the same bundle. */
export function sourceMapCall({ calls }: Pick<EvidenceBundle, 'calls'>): RecordedCall | null {
  return calls.find(({ port }) => port === 'source_maps') ?? null;
}

/**
 * The explainers with their recorded responses, in the order of the calls. An analysis makes one request, so the request is
 * not compared: a later version may word it differently.
 */
export function replayingExplainers(
  bundle: Pick<EvidenceBundle, 'calls' | 'versions'>,
): readonly Explainer[] {
  const calls = bundle.calls.filter(({ port }) => port === 'explainer');
  const { prompt } = bundle.versions;
  return calls.map((call) => ({
    name: call.method,
    ...(prompt === undefined || prompt === 'none' ? {} : { promptVersion: prompt }),
    explain: async () => answerOf<Explanation>(call),
  }));
}

/** The finding that the analysis used; `null`: none. */
export function investigatedIn({ calls }: Pick<EvidenceBundle, 'calls'>): Investigated | null {
  const call = calls.find(({ port }) => port === 'investigator');
  return call === undefined
    ? null
    : ({ ...(call.request as object), ...(call.answer as object) } as Investigated);
}

/** A stopped clock: recorded calls never time out. */
export function frozenClock(iso: string): Clock {
  const now = Date.parse(iso);
  return {
    now: () => now,
    sleep: (_ms, signal) =>
      new Promise((_, reject) => {
        // A signal that is aborted already has no such event any more.
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
}
