import { createHash } from 'node:crypto';
import { canonicalJson } from '@culprit/core/internal/domain/json';
import { erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import type { Values } from '@culprit/core/internal/ports/values';
import { type StoredList, storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import { ERASURE_STATES, foundSchema } from '../schema/erasures.js';

/** Round of the webhooks' deliveries that is done, as `<erasure>:<round>`. */
const DELIVERIES = 'erasures-deliveries';
const DELIVERIES_MS = 60 * 60_000;
/** Erasures that are kept. */
const MAX = 20;

/** What is done at the moment. Deliveries of webhooks are also in the memory of the process that sends them. */
const STAGES = ['runs', 'deliveries', 'values', 'files'] as const;

const recordSchema = v.object({
  id: v.string(),
  state: v.picklist(ERASURE_STATES),
  stage: v.picklist(STAGES),
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
  round: v.number(),
  /** The process that works on it, and until when, in ms since 1970. */
  owner: v.nullable(v.string()),
  until: v.number(),
  error: v.nullable(v.string()),
});
export type ErasureRecord = v.InferOutput<typeof recordSchema>;

export const WORKING: readonly ErasureRecord['state'][] = ['counting', 'checking', 'erasing'];

export type ErasureRecords = StoredList<ErasureRecord>;

/** Newest first. `culprit store export` leaves them out, because they may have whom to erase. */
export function erasureRecords(values: Values): ErasureRecords {
  return storedList(values, 'erasures', { schema: recordSchema, newest: 'first', most: MAX });
}

/** The round of deliveries that is done. */
export function deliveredRound(values: Values): Promise<string | undefined> {
  return values.get(DELIVERIES);
}

/** Erases the person from the deliveries that this process holds, if an erasure asks for it. */
export async function eraseDeliveries(
  values: Values,
  done: string | null,
  erase: (person: string) => Promise<void>,
): Promise<string | null> {
  const [latest] = await erasureRecords(values).get();
  if (latest?.stage !== 'deliveries' || latest.state !== 'erasing' || latest.person === null) return done;
  const asked = roundOf(latest);
  if (asked === done) return done;
  await erase(latest.person);
  await values.set(DELIVERIES, asked, DELIVERIES_MS);
  return asked;
}

export function roundOf({ id, round }: Pick<ErasureRecord, 'id' | 'round'>): string {
  return `${id}:${round}`;
}

/** What a reviewer confirms: these finds of this person. */
export function digestOf(id: string, person: string, scope: string): string {
  return createHash('sha256')
    .update(`culprit.erasure\n${canonicalJson([id, person.toLowerCase(), scope])}`)
    .digest('hex');
}

/** All records without the person, who may be an operator. */
export function withoutPerson(all: readonly ErasureRecord[], person: string): readonly ErasureRecord[] {
  return all.map((one) => ({ ...one, person: null, by: erasePerson(one.by, person).value }));
}
