import { randomBytes } from 'node:crypto';
import { CulpritError, type Engine, type Reviewer } from '@culprit/core';
import type { Closable, Term } from '@culprit/core/internal/runs/lease';
import type { ErasureEntry } from '../schema/erasures.js';
import { digestOf, type ErasingParts, type ErasureRecord, erasureRecords, startErasing } from './erasing.js';

export interface ErasuresParts extends ErasingParts {
  readonly engine: Pick<Engine, 'erasure' | 'values' | 'shared'>;
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
  /** Does the work while this process leads. `deliveries`: those of webhooks, which this process has in memory, too. */
  work(term: Term, deliveries: { erase(person: string): Promise<void> }): Closable;
}

export function createErasures(parts: ErasuresParts): Erasures {
  const { engine, now } = parts;
  const records = erasureRecords(engine.values);
  let wake = () => {};

  const supported = () => {
    if (engine.erasure !== null) return;
    throw new CulpritError('connector_missing', 'The storage of this installation cannot erase a person.');
  };
  const found = (all: readonly ErasureRecord[], id: string): ErasureRecord => {
    const one = all.find((record) => record.id === id);
    if (one !== undefined) return one;
    throw new CulpritError('not_found', 'There is no such erasure, or another count has replaced it.');
  };
  return {
    list: async () => (await records.get()).map(shown),
    get: async (id) => shown(found(await records.get(), id)),
    async count(person, by) {
      supported();
      const made = fresh(person, by, now());
      await records.change((all) => {
        if (all.some(({ state }) => state === 'erasing' || state === 'checking')) throw busy();
        return [made, ...all.filter(({ state }) => state === 'done' || state === 'failed')];
      });
      wake();
      return shown(made);
    },
    async erase(id, person, digest, by) {
      supported();
      const all = await records.change((before) => {
        checkConfirmed(found(before, id), person, digest);
        const confirmed = { state: 'checking', person, by: namedBy(by), looked: 0, digest: null } as const;
        return before.map((one) => (one.id === id ? { ...one, ...confirmed } : one));
      });
      wake();
      return shown(found(all, id));
    },
    work(term, deliveries) {
      const { erasure, shared } = engine;
      if (erasure === null) return { close: async () => {} };
      const working = startErasing({ ...parts, records, erasure, shared, term, deliveries });
      wake = working.wake;
      return working;
    },
  };
}

function fresh(person: string, by: Reviewer, now: number): ErasureRecord {
  return {
    ...{ id: `era_${randomBytes(12).toString('hex')}`, state: 'counting', stage: 'runs' },
    ...{ person, by: namedBy(by) },
    ...{ started_at: new Date(now).toISOString(), erasing_since: null, ended_at: null, looked: 0, all: 0 },
    found: {
      ...{ runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0 },
      ...{ values: 0, tokens: 0, sessions: 0, issues: [] },
    },
    ...{ scope: null, digest: null, error: null },
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
        : 'This erasure is over. Count again, and confirm what was found.';
    throw new CulpritError('erasure_changed', detail);
  }
  if (sent !== digest || sent !== digestOf(id, person, scope)) {
    const detail =
      'The person or the digest does not match what was counted. Count again, and confirm what was found.';
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
  const detail = 'Another erasure is running. Start yours after it has ended.';
  return new CulpritError('erasure_running', detail, { retryAfterMs: 60_000 });
}
