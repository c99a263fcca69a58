import { continues, type Group, joinFamily } from '../domain/group.js';
import type { Countable, CountedOn } from '../ports/run-incidents.js';
import { keys } from './keys.js';
import { decode, encode, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

type Reads = Pick<Transaction, 'getMany'>;

/** The groups of a family by its key. */
export type Families = Map<string, readonly Group[]>;

/** A crash under its group's fingerprint. */
export interface Placed<Crash extends Countable> {
  readonly crash: Crash;
  /** The key of its fingerprint, and the latest run of that. */
  readonly key: string;
  readonly ownId: string | undefined;
  /** The run from which the path to the counting run starts: that one, or one of an earlier version. */
  readonly entryId: string | undefined;
  /** Stores what the family learnt. */
  readonly store: (tx: Transaction) => void;
}

export interface KnownFamilies extends KnownRuns {
  readonly families: Families;
  /** Fingerprint keys that have no run in the store. */
  readonly absent?: ReadonlySet<string>;
}

export function familyKey({ event, family }: Countable): string | undefined {
  return family && keys.family(event.project, family.name);
}

export function fingerprintKey({ event, fingerprint }: Countable): string {
  return keys.fingerprint(event.project, fingerprint.hash);
}

/** Keys of the fingerprints of earlier versions. */
export function aliasKeys({ event, aliases }: Countable): readonly string[] {
  return aliases.map((hash) => keys.fingerprint(event.project, hash));
}

/** The latest runs of the crashes' own keys, of the groups to which those in another form belong, else of earlier versions. */
export async function latestRuns(
  reads: Reads,
  own: readonly string[],
  found: readonly (string | undefined)[],
  families: Families,
  sent: readonly Countable[],
): Promise<{ readonly latest: Map<string, string>; readonly absent: ReadonlySet<string> }> {
  const latest = new Map<string, string>();
  const absent = new Set<string>();
  const set = (key: string, id: string | undefined) =>
    void (id === undefined ? absent.add(key) : latest.set(key, id));
  for (const [at, key] of own.entries()) set(key, found[at]);
  // Most crashes have the key of the group's first one. A group that has another is found here, or when it is counted.
  const others = new Set(
    sent.flatMap((one) => {
      if (latest.has(fingerprintKey(one))) return [];
      const key = fingerprintKey(joinFamily(families.get(familyKey(one) ?? '') ?? [], one).crash);
      return latest.has(key) ? [] : absent.has(key) ? aliasKeys(one) : [key];
    }),
  );
  const more = others.size > 0 ? await reads.getMany([...others]) : [];
  for (const [at, key] of [...others].entries()) set(key, more[at]);
  return { latest, absent };
}

/** The latest run of a key. Anything not known yet is read. */
export async function latestRun(
  reads: Reads,
  known: KnownFamilies,
  key: string,
): Promise<string | undefined> {
  return known.absent?.has(key) ? known.latest.get(key) : latestOf(reads, known, key);
}

export function groupsIn(text: string | undefined): readonly Group[] {
  return text === undefined ? [] : decode<readonly Group[]>(text, 'family');
}

/** Finds the crash's group and the run of its fingerprint. */
export async function place<Crash extends Countable>(
  reads: Reads,
  known: KnownFamilies,
  sent: Crash,
): Promise<Placed<Crash>> {
  const family = familyKey(sent);
  const before = known.families.get(family ?? '') ?? [];
  const { crash, groups } = joinFamily(before, sent);
  const key = fingerprintKey(crash);
  const ownId = known.latest.get(key) ?? (await latestRun(reads, known, key));
  const entryId = ownId ?? (await earlierRun(reads, known, crash));
  const store = (tx: Transaction) => {
    if (family === undefined || groups === before) return;
    known.families.set(family, groups);
    tx.put(family, encode(groups));
  };
  return { crash, key, ownId, entryId, store };
}

async function earlierRun(reads: Reads, known: KnownFamilies, crash: Countable): Promise<string | undefined> {
  for (const key of aliasKeys(crash)) {
    const id = await latestRun(reads, known, key);
    const head = id === undefined ? null : await knownHead(reads, known, id);
    if (head !== null && continues(head.run.fingerprint, crash.fingerprint)) return id;
  }
  return undefined;
}

/** See `RunStore.countedOn`. */
export async function countedOn(reads: Reads, sent: Countable): Promise<CountedOn> {
  const key = familyKey(sent);
  const families: Families = new Map();
  if (key !== undefined) families.set(key, groupsIn((await reads.getMany([key]))[0]));
  const known = { ...noKnownRuns(), families };
  const { crash, entryId } = await place(reads, known, sent);
  const { heads } = await followMerges(reads, known, entryId);
  return { hash: crash.fingerprint.hash, run: heads.at(-1)?.run ?? null };
}

/** What a write has read and changed so far. */
export interface KnownRuns {
  /** Latest run of a fingerprint key. */
  readonly latest: Map<string, string>;
  readonly heads: Map<string, RunHead>;
}

/** The runs from one along merges; the last one counts. */
export interface Way {
  readonly heads: readonly RunHead[];
  /** The fingerprint key under which the last one was found; `null` if nothing was merged. */
  readonly key: string | null;
}

export function noKnownRuns(): KnownRuns {
  return { latest: new Map(), heads: new Map() };
}

/** Follows a run's merges. Anything not known yet is read, so that a write notices if another process changes it. */
export async function followMerges(
  reads: Pick<Transaction, 'getMany'>,
  known: KnownRuns,
  runId: string | undefined,
): Promise<Way> {
  const heads: RunHead[] = [];
  let key: string | null = null;
  for (let next = runId; next !== undefined; ) {
    const head = await knownHead(reads, known, next);
    if (head === null) break;
    heads.push(head);
    const { state, merged_into, project } = head.run;
    if (state !== 'merged' || !merged_into) break;
    const target = await knownHead(reads, known, merged_into);
    if (target === null) break;
    key = keys.fingerprint(project, target.run.fingerprint.hash);
    next = (await latestOf(reads, known, key)) ?? merged_into;
  }
  return { heads, key };
}

/** The runs from a fingerprint's latest one along merges. */
export async function wayOf(
  reads: Pick<Transaction, 'getMany'>,
  known: KnownRuns,
  fingerprintKey: string,
): Promise<Way> {
  return followMerges(reads, known, await latestOf(reads, known, fingerprintKey));
}

/** A run's head, read at most once by a write; `null` if there is none. */
export async function knownHead(
  reads: Pick<Transaction, 'getMany'>,
  { heads }: KnownRuns,
  runId: string,
): Promise<RunHead | null> {
  const there = heads.get(runId);
  if (there !== undefined) return there;
  const [text] = await reads.getMany([keys.head(runId)]);
  if (text === undefined) return null;
  const head = decode<RunHead>(text, 'run');
  heads.set(runId, head);
  return head;
}

/** The latest run of a fingerprint key. */
export async function latestOf(
  reads: Pick<Transaction, 'getMany'>,
  { latest }: KnownRuns,
  key: string,
): Promise<string | undefined> {
  const there = latest.get(key);
  if (there !== undefined) return there;
  const [runId] = await reads.getMany([key]);
  if (runId !== undefined) latest.set(key, runId);
  return runId;
}
