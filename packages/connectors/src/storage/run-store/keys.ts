import { hash } from 'node:crypto';
import type { RunState } from '@culprit/core';

/**
 * Every key of the store. What came from outside (project, event id, edge, hash) is hashed; numbers are padded, so that
 * their order is the order of keys.
 *
 *     h/<run>            head: what lists show, intent, lease, length of the history
 *     d/<run>            detail: suspects, explanation, draft
 *     e/<run>            the latest event
 *     l/<run>/<n>        history entry n
 *     g/<fingerprint>    latest run of a project's fingerprint hash
 *     k/<event id>       what became of a project's event id
 *     w/<edge>           watermark
 *     x/<edge>/<n>       refusal that was answered for item n
 *     a/<scope>/<place>  activity: runs of a scope, latest first
 *     f/<n>              feed entry n
 *     m/<name>           schema, epoch, feed: the last number given
 *     v/<key>            value with its expiry, t/<time>/<key> the same by expiry
 */
export const keys = {
  head: (runId: string) => `h/${runId}`,
  detail: (runId: string) => `d/${runId}`,
  event: (runId: string) => `e/${runId}`,
  history: (runId: string, sequence: number) => `l/${runId}/${number(sequence)}`,
  fingerprint: (project: string, hash: string) => `g/${digest(project, hash)}`,
  eventId: (project: string, eventId: string) => `k/${digest(project, eventId)}`,
  watermark: (edge: string) => `w/${digest(edge)}`,
  refusal: (edge: string, sequence: number) => `x/${digest(edge)}/${number(sequence)}`,
  activity: (scope: string, place: string) => `a/${scope}/${place}`,
  feed: (sequence: number) => `f/${number(sequence)}`,
  schema: 'm/schema',
  epoch: 'm/epoch',
  feedHead: 'm/feed',
} as const;

/** The lists in which a run stands: all, its state's, its project's, both. */
export function scopesOf(run: { readonly project: string; readonly state: RunState }): readonly string[] {
  return [scope(), scope(undefined, run.state), scope(run.project), scope(run.project, run.state)];
}

export function scope(project?: string, state?: RunState): string {
  return `${project === undefined ? 'all' : projectDigest(project)}.${state ?? 'any'}`;
}

/** Projects are few and stand in every write. */
const PROJECTS = 1_000;
const projects = new Map<string, string>();

function projectDigest(project: string): string {
  const known = projects.get(project);
  if (known !== undefined) return known;
  if (projects.size >= PROJECTS) projects.clear();
  const made = digest(project);
  projects.set(project, made);
  return made;
}

/** Where a run stands in a scope: latest activity first, ties by run id. */
export function placeOf(run: { readonly updated_at: string; readonly run_id: string }): string {
  return `${String(LATEST_MS - Date.parse(run.updated_at)).padStart(16, '0')}/${run.run_id}`;
}

/** Sorts before the places of all runs that were active before this time, and after all others. */
export function activityAfter(ms: number): string {
  return `${String(LATEST_MS - Math.trunc(ms)).padStart(16, '0')}/\u007f`;
}

/** True for what can be the id of a run, and so stand in a key as it is. */
export function isRunId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

/** Sorts after every key that continues `prefix`. */
export function after(prefix: string): string {
  return `${prefix}\u007f`;
}

/** The latest time that a date can hold, in ms. */
const LATEST_MS = 8_640_000_000_000_000;

function number(value: number): string {
  return String(value).padStart(16, '0');
}

function digest(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32);
}
