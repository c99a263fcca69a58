import { type Draft, draftSchema } from '@culprit/core/internal/domain/draft';
import { runSchema } from '@culprit/core/internal/domain/run';
import type { CommandRow } from '@culprit/core/internal/operations/command';
import { RUN_COMMANDS } from '@culprit/core/internal/operations/commands';
import * as v from 'valibot';
import { entityTag, ifMatch } from '../entity-tag.js';
import { type Operation, runOperation } from '../operation.js';
import type { CoreRoute, ReviewerCall } from '../route.js';

/** What commands answer. */
const ANSWERS: Readonly<
  Record<CommandRow['answer'], Pick<Operation<v.GenericSchema>, 'schema' | 'answerHeaders'>>
> = {
  run: { schema: runSchema },
  pair: { schema: v.object({ run: runSchema, into: v.nullable(runSchema) }) },
  rejection: {
    schema: v.object({
      status: v.picklist(['rejected', 'returned']),
      state: v.picklist(['rejected', 'staged_raw']),
    }),
  },
  draft: { schema: draftSchema, answerHeaders: draftTag },
};

export function draftTag({ digest }: Draft) {
  return { etag: entityTag(digest) };
}

/** A route for each command on a run. */
export function commandRoutes(): CoreRoute[] {
  return (Object.keys(RUN_COMMANDS) as CommandName[]).map(commandRoute);
}

type CommandName = keyof typeof RUN_COMMANDS;
type AnyCommand = (...args: Parameters<ReviewerCall['engine']['comment']>) => Promise<unknown>;

function commandRoute(name: CommandName): CoreRoute {
  const row: CommandRow & { readonly input: v.GenericSchema } = RUN_COMMANDS[name];
  const { id, at, scope, summary, what, problems, bodyLimit, ifMatch: bound } = row;
  return runOperation({
    ...{ id, at, scope, summary, what, problems },
    ...(at.startsWith('DELETE ') ? {} : { body: row.input }),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(bound === undefined ? {} : { headers: { 'If-Match': bound } }),
    ...ANSWERS[row.answer],
    run({ request, engine, runId, reviewer, body }) {
      const input =
        bound === undefined ? body : { ...(body as object), digest: ifMatch(request) ?? undefined };
      return (engine[name] as AnyCommand)(runId, reviewer, input as never);
    },
  });
}
