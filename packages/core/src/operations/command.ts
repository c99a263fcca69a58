import type * as v from 'valibot';
import type { NewHistoryEntry, Reviewer } from '../domain/history.js';
import type { Run } from '../domain/run.js';
import type { MergeResult } from '../engine-results.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { CulpritError } from '../errors/error.js';
import type { DecidedPair, FoundPair } from '../ports/run-pairs.js';
import type { RunPatch } from '../ports/run-store.js';
import { checkInput } from './check-input.js';
import type { EngineParts } from './engine-parts.js';
import type { Reach } from './reach.js';

/** What every command says of itself: its route, and what a host describes it with. */
export interface CommandRow {
  /** The `operationId`: a verb and what it acts on. */
  readonly id: string;
  /** The method and the path below the run. */
  readonly at: `${'POST' | 'PUT' | 'DELETE'} /${string}`;
  /** The scope that a credential needs. */
  readonly scope: 'comment' | 'investigate' | 'gate1' | 'gate2';
  /** What a caller who is limited to projects may do. */
  readonly reach: Reach;
  readonly summary: string;
  /** What it answers: its kind, and in words. */
  readonly answer: 'run' | 'pair' | 'rejection' | 'draft' | 'answer';
  readonly what: string;
  /** In addition to `run_not_found`. */
  readonly problems: readonly ErrorCode[];
  /** What was done, as a sentence for agents and for the command line; of the answered run: only for agents. Not of an `answer`. */
  readonly done?: string | ((run: Run) => string);
  /** The name of its MCP tool. Absent: it has none. */
  readonly tool?: string;
  /** Of its body, in bytes. Absent: the host's default. */
  readonly bodyLimit?: number;
  /** The member `digest` of the input comes from `If-Match`, which is described so. */
  readonly ifMatch?: string;
}

/** A reviewer's command on one run. */
export interface RunCommand<Input, Result> extends CommandRow {
  readonly input: Members<Input>;
  readonly handle: (
    parts: EngineParts,
    runId: string,
    reviewer: Reviewer,
    input?: unknown,
  ) => Promise<Result>;
}

/** The method of the engine. An input without required members may be left out. */
export type CommandMethod<Input, Result> = (
  runId: string,
  reviewer: Reviewer,
  ...input: Partial<Input> extends Input ? [input?: Input] : [input: Input]
) => Promise<Result>;

/** What a decision may know besides the run and the input. */
export interface Deciding extends Pick<EngineParts, 'policy' | 'sanitiser'> {
  readonly reviewer: Reviewer;
  /** ISO 8601. */
  readonly now: string;
}

/** What a decision changes. */
export interface Decided {
  readonly patch: RunPatch;
  readonly entry: NewHistoryEntry;
  /** Leaves the run's place in the lists. */
  readonly quiet?: true;
}

/** A schema of an object. */
type Members<Input> = v.GenericSchema<Input> & { readonly entries: v.ObjectEntries };
type Schema = Members<Record<never, never>>;
interface WithInput<Input extends Schema> extends CommandRow {
  /** Of the input, with its limits and what each member means. */
  readonly input: Input;
}

interface Decision<Input extends Schema, Result> extends WithInput<Input> {
  /** Members with free text: secrets and personal data in them are redacted before the decision. */
  readonly freeText?: readonly (keyof v.InferOutput<Input> & string)[];
  /** The refusal if the crash has started a later run, which counts its crashes. Absent: that does not matter. */
  readonly notLatest?: (run: Run, latest: string) => CulpritError;
  /** Must be pure, because it may run several times. It may throw to refuse; `null`: no change. */
  readonly decide: (run: Run, input: v.InferOutput<Input>, by: Deciding) => Decided | null;
  /** Default: the run. */
  readonly result?: (run: Run, input: v.InferOutput<Input>) => Result;
}

/** A command that changes one run by a pure decision. Reading, redacting, compare-and-set and notifying are done here, once. */
export function runCommand<Input extends Schema, Result = Run>(
  row: Decision<Input, Result>,
): RunCommand<v.InferInput<Input>, Result> {
  const { decide, notLatest, freeText = [], result = (run) => run as Result, ...described } = row;
  return {
    ...(described as CommandRow & { readonly input: Members<v.InferInput<Input>> }),
    async handle({ runs, policy, sanitiser, notifications }, runId, reviewer, given = {}) {
      const checked = checkInput(row.input, given, 'The input') as Record<string, unknown>;
      for (const name of freeText) {
        const text = checked[name];
        if (typeof text === 'string') checked[name] = sanitiser.text(text).value;
      }
      const input = checked as v.InferOutput<Input>;
      if (notLatest !== undefined) await runs.requireLatest(runId, notLatest);
      const { record, changed } = await runs.change(runId, ({ run }, now) => {
        const decided = decide(run, input, { reviewer, now, policy, sanitiser });
        if (decided === null) return { result: null };
        const { entry, ...change } = decided;
        return { result: null, change: { ...change, history: [entry] } };
      });
      if (changed) notifications.changed(runId);
      return result(record.run, input);
    },
  };
}

interface PairDecision<Input extends Schema> extends WithInput<Input> {
  /** The other run; `null`: the one that the run was merged into. */
  readonly into: (input: v.InferOutput<Input>) => string | null;
  /** Whether it was done before. */
  readonly isDone?: (run: Run, into: string) => boolean;
  /** Must be pure, because it may run several times. It may throw to refuse. */
  readonly decide: (found: FoundPair, by: Pick<Deciding, 'reviewer' | 'now'>) => DecidedPair;
}

/** A command that changes two runs and their histories in one atomic write. */
export function pairCommand<Input extends Schema>(
  row: PairDecision<Input>,
): RunCommand<v.InferInput<Input>, MergeResult> {
  const { decide, into: intoOf, isDone = () => false, ...described } = row;
  return {
    ...(described as CommandRow & { readonly input: Members<v.InferInput<Input>> }),
    async handle({ runs, clock, notifications }, run_id, reviewer, given = {}) {
      const into = intoOf(checkInput(row.input, given, 'The input'));
      if (into !== null) {
        const { run } = await runs.get(run_id);
        const { run: other } = await runs.get(into);
        if (isDone(run, into)) return { run, into: other };
      }
      const now = new Date(clock.now()).toISOString();
      const changed = await runs.store.changePair({
        run_id,
        into,
        now,
        decide: (found) => decide(found, { reviewer, now }),
      });
      for (const record of [changed.run, changed.into])
        if (record !== null) notifications.changed(record.run.run_id);
      return { run: changed.run.run, into: changed.into?.run ?? null };
    },
  };
}

interface Handled<Input extends Schema> extends WithInput<Input> {
  readonly handle: (
    parts: EngineParts,
    runId: string,
    reviewer: Reviewer,
    input: v.InferOutput<Input>,
  ) => Promise<Run>;
}

/** A command that reads more than the run, or that starts work. */
export function handledCommand<Input extends Schema>(
  row: Handled<Input>,
): RunCommand<v.InferInput<Input>, Run> {
  const { handle, ...described } = row;
  return {
    ...(described as CommandRow & { readonly input: Members<v.InferInput<Input>> }),
    handle: (parts, runId, reviewer, given = {}) =>
      handle(parts, runId, reviewer, checkInput(row.input, given, 'The input')),
  };
}
