import type { Client } from '@culprit/client';
import type { Run } from '@culprit/core';
import { effectText, type FixedIn } from '@culprit/core/internal/domain/resolution';
import { SNOOZE_LIMITS, type SnoozeUntil, snoozeText } from '@culprit/core/internal/domain/snooze';
import { usageError } from './exit-codes.js';
import type { Decision, Told } from './many-runs.js';
import { clipped } from './print.js';
import type { ReadFlags } from './read-flags.js';
import { followUpWords, resolutionLine } from './resolution-text.js';

/** What reviewers do between decisions. */
export const TURNS = { snooze, wake, claim, release, resolve, unresolve, comment } satisfies Record<
  string,
  Decision
>;

async function snooze(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const run = await api.snoozeRun({
    run_id: runId,
    until: readUntil(flags),
    reason: flags.text('reason') ?? undefined,
  });
  return say(run, run.snooze ? `snoozed ${snoozeText(run.snooze)}` : `the run is ${run.state}`);
}

async function wake(api: Client, _flags: ReadFlags, runId: string): Promise<Told> {
  const run = await api.wakeRun({ run_id: runId });
  return say(run, `awake: the run is ${run.state}`);
}

async function claim(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const run = await api.claimRun({ run_id: runId, take_over: flags.has('take-over') });
  return say(run, `claimed by ${clipped(run.claim?.by ?? '', 60)} until ${run.claim?.until}`);
}

async function release(api: Client, _flags: ReadFlags, runId: string): Promise<Told> {
  return say(await api.releaseClaim({ run_id: runId }), 'nobody has claimed the run');
}

async function resolve(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const commit = flags.text('commit');
  const fixedIn = {
    ...(commit === null ? {} : { commit }),
    ...(flags.has('next-release') ? { next_release: true } : {}),
  };
  if (flags.has('dry-run')) return foretell(api, runId, fixedIn);
  const run = await api.resolveRun({ run_id: runId, ...fixedIn });
  return say(run, run.resolution ? resolutionLine(run) : `the run is ${run.state}`);
}

async function unresolve(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  if (flags.has('dry-run')) return foretell(api, runId);
  const run = await api.unresolveRun({ run_id: runId });
  return say(run, `not marked as fixed${followUpWords(run)}`);
}

async function foretell(api: Client, runId: string, fixedIn: FixedIn = {}): Promise<Told> {
  const effect = await api.getResolutionEffect({ run_id: runId, ...fixedIn });
  const words = effectText(effect) ?? 'does nothing to the issue';
  return { value: effect, text: effect.comment === null ? words : `${words}\n\n${effect.comment}` };
}

async function comment(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const text = flags.text('text');
  if (text === null) throw usageError('--text TEXT is missing.');
  const run = await api.commentOnRun({ run_id: runId, comment: text });
  return say(run, `comment ${run.comments} added`);
}

function say(run: Run, text: string): Told {
  return { value: run, text };
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
