import type { Client } from '@culprit/client';
import type { Engine, Reviewer } from '@culprit/core';
import { DRAFT_LIMITS } from '@culprit/core/internal/domain/draft';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { runId } from '../server/operation.js';
import { type ProposedEdit, proposeEdit } from '../server/proposals.js';
import { runIdArgument } from './arguments.js';
import type { Tool } from './tools.js';

/** What a token with the scope `comment` may do over MCP. Nothing here decides, edits a draft or publishes. */
export interface RunWrites {
  comment(runId: string, comment: string): Promise<unknown>;
  propose(runId: string, edit: ProposedEdit): Promise<unknown>;
}

/** On this process's engine, in the name of the token. */
export function engineWrites(engine: Engine, reviewer: Reviewer): RunWrites {
  const known = (id: string) => runId({ params: { run_id: id } });
  return {
    comment: async (id, comment) => engine.comment(known(id), reviewer, { comment }),
    propose: async (id, edit) => proposeEdit(engine, known(id), reviewer, edit),
  };
}

/** On another process's core. */
export function apiWrites(api: Client): RunWrites {
  return {
    comment: (run_id, comment) => api.commentOnRun({ run_id, comment }),
    propose: (run_id, edit) => api.proposeDraftEdit({ run_id, ...edit }),
  };
}

const commentSchema = v.strictObject({
  run_id: runIdArgument,
  comment: v.pipe(v.string(), v.minLength(1), v.maxLength(2_000)),
});
const editSchema = v.strictObject({
  run_id: runIdArgument,
  title: v.exactOptional(v.pipe(v.string(), v.maxLength(256))),
  body: about(v.pipe(v.string(), v.minLength(1)), 'The whole body, in Markdown.'),
  note: v.exactOptional(
    about(v.pipe(v.string(), v.maxLength(DRAFT_LIMITS.noteChars)), 'What the change is for.'),
  ),
});

/** Only for API tokens with the scope `comment`. Each adds to a run; no answer has text from outside. */
export const WRITE_TOOLS: readonly Tool<RunWrites>[] = [
  {
    name: 'add_comment',
    title: 'Add a comment',
    description: 'Adds a comment to a run. Reviewers see it on the board and in chat; no issue contains it.',
    input: commentSchema,
    async call(writes, given) {
      const { run_id, comment } = v.parse(commentSchema, given);
      await writes.comment(run_id, comment);
      return 'The comment was added. Reviewers see it beside the run.';
    },
  },
  {
    name: 'propose_draft_edit',
    title: 'Propose a change of the draft',
    description:
      'Proposes a new text for the draft of a run at Gate 2. The draft stays as it is: a person reads the proposal, takes it over, or dismisses it.',
    input: editSchema,
    async call(writes, given) {
      const { run_id, ...edit } = v.parse(editSchema, given);
      await writes.propose(run_id, edit);
      return 'The proposal was stored. The draft has not changed: a person decides whether to take it over.';
    },
  },
];
