import type { RunMember } from '../domain/member.js';
import { differenceOf, NO_COUNTS } from '../domain/quota.js';
import { CLOSED_STATES, type RunState, type RunSummary } from '../domain/run.js';
import { trustMix } from '../domain/source.js';
import type { Trust } from '../domain/trust.js';
import { evidenceKey, investigationKey } from '../pipeline/evidence-key.js';
import type { Logger } from '../ports/logger.js';
import type { Values } from '../ports/values.js';
import { batchesOf } from '../resilience/batches.js';
import { type Reads, walkList } from './key-value.js';
import { activityAfter, after, keys, scope } from './keys.js';
import { allLogKeys, EMPTY_LOG } from './occurrence-log.js';
import { addToQuota, quotaSubjects } from './quota-ledger.js';
import { countsOfHead, decode, ownerOf, type RunHead } from './run-parts.js';
import { writeHead } from './write-run.js';
import type { Transaction, Writer } from './writer.js';

/**
 * Maximum age, by latest activity, of the runs in a state, and their maximum number for each project. The number applies
 * separately to runs with an event from a trusted door and to all others.
 */
export interface Keeping {
  readonly ageMs: number;
  readonly count: number;
}
/** Runs in other states, in which the engine works, are kept forever. */
export type Retention = Partial<Record<RunState, Keeping>>;

const DAY_MS = 24 * 60 * 60_000;
/** How long runs, evidence and event ids are stored unless configured otherwise. */
export const DEFAULT_RETENTION: Retention = {
  staged_raw: { ageMs: 90 * DAY_MS, count: 100_000 },
  staged_draft: { ageMs: 180 * DAY_MS, count: 100_000 },
  snoozed: { ageMs: 180 * DAY_MS, count: 100_000 },
  rejected: { ageMs: 90 * DAY_MS, count: 100_000 },
  published: { ageMs: 730 * DAY_MS, count: 1_000_000 },
  merged: { ageMs: 730 * DAY_MS, count: 1_000_000 },
};

/** Runs deleted, or event ids scanned, in one write. */
const STEP = 100;
const IDS_STEP = 1_000;
const LONG_AGO = '1970-01-01T00:00:00.000Z';

