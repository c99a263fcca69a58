import { ERASED_VALUES, holdsPeople } from '../../domain/stored-values.js';
import { erasePerson } from '../../pipeline/erase-person.js';
import type { ErasedValues, ErasureOrder, ErasureStep } from '../../ports/person-erasure.js';
import type { FeedEntry } from '../../ports/status-feed.js';
import type { Values } from '../../ports/values.js';
import { keys } from '../keys.js';
import { decode, encode } from '../run-parts.js';
import { walkValues } from '../values.js';
import { createScope, type ErasingStore, turn } from './erase-runs.js';
import { sameName } from './erase-shown.js';

const TOKENS = 'tokens:all';
/** Entries of the feed for one step: each has a run. */
const CHUNK = 50;

/** See `PersonErasure.values`. `further`: keys of further values that name people. */
export async function* eraseValues(
  parts: ErasingStore,
  order: Pick<ErasureOrder, 'person' | 'dryRun' | 'signal'>,
  further: readonly string[] = [],
): AsyncGenerator<ErasureStep<ErasedValues>> {
  const found = { values: 0, tokens: 0, sessions: 0 };
  const scope = createScope();
  let looked = 0;
  const note = (kind: 'tokens' | 'sessions', name: string) => {
    found[kind] += 1;
    scope.add(`${kind}\n${name}`);
  };
  for await (const { key, expires } of everyKey(parts, further)) {
    order.signal.throwIfAborted();
    const people = holdsPeople(key);
    if (people === 'sealed') {
      if (!order.dryRun) await parts.values.delete(key);
      continue;
    }
    const text = await parts.values.get(key);
    if (text === undefined) continue;
    const kept = parse(text);
    if (people === 'owner') {
      if (!sameName((kept as { name?: string } | null)?.name, order.person)) continue;
      note('sessions', key);
      if (!order.dryRun) await parts.values.delete(key);
    } else if (people === 'key' && erasePerson(versionOf(key), order.person).places > 0) {
      found.values += 1;
      if (!order.dryRun) await parts.values.delete(key);
    } else if (erasePerson(kept, order.person).places > 0) {
      if (key === TOKENS) for (const id of tokensOf(kept, order.person)) note('tokens', id);
      found.values += 1;
      if (!order.dryRun) await eraseValue(parts.values, { key, expires }, order.person);
    }
    looked += 1;
    yield { found: { ...found }, looked, scope: scope.digest() };
    await turn();
  }
  if (!order.dryRun) {
    await parts.cache?.clear();
    await eraseFeed(parts, order);
  }
  yield { found, looked, scope: scope.digest() };
}

/** The key of a value, and when it expires, in ms since 1970; 0: never. */
interface ValueKey {
  readonly key: string;
  readonly expires: number;
}

async function* everyKey({ reads }: ErasingStore, further: readonly string[]): AsyncGenerator<ValueKey> {
  for (const key of [...ERASED_VALUES, ...further]) yield { key, expires: 0 };
  for (const family of ERASED_VALUES)
    for await (const { value: key, expires } of walkValues(reads, `${family}:`)) yield { key, expires };
}

/** Tokens that the person made, by id. A token whose maker was erased does not work any more. */
function tokensOf(kept: unknown, person: string): readonly string[] {
  const { tokens = [] } = kept as { readonly tokens?: readonly { id: string; made_by: string }[] };
  return tokens.filter(({ made_by }) => erasePerson(made_by, person).places > 0).map(({ id }) => id);
}

/** The version of a recorded release is part of its keys. */
function versionOf(key: string): string {
  return decodeURIComponent(key.slice(key.indexOf('/') + 1));
}

/** Keeps the time at which the value expires. */
async function eraseValue(values: Values, { key, expires }: ValueKey, person: string): Promise<void> {
  const decide = (kept: string | undefined) => {
    const { value, places } = erasePerson(kept === undefined ? null : parse(kept), person);
    return places > 0 ? JSON.stringify(value) : undefined;
  };
  if (expires === 0) await values.change(key, decide);
  else await values.change(key, decide, Math.max(1, expires - Date.now()));
}

/** Text that is not JSON names nobody. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The buffer for reconnecting readers. */
async function eraseFeed(
  { reads, writer }: ErasingStore,
  { person, signal }: Pick<ErasureOrder, 'person' | 'signal'>,
): Promise<void> {
  const lt = keys.feed(Number.MAX_SAFE_INTEGER);
  for (let gt = keys.feed(0); ; ) {
    signal.throwIfAborted();
    const found = await reads.entries({ gt, lt, limit: CHUNK });
    const erased = found.flatMap(([key, text]) => {
      const { value, places } = erasePerson(decode<FeedEntry>(text, 'feed entry'), person);
      return places > 0 ? [{ key, text, without: encode(value) }] : [];
    });
    if (erased.length > 0) {
      await writer.write(async (tx) => {
        // The oldest may be gone meanwhile.
        const kept = await tx.getMany(erased.map(({ key }) => key));
        for (const [at, { key, text, without }] of erased.entries())
          if (kept[at] === text) tx.put(key, without);
      });
    }
    if (found.length < CHUNK) return;
    gt = found.at(-1)?.[0] ?? lt;
    await turn();
  }
}
