import { type Countable, type CountedOn, continues, type Group, joinFamily } from '@culprit/core';
import { followMerges, type KnownRuns, knownHead, latestOf, noKnownRuns } from './follow-merges.js';
import { keys } from './keys.js';
import { decode, encode } from './run-parts.js';
import type { Transaction } from './writer.js';

type Reads = Pick<Transaction, 'getMany'>;

/** The groups of a family by its key. */
export type Families = Map<string, readonly Group[]>;

/** A crash under its group's fingerprint. */
export interface Placed<Crash extends Countable> {
  readonly crash: Crash;
  /** The keys of its fingerprint and of those of earlier versions. */
  readonly own: string;
  readonly aliases: readonly string[];
  /** The run at which its way to the counting run begins. */
  readonly entryId: string | undefined;
  /** Stores what the family learnt. */
  readonly store: (tx: Transaction) => void;
}

export function familyKey({ event, family }: Countable): string | undefined {
  return family && keys.family(event.project, family.name);
}

/** Keys of the fingerprints under which a run of the crash may be found without its family. */
export function fingerprintKeys({ event, fingerprint, aliases }: Countable): readonly string[] {
  return [fingerprint.hash, ...aliases].map((hash) => keys.fingerprint(event.project, hash));
}

/** The latest runs of these fingerprint keys, and of the groups to which crashes in another form belong. */
export async function latestRuns(
  reads: Reads,
  names: readonly string[],
  found: readonly (string | undefined)[],
  families: Families,
  sent: readonly Countable[],
): Promise<{ readonly latest: Map<string, string>; readonly absent: ReadonlySet<string> }> {
  const latest = new Map<string, string>();
  const absent = new Set<string>();
  const set = (key: string, id: string | undefined) =>
    void (id === undefined ? absent.add(key) : latest.set(key, id));
  for (const [at, key] of names.entries()) set(key, found[at]);
  const joined = sent.map((one) => {
    const { crash } = joinFamily(families.get(familyKey(one) ?? '') ?? [], one);
    return keys.fingerprint(crash.event.project, crash.fingerprint.hash);
  });
  const others = [...new Set(joined)].filter((key) => !latest.has(key) && !absent.has(key));
  const more = others.length > 0 ? await reads.getMany(others) : [];
  for (const [at, key] of others.entries()) set(key, more[at]);
  return { latest, absent };
}

export function groupsIn(text: string | undefined): readonly Group[] {
  return text === undefined ? [] : decode<readonly Group[]>(text, 'family');
}

/** Finds the crash's group and the run of its fingerprint. Whatever is not known yet is read. */
export async function place<Crash extends Countable>(
  reads: Reads,
  known: KnownRuns & { readonly families: Families; readonly absent?: ReadonlySet<string> },
  sent: Crash,
): Promise<Placed<Crash>> {
  const key = familyKey(sent);
  const before = known.families.get(key ?? '') ?? [];
  const { crash, groups } = joinFamily(before, sent);
  const [own = '', ...aliases] = fingerprintKeys(crash);
  const latest = async (name: string) =>
    known.absent?.has(name) ? known.latest.get(name) : latestOf(reads, known, name);
  const entryId = (await latest(own)) ?? (await earlierRun(reads, known, crash, aliases, latest));
  const store = (tx: Transaction) => {
    if (key === undefined || groups === before) return;
    known.families.set(key, groups);
    tx.put(key, encode(groups));
  };
  return { crash, own, aliases, entryId, store };
}

async function earlierRun(
  reads: Reads,
  known: KnownRuns,
  { fingerprint }: Countable,
  aliases: readonly string[],
  latest: (key: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const key of aliases) {
    const id = await latest(key);
    const head = id === undefined ? null : await knownHead(reads, known, id);
    if (head !== null && continues(head.run.fingerprint, fingerprint)) return id;
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
