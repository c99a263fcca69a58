import * as v from 'valibot';
import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { nextState, type Run, type RunState, type Trigger } from '../domain/run.js';
import { about } from '../domain/schema.js';
import { SNOOZE_LIMITS, type Snooze, type SnoozeUntil } from '../domain/snooze.js';
import { malformed } from './check-input.js';
import { runCommand } from './command.js';
import { freeText } from './free-text.js';
import { OF_RUN } from './reach.js';
import { stateConflict } from './refusals.js';
import { settled } from './settled.js';

const wholeNumber = `must be an integer from 1 to ${SNOOZE_LIMITS.crashes}`;
const untilSchema = v.variant('kind', [
  v.strictObject({
    kind: v.literal('time'),
    at: about(v.string(), 'ISO 8601, within 90 days.'),
  }),
  v.strictObject({
    kind: v.literal('crashes'),
    more: v.pipe(
      v.number(),
      v.integer(wholeNumber),
      v.minValue(1, wholeNumber),
      v.maxValue(SNOOZE_LIMITS.crashes, wholeNumber),
    ),
  }),
  v.strictObject({ kind: v.literal('release') }),
]);

/** By the state that is left. */
const SNOOZE: Partial<Record<RunState, Trigger>> = {
  staged_raw: 'gate1.snooze',
  staged_draft: 'gate2.snooze',
  snoozed: 'snooze.change',
};

const ROW = { scope: 'comment', reach: OF_RUN, answer: 'run', what: 'The run' } as const;

export const SNOOZING = {
  /**
   * Takes a waiting run out of the inbox until a time, a number of further crashes or the next release; then it returns to its
   * gate, unchanged. The first trusted crash of a run without one wakes it, too. Untrusted crashes of a run with trusted ones
   * are counted, and wake nothing. Snoozing a snoozed run replaces what it waits for.
   */
  snooze: runCommand({
    ...ROW,
    id: 'snoozeRun',
    at: 'POST /snooze',
    summary: 'Snooze a run until a time, a number of further crashes or the next release',
    input: v.strictObject({ until: untilSchema, reason: v.exactOptional(freeText) }),
    freeText: ['reason'],
    problems: ['state_conflict'],
    decide(run, { until: given, reason }, { reviewer, now }) {
      const until = readUntil(given, Date.parse(now));
      const trigger = SNOOZE[run.state];
      const to = trigger && nextState(run.state, trigger);
      if (!trigger || !to) throw stateConflict(run, 'Snoozing');
      if (repeats(run.snooze, reviewer, until)) return null;
      const from = (run.snooze?.from ?? run.state) as Snooze['from'];
      const left = until.kind === 'crashes' ? { left: until.more } : {};
      const snooze = { from, by: reviewer.name, at: now, until, ...left };
      const detail = { until, ...(reason === undefined ? {} : { reason }) };
      const digest = run.draft?.digest ?? null;
      return {
        patch: { ...settled(run), state: to, snooze },
        entry: decision(trigger, now, reviewer, { from: run.state, to, digest, detail }),
      };
    },
  }),
  /** Ends a snooze. Rejects with `state_conflict` if the run is not snoozed. */
  wake: runCommand({
    ...ROW,
    id: 'wakeRun',
    at: 'POST /wake',
    summary: 'End a snooze: return the run to its gate',
    input: v.strictObject({}),
    problems: ['state_conflict'],
    decide(run, _input, { reviewer, now }) {
      const trigger = run.snooze?.from === 'staged_draft' ? 'gate2.wake' : 'gate1.wake';
      const to = nextState(run.state, trigger);
      if (to === null) throw stateConflict(run, 'Ending a snooze');
      const digest = run.draft?.digest ?? null;
      return {
        patch: { state: to, snooze: null },
        entry: decision(trigger, now, reviewer, { from: run.state, to, digest }),
      };
    },
  }),
};

/** The request came twice: nothing has changed since, not even the number of crashes that are left. */
function repeats(snooze: Run['snooze'], { name }: Reviewer, until: SnoozeUntil): boolean {
  if (!snooze || snooze.by !== name || snooze.until.kind !== until.kind) return false;
  if (until.kind === 'crashes') return snooze.left === until.more;
  return until.kind === 'release' || (snooze.until.kind === 'time' && snooze.until.at === until.at);
}

function readUntil(until: SnoozeUntil, now: number): SnoozeUntil {
  if (until.kind !== 'time') return until;
  const at = Date.parse(until.at);
  if (Number.isNaN(at)) throw malformed('until.at', 'must be a time as in ISO 8601');
  if (at <= now) throw malformed('until.at', 'must be in the future');
  if (at > now + SNOOZE_LIMITS.ms) throw malformed('until.at', 'must be within 90 days');
  return { kind: 'time', at: new Date(at).toISOString() };
}
