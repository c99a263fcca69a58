import type { BlameRange } from '../../ports/code-host.js';

/** A line of the stack seen in one version of its file: at the crash, or before a commit that was looked through. */
export interface View {
  readonly path: string;
  readonly line: number;
  readonly ranges: readonly BlameRange[];
  /** The line's text in this version; `null` if it is not known. */
  readonly text: string | null;
}

/** A distinct line of the stack; index 0 is where it crashed, or where its first cause was thrown. */
export interface Position {
  /** Index into the crash's frames. */
  readonly frame: number;
  readonly path: string;
  readonly line: number;
  /** True: the reported source line stands here; false: it does not; null: none was reported. */
  readonly verified: boolean | null;
  /** At the crash first; the last one names the owner. */
  readonly views: readonly View[];
  /** Commits that only formatted or moved the line, newest first. */
  readonly lookedThrough: readonly string[];
  /** It is of the stack of what the crash was caused by. */
  readonly cause?: true;
}

export interface Dated {
  readonly sha: string;
  /** ISO 8601. */
  readonly committed_at: string;
}

/** What a commit shares with the crash. */
export interface ChangeFacts {
  /** These two need the diff: `null` while it was not read. */
  readonly touchesFile: boolean | null;
  readonly touchesDir: boolean | null;
  /** Crash words in changed lines, of functions also in hunk headers, sorted; `null` while the diff was not read. */
  readonly mentions: readonly string[] | null;
  /** Crash words in the commit message, sorted. */
  readonly message: readonly string[];
  /** False: it only moved or formatted what it touched of the stack's files, or merged. */
  readonly ownChange: boolean;
}

export interface RankInput {
  /** Crash first. */
  readonly positions: readonly Position[];
  readonly files: readonly {
    readonly path: string;
    readonly ranges: readonly BlameRange[];
    /** Newest first. */
    readonly history: readonly Dated[];
  }[];
  /** The repository's last commits, newest first. */
  readonly recent: readonly Dated[];
  /** Never suspects: `.git-blame-ignore-revs`. */
  readonly ignored: ReadonlySet<string>;
  /** ISO 8601: later commits are not considered. */
  readonly crashedAt: string;
  /** ISO 8601: when the release before the first one that crashed was made; `null` where that is not known. */
  readonly previousRelease: string | null;
  readonly native: boolean;
  /** What is known of changes, by SHA. */
  readonly changes: ReadonlyMap<string, ChangeFacts>;
}

export interface RankedCandidate extends Dated {
  readonly score: number;
  /** Add up to `score`. */
  readonly components: Readonly<Record<string, number>>;
  readonly probability: number;
  readonly ageDays: number;
  /** Indices into the crash's frames whose lines it owns or lies near to. */
  readonly frames: readonly number[];
  /** Index into positions of the line it owns, and whether after a look-through; `null` where it owns none. */
  readonly owned: { readonly position: number; readonly through: readonly string[] } | null;
  /** The nearest line it owns, where it owns none of the stack's. */
  readonly nearest: { readonly position: number; readonly distance: number } | null;
  /** Place in a traced file's history, from 0; `null` if in none. */
  readonly historyRank: number | null;
  /** True: it came with the release that crashed first. */
  readonly inWindow: boolean;
}
