import { hash, randomBytes } from 'node:crypto';
import { runSummarySchema } from '../../domain/run.js';
import { ERASED_VALUES, holdsPeople } from '../../domain/stored-values.js';
import { erasePerson, eraseTyped } from '../../pipeline/erase-person.js';
import type { CacheStore } from '../../ports/cache.js';
import type {
  Credential,
  Erased,
  ErasureOrder,
  ErasureStep,
  PersonErasure,
  WalkPart,
} from '../../ports/person-erasure.js';
import type { FeedEntry } from '../../ports/status-feed.js';
import { systemClock } from '../../system.js';
import { walkList } from '../key-value.js';
import type { Store } from '../open-store.js';
import { decode } from '../run-parts.js';
import { countRunIds, runIds } from '../transfer/transfer.js';
import { walkValues } from '../values.js';
import type { Transaction } from '../writer.js';
import { COUNTED, type ErasedRun, eraseRun } from './erase-run.js';
import { sameName } from './erase-shown.js';

/** The storage to erase from. */
export interface ErasingStore extends Pick<Store, 'reads' | 'writer' | 'values' | 'seal'> {
  /** Emptied, because commits have authors. */
  readonly cache?: CacheStore | null | undefined;
  /** Removes replaced values from the disk. */
  readonly compact: () => Promise<void>;
}

/** Nobody else uses the storage: no analysis is running, and what core stores about erasures goes, too. */
interface Idle {
  readonly idle?: true;
}

/** How often a run that was being analysed is looked at again. */
const ANALYSIS_MS = 1_000;
/** Entries of the feed for one write. */
const FEED_ENTRIES = 50;
const TOKENS = 'tokens:all';

/** The port over a storage that this process has open. */
export function personErasure(store: ErasingStore, { idle }: Idle = {}): PersonErasure {
  return {
    countRuns: () => countRunIds(store.reads),
    walk: (order, from) => walk(store, order, from, idle),
    compact: store.compact,
  };
}

/**
 * Removes a person from every event, draft, piece of evidence and history entry, from the live feed's buffer, from values stored by
 * connectors, webhooks and releases, saved views and learned code mappings; ends their tokens and sessions; kept answers to requests go; then
 * from the files of a file store. Text that was signed for publication stays. Each changed run records it in its history. Nothing
 * else may use the storage meanwhile, unless it is a dry run.
 */
export async function erasePersonFrom(
  store: ErasingStore,
  { person, dryRun = false }: { readonly person: string; readonly dryRun?: boolean },
  progress: (runs: number, all: number) => void,
): Promise<Erased> {
  const erasing = personErasure(store, { idle: true });
  const erasure_id = `era_${randomBytes(12).toString('hex')}`;
  const order: ErasureOrder = { person, erasure_id, by: null, dryRun, signal: new AbortController().signal };
  const all = await erasing.countRuns();
  let found: Partial<Erased> = {};
  for await (const step of erasing.walk(order)) {
    found = step.found;
    if (step.part === 'runs') progress(step.looked, all);
  }
  // Replaced values stay in the files until then.
  if (!dryRun) await erasing.compact();
  return found as Erased;
}

/** A walk so far. Its parts add to it. */
interface Walk extends ErasingStore {
  readonly order: ErasureOrder;
  readonly idle: boolean;
  found: Partial<Erased>;
  looked: number;
  readonly credentials: Credential[];
  /** The same things in any order give the same scope. */
  readonly scope: ReturnType<typeof createScope>;
}

/** The parts in their order. Each pauses after one run or value. */
const PARTS: readonly (readonly [WalkPart, (walk: Walk) => AsyncGenerator<void>])[] = [
  ['runs', walkRuns],
  ['values', walkOthers],
];

