import type { NamedFix } from '@culprit/connectors/git';
import { isCulpritError, type JsonObject } from '@culprit/core';
import type { Blame, CodeHost, Diff } from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { findSuspects } from '@culprit/core/internal/pipeline/find-suspects';
import { crashException } from '@culprit/core/internal/pipeline/locate/crash-exception';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { parseStack } from '@culprit/core/internal/pipeline/parse-stack/parse-stack';
import { kindOf } from '@culprit/core/internal/pipeline/rank/file-kind';
import type { DiffHunk } from '@culprit/core/internal/ports/code-host';

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

interface CaseRequest {
  readonly codeHost: CodeHost;
  readonly repository: string;
  readonly fix: NamedFix;
  readonly diffBudget: number;
  readonly signal: AbortSignal;
}

/** The ranking as of the commit before the fix. The repository's later history is not read. */
export async function runCase(request: CaseRequest): Promise<CaseResult | Skipped> {
  const { signal } = request;
  try {
    const crash = await crashBefore(request);
    return crash === null ? 'no_code_changed' : await ranked(request, crash);
  } catch (error) {
    signal.throwIfAborted();
    if (!isCulpritError(error)) throw error;
    return 'failed';
  }
}

/** The crash that a fix repaired, as of the commit before it; `null`: it changed no code. */
export async function crashBefore({
  codeHost,
  repository,
  fix,
  signal,
}: Omit<CaseRequest, 'diffBudget'>): Promise<{
  readonly source: CaseSource;
  readonly delivery: Delivery;
} | null> {
  const crash = crashOfFix(fix, await codeHost.diff(repository, fix.sha, signal));
  if (crash === null) return null;
  const hints = { commit: fix.parent, release: null, at: fix.committed_at };
  const { revision } = await codeHost.tree(repository, hints, signal);
  return { source: crash.source, delivery: deliveryAt(revision.committed_at, fix, crash) };
}

async function ranked(
  { codeHost, repository, fix, diffBudget, signal }: CaseRequest,
  { source, delivery }: { readonly source: CaseSource; readonly delivery: Delivery },
): Promise<CaseResult | Skipped> {
  const event = normalise(delivery);
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

function deliveryAt(at: string, { sha, parent }: NamedFix, { platform, exception }: MadeCrash): Delivery {
  return {
    ...{ sequence: 1, event_id: 'backtest', project: sha, door: 'native', tracker: 'backtest' },
    ...{ received_at: at, raw_sha256: '', headers: {}, attachments: [], redactions: 0 },
    crash: { timestamp: at, platform, tags: { commit: parent }, exception: { values: [exception] } },
  };
}

/** How a case was made: from the stack trace in the message of the fix, or from the lines that the fix or revert changed. */
export type CaseSource = 'trace' | 'fix' | 'revert';

interface MadeCrash {
  readonly source: CaseSource;
  readonly platform: string;
  readonly exception: JsonObject;
}

const PLATFORMS: Readonly<Record<string, string>> = {
  ...{
    py: 'python',
    rb: 'ruby',
    java: 'java',
    kt: 'java',
    scala: 'java',
    groovy: 'java',
    go: 'go',
    php: 'php',
  },
  ...{ js: 'node', mjs: 'node', cjs: 'node', jsx: 'node', ts: 'node', tsx: 'node', mts: 'node', vue: 'node' },
  ...{ cs: 'csharp', vb: 'csharp', fs: 'csharp', rs: 'rust', swift: 'native', m: 'native', mm: 'native' },
  ...{ c: 'native', h: 'native', cc: 'native', cpp: 'native', cxx: 'native', hpp: 'native', hh: 'native' },
};
/** Places of a fix, the file with the most changes first. */
const MAX_PLACES = 5;

/**
 * The crash that a fix repaired, as well as it is known: the quoted trace with its error; else the changed lines of code as
 * a stack without an error text, because the title of the fix says more than a crash does. `null`: no code was changed.
 */
export function crashOfFix({ kind, message }: NamedFix, diff: Diff): MadeCrash | null {
  const quoted = parseStack(message, 'other');
  const exception = quoted.exceptions.at(-1);
  if (exception !== undefined && exception.frames.length > 0) {
    const { type, value, frames } = exception;
    const shown = frames.map(({ file, line, function: name }) => ({
      ...{ filename: file, lineno: line, in_app: true },
      ...(name === null ? {} : { function: name }),
    }));
    return {
      source: 'trace',
      platform: quoted.platform,
      exception: { type, value, stacktrace: { frames: shown as unknown as JsonObject[] } },
    };
  }
  const places = changedPlaces(diff);
  const first = places[0];
  if (first === undefined) return null;
  const frames = places.map(({ path, line }) => ({ filename: path, lineno: line, in_app: true })).reverse();
  return {
    source: kind,
    platform: platformOf(first.path) ?? 'other',
    exception: { type: 'Error', value: '', stacktrace: { frames } },
  };
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** The first changed line of each hunk in code, as numbered before the fix. */
function changedPlaces(diff: Diff): readonly Place[] {
  return diff.files
    .filter(({ status, old_path }) => status === 'modified' && isCode(old_path))
    .map(({ old_path, hunks }) => ({ path: old_path, hunks, changed: hunks.reduce(sumChanged, 0) }))
    .sort((a, b) => b.changed - a.changed)
    .flatMap(({ path, hunks }) => hunks.map((hunk) => ({ path, line: firstChanged(hunk) })))
    .slice(0, MAX_PLACES);
}

function isCode(path: string): boolean {
  return kindOf(path) === 'code' && platformOf(path) !== null;
}

function platformOf(path: string): string | null {
  return PLATFORMS[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? null;
}

function sumChanged(sum: number, { lines }: DiffHunk): number {
  return sum + lines.filter((line) => !line.startsWith(' ')).length;
}

/** The first removed line; if lines were only added, the line before them. */
function firstChanged({ old_start, lines }: DiffHunk): number {
  const removed = lines.findIndex((line) => line.startsWith('-'));
  const added = lines.findIndex((line) => line.startsWith('+'));
  const at = removed >= 0 ? removed : added - 1;
  const before = lines.slice(0, Math.max(0, at)).filter((line) => !line.startsWith('+')).length;
  return Math.max(1, old_start + before);
}
