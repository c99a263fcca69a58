import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@culprit/core';
import * as v from 'valibot';
import { EDGE_LIMITS, type EdgeLimits } from '../limits.js';
import { replaceFile } from '../spool/state-files.js';
import { type LimitSettings, operatorActionSchema } from './commands.js';

const FILE = 'limits.json';
type Changes = Partial<Record<keyof EdgeLimits, number>>;

export interface AdjustableLimits {
  /** The current limits; guards read them for each request. */
  readonly limits: EdgeLimits;
  /** Sets limits; `null` restores the configured value. Stored next to the spool, so changes survive a restart. */
  change(values: Readonly<Partial<Record<keyof EdgeLimits, number | null>>>): Promise<void>;
  settings(): LimitSettings;
}

/** The configured limits with the changes made by an operator. */
export async function adjustableLimits(
  directory: string,
  configured: EdgeLimits,
  logger: Logger,
): Promise<AdjustableLimits> {
  const changes = await readChanges(directory, logger);
  const limits: EdgeLimits = { ...configured, ...changes };
  return {
    limits,
    async change(values) {
      const next: Changes = { ...changes };
      for (const name of namesOf(values)) {
        const value = values[name];
        if (value === null) delete next[name];
        else if (value !== undefined) next[name] = value;
      }
      await replaceFile(directory, FILE, `${JSON.stringify(next)}\n`, true);
      for (const name of namesOf(EDGE_LIMITS)) delete changes[name];
      Object.assign(changes, next);
      Object.assign(limits, configured, next);
      logger.warn({ changes: next }, 'limits changed by an operator');
    },
    settings: () =>
      Object.fromEntries(
        namesOf(EDGE_LIMITS).map((name) => [name, { value: limits[name], configured: configured[name] }]),
      ),
  };
}

const namesOf = (limits: object) => Object.keys(limits) as (keyof EdgeLimits)[];

/** An unreadable file is ignored: the configured limits are safe. */
async function readChanges(directory: string, logger: Logger): Promise<Changes> {
  const text = await readFile(join(directory, FILE), 'utf8').catch(() => null);
  if (text === null) return {};
  try {
    const action = v.parse(operatorActionSchema, { kind: 'limits', values: JSON.parse(text) });
    return action.kind === 'limits' ? (action.values as Changes) : {};
  } catch (error) {
    logger.error({ error }, 'limits.json next to the spool is unreadable; using the configured limits');
    return {};
  }
}
