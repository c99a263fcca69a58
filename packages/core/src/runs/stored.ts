import * as v from 'valibot';
import type { StoredKey } from '../domain/stored-values.js';
import type { Values } from '../ports/values.js';

/** How a JSON value is kept below its key. */
export interface StoredAs<Value> {
  /** Of the value. Absent: only this version writes it, so it is not checked. */
  readonly schema?: v.GenericSchema<unknown, Value>;
  /** Used for an absent value, and for one that the schema refuses. */
  readonly none: Value;
  /** What of a stored value still counts, such as what has not expired. */
  readonly current?: (value: Value) => Value;
  /** Milliseconds from the last change. Absent: until it is deleted. */
  readonly ttlMs?: number | undefined;
}

/** A JSON value below one key. An outage rejects with `storage_unavailable`. */
export interface Stored<Value> {
  get(): Promise<Value>;
  set(value: Value): Promise<void>;
  /** Atomic. `decide` must be pure and may throw to refuse; `null`: no change. Resolves with the value as it is then. */
  change(decide: (before: Value) => Value | null): Promise<Value>;
  delete(): Promise<void>;
}

export function stored<Value>(values: Values, key: StoredKey, as: StoredAs<Value>): Stored<Value> {
  const { schema, none, current = (value: Value) => value, ttlMs } = as;
  const read = (text: string | undefined): Value => {
    if (text === undefined) return current(none);
    const value: unknown = JSON.parse(text);
    if (schema === undefined) return current(value as Value);
    const parsed = v.safeParse(schema, value);
    return current(parsed.success ? parsed.output : none);
  };
  return {
    get: async () => read(await values.get(key)),
    set: (value) => values.set(key, JSON.stringify(value), ttlMs),
    async change(decide) {
      const decided = (text: string | undefined) => {
        const next = decide(read(text));
        return next === null ? undefined : JSON.stringify(next);
      };
      return read(await values.change(key, decided, ttlMs));
    },
    delete: () => values.delete(key),
  };
}

/** How a list is kept below its key. */
export interface ListAs<Entry> extends Pick<StoredAs<unknown>, 'ttlMs'> {
  /** Of one entry. Absent: only this version writes it, so it is not checked. */
  readonly schema?: v.GenericSchema<unknown, Entry>;
  readonly newest: 'first' | 'last';
  /** Entries that are kept; beyond them the oldest go. Absent: the code that changes the list limits it. */
  readonly most?: number;
  /** The error of `add` instead of dropping the oldest entry. */
  readonly full?: () => Error;
  /** Whether an entry still counts, such as until it expires. */
  readonly current?: (entry: Entry) => boolean;
}

/** A list below one key, because values cannot be listed. A list that the schema refuses counts as empty. */
export interface StoredList<Entry> extends Stored<readonly Entry[]> {
  /** Adds the newest entry, in place of those that are the `same`. */
  add(entry: Entry, same?: (one: Entry) => boolean): Promise<void>;
  /** Resolves with what was removed. */
  remove(which: (one: Entry) => boolean): Promise<readonly Entry[]>;
}

export function storedList<Entry>(values: Values, key: StoredKey, as: ListAs<Entry>): StoredList<Entry> {
  const { schema, newest, most = Number.POSITIVE_INFINITY, full, current, ttlMs } = as;
  const list = stored<readonly Entry[]>(values, key, {
    ...(schema && { schema: v.array(schema) }),
    ...(current && { current: (all) => all.filter(current) }),
    none: [],
    ttlMs,
  });
  const within = (all: readonly Entry[]) => {
    if (all.length <= most) return all;
    return newest === 'first' ? all.slice(0, most) : all.slice(-most);
  };
  const change: typeof list.change = (decide) =>
    list.change((before) => {
      const next = decide(before);
      return next && within(next);
    });
  return {
    ...list,
    change,
    async add(entry, same = () => false) {
      await change((before) => {
        const others = before.filter((one) => !same(one));
        if (full !== undefined && others.length >= most) throw full();
        return newest === 'first' ? [entry, ...others] : [...others, entry];
      });
    },
    async remove(which) {
      let removed: readonly Entry[] = [];
      await change((before) => {
        removed = before.filter(which);
        return removed.length === 0 ? null : before.filter((one) => !removed.includes(one));
      });
      return removed;
    },
  };
}
