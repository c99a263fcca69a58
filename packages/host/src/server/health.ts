import { type Check, CulpritError, type Engine, type Logger } from '@culprit/core';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { billText } from './bill-text.js';
import type { HealthCheck, HealthReport, HealthState } from './schema/health.js';

/** What this core finds about its connectors and about what is around it, and since when. */
export interface Health {
  /** The checks of all connectors. */
  connectors(): Promise<readonly HealthCheck[]>;
  /** Those, and the checks of the installation, the worst first. Texts are sanitised. */
  report(): Promise<HealthReport>;
}

export interface HealthParts {
  /** `null` until the engine has started. */
  readonly engine: () => Engine | null;
  /** What the host checks besides the connectors: machine, settings, repositories. */
  readonly surroundings: () => Promise<readonly Check[]>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** How long results are reused. A check writes to the storage and calls the code host, so that requests must not cause one each. */
const FRESH_MS = 2_000;
const WORST_FIRST: readonly HealthState[] = ['failed', 'degraded', 'ok'];

export function createHealth({ engine, surroundings, now, logger }: HealthParts): Health {
  const ownConnectors = noting(now);
  const ownSurroundings = noting(now);
  const look = seldom(now, async (started: Engine) => ownConnectors(await started.check()));
  const connectors = async () => {
    const started = engine();
    return started === null ? [STARTING] : look(started);
  };
  const around = seldom(now, async () => {
    const looks = [surroundings(), billOf(engine())].map((checks) =>
      checks.catch((error: unknown) => [unchecked(error, logger)]),
    );
    return ownSurroundings((await Promise.all(looks)).flat());
  });
  return {
    connectors,
    async report() {
      const found = (await Promise.all([connectors(), around()])).flat();
      const sanitiser = engine()?.sanitiser ?? standardSanitiser;
      const checks = found
        .map((check) => ({ ...check, detail: sanitiser.text(check.detail).value }))
        .sort((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
      return { state: checks[0]?.state ?? 'ok', checked_at: new Date(now()).toISOString(), checks };
    },
  };
}

/** What investigations cost today; nothing where none can be. */
async function billOf(engine: Engine | null): Promise<readonly Check[]> {
  if (engine === null) return [];
  const { policy, model, investigationsToday } = engine;
  const { when, costPerDay } = policy.investigation;
  const today = await investigationsToday();
  const canInvestigate = when !== 'off' && ['loop', 'steps'].includes(model()?.investigates ?? 'no');
  if (!canInvestigate && today.investigations === 0) return [];
  const isSpent = costPerDay !== null && (today.cost ?? 0) >= costPerDay;
  const detail = billText(policy.investigation, today);
  return [{ name: 'investigations', ok: !isSpent, ...(isSpent && { optional: true }), detail }];
}

const STARTING: HealthCheck = { name: 'engine', state: 'failed', detail: 'Core is starting.', since: null };

function unchecked(error: unknown, logger: Logger): Check {
  logger.warn({ err: error }, 'the installation could not be checked');
  return { name: 'installation', ok: false, detail: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  if (error instanceof CulpritError) return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'Not checked: the disk is full (ENOSPC).';
  if (syscall !== undefined) return `Not checked: ${syscall} failed with ${code}; core’s log has the error.`;
  return 'Not checked; core’s log has the error.';
}

/** Adds since when each check is in its state. Checks of one name are distinguished by their order. */
function noting(now: () => number): (checks: readonly Check[]) => readonly HealthCheck[] {
  let before = new Map<string, HealthCheck>();
  return (checks) => {
    const at = new Date(now()).toISOString();
    const after = new Map<string, HealthCheck>();
    for (const { name, ok, optional, detail } of checks) {
      const state = ok ? 'ok' : optional === true ? 'degraded' : 'failed';
      let key = name;
      for (let more = 2; after.has(key); more += 1) key = `${name} ${more}`;
      const last = before.get(key);
      after.set(key, { name, state, detail, since: last?.state === state ? last.since : at });
    }
    before = after;
    return [...after.values()];
  };
}

/** The last result while it is fresh; one call at a time. `now`: ms, of a clock that may be set back. */
function seldom<Parts extends readonly unknown[], Result>(
  now: () => number,
  act: (...parts: Parts) => Promise<Result>,
): (...parts: Parts) => Promise<Result> {
  let last: { readonly result: Promise<Result>; readonly endedAt: number | null } | null = null;
  return (...parts) => {
    if (last !== null && (last.endedAt === null || Math.abs(now() - last.endedAt) < FRESH_MS))
      return last.result;
    const result = act(...parts);
    const mine = { result, endedAt: null };
    last = mine;
    const done = () => {
      if (last === mine) last = { result, endedAt: now() };
    };
    result.then(done, done);
    return result;
  };
}
