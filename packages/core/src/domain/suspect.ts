export const VERDICTS = ['auto', 'likely', 'recent'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface HunkLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** Line number in the suspect's new version of the file; `null` for removed lines. */
  readonly line: number | null;
  /** True on the line that crashed. */
  readonly crashed: boolean;
}

/** The part of a suspect's diff nearest to the crashed lines, cut small. */
export interface Hunk {
  /** The file's path in the suspect commit. */
  readonly path: string;
  /** `@@ -1,4 +1,5 @@ function` */
  readonly header: string;
  readonly lines: readonly HunkLine[];
}

/** A commit with a score and reasons. It names a change, not a person to blame. */
export interface Suspect {
  readonly sha: string;
  readonly author: { readonly name: string };
  /** ISO 8601, UTC. */
  readonly committed_at: string;
  readonly title: string;
  readonly url: string | null;
  readonly score: number;
  /** The parts that add up to `score`, by name. */
  readonly components: Readonly<Record<string, number>>;
  /** 0 to 1, over the candidates considered. */
  readonly probability: number;
  readonly verdict: Verdict;
  /** Plain words, most telling first. */
  readonly reasons: readonly string[];
  /** Indices into the crash's frames (of the exception that threw, oldest first) that speak for it. */
  readonly frames: readonly number[];
  readonly hunk: Hunk | null;
  readonly pull_request: { readonly number: number; readonly url: string; readonly title: string } | null;
}

/** Why no suspect could be named. Codes are stable. */
export const NO_SUSPECT = {
  no_frames: 'The crash carries no stack.',
  no_code_host: 'No repository is configured for this project.',
  no_revision: 'The crashed revision could not be found in the repository.',
  no_mapped_frame: 'No frame of the stack leads to a file of the repository.',
  blame_failed: 'The code host could not answer blame for the files of the stack.',
  no_candidates: 'No commit could be tied to the crashed lines.',
} as const;
export type NoSuspectCode = keyof typeof NO_SUSPECT;
export interface NoSuspect {
  readonly code: NoSuspectCode;
  readonly detail: string;
}