async function* walk(
  store: ErasingStore,
  order: ErasureOrder,
  from: WalkPart = 'runs',
  idle = false,
): AsyncGenerator<ErasureStep> {
  const walk: Walk = { ...store, order, idle, found: {}, looked: 0, credentials: [], scope: createScope() };
  const { signal } = order;
  for (const [part, steps] of PARTS.slice(PARTS.findIndex(([name]) => name === from))) {
    const step = (): ErasureStep => {
      const { found, looked, credentials, scope } = walk;
      return { part, found, looked, credentials, scope: scope.digest() };
    };
    walk.looked = 0;
    yield step();
    for await (const _ of steps(walk)) {
      yield step();
      signal.throwIfAborted();
      // Lets others work.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    yield step();
  }
}

/** Runs with all that belongs to them. */
async function* walkRuns(walk: Walk): AsyncGenerator<void> {
  const { reads, order, idle } = walk;
  const total = { runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0 };
  const named = new Set<string>();
  // One list, not a copy for each step: there are as many steps as runs.
  const issues: string[] = [];
  const counted = new Map<string, ErasedRun>();
  const analysing = new Set<string>();
  const look = async (runId: string) => {
    const run = await eraseOne(walk, runId);
    if (run?.analysing) analysing.add(runId);
    else analysing.delete(runId);
    if (run === null || (!run.touched && run.issue === null)) return;
    const before = counted.get(runId);
    if (before === undefined) walk.scope.add(`run\n${runId}\n${run.issue ?? ''}`);
    counted.set(runId, run);
    total.runs += Number(run.touched) - Number(before?.touched ?? false);
    for (const name of COUNTED) total[name] += run[name] - (before?.[name] ?? 0);
    if (run.issue !== null && !named.has(run.issue)) issues.push(run.issue);
    if (run.issue !== null) named.add(run.issue);
    walk.found = { ...walk.found, ...total };
  };
  walk.found = { ...walk.found, ...total, issues };
  for await (const runId of runIds(reads)) {
    await look(runId);
    walk.looked += 1;
    yield;
  }
  while (!order.dryRun && !idle && analysing.size > 0) {
    await systemClock.sleep(ANALYSIS_MS, order.signal);
    for (const runId of [...analysing]) {
      await look(runId);
      yield;
    }
  }
}

/** Most runs name nobody: they are only read, beside the writes of others. */
async function eraseOne({ order, ...store }: Walk, runId: string): Promise<ErasedRun | null> {
  const { reads } = store;
  const reading: Transaction = {
    getMany: (names) => reads.getMany(names),
    entries: (range) => reads.entries(range),
    number: async () => 0,
    put() {},
    del() {},
    append() {},
  };
  const seen = await eraseRun(reading, runId, order, store);
  if (order.dryRun || !seen?.touched) return seen;
  return store.writer.write((tx) => eraseRun(tx, runId, order, store));
}

/** All other values, then caches and the buffer for readers of the live feed who reconnect. */
async function* walkOthers(walk: Walk): AsyncGenerator<void> {
  const { order, idle, values, cache, scope } = walk;
  const { person, dryRun } = order;
  const found = { values: 0, tokens: 0, sessions: 0 };
  const note = (...[kind, name]: Credential) => {
    found[kind] += 1;
    walk.credentials.push([kind, name]);
    scope.add(`${kind}\n${name}`);
  };
  const remove = async (key: string) => {
    if (!dryRun) await values.delete(key);
  };
  const look = async ({ key, expires }: ValueKey) => {
    const people = holdsPeople(key);
    if (people === 'sealed') return remove(key);
    const text = await values.get(key);
    if (text === undefined) return;
    walk.looked += 1;
    const kept = parse(text);
    if (people === 'owner') {
      if (!sameName((kept as { name?: string } | null)?.name, person)) return;
      note('sessions', key);
      return remove(key);
    }
    // The version of a recorded release is part of its keys.
    const version = people === 'key' ? decodeURIComponent(key.slice(key.indexOf('/') + 1)) : '';
    if (erasePerson([version, kept], person, false).places === 0) return;
    found.values += 1;
    if (erasePerson(version, person).places > 0) return remove(key);
    if (key === TOKENS) for (const id of tokensOf(kept, person)) note('tokens', id);
    if (!dryRun) await eraseValue(walk, { key, expires }, person);
  };
  walk.found = { ...walk.found, ...found };
  for await (const key of everyKey(walk.reads, idle)) {
    await look(key);
    walk.found = { ...walk.found, ...found };
    yield;
  }
  if (dryRun) return;
  await cache?.clear();
  yield* eraseFeed(walk);
}

/** The key of a value, and when it expires, in ms since 1970; 0: never. */
interface ValueKey {
  readonly key: string;
  readonly expires: number;
}

async function* everyKey(reads: Store['reads'], idle: boolean): AsyncGenerator<ValueKey> {
  for (const key of [...ERASED_VALUES, ...(idle ? ['erasures'] : [])]) yield { key, expires: 0 };
  for (const family of ERASED_VALUES)
    for await (const { value: key, expires } of walkValues(reads, `${family}:`)) yield { key, expires };
}

/** Tokens that the person made, by id. A token whose maker was erased does not work any more. */
function tokensOf(kept: unknown, person: string): readonly string[] {
  const { tokens = [] } = kept as { readonly tokens?: readonly { id: string; made_by: string }[] };
  return tokens.filter(({ made_by }) => erasePerson(made_by, person).places > 0).map(({ id }) => id);
}

/** Keeps the time at which the value expires. */
async function eraseValue({ values }: ErasingStore, { key, expires }: ValueKey, person: string) {
  const decide = (kept: string | undefined) => {
    const { value, places } = erasePerson(kept === undefined ? null : parse(kept), person, false);
    return places > 0 ? JSON.stringify(value) : undefined;
  };
  await values.change(key, decide, expires === 0 ? undefined : Math.max(1, expires - Date.now()));
}

/** Text that is not JSON names nobody. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Entries that name the person go. A reader who reconnects does not get them: they take what they miss from a later entry of the run, or a snapshot. */
async function* eraseFeed({ reads, writer, order }: Walk): AsyncGenerator<void> {
  for await (const found of walkList(reads, 'f/', FEED_ENTRIES)) {
    const naming = found.filter(([, text]) => {
      const { run } = decode<FeedEntry>(text, 'feed entry');
      return eraseTyped(run, order.person, runSummarySchema).places > 0;
    });
    if (naming.length > 0)
      await writer.write(async (tx) => {
        for (const [key] of naming) tx.del(key);
      });
    yield;
  }
}

const BITS = (1n << 128n) - 1n;

/** A digest of a set of texts, in any order. */
function createScope() {
  let sum = 0n;
  return {
    add(text: string) {
      sum = (sum + BigInt(`0x${hash('sha256', text).slice(0, 32)}`)) & BITS;
    },
    /** Lower-case hex. */
    digest: () => sum.toString(16).padStart(32, '0'),
  };
}
