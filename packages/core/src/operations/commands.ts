import type { CommandMethod, RunCommand } from './command.js';
import { GATE_DECISIONS } from './gate-decisions.js';
import { INVESTIGATION } from './investigation.js';
import { MERGING } from './merge.js';
import { ASKING } from './questions.js';
import { REMARKS } from './remarks.js';
import { RESOLUTION } from './resolution.js';
import { SNOOZING } from './snooze.js';

/**
 * Every command of a reviewer on a run, by the name of the engine's method. A row is all that a command needs: the method, its limits
 * by project, and the route with its description are made of it.
 */
export const RUN_COMMANDS = {
  ...GATE_DECISIONS,
  ...RESOLUTION,
  ...SNOOZING,
  ...REMARKS,
  ...MERGING,
  ...INVESTIGATION,
  ...ASKING,
};

/** The commands as methods. */
export type RunCommandMethods = {
  readonly [Name in keyof typeof RUN_COMMANDS]: (typeof RUN_COMMANDS)[Name] extends RunCommand<
    infer Input,
    infer Result
  >
    ? CommandMethod<Input, Result>
    : never;
};
