import type { EvidenceBundle, RecordedCall } from '../../domain/evidence.js';
import { canonicalJson, type JsonValue } from '../../domain/json.js';
import { ERRORS, type ErrorCode } from '../../errors/catalogue.js';
import { CulpritError } from '../../errors/error.js';
import type { Clock } from '../../ports/clock.js';
import type { Explainer } from '../../ports/explainer.js';
import { type AnalysedCodeHost, codeHostRequests, explainerRequest } from './record.js';

type Lookup = <T>(port: RecordedCall['port'], method: string, request: JsonValue) => Promise<T>;

/** Answers by request, in whatever order they are asked for. */
function lookupIn(calls: readonly RecordedCall[]): Lookup {
  const key = (port: string, method: string, request: JsonValue) => canonicalJson([port, method, request]);
  const known = new Map(calls.map((call) => [key(call.port, call.method, call.request), call]));
  return async <T>(port: RecordedCall['port'], method: string, request: JsonValue): Promise<T> => {
    const call = known.get(key(port, method, request));
    if (call === undefined) {
      throw new CulpritError(
        port === 'explainer' ? 'explainer_failed' : 'code_host_unavailable',
        `The evidence holds no answer to this ${method} request; it was made by another version.`,
        { retryable: false },
      );
    }
    if (call.error !== null) {
      const code = call.error.code in ERRORS ? (call.error.code as ErrorCode) : 'internal';
      throw new CulpritError(code, call.error.detail, { retryable: call.error.retryable });
    }
    return call.answer as T;
  };
}

/** The code host as it answered then; `null` if the analysis had none. */
export function replayingCodeHost(bundle: Pick<EvidenceBundle, 'calls'>): AnalysedCodeHost | null {
  const calls = bundle.calls.filter(({ port }) => port === 'code_host');
  if (calls.length === 0) return null;
  const lookup = lookupIn(calls);
  const { tree, blame, commits, diff, originals } = codeHostRequests;
  return {
    tree: (repository, hints) => lookup('code_host', 'tree', tree(repository, hints)),
    blame: (repository, sha, paths) => lookup('code_host', 'blame', blame(repository, sha, paths)),
    commits: (repository, shas) => lookup('code_host', 'commits', commits(repository, shas)),
    diff: (repository, sha) => lookup('code_host', 'diff', diff(repository, sha)),
    originals: (repository, sha, map, places) =>
      lookup('code_host', 'originals', originals(repository, sha, map, places)),
  };
}

/** The explainers as they answered then, in the order in which they were asked. */
export function replayingExplainers(
  bundle: Pick<EvidenceBundle, 'calls' | 'versions'>,
): readonly Explainer[] {
  const calls = bundle.calls.filter(({ port }) => port === 'explainer');
  const { prompt } = bundle.versions;
  return calls.map((call) => ({
    name: call.method,
    ...(prompt === undefined || prompt === 'none' ? {} : { promptVersion: prompt }),
    explain: (request) => lookupIn([call])('explainer', call.method, explainerRequest(request)),
  }));
}

/** Stands still; nothing recorded is ever late. */
export function frozenClock(iso: string): Clock {
  const now = Date.parse(iso);
  return {
    now: () => now,
    sleep: (_ms, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
}
