import type { BlameRange } from '../../ports/code-host.js';
import type { CrashContext } from './crash-context.js';
import type { Mechanism } from './mechanisms.js';

/** A line of the stack seen in one version of its file: at the crash, or before a skipped commit. */
export interface View {
  readonly path: string;
  readonly line: number;
  readonly ranges: readonly BlameRange[];
  /** The line's text in this version; `null` if it is not known. */
  readonly text: string | null;
}

/** A distinct line of the stack; index 0 is the crashed line, or the line that threw the root cause. */
export interface Position {
  /** Index into the crash's frames. */
  readonly frame: number;
  readonly path: string;
  readonly line: number;
  /** Whether the reported source line matches; `null` if none was reported. */
  readonly verified: boolean | null;
  /** Starts at the crashed revision; the last one determines the owner. */
  readonly views: readonly View[];
  /** Commits that only formatted or moved the line, newest first. */
  readonly lookedThrough: readonly string[];
  /** The line is in the stack of a cause of the crash. */
  readonly cause?: true;
}

export interface Dated {
  readonly sha: string;
  /** ISO 8601. */
  readonly committed_at: string;
}

/** What a commit's message and diff have in common with the crash. */
export interface ChangeFacts {
  /** Crash words in the commit message, sorted. */
  readonly message: readonly string[];
  /** First line of the message. */
  readonly title: string;
  /** `null` until the diff is read. */
  readonly content: ChangeContent | null;
  /** False: it only merged, or only moved or formatted its part of the stack's files. */
  readonly ownChange: boolean;
}

/** What a diff did. Indices refer to the crash's positions, -1 for none; words are crash words, sorted. */
export interface ChangeContent {
  readonly touchesFile: boolean;
  readonly touchesDir: boolean;
  /** Words that the commit added, removed, or kept in lines that it changed. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly edited: readonly string[];
  /** Edited functions that are in the stack or named on its lines. */
  readonly edits: readonly string[];
  /** Index of the stack's file that it created. */
  readonly creates: number;
  /** Functions and types whose definition it removed, or whose parameters it changed. */
  readonly undefines: readonly string[];
  readonly redefines: readonly string[];
  /** Names on the stack's source lines whose assignment it changed or removed. */
  readonly reassigns: readonly string[];
  /** True: more lines assign or return a missing value (`null`, `None`) than before. */
  readonly givesMissing: boolean;
  readonly imports: readonly string[];
  /** Names whose check it removed or changed. */
  readonly guardsLost: readonly string[];
  readonly conditions: readonly string[];
  /** Words of the error on added lines that raise. */
  readonly raises: readonly string[];
  /** Number of changed lines of code. */
  readonly size: number;
  readonly files: { readonly code: number; readonly tests: number; readonly docs: number };
}

export interface RankInput {
  /** Crash first. */
  readonly positions: readonly Position[];
  readonly files: readonly {
    readonly path: string;
    readonly ranges: readonly BlameRange[];
    /** Newest first. */
    readonly history: readonly Dated[];
    readonly lines: readonly string[] | null;
  }[];
  /** The repository's last commits, newest first. */
  readonly recent: readonly Dated[];
  /** Commits that are never suspects, from `.git-blame-ignore-revs`. */
  readonly ignored: ReadonlySet<string>;
  /** ISO 8601: later commits are not considered. */
  readonly crashedAt: string;
  /** ISO 8601: time of the release before the first one that crashed; `null` if unknown. */
  readonly previousRelease: string | null;
  readonly native: boolean;
  /** Facts about changes, by SHA. */
  readonly changes: ReadonlyMap<string, ChangeFacts>;
  readonly crash: CrashContext;
}

export interface RankedCandidate extends Dated {
  readonly score: number;
  /** Their sum is `score`. */
  readonly components: Readonly<Record<string, number>>;
  readonly probability: number;
  readonly ageDays: number;
  /** Indices of the crash's frames whose lines it owns, or near which it owns a line. */
  readonly frames: readonly number[];
  /** The position it owns, and the formatting commits skipped to find that; `null` if it owns none. */
  readonly owned: { readonly position: number; readonly through: readonly string[] } | null;
  /** The nearest line it owns, if it owns none of the stack's lines. */
  readonly nearest: { readonly position: number; readonly distance: number } | null;
  /** Place in a traced file's history, from 0; `null` if in none. */
  readonly historyRank: number | null;
  /** True: it is in the first release that crashed. */
  readonly inWindow: boolean;
  readonly mechanisms: readonly Mechanism[];
}
