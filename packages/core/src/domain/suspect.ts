import * as v from 'valibot';
import type { HistoryGap } from './history-gap.js';
import { about, count, type Doc, named, text, texts } from './schema.js';
import { unratedSchema, VERDICTS, withoutUnmeasured } from './verdict.js';

const hunkLineSchema = v.object({
  kind: v.picklist(['context', 'added', 'removed']),
  text: v.string(),
  line: about(count, 'Line number in the suspect’s version of the file; `null` for removed lines.'),
  crashed: about(v.boolean(), 'It is the crashed line.'),
});
/** One line of a hunk. */
export interface HunkLine extends Doc<typeof hunkLineSchema> {}

const hunkSchema = v.object({
  path: about(v.string(), 'Of the file in the suspect commit.'),
  header: about(v.string(), '`@@ -1,4 +1,5 @@ function`'),
  lines: v.array(hunkLineSchema),
});
/** The part of a suspect's diff nearest to the crashed lines, at most 12 lines. */
export interface Hunk extends Doc<typeof hunkSchema> {}

/** The role of a line: thrown there, or elsewhere in the stack, of the crash or of the exception that caused it. */
export const LINE_ROLES = ['crashed', 'stack', 'cause_thrown', 'cause_stack'] as const;
/** How a commit's changed line relates to the crash; one of `LINE_ROLES`. */
export type LineRole = (typeof LINE_ROLES)[number];

const stackLine = { path: v.string(), line: v.number(), role: v.picklist(LINE_ROLES) };

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

const sentence = { text: about(v.string(), 'Safe Markdown that reads on from "This commit".') };
const move = {
  from: v.string(),
  to: v.string(),
  by: about(text, 'The commit that renamed the file; `null`: unknown.'),
};
/** A file's rename. */
export interface FileMove extends Doc<v.ObjectSchema<typeof move, undefined>> {}

const reasonSchema = v.variant('code', [
  v.object({ code: v.literal('last_changed_line'), ...stackLine, ...sentence }),
  v.object({
    code: v.literal('changed_nearby'),
    ...stackLine,
    distance: about(v.number(), 'In lines.'),
    ...sentence,
  }),
  v.object({ code: v.literal('before_formatting'), sha: v.string(), ...sentence }),
  v.object({ code: v.literal('moved_from'), ...move, ...sentence }),
  v.object({ code: v.literal('age'), days: v.number(), ...sentence }),
  v.object({
    code: v.picklist([...MECHANISM_CODES, 'diff_mentions', 'message_mentions']),
    words: about(texts, 'Names or words that the commit changed in this way, at most a few.'),
    ...sentence,
  }),
  v.object({
    code: v.literal('investigated'),
    quote: about(v.string(), 'A line that the commit added or removed.'),
    place: about(v.object({ path: v.string(), line: v.number() }), 'Where the wrong value or state is made.'),
    ...sentence,
  }),
  /** Beside the ranking: it has no weight. */
  v.object({
    code: v.literal('in_release'),
    release: v.string(),
    commits: about(count, 'Number of commits that came with the release. `null`: more than are recorded.'),
    ...sentence,
  }),
  v.object({
    code: v.picklist([
      'reverts_change',
      'in_first_release',
      'latest_in_file',
      'recent_in_file',
      'touches_file',
      'touches_directory',
      'text_only',
    ]),
    ...sentence,
  }),
]);
/** Some reasons of runs stored by 0.1 and 0.2 have the text alone: code `text_only`. */
export type Reason = Doc<typeof reasonSchema>;

type WithoutText<One> = One extends Reason
  ? Omit<One, 'code' | 'text'> & { readonly code: Exclude<One['code'], 'text_only'> }
  : never;
/** Why a commit is suspected, as data. The wording of each code is in `pipeline/rank/reason-wording.ts`. */
export type ReasonFact = WithoutText<Reason>;
/** A stable code of a suspect's reason. */
export type ReasonCode = ReasonFact['code'];

export const investigatorSchema = v.object({
  kind: about(
    v.picklist(['model', 'agent']),
    '`model`: the configured one. `agent`: from outside, over the API or MCP.',
  ),
  name: about(v.string(), 'The model, or the name of the credential.'),
  person: about(text, 'Who started it, or whose agent it is; null: it started by itself.'),
});

export const suspectSchema = named(
  'Suspect',
  'A commit that may have caused the crash.',
  v.object({
    sha: v.string(),
    author: v.object({
      name: v.string(),
      account: about(v.optional(v.string()), 'On the code host, without `@`. Absent: unknown.'),
    }),
    committed_at: about(v.string(), 'ISO 8601, UTC.'),
    title: v.string(),
    url: text,
    score: v.number(),
    components: about(v.record(v.string(), v.number()), 'Named terms whose sum is `score`.'),
    probability: about(
      count,
      'How likely this commit is the cause, 0 to 1. `null`: not measured for such changes or repositories; `unrated` of the run’s suspect says why.',
    ),
    verdict: about(
      v.picklist(VERDICTS),
      '`auto`: very likely the cause; `likely`; `recent`: a candidate that is not rated likely. Measured: docs/accuracy.md.',
    ),
    unrated: about(v.optional(unratedSchema), 'Why `probability` is null. Absent: it is not.'),
    found_by: about(
      v.optional(
        v.object({
          by: investigatorSchema,
          questions: about(v.number(), 'That it asked.'),
          measured: about(
            v.boolean(),
            'False: `probability` was not measured with this investigator, so it is shrunk.',
          ),
        }),
      ),
      'The investigator that named it as the cause. Absent: the ranking alone did.',
    ),
    reasons: about(v.array(reasonSchema), 'Strongest first.'),
    frames: about(
      v.array(v.number()),
      'Indices of the frames (of the followed exception, oldest first) that point to it.',
    ),
    hunk: v.nullable(hunkSchema),
    pull_request: v.nullable(v.object({ number: v.number(), url: v.string(), title: v.string() })),
  }),
);
/** A commit that may have caused the crash. A suspect is a change, not a person. */
export interface Suspect extends Doc<typeof suspectSchema> {}

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
    text: 'Check that the file is committed and pushed. If it is, add a code mapping from the reported folder to the repository’s. Try it: culprit blame PATH.',
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

export const noSuspectSchema = v.object({
  code: v.picklist(Object.keys(NO_SUSPECT) as NoSuspectCode[]),
  detail: v.string(),
  end: about(
    v.optional(v.object({ sha: v.string(), committed_at: v.string() })),
    'For `history_ends` and `commit_replaced`: the commit that blame leads to.',
  ),
});
/** Why an analysis names no suspect: a stable code and its text. */
export interface NoSuspect extends Doc<typeof noSuspectSchema> {}

/** Reasons that already mention a gap and its command. */
const TOLD_BY: Readonly<Record<string, string>> = { history_ends: 'shallow' };

/** The gaps to show beside the reason for no suspect: without the one that it mentions. */
export function furtherGaps<Gap extends Pick<HistoryGap, 'code'>>(
  gaps: readonly Gap[] | undefined,
  none: Pick<NoSuspect, 'code'> | null,
): readonly Gap[] {
  return (gaps ?? []).filter(({ code }) => TOLD_BY[none?.code ?? ''] !== code);
}
