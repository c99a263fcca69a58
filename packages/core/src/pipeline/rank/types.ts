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

/** A distinct line of the stack; index 0 is where it crashed, or where its first cause was thrown. */
export interface Position {
  /** Index into the crash's frames. */
  readonly frame: number;
  readonly path: string;
  readonly line: number;
  /** True: the reported source line is here; false: it is not; null: none was reported. */
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

/** What a commit's message and diff have to do with the crash. */
export interface ChangeFacts {
  /** Crash words in the commit message, sorted. */
  readonly message: readonly string[];
  /** First line of the message. */
  readonly title: string;
  /** `null` while the diff was not read. */
  readonly content: ChangeContent | null;
  /** False: it only moved or formatted what it touched of the stack's files, or merged. */
  readonly ownChange: boolean;
}

/** What a diff did. Indices are into the crash's positions, -1 for none; words are crash words, sorted. */
export interface ChangeContent {
  readonly touchesFile: boolean;
  readonly touchesDir: boolean;
  /** Words that the commit added, removed, or kept in lines that it changed. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly edited: readonly string[];
  /** Functions that it edited, of the stack or named on its lines. */
  readonly edits: readonly string[];
  /** The file of the stack that it created. */
  readonly creates: number;
  /** Functions and types that it no longer defines, or defines with other parameters. */
  readonly undefines: readonly string[];
  readonly redefines: readonly string[];
  /** Names of the stack's source lines that it gives another value, or no longer gives one. */
  readonly reassigns: readonly string[];
  /** More lines give a missing value (`null`, `None`) than before. */
  readonly givesMissing: boolean;
  readonly imports: readonly string[];
  /** Names that it no longer checks, or checks in another way. */
  readonly guardsLost: readonly string[];
  readonly conditions: readonly string[];
  /** Error words of lines that newly raise. */
  readonly raises: readonly string[];
  /** Changed lines of code. */
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
  /** Never suspects: `.git-blame-ignore-revs`. */
  readonly ignored: ReadonlySet<string>;
  /** ISO 8601: later commits are not considered. */
  readonly crashedAt: string;
  /** ISO 8601: when the release before the first one that crashed was made; `null` where that is not known. */
  readonly previousRelease: string | null;
  readonly native: boolean;
  /** What is known of changes, by SHA. */
  readonly changes: ReadonlyMap<string, ChangeFacts>;
  readonly crash: CrashContext;
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
  readonly mechanisms: readonly Mechanism[];
}
