import type { HistoryGap } from './history-gap.js';
import { type Unrated, type Verdict, withoutUnmeasured } from './verdict.js';

/** One line of a hunk. */
export interface HunkLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** Line number in the suspect's new version of the file; `null` for removed lines. */
  readonly line: number | null;
  /** True for the crashed line. */
  readonly crashed: boolean;
}

/** The part of a suspect's diff nearest to the crashed lines, at most 12 lines. */
export interface Hunk {
  /** The file's path in the suspect commit. */
  readonly path: string;
  /** `@@ -1,4 +1,5 @@ function` */
  readonly header: string;
  readonly lines: readonly HunkLine[];
}

/** The role of a line: thrown there, or elsewhere in the stack, of the crash or of the exception that caused it. */
export const LINE_ROLES = ['crashed', 'stack', 'cause_thrown', 'cause_stack'] as const;
/** How a commit's changed line relates to the crash; one of `LINE_ROLES`. */
export type LineRole = (typeof LINE_ROLES)[number];

interface StackLine {
  readonly path: string;
  readonly line: number;
  readonly role: LineRole;
}

/** A file's rename. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
  /** SHA of the commit that renamed it; `null`: not known. */
  readonly by: string | null;
}

/** What a commit did to the code that the crash depends on. */
export const MECHANISM_CODES = [
  'signature_changed',
  'definition_removed',
  'guard_removed',
  'error_raised',
  'condition_changed',
  'value_changed',
  'callee_changed',
  'import_changed',
] as const;
/** One of {@link MECHANISM_CODES}. */
export type MechanismCode = (typeof MECHANISM_CODES)[number];

/** Why a commit is suspected, as data. The wording of each code is in `pipeline/rank/reason-wording.ts`. */
export type ReasonFact =
  | ({ readonly code: 'last_changed_line' } & StackLine)
  /** `distance` in lines. */
  | ({ readonly code: 'changed_nearby' } & StackLine & { readonly distance: number })
  | { readonly code: 'before_formatting'; readonly sha: string }
  /** The file had another name then. */
  | ({ readonly code: 'moved_from' } & FileMove)
  /** `words`: names or words that the commit changed in this way, at most a few. */
  | { readonly code: MechanismCode; readonly words: readonly string[] }
  | { readonly code: 'reverts_change' }
  | { readonly code: 'age'; readonly days: number }
  | { readonly code: 'in_first_release' }
  /** Beside the ranking: it has no weight. `commits`: of the release; `null`: more than are recorded. */
  | { readonly code: 'in_release'; readonly release: string; readonly commits: number | null }
  | { readonly code: 'diff_mentions'; readonly words: readonly string[] }
  | { readonly code: 'message_mentions'; readonly words: readonly string[] }
  | { readonly code: 'latest_in_file' }
  | { readonly code: 'recent_in_file' }
  | { readonly code: 'touches_file' }
  | { readonly code: 'touches_directory' };
/** A stable code of a suspect's reason. */
export type ReasonCode = ReasonFact['code'];

/** `text` is safe Markdown and reads on from "This commit". Some of runs stored by 0.1 and 0.2 have the text alone: code `text_only`. */
export type Reason = (ReasonFact | { readonly code: 'text_only' }) & { readonly text: string };

/** A commit that may have caused the crash. A suspect is a change, not a person. */
export interface Suspect {
  readonly sha: string;
  /** `account`: on the code host, without `@`; absent if it is unknown. */
  readonly author: { readonly name: string; readonly account?: string | undefined };
  /** ISO 8601, UTC. */
  readonly committed_at: string;
  readonly title: string;
  readonly url: string | null;
  readonly score: number;
  /** Named terms whose sum is `score`. */
  readonly components: Readonly<Record<string, number>>;
  /** 0 to 1, over the candidates considered. `null`: not measured there; `unrated` says why. */
  readonly probability: number | null;
  readonly verdict: Verdict;
  /** Why there is no probability. Absent: there is one. */
  readonly unrated?: Unrated | undefined;
  /** Strongest first. */
  readonly reasons: readonly Reason[];
  /** Indices of the frames (of the followed exception, oldest first) that point to it. */
  readonly frames: readonly number[];
  readonly hunk: Hunk | null;
  readonly pull_request: { readonly number: number; readonly url: string; readonly title: string } | null;
}

