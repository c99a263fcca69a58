import type { Values } from '../ports/values.js';
import type { KeyValue } from './key-value.js';
import { walk } from './key-value.js';
import { after } from './keys.js';
import { decode } from './run-parts.js';
import type { Transaction, Writer } from './writer.js';

const PREFIX = 'v/';
/** Expired values that each `set` with an expiry removes. */
const SWEPT = 20;

/**
 * A stored value: JSON in the form of the library Keyv, which versions up to 0.2.0 used. `expires`: ms since 1970. A text that begins
 * with a colon has one more.
 */
interface Form {
  readonly value: string;
  readonly expires?: number | undefined;
}

function textOf({ value, expires }: Form): string {
  return JSON.stringify({ value: value.startsWith(':') ? `:${value}` : value, expires });
}

function formOf(text: string): Form {
  type Stored = { readonly value: string; readonly expires?: number | null };
  const { value, expires } = decode<Stored>(text, 'value');
  return { value: value.startsWith(':') ? value.slice(1) : value, expires: expires ?? undefined };
}

/**
 * The `values` port, below `v/`. A store that does not expire by itself has `<expiry or 0> <text>`, and an index by time below `t/`,
 * so that values that are never read again are removed.
 */
export function storedValues(store: KeyValue, writer: Writer, now: () => number = Date.now): Values {
  const formIn = (stored: string | undefined): Form | undefined => {
    if (stored === undefined) return undefined;
    const form = formOf(storedText(store, stored));
    return (form.expires ?? Number.POSITIVE_INFINITY) > now() ? form : undefined;
  };
  const put = async (tx: Transaction, key: string, form: Form): Promise<void> => {
    const { expires } = form;
    if (store.expires) return tx.put(PREFIX + key, textOf(form), expires);
    await unindex(tx, key);
    tx.put(PREFIX + key, `${expires ?? 0} ${textOf(form)}`);
    if (expires === undefined) return;
    tx.put(expiryKey(expires, key), '');
    await sweep(tx, now());
  };
  const remove = async (tx: Transaction, key: string): Promise<void> => {
    if (!store.expires && !(await unindex(tx, key))) return;
    tx.del(PREFIX + key);
  };
  const set = async (tx: Transaction, key: string, value: string, ttlMs?: number) => {
    if (ttlMs !== undefined && ttlMs <= 0) await remove(tx, key);
    else await put(tx, key, { value, expires: ttlMs === undefined ? undefined : now() + ttlMs });
  };
  return {
    get: async (key) => formIn((await store.getMany([PREFIX + key]))[0])?.value,
    set: (key, value, ttlMs) => writer.write((tx) => set(tx, key, value, ttlMs)),
    delete: (key) => writer.write((tx) => remove(tx, key)),
    change: (key, decide, ttlMs) =>
      writer.write(async (tx) => {
        const before = formIn((await tx.getMany([PREFIX + key]))[0])?.value;
        const wanted = decide(before);
        if (wanted === undefined) return before;
        await set(tx, key, wanted, ttlMs);
        return ttlMs !== undefined && ttlMs <= 0 ? undefined : wanted;
      }),
  };
}

/** A value as it is moved from one storage to another; `expires`: ms since 1970, 0: never. */
export interface KeptValue {
  readonly value: string;
  readonly text: string;
  readonly expires: number;
}

/** Values may be large. */
const VALUES = 50;

/** Every value whose key begins with the text. */
export async function* walkValues(store: KeyValue, beginning = ''): AsyncGenerator<KeptValue> {
  for await (const entries of walk(store, PREFIX + beginning, VALUES)) {
    for (const [key, stored] of entries) {
      const text = storedText(store, stored);
      yield { value: key.slice(PREFIX.length), text, expires: expiresIn(text) };
    }
  }
}

/** Unreadable text, which a repair leaves out, expires never. */
function expiresIn(text: string): number {
  try {
    return formOf(text).expires ?? 0;
  } catch {
    return 0;
  }
}

/** The key of a value that never expires, in a larger write; its text is in {@link endlessForm}. */
export function valueKey(key: string): string {
  return PREFIX + key;
}

/** How a value that never expires is stored. */
export function endlessForm(store: Pick<KeyValue, 'expires'>) {
  return {
    read: (stored: string) => formOf(storedText(store, stored)).value,
    write: (value: string) => (store.expires ? textOf({ value }) : `0 ${textOf({ value })}`),
  };
}

/** Sets a value that another storage had, unless it has expired. */
export async function putValue(values: Values, { value, text, expires }: KeptValue): Promise<void> {
  const ttl = expires === 0 ? undefined : expires - Date.now();
  if (ttl === undefined || ttl > 0) await values.set(value, formOf(text).value, ttl);
}

function storedText(store: Pick<KeyValue, 'expires'>, stored: string): string {
  return store.expires ? stored : stored.slice(stored.indexOf(' ') + 1);
}

/** Removes the key's index entry. True if the key exists. */
async function unindex(tx: Transaction, key: string): Promise<boolean> {
  const [stored] = await tx.getMany([PREFIX + key]);
  if (stored === undefined) return false;
  const expiry = expiryOf(stored);
  if (expiry > 0) tx.del(expiryKey(expiry, key));
  return true;
}

async function sweep(tx: Transaction, now: number): Promise<void> {
  const expired = await tx.entries({ gt: 't/', lt: after(`t/${pad(now)}`), limit: SWEPT });
  const names = expired.map(([key]) => key.slice(expiryKey(0, '').length));
  const stored = names.length > 0 ? await tx.getMany(names.map((name) => PREFIX + name)) : [];
  for (const [at, [indexKey]] of expired.entries()) {
    const value = stored[at];
    const name = names[at] ?? '';
    tx.del(indexKey);
    // Written again since: the index entry is stale, the value is not.
    if (value !== undefined && expiryKey(expiryOf(value), name) === indexKey) tx.del(PREFIX + name);
  }
}

function expiryKey(expiry: number, key: string): string {
  return `t/${pad(expiry)}/${key}`;
}
function pad(ms: number): string {
  return String(Math.max(0, Math.trunc(ms))).padStart(16, '0');
}
function expiryOf(stored: string): number {
  return Number(stored.slice(0, stored.indexOf(' ')));
}
