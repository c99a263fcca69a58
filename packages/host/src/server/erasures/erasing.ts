import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCulpritError, type Logger } from '@culprit/core';
import { canonicalJson } from '@culprit/core/internal/domain/json';
import { erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import type {
  Erased,
  ErasureStep,
  PersonErasure,
  WalkPart,
} from '@culprit/core/internal/ports/person-erasure';
import type { Values } from '@culprit/core/internal/ports/values';
import type { Closable, Term } from '@culprit/core/internal/runs/lease';
import { type StoredList, storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import { TOKEN_KEY } from '../live/live-route.js';
import { ERASURE_STATES, foundSchema } from '../schema/erasures.js';
import type { Tokens } from '../tokens/tokens.js';

/** Erasures that are kept. */
const MAX = 20;
/** From where an erasure that was interrupted goes on. */
const STAGES = ['runs', 'values', 'files'] as const;

const recordSchema = v.object({
  id: v.string(),
  state: v.picklist(ERASURE_STATES),
  stage: v.fallback(v.picklist(STAGES), 'runs'),
  /** Only while it is needed. */
  person: v.nullable(v.string()),
  by: v.object({ name: v.string(), via: v.picklist(['api', 'board']), token: v.exactOptional(v.string()) }),
  /** ISO 8601, all three. */
  started_at: v.string(),
  erasing_since: v.nullable(v.string()),
  ended_at: v.nullable(v.string()),
  looked: v.number(),
  all: v.number(),
  found: foundSchema,
  /** What was found, in any order; see `ErasureStep`. */
  scope: v.nullable(v.string()),
  /** Of the person and the scope. */
  digest: v.nullable(v.string()),
  error: v.nullable(v.string()),
});
export type ErasureRecord = v.InferOutput<typeof recordSchema>;

const WORKING: readonly ErasureRecord['state'][] = ['counting', 'checking', 'erasing'];

/** Newest first. `culprit store export` leaves them out, because they may have whom to erase. */
export function erasureRecords(values: Values): StoredList<ErasureRecord> {
  return storedList(values, 'erasures', { schema: recordSchema, newest: 'first', most: MAX });
}

/** What a reviewer confirms: these finds of this person. */
export function digestOf(id: string, person: string, scope: string): string {
  return createHash('sha256')
    .update(`culprit.erasure\n${canonicalJson([id, person.toLowerCase(), scope])}`)
    .digest('hex');
}

/** How often progress is stored. */
const SAVE_MS = 1_000;
const AGAIN_MS = 5_000;
/** How often the leading process looks for what other processes were asked for. */
const LOOK_MS = 1_000;
const NEVER_MS = 2 ** 31 - 1;
/** Walks over the values: a delivery that is asked for meanwhile may come back once. */
const ROUNDS = 5;
const MAX_ISSUES = 1_000;

/** What ends with the credentials of the person. */
export interface ErasingParts {
  readonly tokens: Pick<Tokens, 'changed'>;
  /** Ends the live feeds of a session or a token, on every core. */
  readonly ended: (key: string) => Promise<void>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface WorkParts extends ErasingParts {
  readonly erasure: PersonErasure;
  readonly records: StoredList<ErasureRecord>;
  readonly shared: boolean;
  readonly term: Term;
  readonly deliveries: { erase(person: string): Promise<void> };
}
/** `signal`: aborted when another process may lead, or this one ends. */
type Work = WorkParts & { readonly signal: AbortSignal };
type Found = ErasureRecord['found'];

/** Another count has replaced the record. */
class Replaced extends Error {}

/** Works on what is asked for, one erasure after another, until it is closed or its term is lost. */
export function startErasing(parts: WorkParts): Closable & { wake(): void } {
  const { records, term, shared, logger } = parts;
  const end = new AbortController();
  let waiting = new AbortController();
  const stop = () => {
    end.abort();
    waiting.abort();
  };
  if (term.lost.aborted) stop();
  else term.lost.addEventListener('abort', stop, { once: true });
  const pause = (ms: number) => sleep(ms, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
  const loop = async () => {
    while (!end.signal.aborted) {
      waiting = new AbortController();
      try {
        const record = (await records.get()).find(({ state }) => WORKING.includes(state));
        if (record === undefined) await pause(shared ? LOOK_MS : NEVER_MS);
        else await workOn({ ...parts, signal: end.signal }, record);
      } catch (err) {
        if (end.signal.aborted || err instanceof Replaced) continue;
        logger.warn({ err }, 'an erasure was interrupted; continuing soon');
        await pause(AGAIN_MS);
      }
    }
  };
  const over = loop();
  return {
    wake: () => waiting.abort(),
    async close() {
      stop();
      await over;
    },
  };
}

/** Until the record waits for somebody or is over. Rejects if it should be tried again. */
async function workOn(work: Work, record: ErasureRecord): Promise<void> {
  try {
    await (record.state === 'erasing' ? erase(work, record) : count(work, record));
  } catch (error) {
    const isPassing = isCulpritError(error) && error.retryable;
    if (isPassing || work.signal.aborted || error instanceof Replaced) throw error;
    work.logger.error({ err: error, erasure: record.id }, 'an erasure failed');
    const code = isCulpritError(error) ? error.code : 'internal';
    const ended_at = new Date(work.now()).toISOString();
    await save(work, record, { state: 'failed', person: null, digest: null, error: code, ended_at });
  }
}

/** Finds out what would be erased; before erasing, whether it is still what was confirmed. */
async function count(work: Work, record: ErasureRecord): Promise<void> {
  const { found, scope } = await walk(work, record, 'runs');
  if (record.state === 'checking' && scope === record.scope) {
    const erasing_since = new Date(work.now()).toISOString();
    return save(work, record, { state: 'erasing', stage: 'runs', erasing_since });
  }
  const state = record.state === 'checking' ? 'changed' : 'counted';
  const digest = digestOf(record.id, record.person ?? '', scope);
  await save(work, record, { state, person: null, found, scope, digest });
}

async function erase(work: Work, record: ErasureRecord): Promise<void> {
  const { stage, id, person } = record;
  let from: WalkPart = stage === 'runs' ? 'runs' : 'values';
  let { found } = record;
  for (let round = 1, again = stage !== 'files'; again && round <= ROUNDS; round++) {
    const walked = await walk(work, { ...record, found }, from);
    ({ found } = walked);
    again = walked.values > 0;
    from = 'values';
  }
  if (stage !== 'files') await save(work, record, { stage: 'files', found }, person ?? '');
  await work.erasure.compact();
  const ended_at = new Date(work.now()).toISOString();
  await save(work, record, { state: 'done', scope: null, ended_at });
  work.logger.info({ erasure: id, runs: found.runs }, 'a person was erased');
}

/** Walks over the storage, and stores the progress. Before stored deliveries are erased, those in memory are. */
async function walk(work: Work, record: ErasureRecord, from: WalkPart) {
  const { erasure, deliveries, signal, now, ended, tokens } = work;
  const { id: erasure_id, by, state } = record;
  const person = record.person ?? '';
  const isErasing = state === 'erasing';
  const all = await erasure.countRuns();
  const order = { person, erasure_id, by, dryRun: !isErasing, signal };
  let last: ErasureStep | null = null;
  let saved = now();
  let announced = 0;
  const found = () => merged(record.found, last?.found ?? {}, isErasing);
  for await (const step of erasure.walk(order, from)) {
    // At once, because what follows may fail, and a repeated walk does not find them again.
    const ending = isErasing ? step.credentials.slice(announced) : [];
    announced += ending.length;
    if (ending.length > 0) tokens.changed();
    for (const [kind, name] of ending) await ended(kind === 'tokens' ? `${TOKEN_KEY}${name}` : name);
    if (step.part === 'values' && last?.part !== 'values') {
      const stage = isErasing ? ({ stage: 'values' } as const) : {};
      await save(work, record, { found: found(), all, looked: all, ...stage });
      if (isErasing) await deliveries.erase(person);
    }
    last = step;
    if (now() - saved < SAVE_MS) continue;
    saved = now();
    const looked = step.part === 'runs' ? { all, looked: Math.min(step.looked, all) } : {};
    await save(work, record, { found: found(), ...looked });
  }
  const { scope = '', found: own } = last ?? {};
  /** `values`: those of this walk only. */
  return { found: found(), scope, values: own?.values ?? 0 };
}

function merged(before: Found, now: Partial<Erased>, isErasing: boolean): Found {
  const found = { ...before, ...now, issues: (now.issues ?? before.issues).slice(0, MAX_ISSUES) };
  // What an interrupted walk has erased of these is not found again; of runs, their histories say it.
  if (isErasing)
    for (const name of ['values', 'tokens', 'sessions'] as const)
      found[name] = Math.max(before[name], now[name] ?? 0);
  return found;
}

/** Throws if another count has replaced the record, or another process may lead. `erased`: nobody needs the person any more. */
async function save(
  { records, term }: Work,
  { id }: ErasureRecord,
  patch: Partial<ErasureRecord>,
  erased: string | null = null,
): Promise<void> {
  term.assertHeld();
  const all = await records.change((before) => {
    const next = before.map((one) => (one.id === id ? { ...one, ...patch } : one));
    if (erased === null) return next;
    // They may be an operator, who is named in other records, too.
    return next.map((one) => ({ ...one, person: null, by: withoutPerson(one.by, erased) }));
  });
  if (!all.some((one) => one.id === id)) throw new Replaced();
}

function withoutPerson({ name, via, token }: ErasureRecord['by'], person: string): ErasureRecord['by'] {
  const without = (text: string) => erasePerson(text, person).value;
  return { name: without(name), via, ...(token === undefined ? {} : { token: without(token) }) };
}