export interface RetentionParts {
  readonly reads: Reads;
  readonly writer: Writer;
  readonly values: Values;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Deletes runs beyond their maximum age or number, in small steps with `pause` between them. A tombstone remains (project,
 * fingerprint, generation and issue), so that the crash is not published again.
 */
export async function sweepRuns(
  parts: RetentionParts,
  retention: Retention,
  pause: () => Promise<void>,
): Promise<number> {
  let forgotten = 0;
  const projects = (await quotaSubjects(parts.reads)).filter((subject) => subject.scope === 'project');
  for (const [state, { ageMs, count }] of Object.entries(retention) as [RunState, Keeping][]) {
    const start = keys.activity(scope(undefined, state), '');
    const gt = start + activityAfter(parts.now() - ageMs);
    for (;;) {
      const found = await parts.reads.entries({ gt, lt: after(start), limit: STEP });
      if (found.length === 0) break;
      forgotten += await forget(parts, found.map(runIdOf), state);
      await pause();
    }
    for (const { project } of projects) {
      const beyond = await runsBeyond(parts.reads, keys.activity(scope(project, state), ''), count);
      for (const ids of batchesOf(beyond, STEP)) {
        forgotten += await forget(parts, ids, state);
        await pause();
      }
    }
  }
  if (forgotten > 0) parts.logger.info({ runs: forgotten }, 'retention deleted runs');
  return forgotten;
}

const runIdOf = ([key]: readonly [key: string, value: string]) => key.slice(key.lastIndexOf('/') + 1);

/** The runs of one list beyond the latest `count` of each trust. Reads them only if the list is longer than that. */
async function runsBeyond(
  reads: RetentionParts['reads'],
  list: string,
  count: number,
): Promise<readonly string[]> {
  let listed = 0;
  for await (const found of walkList(reads, list)) listed += found.length;
  if (listed <= count) return [];
  const left: Record<Trust, number> = { trusted: count, untrusted: count };
  const beyond: string[] = [];
  for await (const found of walkList(reads, list)) {
    const ids = found.map(runIdOf);
    const texts = await reads.getMany(ids.map(keys.head));
    for (const [at, id] of ids.entries()) {
      const text = texts[at];
      if (text !== undefined && --left[trustOfRun(decode<RunHead>(text, 'run').run)] < 0) beyond.push(id);
    }
  }
  return beyond;
}

/** A run with one trusted event is as worth keeping as one with no other. */
function trustOfRun(run: RunSummary): Trust {
  return trustMix(run).kind === 'untrusted' ? 'untrusted' : 'trusted';
}

async function forget(parts: RetentionParts, ids: readonly string[], state: RunState): Promise<number> {
  const evidence: string[] = [];
  const forgotten = await parts.writer.write(async (tx) => {
    evidence.length = 0;
    let done = 0;
    const texts = await tx.getMany(ids.map(keys.head));
    for (const [at, id] of ids.entries()) {
      const head = texts[at] === undefined ? null : decode<RunHead>(texts[at], 'run');
      // Changed since it was listed.
      if (head === null || head.tombstone || head.run.state !== state) continue;
      for (let cycle = 1; cycle <= head.run.cycle; cycle++)
        evidence.push(evidenceKey(id, cycle), investigationKey(id, cycle));
      await writeTombstone(tx, head);
      await addToQuota(tx, ownerOf(head), differenceOf(NO_COUNTS, countsOfHead(head)));
      if (!CLOSED_STATES.includes(state)) {
        tx.append([{ ...head.run, state: 'rejected' }]);
      }
      done += 1;
    }
    return done;
  });
  for (const key of evidence) await parts.values.delete(key);
  return forgotten;
}

/** Writes a tombstone. After that of an open or rejected run, the next crash starts a run of the next generation. */
async function writeTombstone(tx: Transaction, head: RunHead): Promise<void> {
  const { run } = head;
  const runId = run.run_id;
  const published = run.state === 'published';
  // The crashes of a merged run continue in the run that it was merged into.
  const state = published || run.state === 'merged' ? run.state : 'rejected';
  await writeHead(tx, head, {
    intent: null,
    lease: null,
    entries: head.entries,
    chain: head.chain,
    tombstone: true,
    run: {
      ...run,
      state,
      title: '',
      fingerprint: { ...run.fingerprint, parts: [] },
      releases: [],
      environments: [],
      ...(run.members === undefined ? {} : { members: run.members.map(bare) }),
      suspects: [],
      draft: null,
      last_error: null,
      returned: undefined,
      snooze: undefined,
      woken: undefined,
      claim: undefined,
      pinned: undefined,
      resolution: undefined,
      follow_up: undefined,
      link_back: undefined,
      hand_offs: undefined,
      updated_at: published ? run.updated_at : LONG_AGO,
    },
  });
  for (const key of allLogKeys(runId, head.log ?? EMPTY_LOG)) tx.del(key);
  tx.del(keys.detail(runId));
  tx.del(keys.event(runId));
  for (let n = 1; n <= head.entries; n++) tx.del(keys.history(runId, n));
}

/** A member without what senders have said. */
function bare(member: RunMember): RunMember {
  return { ...member, releases: [], environments: [] };
}

/** Deletes event ids older than `ageMs`: one step of a scan over all of them. Returns where the next step starts. */
export async function sweepEventIds(
  { reads, writer, now }: RetentionParts,
  from: string,
  ageMs: number,
): Promise<string> {
  const found = await reads.entries({ gt: from, lt: after('k/'), limit: IDS_STEP });
  const until = now() - ageMs;
  const old = found.filter(([, text]) => {
    const { at } = decode<{ readonly at?: string }>(text, 'event key');
    return at !== undefined && Date.parse(at) < until;
  });
  if (old.length > 0) {
    await writer.write(async (tx) => {
      for (const [key] of old) tx.del(key);
    });
  }
  return found.length < IDS_STEP ? 'k/' : (found.at(-1)?.[0] ?? 'k/');
}