/**
 * A stored suspect as this version reads it: 0.1.0 stored reasons as text, 0.2.0 probabilities that were not measured, and the
 * reason `reader` of a model that chose among the suspects.
 */
export function readSuspect(older: Suspect): Suspect {
  const stored = withoutUnmeasured(older);
  const reasons: readonly (Reason | string | { readonly code: 'reader'; readonly text: string })[] =
    stored.reasons;
  return {
    ...stored,
    reasons: reasons.map((reason) => {
      if (typeof reason === 'string') return { code: 'text_only', text: reason };
      return reason.code === 'reader' ? { code: 'text_only', text: reason.text } : reason;
    }),
  };
}

/** Why a run has no suspect. The codes are stable. */
export const NO_SUSPECT = {
  no_frames: 'The crash has no stack trace.',
  no_code_host: 'No repository is configured for this project.',
  no_revision: 'The crashed revision was not found in the repository.',
  foreign_revision:
    'The crashed revision is in no branch or tag of the repository. It may come from a fork, or its branch was deleted.',
  no_mapped_frame: 'No frame in the stack trace maps to a file in the repository.',
  in_submodule: 'The crashed code is in a submodule, which is another repository.',
  blame_failed: 'The code host returned no blame for the files in the stack trace.',
  history_ends: 'The history ends here: blame leads to a commit whose parents were not fetched.',
  commit_replaced:
    'The change that could be the cause is a commit that git replace or a graft has altered, so what it changed is not certain.',
  no_candidates: 'No commit could be linked to the crashed lines.',
} as const;
/** A stable code of `NO_SUSPECT`. */
export type NoSuspectCode = keyof typeof NO_SUSPECT;

/** What to do about each, and the command that does it in the clone, if one does. */
const NO_SUSPECT_REMEDY: Readonly<
  Record<NoSuspectCode, { readonly text: string; readonly command?: string }>
> = {
  no_frames: { text: 'Send the stack trace with the crash.' },
  no_code_host: { text: 'Set REPOSITORY, or the repository of the project.' },
  no_revision: { text: 'Fetch it, or send a release that is tagged.', command: 'git fetch --all --tags' },
  foreign_revision: { text: 'Push the commit to a branch or a tag, or send a release that is tagged.' },
  no_mapped_frame: {
    text: 'Check that the file is committed and pushed. If it is, add a code mapping from the reported folder to the repository’s. Try it: culprit map PATH.',
  },
  in_submodule: { text: 'Add the submodule’s repository as a project, and send its crashes there.' },
  blame_failed: { text: 'Check the repository with culprit doctor.' },
  history_ends: {
    text: 'Fetch the whole history, then choose Return to Gate 1 and approve the run again. In the clone:',
    command: 'git fetch --unshallow',
  },
  commit_replaced: {
    text: 'Look at the original history.',
    command: 'git --no-replace-objects log',
  },
  no_candidates: { text: 'Check that the release names the code that crashed.' },
};

/** What to do about a code, which an older or newer core may have given: then nothing is known. */
export function remedyOf(code: string): { readonly text: string; readonly command?: string } {
  const known = Object.hasOwn(NO_SUSPECT_REMEDY, code);
  return known
    ? NO_SUSPECT_REMEDY[code as NoSuspectCode]
    : { text: 'Update this program to learn what to do.' };
}

/** Why an analysis names no suspect: a stable code and its text. */
export interface NoSuspect {
  readonly code: NoSuspectCode;
  readonly detail: string;
  /** For `history_ends` and `commit_replaced`: that commit. ISO 8601. */
  readonly end?: { readonly sha: string; readonly committed_at: string } | undefined;
}

/** Reasons that tell of a gap, and its command, already. */
const TOLD_BY: Readonly<Record<string, string>> = { history_ends: 'shallow' };

/** The gaps to show beside the reason for no suspect: without the one that it tells of. */
export function furtherGaps<Gap extends Pick<HistoryGap, 'code'>>(
  gaps: readonly Gap[] | undefined,
  none: Pick<NoSuspect, 'code'> | null,
): readonly Gap[] {
  return (gaps ?? []).filter(({ code }) => TOLD_BY[none?.code ?? ''] !== code);
}
