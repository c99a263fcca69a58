import type { Event } from '../../domain/event.js';
import type { KeptEvent } from '../../domain/kept-events.js';
import type { OccurrenceRow } from '../../domain/occurrence-row.js';
import { type StoredStatistics, withoutUser } from '../../domain/run-statistics.js';
import { erasePerson } from '../../pipeline/erase-person.js';
import { allLogKeys, logKeys } from '../occurrence-log.js';
import { decode, encode, type OccurrenceLog } from '../run-parts.js';
import type { Transaction } from '../writer.js';

/** What the erasure changed: events, places in lists and statistics, and the log with the new sizes of its events. */
export interface ErasedLog {
  readonly log: OccurrenceLog;
  readonly events: number;
  readonly places: number;
}

/** Removes a person from the occurrences of a run. Numbers are never an id here, so only texts are looked at. */
export async function eraseOccurrences(
  tx: Pick<Transaction, 'getMany' | 'put'>,
  runId: string,
  log: OccurrenceLog,
  id: string,
): Promise<ErasedLog> {
  const names = allLogKeys(runId, log);
  const texts = names.length > 0 ? await tx.getMany(names) : [];
  const sizes = new Map<string, number>();
  let [events, places] = [0, 0];
  for (const [at, name] of names.entries()) {
    const text = texts[at];
    if (text === undefined) continue;
    const part = name.slice(name.lastIndexOf('/') + 1);
    const erased = part.startsWith('e')
      ? erasePerson(decode<Event>(text, 'event'), id)
      : part === 's'
        ? eraseStatistics(decode<StoredStatistics>(text, 'statistics of a run'), id)
        : eraseRows(decode<readonly OccurrenceRow[]>(text, 'occurrence'), id);
    if (erased.places === 0) continue;
    places += erased.places;
    const fresh = encode(erased.value);
    if (part.startsWith('e')) {
      events += 1;
      sizes.set(name, Buffer.byteLength(fresh));
    }
    tx.put(name, fresh);
  }
  const kept = log.kept.map(([number, bytes]): KeptEvent => {
    return [number, sizes.get(logKeys.event(runId, number)) ?? bytes];
  });
  return { log: { ...log, kept }, events, places };
}

interface Erased<Value> {
  readonly value: Value;
  readonly places: number;
}

function eraseRows(rows: readonly OccurrenceRow[], id: string): Erased<readonly OccurrenceRow[]> {
  let places = 0;
  const value = rows.map(([at, ...texts]): OccurrenceRow => {
    const erased = erasePerson(texts, id);
    places += erased.places;
    return [at, ...erased.value];
  });
  return { value, places };
}

function eraseStatistics(stored: StoredStatistics, id: string): Erased<StoredStatistics> {
  let places = 0;
  const text = (from: string) => {
    const erased = erasePerson(from, id);
    places += erased.places;
    return erased.value;
  };
  const without = withoutUser(stored, id);
  if (without.users !== stored.users) places += 1;
  const value: StoredStatistics = {
    ...without,
    releases: stored.releases.map(([name, ...counts]) => [text(name), ...counts]),
    tags: stored.tags.map(([name, count, values]) => [
      text(name),
      count,
      values.map(([one, times]) => [text(one), times]),
    ]),
  };
  return { value, places };
}
