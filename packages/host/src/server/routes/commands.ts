import { type Draft, draftSchema } from '@culprit/core/internal/domain/draft';
import { answerSchema } from '@culprit/core/internal/domain/question';
import { runSchema } from '@culprit/core/internal/domain/run';
import { mergeResultSchema, rejectResultSchema } from '@culprit/core/internal/engine-results';
import type { CommandRow } from '@culprit/core/internal/operations/command';
import { RUN_COMMANDS } from '@culprit/core/internal/operations/commands';
import type { RunRead } from '@culprit/core/internal/operations/method';
import { METHODS } from '@culprit/core/internal/operations/methods';
import type * as v from 'valibot';
import { entityTag, ifMatch } from '../entity-tag.js';
import { type Operation, runOperation } from '../operation.js';
import { isWithin, withinScope } from '../permit.js';
import type { CoreRoute, ReviewerCall } from '../route.js';

/** What commands answer. */
const ANSWERS: Readonly<
  Record<CommandRow['answer'], Pick<Operation<v.GenericSchema>, 'schema' | 'answerHeaders'>>
> = {
  run: { schema: runSchema },
  pair: { schema: mergeResultSchema },
  rejection: { schema: rejectResultSchema },
  draft: { schema: draftSchema, answerHeaders: draftTag },
  answer: { schema: answerSchema },
};

export function draftTag({ digest }: Draft) {
  return { etag: entityTag(digest) };
}

/** A route for each method of the engine that reads a run, or what is below it. */
export function readRoutes(): CoreRoute[] {
  return Object.entries(METHODS).flatMap(([name, row]) =>
    'read' in row ? [readRoute(name as MethodName, row.read)] : [],
  );
}

type MethodName = keyof typeof METHODS;
type AnyRead = ReviewerCall['engine']['preview'] | ReviewerCall['engine']['brief'];

function readRoute(name: MethodName, { path, without, ...described }: RunRead): CoreRoute {
  return runOperation({
    ...described,
    at: `GET ${path}`,
    scope: 'read',
    async run({ engine, runId, reviewer, identity: { access } }) {
      const answer = await (engine[name] as AnyRead)(runId, reviewer);
      if (without === undefined) return answer;
      const { project } = await engine.run(runId);
      return isWithin(withinScope(access, without.scope), project) ? answer : without.shown(answer as never);
    },
  });
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
