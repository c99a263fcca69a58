import type { NamedFix } from '@culprit/connectors/git';
import { type Event, isCulpritError, type JsonObject } from '@culprit/core';
import type { Blame, CodeHost } from '@culprit/core/connector';
import { findSuspects } from '@culprit/core/internal/pipeline/find-suspects';
import { crashException } from '@culprit/core/internal/pipeline/locate/crash-exception';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { type CaseSource, crashOfFix } from './crash-of-fix.js';

/** One fix of the repository, and what Culprit would have said before it. */
export interface CaseResult {
  readonly fix: { readonly sha: string; readonly title: string; readonly committed_at: string };
  readonly source: CaseSource;
  readonly culprits: readonly string[];
  /** In our order, at most five. */
  readonly suspects: readonly {
    readonly sha: string;
    /** `null`: not measured in such repositories. */
    readonly probability: number | null;
    readonly verdict: string;
  }[];
  /** Place of a culprit among the suspects, from 1; `null`: it is not among them. */
  readonly place: number | null;
  /** The newest commit blamed for a line of the stack. */
  readonly newest: string | null;
  readonly newestIsRight: boolean;
}

/** Why a fix is no case. */
export type Skipped = 'no_code_changed' | 'no_place_found' | 'failed';

export interface CaseRequest {
  readonly codeHost: CodeHost;
  readonly repository: string;
  readonly fix: NamedFix;
  readonly diffBudget: number;
  readonly signal: AbortSignal;
}

/** The ranking as of the commit before the fix. The repository's later history is not read. */
export async function runCase(request: CaseRequest): Promise<CaseResult | Skipped> {
  const { codeHost, repository, fix, signal } = request;
  try {
    const crash = crashOfFix(fix, await codeHost.diff(repository, fix.sha, signal));
    return crash === null ? 'no_code_changed' : await ranked(request, crash.source, crash);
  } catch (error) {
    signal.throwIfAborted();
    if (!isCulpritError(error)) throw error;
    return 'failed';
  }
}

async function ranked(
  { codeHost, repository, fix, diffBudget, signal }: CaseRequest,
  source: CaseSource,
  { platform, exception }: { readonly platform: string; readonly exception: JsonObject },
): Promise<CaseResult | Skipped> {
  const hints = { commit: fix.parent, release: null, at: fix.committed_at };
  const { revision } = await codeHost.tree(repository, hints, signal);
  const event = eventAt(revision.committed_at, fix.parent, platform, exception);
  let blamed: Blame | null = null;
  const watched: CodeHost = {
    ...codeHost,
    blame: async (...question) => {
      const answer = await codeHost.blame(...question);
      blamed ??= answer;
      return answer;
    },
  };
  const incident = { first_seen: event.timestamp, releases: [], occurrences: 1 };
  const config = { repository, mappings: [], diffBudget };
  const found = await findSuspects(
    { event, incident, config } as unknown as Parameters<typeof findSuspects>[0],
    crashException(event),
    { codeHost: watched, signal, step: async (_name, work) => await work(), keep: () => {} },
  );
  if (found.located.length === 0) return 'no_place_found';
  const suspects = found.suspects.map(({ sha, probability, verdict }) => ({ sha, probability, verdict }));
  const at = suspects.findIndex(({ sha }) => fix.culprits.includes(sha));
  const newest = newestOwner(blamed, found.located);
  return {
    fix: { sha: fix.sha, title: fix.title, committed_at: fix.committed_at },
    source,
    culprits: fix.culprits,
    suspects,
    place: at < 0 ? null : at + 1,
    newest,
    newestIsRight: newest !== null && fix.culprits.includes(newest),
  };
}

function newestOwner(
  blame: Blame | null,
  located: readonly { readonly path: string; readonly line: number | null }[],
): string | null {
  const owners = located.flatMap(({ path, line }) => {
    const file = blame?.files.find((one) => one.path === path);
    return file?.ranges.find(({ start, end }) => line !== null && start <= line && line <= end) ?? [];
  });
  owners.sort((a, b) => Date.parse(b.committed_at) - Date.parse(a.committed_at));
  return owners[0]?.sha ?? null;
}

function eventAt(at: string, commit: string, platform: string, exception: JsonObject): Event {
  return normalise({
    ...{ sequence: 1, event_id: 'backtest', project: 'default', door: 'native', tracker: 'backtest' },
    ...{ received_at: at, raw_sha256: '', headers: {}, attachments: [], redactions: 0 },
    crash: { timestamp: at, platform, tags: { commit }, exception: { values: [exception] } },
  });
}
