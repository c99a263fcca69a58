import { decision } from '../domain/entries.js';
import type { Reviewer } from '../domain/history.js';
import { nextState, type Run, type RunRecord, type RunState, type Trigger } from '../domain/run.js';
import { SNOOZE_LIMITS, type SnoozedFrom, type SnoozeUntil, type Woken, wake } from '../domain/snooze.js';
import { CulpritError } from '../errors/error.js';
import type { Notifications } from '../pipeline/notify.js';
import { changeRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import { checkReason, stateConflict } from './refusals.js';
import { settled } from './settled.js';

/** The ports and services that Snoozing uses. */
export type SnoozingParts = Pick<
  EngineServices,
  'runStore' | 'statusFeed' | 'clock' | 'tasks' | 'logger' | 'sanitiser'
> & { readonly notifications: Pick<Notifications, 'changed'> };

/** Runs read at once while snoozed ones are searched for. */
const PAGE = 200;
/** By the state that is left. */
const SNOOZE: Partial<Record<RunState, Trigger>> = {
  staged_raw: 'gate1.snooze',
  staged_draft: 'gate2.snooze',
  snoozed: 'snooze.change',
};

/** Takes a run out of the inbox for a while. It returns to its gate, with its cycle and draft. */
export class Snoozing {
  /** When each run that is snoozed until a time is due, in ms since 1970; `null` until they have been searched for. */
  private due: Map<string, number> | null = null;

  constructor(private readonly parts: SnoozingParts) {}

  /** Rejects with `state_conflict` if the run waits at no gate. Snoozing a snoozed run replaces what it waits for. */
  async snooze(runId: string, reviewer: Reviewer, given: SnoozeUntil, why?: string): Promise<Run> {
    const until = checkUntil(given, this.parts.clock.now());
    const reason = why === undefined ? undefined : this.parts.sanitiser.text(checkReason(why)).value;
    return this.change(runId, ({ run }, now) => {
      const trigger = SNOOZE[run.state];
      const to = trigger && nextState(run.state, trigger);
      if (!trigger || !to) throw stateConflict(run, 'Snoozing');
      if (repeats(run.snooze, reviewer, until)) return { result: null };
      const from = (run.snooze?.from ?? run.state) as SnoozedFrom;
      const left = until.kind === 'crashes' ? { left: until.more } : {};
      const snooze = { from, by: reviewer.name, at: now, until, ...left };
      const detail = { until, ...(reason === undefined ? {} : { reason }) };
      const digest = run.draft?.digest ?? null;
      const entry = decision(trigger, now, reviewer, { from: run.state, to, digest, detail });
      return { result: null, change: { patch: { ...settled(run), state: to, snooze }, history: [entry] } };
    });
  }

  /** Ends a snooze. Rejects with `state_conflict` if the run is not snoozed. */
  async wake(runId: string, reviewer: Reviewer): Promise<Run> {
    return this.change(runId, ({ run }, now) => {
      const trigger = run.snooze?.from === 'staged_draft' ? 'gate2.wake' : 'gate1.wake';
      const to = nextState(run.state, trigger);
      if (to === null) throw stateConflict(run, 'Ending a snooze');
      const digest = run.draft?.digest ?? null;
      const entry = decision(trigger, now, reviewer, { from: run.state, to, digest });
      return { result: null, change: { patch: { state: to, snooze: null }, history: [entry] } };
    });
  }

  /** Follows the snoozes of every process that shares the storage. */
  start(): void {
    const { statusFeed, tasks } = this.parts;
    const unwatch = statusFeed.watch(
      ({ run }) => this.note(run),
      () => {
        this.due = null;
      },
    );
    tasks.signal.addEventListener('abort', unwatch, { once: true });
  }

  /** Wakes the runs whose time has come. Other processes may do so, too: one of them changes the run. */
  async wakeDue(): Promise<void> {
    const { clock, tasks, logger } = this.parts;
    const due = this.due ?? (await this.search());
    for (const [runId, at] of due) {
      if (at > clock.now() || tasks.signal.aborted) continue;
      await this.wakeNow(runId).then(
        () => {
          // Unless another snooze has replaced it meanwhile.
          if (due.get(runId) === at) due.delete(runId);
        },
        (error) => logger.warn({ run_id: runId, err: error }, 'a snoozed run could not be woken'),
      );
    }
  }

  private async wakeNow(runId: string): Promise<void> {
    await this.change(runId, ({ run }, now) => {
      const { until } = run.snooze ?? {};
      if (until?.kind !== 'time' || until.at > now) return { result: null };
      const woken: Woken = { at: now, why: 'time' };
      const ended = wake(run, woken);
      if (ended === null) return { result: null };
      return { result: null, change: { patch: ended.patch, history: [ended.entry] } };
    });
  }

  private async change(
    runId: string,
    decide: (record: RunRecord, now: string) => ReturnType<Parameters<typeof changeRun<null>>[3]>,
  ): Promise<Run> {
    const { runStore, clock, notifications } = this.parts;
    const { record, changed } = await changeRun<null>(runStore, clock, runId, decide);
    if (changed) notifications.changed(runId);
    return record.run;
  }

  /** Once per process, and again after the store failed over. Changes meanwhile come through the feed. */
  private async search(): Promise<Map<string, number>> {
    const due = new Map<string, number>();
    this.due = due;
    try {
      for (let cursor: string | null = null; ; ) {
        const query = { states: ['snoozed'] as const, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
        const page = await this.parts.runStore.page(query);
        for (const run of page.runs) this.note(run);
        cursor = page.next;
        if (cursor === null || this.parts.tasks.signal.aborted) return due;
      }
    } catch (error) {
      this.due = null;
      throw error;
    }
  }

  private note({ run_id, state, snooze }: Pick<Run, 'run_id' | 'state' | 'snooze'>): void {
    const { until } = snooze ?? {};
    if (state === 'snoozed' && until?.kind === 'time') this.due?.set(run_id, Date.parse(until.at));
    else this.due?.delete(run_id);
  }
}

/** The request came twice: nothing has changed since, not even the number of crashes that are left. */
function repeats(snooze: Run['snooze'], { name }: Reviewer, until: SnoozeUntil): boolean {
  if (!snooze || snooze.by !== name || snooze.until.kind !== until.kind) return false;
  if (until.kind === 'crashes') return snooze.left === until.more;
  return until.kind === 'release' || (snooze.until.kind === 'time' && snooze.until.at === until.at);
}

/** Callers may be JavaScript, so the shape is checked, too. */
function checkUntil(until: SnoozeUntil, now: number): SnoozeUntil {
  switch (until?.kind) {
    case 'time': {
      const at = typeof until.at === 'string' ? Date.parse(until.at) : Number.NaN;
      if (Number.isNaN(at)) throw malformed('at', 'must be a time as in ISO 8601');
      if (at <= now) throw malformed('at', 'must be in the future');
      if (at > now + SNOOZE_LIMITS.ms) throw malformed('at', 'must be within 90 days');
      return { kind: 'time', at: new Date(at).toISOString() };
    }
    case 'crashes': {
      const { more } = until;
      if (!Number.isInteger(more) || more < 1 || more > SNOOZE_LIMITS.crashes)
        throw malformed('more', `must be an integer from 1 to ${SNOOZE_LIMITS.crashes}`);
      return { kind: 'crashes', more };
    }
    case 'release':
      return { kind: 'release' };
    default:
      throw malformed('kind', 'must be "time", "crashes" or "release"');
  }
}

function malformed(member: string, what: string): CulpritError {
  const path = `until.${member}`;
  return new CulpritError('malformed', `"${path}" ${what}.`, { path });
}
