import { hash } from 'node:crypto';
import type { QuotaSubject } from '../domain/quota.js';
import type { RunState } from '../domain/run.js';
import type { RunOrder } from '../domain/search/run-order.js';
import { boundedMap } from '../resilience/bounded-map.js';

/**
 * Every key of the store. Values from outside (project, event id, edge, hash) are hashed. Numbers are padded, so that
 * keys sort numerically.
 *
 *     h/<run>            head: what lists show, intent, lease, length of the history
 *     d/<run>            detail: suspects, explanation, draft
 *     e/<run>            the event that the run shows
 *     l/<run>/<n>        history entry n
 *     o/<run>/<part>     occurrences: see occurrence-log.ts
 *     g/<fingerprint>    latest run of a fingerprint hash in a project
 *     b/<project>/<name> groups of a family of fingerprints
 *     k/<event id>       outcome of an event id in a project; ids of untrusted events have their own
 *     w/<edge>           watermark
 *     x/<edge>/<n>       refusal reported for item n
 *     a/<scope>/<place>  activity: runs of a scope, latest first, with their number; empty if a run is not in the index
 *     a/order.<o>/<place> all runs in another order, with their number
 *     a/quota/<subject>  every key, door and project with a quota
 *     q/<subject>        counts of a key, door or project: see quota-ledger.ts
 *     f/<n>              feed entry n
 *     m/<name>           schema, epoch, counted: once all runs are, feed: the last sequence number, loss: what the store lost, swept: when retention last looked
 *     m/resent/<edge>    the watermark of an edge before a repair: deliveries up to it may be counted already
 *     i/d/<n>            what a search reads of run number n: see search/
 *     i/p/<bucket>/<n>   terms of a bucket with the runs of block n that have them
 *     i/<name>           numbers: all run numbers are smaller, sealed: blocks in buckets, complete: the index's version, once whole
 *     v/<key>            value with its expiry, t/<time>/<key> the same, by expiry
 */
export const keys = {
  head: (runId: string) => `h/${runId}`,
  detail: (runId: string) => `d/${runId}`,
  event: (runId: string) => `e/${runId}`,
  history: (runId: string, sequence: number) => `l/${runId}/${number(sequence)}`,
  occurrences: (runId: string, part: string) => `o/${runId}/${part}`,
  fingerprint: (project: string, hash: string) => `g/${knownDigest(project, hash)}`,
  family: (project: string, name: string) => `b/${knownDigest(project)}/${name}`,
  eventId: (project: string, eventId: string) => `k/${digest(project, eventId)}`,
  untrustedEventId: (project: string, eventId: string) => `k/${digest(project, eventId, 'untrusted')}`,
  watermark: (edge: string) => `w/${digest(edge)}`,
  refusal: (edge: string, sequence: number) => `x/${digest(edge)}/${number(sequence)}`,
  activity: (scope: string, place: string) => `a/${scope}/${place}`,
  quota: (subject: QuotaSubject) => `q/${quotaDigest(subject)}`,
  quotaSubject: (subject: QuotaSubject) => `a/quota/${quotaDigest(subject)}`,
  feed: (sequence: number) => `f/${number(sequence)}`,
  schema: 'm/schema',
  epoch: 'm/epoch',
  feedHead: 'm/feed',
  counted: 'm/counted',
  loss: 'm/loss',
  swept: 'm/swept',
  resent: (edge: string) => `m/resent/${digest(edge)}`,
  document: (n: number) => `i/d/${number(n)}`,
  postings: (bucket: string, block: number) => `i/p/${bucket}/${String(block).padStart(8, '0')}`,
  numbers: 'i/numbers',
  sealed: 'i/sealed',
  indexed: 'i/complete',
} as const;

/** The lists that contain a run: all runs, its state's, its project's, and both combined. */
export function scopesOf(run: { readonly project: string; readonly state: RunState }): readonly string[] {
  return [scope(), scope(undefined, run.state), scope(run.project), scope(run.project, run.state)];
}

export function scope(project?: string, state?: RunState): string {
  return `${project === undefined ? 'all' : knownDigest(project)}.${state ?? 'any'}`;
}

/** Projects, doors, keys and most fingerprints are those of the crashes before, and every write needs some. */
const digests = boundedMap<string, string>(4_000);

function knownDigest(...parts: readonly string[]): string {
  const text = parts.length === 1 ? (parts[0] ?? '') : parts.join('\n');
  const known = digests.get(text);
  if (known !== undefined) return known;
  const made = digest(...parts);
  digests.set(text, made);
  return made;
}

function quotaDigest({ scope, project, door, key }: QuotaSubject): string {
  return knownDigest('quota', scope, project, door ?? '', key ?? '');
}

/** The list of all runs in an order other than `activity`. */
export function orderScope(order: RunOrder): string {
  return `order.${order}`;
}

/** Sorts before all runs active before this time, and after all others. */
export function activityAfter(ms: number): string {
  return `${String(LATEST_MS - Math.trunc(ms)).padStart(16, '0')}/\u007f`;
}

/** True for a well-formed run id, which is safe in a key. */
export function isRunId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

/** Sorts after every key that starts with `prefix`. */
export function after(prefix: string): string {
  return `${prefix}\u007f`;
}

/** The latest time that a `Date` can hold, in ms. */
const LATEST_MS = 8_640_000_000_000_000;

function number(value: number): string {
  return String(value).padStart(16, '0');
}

function digest(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32);
}
