import {
  LINE_ROLES,
  MECHANISM_CODES,
  NO_SUSPECT,
  type NoSuspectCode,
} from '@culprit/core/internal/domain/suspect';
import { STANDINGS, VERDICTS } from '@culprit/core/internal/domain/verdict';
import * as v from 'valibot';

const texts = v.array(v.string());
const hunkSchema = v.object({
  path: v.string(),
  header: v.string(),
  lines: v.array(
    v.object({
      kind: v.picklist(['context', 'added', 'removed']),
      text: v.string(),
      line: v.nullable(v.number()),
      crashed: v.boolean(),
    }),
  ),
});

const stackLine = { path: v.string(), line: v.number(), role: v.picklist(LINE_ROLES) };
const sentence = {
  text: v.pipe(v.string(), v.description('Safe Markdown that reads on from "This commit".')),
};
const reasonSchema = v.variant('code', [
  v.object({ code: v.literal('last_changed_line'), ...stackLine, ...sentence }),
  v.object({ code: v.literal('changed_nearby'), ...stackLine, distance: v.number(), ...sentence }),
  v.object({ code: v.literal('before_formatting'), sha: v.string(), ...sentence }),
  v.object({
    code: v.literal('moved_from'),
    from: v.string(),
    to: v.string(),
    by: v.pipe(v.nullable(v.string()), v.description('The commit that renamed the file; `null`: unknown.')),
    ...sentence,
  }),
  v.object({ code: v.literal('age'), days: v.number(), ...sentence }),
  v.object({
    code: v.picklist([...MECHANISM_CODES, 'diff_mentions', 'message_mentions']),
    words: texts,
    ...sentence,
  }),
  v.object({
    code: v.literal('in_release'),
    release: v.string(),
    commits: v.pipe(
      v.nullable(v.number()),
      v.description('How many commits the release brought. `null`: more than are recorded.'),
    ),
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

const standing = {
  standing: v.optional(
    v.pipe(
      v.picklist(STANDINGS),
      v.description('Place in the ranking: preferred clearly, close to the first, behind it, far behind.'),
    ),
  ),
};

/** A commit that may have caused the crash. */
export const suspectSchema = v.object({
  sha: v.string(),
  author: v.object({
    name: v.string(),
    account: v.optional(v.pipe(v.string(), v.description('On the code host. Absent: unknown.'))),
  }),
  committed_at: v.string(),
  title: v.string(),
  url: v.nullable(v.string()),
  score: v.number(),
  components: v.record(v.string(), v.number()),
  probability: v.pipe(
    v.nullable(v.number()),
    v.description(
      'How likely this commit is the cause, 0 to 1. `null`: not measured for such changes or repositories; `unrated` of the run’s suspect says why.',
    ),
  ),
  verdict: v.pipe(
    v.picklist(VERDICTS),
    v.description(
      '`auto`: very likely the cause; `likely`; `recent`: a candidate that is not rated likely. Measured: docs/accuracy.md.',
    ),
  ),
  unrated: v.optional(
    v.pipe(
      v.variant('code', [
        v.object({ code: v.literal('old_change'), days: v.number(), ...standing }),
        v.object({ code: v.literal('few_commits'), commits: v.number(), ...standing }),
        v.object({ code: v.picklist(['shallow', 'revision_missing']), ...standing }),
      ]),
      v.description('Why `probability` is null. Absent: it is not.'),
    ),
  ),
  reasons: v.array(reasonSchema),
  frames: v.array(v.number()),
  hunk: v.nullable(hunkSchema),
  pull_request: v.nullable(v.object({ number: v.number(), url: v.string(), title: v.string() })),
});

const words = {
  detail: v.string(),
  command: v.pipe(v.nullable(v.string()), v.description('What closes the gap, run in the clone.')),
};

/** What a repository does not show of its history or its files. */
export const gapSchema = v.variant('code', [
  v.object({
    code: v.literal('shallow'),
    since: v.pipe(v.string(), v.description('Before this time the history is incomplete.')),
    ...words,
  }),
  v.object({ code: v.picklist(['missing_content', 'files_not_listed']), ...words }),
  v.object({ code: v.literal('replaced'), commits: v.number(), ...words }),
  v.object({ code: v.literal('submodule'), path: v.string(), ...words }),
  v.object({ code: v.literal('revision_missing'), named: v.string(), ...words }),
]);

/** Why there is no suspect. */
export const noSuspectSchema = v.object({
  code: v.picklist(Object.keys(NO_SUSPECT) as NoSuspectCode[]),
  detail: v.string(),
  end: v.optional(
    v.pipe(
      v.object({ sha: v.string(), committed_at: v.string() }),
      v.description('For `history_ends` and `commit_replaced`: the commit that blame leads to.'),
    ),
  ),
});
