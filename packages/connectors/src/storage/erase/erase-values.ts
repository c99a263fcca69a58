import { setImmediate as turn } from 'node:timers/promises';
import { ERASED_VALUES, holdsPeople } from '@culprit/core/internal/domain/stored-values';
import { erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import type { CacheStore } from '@culprit/core/internal/ports/cache';
import type { ErasedValues, ErasureOrder, ErasureStep } from '@culprit/core/internal/ports/person-erasure';
import type { FeedEntry } from '@culprit/core/internal/ports/status-feed';
import type { Values } from '@culprit/core/internal/ports/values';
import type { KeyValue } from '../run-store/key-value.js';
import { keys } from '../run-store/keys.js';
import { decode, encode } from '../run-store/run-parts.js';
import type { Writer } from '../run-store/writer.js';
import { sameName } from './erase-history.js';
import { createScope } from './scope.js';

/** The key of a value, and when it expires, in ms since 1970; 0: never. */
export interface ValueKey {
  readonly key: string;
  readonly expires: number;
}

export interface EraseValuesParts {
  readonly reads: Pick<KeyValue, 'getMany' | 'entries'>;
  readonly writer: Writer;
  readonly values: Values;
  /** Emptied, because commits have authors. */
  readonly cache?: CacheStore | null;
  /** Values whose keys begin with one of these words and a colon. */
  readonly valueKeys: (families: readonly string[]) => AsyncIterable<ValueKey>;
  /** Further values that name people. Default: none. */
  readonly more?: readonly string[];
}

const TOKENS = 'tokens:all';
/** Entries of the feed for one step: each has a run. */
const CHUNK = 50;

/** See `PersonErasure.values`. */
export async function* eraseValues(
  parts: EraseValuesParts,
  order: Pick<ErasureOrder, 'person' | 'dryRun' | 'signal'>,
): AsyncGenerator<ErasureStep<ErasedValues>> {
  const found = { values: 0, tokens: 0, sessions: 0 };
  const scope = createScope();
  let looked = 0;
  const note = (kind: 'tokens' | 'sessions', name: string) => {
    found[kind] += 1;
    scope.add(`${kind}\n${name}`);
  };
  for await (const { key, expires } of everyKey(parts)) {
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

async function* everyKey({ valueKeys, more = [] }: EraseValuesParts): AsyncGenerator<ValueKey> {
  for (const key of [...ERASED_VALUES, ...more]) yield { key, expires: 0 };
  yield* valueKeys(ERASED_VALUES);
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
  { reads, writer }: EraseValuesParts,
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
