import { LINE_ROLES, MECHANISM_CODES, VERDICTS } from '@culprit/core/model';
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
  v.object({ code: v.literal('reader'), quote: v.string(), place: v.number(), ...sentence }),
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
  probability: v.number(),
  verdict: v.picklist(VERDICTS),
  reasons: v.array(reasonSchema),
  frames: v.array(v.number()),
  hunk: v.nullable(hunkSchema),
  pull_request: v.nullable(v.object({ number: v.number(), url: v.string(), title: v.string() })),
});
