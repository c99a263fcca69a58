import type * as v from 'valibot';
import type { NewHistoryEntry, Reviewer } from '../domain/history.js';
import type { Run } from '../domain/run.js';
import type { MergeResult } from '../engine-results.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { CulpritError } from '../errors/error.js';
import type { Resolving } from '../gates/resolving.js';
import type { Notifications } from '../pipeline/notify.js';
import type { DecidedPair, FoundPair } from '../ports/run-pairs.js';
import type { RunPatch, RunStore } from '../ports/run-store.js';
import { changeRun, getRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { checkInput } from './check-input.js';
import type { Reach } from './reach.js';

/** What commands are carried out with. */
export type CommandParts = Pick<EngineServices, 'runStore' | 'clock' | 'policy' | 'sanitiser'> & {
  readonly notifications: Pick<Notifications, 'changed'>;
  readonly resolving: Resolving;
};

/** What every command says of itself: its route, and what a host describes it with. */
export interface CommandRow {
  /** The `operationId`: a verb and what it acts on. */
  readonly id: string;
  /** The method and the path below the run. */
  readonly at: `${'POST' | 'PUT' | 'DELETE'} /${string}`;
  /** The scope that a credential needs. */
  readonly scope: 'comment' | 'gate1' | 'gate2';
  /** What a caller who is limited to projects may do. */
  readonly reach: Reach;
  readonly summary: string;
  /** What it answers: its kind, and in words. */
  readonly answer: 'run' | 'pair' | 'rejection' | 'draft';
  readonly what: string;
  /** In addition to `run_not_found`. */
  readonly problems: readonly ErrorCode[];
  /** Of its body, in bytes. Absent: the host's default. */
  readonly bodyLimit?: number;
  /** The member `digest` of the input comes from `If-Match`, which is described so. */
  readonly ifMatch?: string;
}

/** A reviewer's command on one run. */
export interface RunCommand<Input, Result> extends CommandRow {
  readonly input: v.GenericSchema<Input>;
  readonly carryOut: (
    parts: CommandParts,
    runId: string,
    reviewer: Reviewer,
    input: unknown,
  ) => Promise<Result>;
}

/** The method of the engine. An input without required members may be left out. */
export type CommandMethod<Input, Result> = (
  runId: string,
  reviewer: Reviewer,
  ...input: Partial<Input> extends Input ? [input?: Input] : [input: Input]
) => Promise<Result>;

/** What a decision may know besides the run and the input. */
export interface Deciding extends Pick<CommandParts, 'policy' | 'sanitiser'> {
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

type Schema = v.GenericSchema<Record<never, never>>;
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
    ...(described as CommandRow & { readonly input: v.GenericSchema<v.InferInput<Input>> }),
    async carryOut({ runStore, clock, policy, sanitiser, notifications }, runId, reviewer, given) {
      const checked = checkInput(row.input, given, 'The input') as Record<string, unknown>;
      for (const name of freeText) {
        const text = checked[name];
        if (typeof text === 'string') checked[name] = sanitiser.text(text).value;
      }
      const input = checked as v.InferOutput<Input>;
      if (notLatest !== undefined) await requireLatest(runStore, runId, notLatest);
      const { record, changed } = await changeRun(runStore, clock, runId, ({ run }, now) => {
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
    ...(described as CommandRow & { readonly input: v.GenericSchema<v.InferInput<Input>> }),
    async carryOut({ runStore, clock, notifications }, run_id, reviewer, given) {
      const into = intoOf(checkInput(row.input, given, 'The input'));
      if (into !== null) {
        const { run } = await getRun(runStore, run_id);
        const { run: other } = await getRun(runStore, into);
        if (isDone(run, into)) return { run, into: other };
      }
      const now = new Date(clock.now()).toISOString();
      const changed = await runStore.changePair({
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

/** New crashes count on the latest run of their fingerprint, so an earlier one must stay as it is. */
export async function requireLatest(
  store: RunStore,
  runId: string,
  refusal: (run: Run, latest: string) => CulpritError,
): Promise<void> {
  const { run } = await getRun(store, runId);
  const { project, fingerprint } = run;
  const { runs } = await store.page({ project, fingerprint: fingerprint.hash, limit: 1 });
  const [latest] = runs;
  if (latest !== undefined && latest.run_id !== runId) throw refusal(run, latest.run_id);
}

interface Handled<Input extends Schema> extends WithInput<Input> {
  readonly handle: (
    parts: CommandParts,
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
    ...(described as CommandRow & { readonly input: v.GenericSchema<v.InferInput<Input>> }),
    carryOut: (parts, runId, reviewer, given) =>
      handle(parts, runId, reviewer, checkInput(row.input, given, 'The input')),
  };
}
