import { randomBytes, randomUUID } from 'node:crypto';
import { CulpritError, type Engine, type Logger, type Reviewer } from '@culprit/core';
import type { PersonErasure } from '@culprit/core/internal/ports/person-erasure';
import type { ErasureEntry } from '../schema/erasures.js';
import { digestOf, type ErasureRecord, erasureRecords, WORKING } from './erasure-record.js';
import { type EndingParts, work } from './work.js';

/** A process that has not renewed its lease for this long has ended. */
export const LEASE_MS = 15_000;
const RENEW_MS = 3_000;
/** How often cores on a shared storage look for work that another one left. */
const LOOK_MS = 5_000;

export interface ErasuresParts extends EndingParts {
  readonly engine: Pick<Engine, 'erasure' | 'values' | 'shared'>;
  /** Called after a change of the stage at which deliveries of webhooks are erased. */
  readonly deliveriesAsked: () => void;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Counts and erases people in the background, one at a time in an installation, also across restarts. */
export interface Erasures {
  /** Newest first. */
  list(): Promise<readonly ErasureEntry[]>;
  /** Rejects with `not_found`. */
  get(id: string): Promise<ErasureEntry>;
  /** Starts to count; replaces what was counted before. Rejects with `erasure_running`. */
  count(person: string, by: Reviewer): Promise<ErasureEntry>;
  /** Starts to erase what was counted. Rejects with `erasure_changed` if person and digest are not those that were counted. */
  erase(id: string, person: string, digest: string, by: Reviewer): Promise<ErasureEntry>;
  close(): Promise<void>;
}

export function createErasures(parts: ErasuresParts): Erasures {
  const { engine, logger, now } = parts;
  const records = erasureRecords(engine.values);
  const me = randomUUID();
  const closing = new AbortController();
  let running: { readonly id: string; readonly end: AbortController; readonly over: Promise<void> } | null =
    null;

  const start = ({ id }: Pick<ErasureRecord, 'id'>) => {
    const { erasure } = engine;
    if (erasure === null || closing.signal.aborted) return;
    const before = running;
    before?.end.abort();
    const end = new AbortController();
    const over = (before?.over ?? Promise.resolve()).then(() => runOne(erasure, id, end));
    running = { id, end, over };
  };
  const runOne = async (erasure: PersonErasure, id: string, end: AbortController) => {
    const renewing = setInterval(() => {
      const own = (one: ErasureRecord) => one.id === id && one.owner === me;
      records
        .change((all) =>
          all.some(own) ? all.map((one) => (own(one) ? { ...one, until: now() + LEASE_MS } : one)) : null,
        )
        .then((all) => {
          if (!all.some(own)) end.abort();
        })
        .catch(() => {});
    }, RENEW_MS).unref();
    try {
      await work({ ...parts, erasure, records, id, owner: me, signal: end.signal });
    } catch (error) {
      if (!end.signal.aborted) logger.error({ err: error, erasure: id }, 'an erasure failed');
    } finally {
      clearInterval(renewing);
      if (running?.end === end) running = null;
    }
  };
  /** Takes over what no process works on. */
  const look = async (first: boolean) => {
    if (engine.erasure === null) return;
    const free = (one: ErasureRecord) =>
      WORKING.includes(one.state) &&
      one.owner !== me &&
      (one.owner === null || one.until < now() || (first && !engine.shared));
    if (!(await records.get()).some(free)) return;
    const all = await records.change((before) =>
      before.map((one) => (free(one) ? { ...one, owner: me, until: now() + LEASE_MS } : one)),
    );
    const mine = all.find((one) => WORKING.includes(one.state) && one.owner === me);
    if (mine !== undefined && running?.id !== mine.id) start(mine);
  };
  const looking = (first: boolean) =>
    look(first).catch((err) => logger.warn({ err }, 'erasures could not be read'));
  const begun = looking(true);
  const timer = engine.shared ? setInterval(() => void looking(false), LOOK_MS).unref() : null;

  const supported = () => {
    if (engine.erasure !== null) return;
    throw new CulpritError('connector_missing', 'The storage of this installation cannot erase a person.');
  };
  return {
    list: async () => (await records.get()).map(shown),
    async get(id) {
      const found = (await records.get()).find((one) => one.id === id);
      if (found === undefined) throw missing();
      return shown(found);
    },
    async count(person, by) {
      supported();
      const id = `era_${randomBytes(12).toString('hex')}`;
      const [latest] = await records.change((all) => {
        const erasing = all.find(({ state }) => state === 'erasing' || state === 'checking');
        if (erasing !== undefined) throw busy();
        const over = all.filter(({ state }) => state === 'done' || state === 'failed');
        return [{ ...fresh(id, person, by, now()), owner: me, until: now() + LEASE_MS }, ...over];
      });
      const made = latest as ErasureRecord;
      start(made);
      return shown(made);
    },
    async erase(id, person, digest, by) {
      supported();
      const all = await records.change((before) => {
        const found = before.find((one) => one.id === id);
        if (found === undefined) throw missing();
        checkConfirmed(found, person, digest);
        return before.map((one) =>
          one.id === id
            ? {
                ...one,
                ...{ state: 'checking' as const, person, by: namedBy(by), looked: 0, digest: null },
                ...{ owner: me, until: now() + LEASE_MS },
              }
            : one,
        );
      });
      const confirmed = all.find((one) => one.id === id);
      if (confirmed === undefined) throw missing();
      start(confirmed);
      return shown(confirmed);
    },
    async close() {
      closing.abort();
      if (timer !== null) clearInterval(timer);
      await begun;
      const last = running;
      last?.end.abort();
      await last?.over;
      if (last === null) return;
      // Another process need not wait for the lease to end.
      const free = (one: ErasureRecord) => (one.owner === me ? { ...one, owner: null, until: 0 } : one);
      await records.change((all) => all.map(free)).catch(() => {});
    },
  };
}

function fresh(id: string, person: string, by: Reviewer, now: number): ErasureRecord {
  return {
    ...{ id, state: 'counting', stage: 'runs', person, by: namedBy(by) },
    ...{ started_at: new Date(now).toISOString(), erasing_since: null, ended_at: null, looked: 0, all: 0 },
    found: {
      ...{ runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0 },
      ...{ values: 0, tokens: 0, sessions: 0, issues: [] },
    },
    ...{ scope: null, digest: null, round: 0, owner: null, until: 0, error: null },
  };
}

function namedBy({ name, via, token }: Reviewer): ErasureRecord['by'] {
  const surface = via === 'board' ? 'board' : 'api';
  return { name, via: surface, ...(token === undefined ? {} : { token }) };
}

function checkConfirmed({ id, state, scope, digest }: ErasureRecord, person: string, sent: string): void {
  if (state === 'erasing' || state === 'checking') throw busy();
  if ((state !== 'counted' && state !== 'changed') || scope === null) {
    const detail =
      state === 'counting'
        ? 'It is still being counted. Wait until its state is "counted", and confirm what was found.'
        : 'It is over. Count again, and confirm what is found.';
    throw new CulpritError('erasure_changed', detail);
  }
  if (sent !== digest || sent !== digestOf(id, person, scope)) {
    const detail =
      'The person or the digest is not that of what was counted. Count again, and confirm what is found.';
    throw new CulpritError('erasure_changed', detail);
  }
}

function shown(record: ErasureRecord): ErasureEntry {
  const { id, state, by, started_at, ended_at, looked, all, found, digest, error } = record;
  return {
    ...{ erasure_id: id, state, by: by.name, started_at, ended_at },
    ...{ looked_at: looked, runs: all, found, digest, error },
  };
}

function busy(): CulpritError {
  const detail = 'Another erasure is running. Start yours when it is done.';
  return new CulpritError('erasure_running', detail, { retryAfterMs: 60_000 });
}

function missing(): CulpritError {
  return new CulpritError('not_found', 'There is no such erasure, or another count has replaced it.');
}
