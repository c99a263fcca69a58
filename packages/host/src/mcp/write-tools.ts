import type { Client } from '@culprit/client';
import type { Scope } from '@culprit/core/internal/domain/access';
import { DRAFT_LIMITS } from '@culprit/core/internal/domain/draft';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { untrusted } from './answer.js';
import { runIdArgument } from './arguments.js';
import type { Tool } from './tools.js';

/** What the writing tools call. None approves a gate or publishes. */
export type RunWrites = Pick<Client, 'commentOnRun' | 'getDraft' | 'editDraft'>;

/** A tool that only an API token with the scope has. */
interface WriteTool extends Tool<RunWrites> {
  readonly scope: Scope;
}

const commentSchema = v.strictObject({
  run_id: runIdArgument,
  comment: v.pipe(v.string(), v.minLength(1), v.maxLength(2_000)),
});
const editSchema = v.strictObject({
  run_id: runIdArgument,
  digest: about(v.pipe(v.string(), v.hexadecimal(), v.length(64)), 'Of the draft now, from get_run.'),
  title: v.exactOptional(v.pipe(v.string(), v.maxLength(DRAFT_LIMITS.titleChars))),
  body: about(v.pipe(v.string(), v.minLength(1)), 'The whole body, in Markdown.'),
});

/** In the name of the token. No answer has text from outside but marked. */
export const WRITE_TOOLS: readonly WriteTool[] = [
  {
    name: 'add_comment',
    title: 'Add a comment',
    description: 'Adds a comment to a run. Reviewers see it on the board and in chat; no issue contains it.',
    scope: 'comment',
    input: commentSchema,
    async call(api, given) {
      await api.commentOnRun(v.parse(commentSchema, given));
      return 'The comment was added. Reviewers see it beside the run.';
    },
  },
  {
    name: 'edit_draft',
    title: 'Edit the draft',
    description:
      'Replaces the text of the draft of a run at Gate 2, if nobody has changed it since. Reviewers see what changed and who did it before they sign.',
    scope: 'gate2',
    input: editSchema,
    async call(api, given) {
      const { run_id, digest, title, body } = v.parse(editSchema, given);
      const now = title ?? (await api.getDraft({ run_id })).title;
      const edited = await api.editDraft({ run_id, title: now, body, if_match: digest });
      return `The draft was changed. Its digest is now ${untrusted(edited.digest)}. A person reads it and decides whether to sign it.`;
    },
  },
];
