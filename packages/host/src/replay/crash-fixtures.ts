import type { JsonObject } from '@culprit/core';
import fixtures from './crash-fixtures.json' with { type: 'json' };

/** A test crash: the output of a real program, from the scenario for the same platform. */
export interface CrashFixture {
  readonly name: string;
  readonly summary: string;
  readonly crash: JsonObject;
}

/** In the file, a printed stack is a list of its lines. */
export const CRASH_FIXTURES: readonly CrashFixture[] = (fixtures as readonly CrashFixture[]).map(
  ({ crash: { stack, ...crash }, ...about }) => ({
    ...about,
    crash: Array.isArray(stack) ? { ...crash, stack: `${stack.join('\n')}\n` } : crash,
  }),
);
