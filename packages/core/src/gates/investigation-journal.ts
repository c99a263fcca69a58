import type { Asked, Finding } from '../domain/investigation.js';
import type { Run } from '../domain/run.js';
import type { InvestigationPolicy } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { investigationKey } from '../pipeline/evidence-key.js';
import type { Clock } from '../ports/clock.js';
import type { Tokens } from '../ports/investigator.js';
import type { Values } from '../ports/values.js';
import { type Stored, stored } from '../runs/stored.js';

/** How long an investigation belongs to its process after the last sign of life. */
const LEASE_MS = 15_000;
/** An investigation whose process ended more often is not continued. */
export const MAX_RESTARTS = 3;

/** What is known of an investigation besides the run's document, so that another process continues it. */
export interface Journal {
  /** The investigation that it is about: `started_at` of the run's. */
  readonly started_at: string;
  /** The engine that works on it. `null`: it was left in order, and continues without counting a restart. */
  readonly owner: string | null;
  /** Milliseconds since 1970: another engine takes over then. */
  readonly until: number;
  readonly restarts: number;
  /** Of the investigator's prompts; `null`: it has none of ours. */
  readonly prompt: string | null;
  readonly asked: readonly Asked[];
  /** Questions that were counted, also those that are in no list because nobody knows them. */
  readonly questions: number;
  /** What each finished round came to, and how many of `asked` were asked by then. */
  readonly rounds: readonly { readonly asked: number; readonly finding: Finding | null }[];
  /** Of finished calls, and of those whose result nobody knows. */
  readonly tokens: number;
  /** `null`: no price is set. */
  readonly cost: number | null;
  /** The most that the call under way can use. */
  readonly reserved: Spent | null;
  /** Of work. */
  readonly ms: number;
}

/** Of an investigation that nobody works on and that has used nothing. */
export const NEW_JOURNAL = {
  ...{ owner: null, until: 0, restarts: 0, prompt: null, asked: [], questions: 0, rounds: [] },
  ...{ tokens: 0, cost: null, reserved: null, ms: 0 },
} as const satisfies Omit<Journal, 'started_at'>;

/** What calls to a model use. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number | null;
}

export const NOTHING_SPENT: Spent = { tokens: 0, cost: null };

/** What tokens cost. */
export function spentOn({ input, output }: Tokens, { price }: Pick<InvestigationPolicy, 'price'>): Spent {
  const cost = price && (input * price.input + output * price.output) / 1_000_000;
  return { tokens: input + output, cost };
}

/** With another amount, or (`sign` −1) without it. */
export function plus<Sum extends Spent>(sum: Sum, other: Spent | null, sign: 1 | -1 = 1): Sum {
  if (other === null) return sum;
  const cost =
    sum.cost === null && other.cost === null ? null : Math.max(0, (sum.cost ?? 0) + sign * (other.cost ?? 0));
  return { ...sum, tokens: Math.max(0, sum.tokens + sign * other.tokens), cost };
}

/** The journal of an investigation while this engine works on it. */
export interface OpenJournal {
  now(): Journal;
  /** Adds the time since the last write. Rejects with `version_conflict` if another engine has taken over. */
  write(change: (before: Journal) => Partial<Journal>): Promise<void>;
  /** Leaves it to the next start, or to another engine. */
  leave(): Promise<void>;
}

interface JournalParts {
  readonly values: Values;
  readonly clock: Clock;
  readonly engineId: string;
  /** Whether other processes use the storage. */
  readonly shared: boolean;
}

export function journalOf(
  values: Values,
  { run_id, cycle }: Pick<Run, 'run_id' | 'cycle'>,
): Stored<Journal | null> {
  return stored<Journal | null>(values, investigationKey(run_id, cycle), { none: null });
}

/** The journal of the run's latest investigation; `null`: there is none. */
export async function shownJournal(values: Values, run: Run): Promise<Journal | null> {
  const kept = await journalOf(values, run).get();
  return kept?.started_at === run.investigation?.started_at ? kept : null;
}

/** Takes an investigation that no living engine works on; `null`: one does. */
export async function takeJournal(
  run: Pick<Run, 'run_id' | 'cycle'>,
  begun: Pick<Journal, 'started_at' | 'prompt' | 'cost'>,
  { values, clock, engineId, shared }: JournalParts,
): Promise<OpenJournal | null> {
  const kept = journalOf(values, run);
  const fresh: Journal = { ...NEW_JOURNAL, ...begun, owner: engineId, until: clock.now() + LEASE_MS };
  let taken = false;
  let current = await kept.change((before) => {
    taken = true;
    if (before === null || before.started_at !== begun.started_at) return fresh;
    const isAlive =
      shared && before.owner !== null && before.owner !== engineId && before.until > clock.now();
    if (isAlive) {
      taken = false;
      return null;
    }
    const { owner, until } = fresh;
    const restarts = before.restarts + (before.owner === null ? 0 : 1);
    return { ...plus(before, before.reserved), owner, until, restarts, reserved: null };
  });
  if (!taken || current === null) return null;
  let since = clock.now();
  const put = async (change: (before: Journal) => Partial<Journal>) => {
    const at = clock.now();
    const next = await kept.change((before) => {
      if (before?.owner !== engineId || before.started_at !== begun.started_at) throw lost();
      const until = at + LEASE_MS;
      return { ...before, ms: before.ms + Math.max(0, at - since), until, ...change(before) };
    });
    since = at;
    current = next;
  };
  return {
    now: () => current as Journal,
    write: put,
    leave: () => put(() => ({ owner: null, until: 0 })),
  };
}

function lost(): CulpritError {
  return new CulpritError('version_conflict', 'Another process has taken over this investigation.');
}

/** What all investigations of a day (UTC) used. */
export interface DayBill extends Spent {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly investigations: number;
}

/** The bill of the current day, over all engines on the storage. */
export interface Bill {
  today(): Promise<DayBill>;
  /** Counts one investigation. */
  begin(): Promise<void>;
  /** Adds an amount before it is used. False: it would exceed the cap. Resolves with the day that it was added to. */
  reserve(most: Spent, cap: number | null): Promise<string | null>;
  /** Replaces a reservation by what was used. */
  correct(day: string, most: Spent, used: Spent): Promise<void>;
}

export function investigationBill(values: Values, clock: Clock): Bill {
  const today = () => new Date(clock.now()).toISOString().slice(0, 10);
  const bill = stored<DayBill>(values, 'investigation-bill', {
    none: { day: '', investigations: 0, ...NOTHING_SPENT },
    // A clock that goes back, or is behind another core’s, starts no new day.
    current: (kept) => (kept.day >= today() ? kept : { day: today(), investigations: 0, ...NOTHING_SPENT }),
  });
  return {
    today: () => bill.get(),
    begin: async () => {
      await bill.change((kept) => ({ ...kept, investigations: kept.investigations + 1 }));
    },
    async reserve(most, cap) {
      let day: string | null = null;
      await bill.change((kept) => {
        const next = plus(kept, most);
        const isOver = cap !== null && (next.cost ?? 0) > cap;
        day = isOver ? null : next.day;
        return isOver ? null : next;
      });
      return day;
    },
    async correct(day, most, used) {
      // Yesterday's bill is closed.
      await bill.change((kept) => (kept.day === day ? plus(plus(kept, used), most, -1) : null));
    },
  };
}
