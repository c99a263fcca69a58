import type { Client } from '@culprit/client';
import {
  effectText,
  type FixedIn,
  type Run,
  SNOOZE_LIMITS,
  type SnoozeUntil,
  snoozeText,
} from '@culprit/core/model';
import { print } from '../log/terminal.js';
import { usageError } from './exit-codes.js';
import { clipped, printJson } from './print.js';
import type { ReadFlags } from './read-flags.js';
import { followUpWords, resolutionLine } from './resolution-text.js';

type Turn = (api: Client, flags: ReadFlags, runId: string) => Promise<void>;

/** What reviewers do between decisions. */
export const TURNS = { snooze, wake, claim, release, resolve, unresolve, comment } satisfies Record<
  string,
  Turn
>;

async function snooze(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const run = await api.snooze(runId, readUntil(flags), flags.text('reason') ?? undefined);
  say(flags, run, run.snooze ? `snoozed ${snoozeText(run.snooze)}` : `the run is ${run.state}`);
}

async function wake(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const run = await api.wake(runId);
  say(flags, run, `awake: the run is ${run.state}`);
}

async function claim(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const run = await api.claim(runId, flags.has('take-over'));
  say(flags, run, `claimed by ${clipped(run.claim?.by ?? '', 60)} until ${run.claim?.until}`);
}

async function release(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  say(flags, await api.releaseClaim(runId), 'nobody has claimed the run');
}

async function resolve(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const commit = flags.text('commit');
  const fixedIn = {
    ...(commit === null ? {} : { commit }),
    ...(flags.has('next-release') ? { next_release: true } : {}),
  };
  if (flags.has('dry-run')) return foretell(api, flags, runId, fixedIn);
  const run = await api.resolve(runId, fixedIn);
  say(flags, run, run.resolution ? resolutionLine(run) : `the run is ${run.state}`);
}

async function unresolve(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  if (flags.has('dry-run')) return foretell(api, flags, runId);
  const run = await api.unresolve(runId);
  say(flags, run, `not marked as fixed${followUpWords(run)}`);
}

async function foretell(api: Client, flags: ReadFlags, runId: string, fixedIn: FixedIn = {}): Promise<void> {
  const effect = await api.resolutionEffect(runId, fixedIn);
  if (flags.has('json')) return printJson(effect);
  print(`${effectText(effect) ?? 'does nothing to the issue'}\n`);
  if (effect.comment !== null) print(`\n${effect.comment}\n`);
}

async function comment(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const text = flags.text('text');
  if (text === null) throw usageError('--text TEXT is missing.');
  const run = await api.comment(runId, text);
  say(flags, run, `comment ${run.comments} added`);
}

function say(flags: ReadFlags, run: Run, text: string): void {
  if (flags.has('json')) printJson(run);
  else print(`${text}\n`);
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Exactly one of `--until`, `--crashes` and `--next-release`. */
function readUntil(flags: ReadFlags): SnoozeUntil {
  const until = flags.text('until');
  const given = [until !== null, flags.text('crashes') !== null, flags.has('next-release')].filter(Boolean);
  if (given.length !== 1) throw usageError('Pass one of --until TIME, --crashes N and --next-release.');
  if (flags.has('next-release')) return { kind: 'release' };
  if (until === null) return { kind: 'crashes', more: flags.count('crashes', 1, SNOOZE_LIMITS.crashes) };
  const [, amount, unit = ''] = /^(\d{1,5})([mhd])$/.exec(until) ?? [];
  if (amount !== undefined) {
    return { kind: 'time', at: new Date(Date.now() + Number(amount) * (UNIT_MS[unit] ?? 0)).toISOString() };
  }
  if (Number.isNaN(Date.parse(until)))
    throw usageError(
      '--until must be a duration such as 30m, 4h or 7d, or a time such as 2026-11-30T09:00Z.',
    );
  return { kind: 'time', at: new Date(until).toISOString() };
}
