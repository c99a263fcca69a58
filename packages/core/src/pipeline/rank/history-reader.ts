import type { BlamedFile, CodeHost, Commit, Diff } from '../../ports/code-host.js';

/** Reads from the code host for the ranking: within budgets, each request once. A failure gives `null`. */
export interface HistoryReader {
  /** Fetches several commits at once for later calls of `commit`. */
  commits(shas: readonly string[]): Promise<void>;
  commit(sha: string): Promise<Commit | null>;
  /** Returns only what was already fetched. */
  known(sha: string): Commit | null;
  /** `null`: the budget is exhausted, or the code host failed. */
  diff(sha: string): Promise<Diff | null>;
  blame(sha: string, path: string): Promise<BlamedFile | null>;
  /** The remaining budget of diffs. */
  diffsLeft(): number;
  /** Failed reads, for the step's record. */
  readonly failures: readonly string[];
}

export interface ReaderOptions {
  readonly repository: string;
  readonly diffBudget: number;
  readonly blameBudget: number;
  readonly signal: AbortSignal;
  /** Called with every path before it is blamed. */
  readonly onBlame?: (path: string) => void;
}

/** The port's limit. */
export const COMMITS_AT_ONCE = 150;

export function historyReader(codeHost: CodeHost, options: ReaderOptions): HistoryReader {
  const { repository, signal } = options;
  const known = new Map<string, Commit>();
  const asked = new Set<string>();
  const diffs = new Map<string, Promise<Diff | null>>();
  const failures: string[] = [];
  let blames = 0;

  const attempt = async <T>(what: string, call: () => Promise<T>): Promise<T | null> => {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${what}: ${error instanceof Error ? error.message : 'failed'}`);
      return null;
    }
  };
  const commits = async (shas: readonly string[]): Promise<void> => {
    const wanted = [...new Set(shas)].filter((sha) => !asked.has(sha)).slice(0, COMMITS_AT_ONCE);
    if (wanted.length === 0) return;
    for (const sha of wanted) asked.add(sha);
    const found = await attempt('commits', () => codeHost.commits(repository, wanted, signal));
    for (const commit of found ?? []) known.set(commit.sha, commit);
  };
  return {
    commits,
    failures,
    known: (sha) => known.get(sha) ?? null,
    commit: async (sha) => {
      await commits([sha]);
      return known.get(sha) ?? null;
    },
    diff: (sha) => {
      const started = diffs.get(sha);
      if (started) return started;
      if (diffs.size >= options.diffBudget) return Promise.resolve(null);
      const made = attempt(`diff ${sha}`, () => codeHost.diff(repository, sha, signal));
      diffs.set(sha, made);
      return made;
    },
    blame: async (sha, path) => {
      if (blames >= options.blameBudget) return null;
      blames++;
      options.onBlame?.(path);
      const answer = await attempt(`blame ${sha}`, () => codeHost.blame(repository, sha, [path], signal));
      const file = answer?.files.find((entry) => entry.path === path);
      return file?.status === 'ok' ? file : null;
    },
    diffsLeft: () => Math.max(0, options.diffBudget - diffs.size),
  };
}
