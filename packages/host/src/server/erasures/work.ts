import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, isCulpritError, type Logger } from '@culprit/core';
import { erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import type {
  ErasedRuns,
  ErasedValues,
  ErasureOrder,
  ErasureStep,
  PersonErasure,
} from '@culprit/core/internal/ports/person-erasure';
import { TOKEN_KEY } from '../../live/live-route.js';
import type { Sessions } from '../sessions.js';
import type { Tokens } from '../tokens/tokens.js';
import {
  deliveredRound,
  digestOf,
  type ErasureRecord,
  type ErasureRecords,
  roundOf,
  withoutPerson,
} from './erasure-record.js';

/** Ends what the credentials of the person had open. */
export interface EndingParts {
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  /** Ends the live feeds of a session or a token, on every core. */
  readonly ended: (key: string) => Promise<void>;
}

export interface WorkParts extends EndingParts {
  readonly engine: Pick<Engine, 'values'>;
  readonly erasure: PersonErasure;
  readonly records: ErasureRecords;
  readonly deliveriesAsked: () => void;
  readonly id: string;
  readonly owner: string;
  /** Aborted when another process works on it, or this one ends. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly now: () => number;
}

type Found = ErasureRecord['found'];

/** The record belongs to another process, or another count has replaced it. */
class TakenOver extends Error {}

/** How often progress is stored. */
const SAVE_MS = 1_000;
const AGAIN_MS = 5_000;
const ACKNOWLEDGED_MS = 250;
/** Passes over the values: a delivery that is asked for meanwhile may come back once. */
const ROUNDS = 5;
const MAX_ISSUES = 1_000;

/** Works on a record until it waits for somebody, is over, or belongs to another process. */
export async function work(parts: WorkParts): Promise<void> {
  for (;;) {
    parts.signal.throwIfAborted();
    const record = (await parts.records.get()).find(({ id }) => id === parts.id);
    if (record === undefined || record.owner !== parts.owner) return;
    try {
      const { state } = record;
      if (state === 'counting' || state === 'checking') await count(parts, record);
      else if (state === 'erasing') await erase(parts, record);
      else return;
    } catch (error) {
      if (parts.signal.aborted || error instanceof TakenOver) return;
      if (!isCulpritError(error) || !error.retryable) {
        await fail(parts, isCulpritError(error) ? error.code : 'internal');
        throw error;
      }
      parts.logger.warn({ err: error, erasure: parts.id }, 'an erasure was interrupted; continuing soon');
      await sleep(AGAIN_MS, undefined, { signal: parts.signal }).catch(() => {});
    }
  }
}

/** Finds out what would be erased; before erasing, whether it is still what was confirmed. */
async function count(parts: WorkParts, record: ErasureRecord): Promise<void> {
  const person = record.person ?? '';
  const order = orderOf(parts, record, true);
  const runs = await pass(parts, record.found, parts.erasure.runs(order), NOTHING);
  const values = await pass(parts, runs.found, parts.erasure.values(order), null);
  const scope = `${runs.scope}${values.scope}`;
  if (record.state === 'checking' && scope === record.scope) {
    const erasing_since = new Date(parts.now()).toISOString();
    await save(parts, { state: 'erasing', stage: 'runs', erasing_since });
    return;
  }
  await save(parts, {
    ...{ state: record.state === 'checking' ? 'changed' : 'counted', person: null, found: values.found },
    ...{ scope, digest: digestOf(record.id, person, scope), owner: null },
  });
}

const NOTHING = { runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0, issues: [] };

async function erase(parts: WorkParts, record: ErasureRecord): Promise<void> {
  const { erasure, id } = parts;
  const person = record.person ?? '';
  let { found } = record;
  if (record.stage === 'runs') {
    const order = orderOf(parts, record, false);
    ({ found } = await pass(parts, found, erasure.runs(order), NOTHING));
    await save(parts, { stage: 'deliveries', round: record.round + 1, found });
    return;
  }
  if (record.stage === 'deliveries') {
    await acknowledged(parts, record);
    await save(parts, { stage: 'values' });
    return;
  }
  if (record.stage === 'values') {
    const credentials = await credentialsOf(parts, person);
    const order = orderOf(parts, record, false);
    const { found: now } = await pass(parts, found, erasure.values(order), null);
    for (const key of credentials) await parts.ended(key);
    parts.tokens.changed();
    // What an interrupted pass has erased is not found again.
    const most = (name: 'values' | 'tokens' | 'sessions') => Math.max(found[name], now[name]);
    const sum = { ...now, values: most('values'), tokens: most('tokens'), sessions: most('sessions') };
    const again = now.values > 0 && record.round < ROUNDS;
    if (again) await save(parts, { stage: 'deliveries', round: record.round + 1, found: sum });
    else await save(parts, { stage: 'files', found: sum }, person);
    return;
  }
  await erasure.compact();
  const ended_at = new Date(parts.now()).toISOString();
  await save(parts, { state: 'done', scope: null, owner: null, ended_at });
  parts.logger.info({ erasure: id, runs: found.runs }, 'a person was erased');
}

function orderOf({ signal }: WorkParts, { id, by, person }: ErasureRecord, dryRun: boolean): ErasureOrder {
  return { person: person ?? '', erasure_id: id, by, dryRun, signal };
}

/** Goes through one pass and stores its progress. `start`: what this pass counts from; `null`: what is known stays. */
async function pass(
  parts: WorkParts,
  before: Found,
  steps: AsyncIterable<ErasureStep<ErasedRuns | ErasedValues>>,
  start: Partial<Found> | null,
): Promise<{ readonly found: Found; readonly scope: string }> {
  let found: Found = { ...before, ...start };
  let scope = '';
  let saved = parts.now();
  const all = await parts.erasure.countRuns();
  for await (const step of steps) {
    const issues = 'issues' in step.found ? step.found.issues.slice(0, MAX_ISSUES) : found.issues;
    found = { ...found, ...step.found, issues };
    scope = step.scope;
    if (parts.now() - saved < SAVE_MS) continue;
    saved = parts.now();
    await save(parts, start === null ? { found } : { found, all, looked: Math.min(step.looked, all) });
  }
  await save(parts, start === null ? { found } : { found, all, looked: all });
  return { found, scope };
}

/** Waits until the process that sends webhooks has erased what it has in memory. */
async function acknowledged(parts: WorkParts, record: ErasureRecord): Promise<void> {
  while ((await deliveredRound(parts.engine.values)) !== roundOf(record)) {
    parts.deliveriesAsked();
    await sleep(ACKNOWLEDGED_MS, undefined, { signal: parts.signal });
  }
}

/** Keys of the live feeds of the person's sessions and tokens. */
async function credentialsOf({ engine, sessions, tokens }: WorkParts, person: string) {
  const open = await sessions.list(engine.values, null);
  const theirs = open.filter(({ session }) => session.name.toLowerCase() === person.toLowerCase());
  const made = await tokens.list(engine.values);
  return [
    ...theirs.map(({ session }) => session.key),
    ...made
      .filter(({ made_by }) => erasePerson(made_by, person).places > 0)
      .map(({ id }) => `${TOKEN_KEY}${id}`),
  ];
}

/** Throws if the record has become another process's. `erased`: nobody needs the person any more. */
async function save(parts: WorkParts, patch: Partial<ErasureRecord>, erased?: string): Promise<void> {
  const own = (one: ErasureRecord) => one.id === parts.id && one.owner === parts.owner;
  let held = false;
  await parts.records.change((all) => {
    held = all.some(own);
    if (!held) return null;
    const next = all.map((one) => (own(one) ? { ...one, ...patch } : one));
    return erased === undefined ? next : withoutPerson(next, erased);
  });
  if (!held) throw new TakenOver();
}

async function fail(parts: WorkParts, error: string): Promise<void> {
  const ended_at = new Date(parts.now()).toISOString();
  await save(parts, { state: 'failed', person: null, digest: null, owner: null, error, ended_at });
}
