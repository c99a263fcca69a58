import type { Client, OperationId } from '@culprit/client';
import type { Run } from '@culprit/core';
import type { Scope } from '@culprit/core/internal/domain/access';
import { DRAFT_LIMITS } from '@culprit/core/internal/domain/draft';
import { about } from '@culprit/core/internal/domain/schema';
import { RUN_COMMANDS } from '@culprit/core/internal/operations/commands';
import * as v from 'valibot';
import { untrusted } from './answer.js';
import { runIdArgument } from './arguments.js';
import type { Tool } from './tools.js';

/** What the writing tools call. None approves a gate or publishes. */
export type RunWrites = Pick<Client, 'getDraft' | 'editDraft'> & Partial<Pick<Client, OperationId>>;

/** A tool that only an API token with the scope has. */
export interface WriteTool extends Tool<RunWrites> {
  readonly scope: Scope;
  /** It removes or replaces something. */
  readonly destructive: boolean;
  /** The same call again changes nothing. */
  readonly idempotent: boolean;
}

/** The commands on a run whose row names a tool. */
const COMMANDS = Object.values(RUN_COMMANDS).flatMap(
  ({ id, at, scope, input: { entries }, summary, tool, done = 'Done.' }): readonly WriteTool[] => {
    if (tool === undefined) return [];
    const input = v.strictObject({ run_id: runIdArgument, ...entries });
    const [title = ''] = summary.split(/[.:]/);
    const call = async (api: RunWrites, given: unknown) => {
      const command = api[id as OperationId] as (input: object) => Promise<unknown>;
      const result = await command(v.parse(input, given));
      return typeof done === 'string' ? done : done(result as Run);
    };
    const kind = { destructive: at.startsWith('DELETE '), idempotent: !at.startsWith('POST ') };
    return [{ name: tool, title, description: `${summary}.`, scope, ...kind, input, call }];
  },
);

const editSchema = v.strictObject({
  run_id: runIdArgument,
  digest: about(
    v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')),
    'Of the draft that you read, from get_draft.',
  ),
  title: v.exactOptional(v.pipe(v.string(), v.maxLength(DRAFT_LIMITS.titleChars))),
  body: about(v.pipe(v.string(), v.minLength(1)), 'The whole body, in Markdown.'),
});

/** In the name of the token. No answer has text from outside but marked. */
export const WRITE_TOOLS: readonly WriteTool[] = [
  ...COMMANDS,
  {
    name: 'edit_draft',
    title: 'Edit the draft',
    description:
      'Replaces the text of the draft of a run at Gate 2, if nobody has changed it since. Reviewers see what changed and who did it before they sign.',
    scope: 'gate2',
    destructive: true,
    // The digest is that of a draft that the first call replaced.
    idempotent: true,
    input: editSchema,
    async call(api, given) {
      const { run_id, digest, title, body } = v.parse(editSchema, given);
      const now = title ?? (await api.getDraft({ run_id })).title;
      const edited = await api.editDraft({ run_id, title: now, body, if_match: digest });
      if (edited.digest === digest) return 'The draft is the same as before. Nothing was changed.';
      return `The draft was changed. Its digest is now ${untrusted(edited.digest)}. A person reads it and decides whether to sign it.`;
    },
  },
];
