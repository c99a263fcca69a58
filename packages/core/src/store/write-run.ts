import { randomBytes } from 'node:crypto';
import type { HistoryEntry, NewHistoryEntry } from '../domain/history.js';
import { placeInOrder, RUN_ORDERS, type RunOrder } from '../domain/search/run-order.js';
import { sealEntry } from '../pipeline/history-chain.js';
import { keys, orderScope, scopesOf } from './keys.js';
import { encode, encodeHead, type RunHead } from './run-parts.js';
import { indexRun, type Shown } from './search/index-run.js';
import type { Transaction } from './writer.js';

/** Writes a run's head, moves it in the lists and updates the index of searches. A new run needs the event that it shows. */
export async function writeHead(
  tx: Transaction,
  before: RunHead | null,
  head: RunHead,
  shown: Shown = {},
): Promise<void> {
  const number = await indexRun(tx, before, head, shown);
  const next = { ...head, number };
  tx.put(keys.head(head.run.run_id), encodeHead(next));
  const there = before === null ? new Map<string, string>() : listKeys(before);
  const wanted = listKeys(next);
  for (const key of there.keys()) if (!wanted.has(key)) tx.del(key);
  for (const [key, value] of wanted) if (there.get(key) !== value) tx.put(key, value);
}

export function putHistory(tx: Transaction, runId: string, entries: readonly HistoryEntry[]): void {
  for (const entry of entries) tx.put(keys.history(runId, entry.sequence), encode(entry));
}

/** Whether the run is in the list of all runs in this order. Activity has lists of its own. */
function hasPlace({ users }: RunHead['run'], order: RunOrder): boolean {
  return order === 'users' ? users !== undefined : order !== 'activity';
}

/** The run's places in the lists, with its number. */
function listKeys({ run, tombstone, number }: RunHead): ReadonlyMap<string, string> {
  if (tombstone) return new Map();
  const value = number === undefined ? '' : String(number);
  const place = placeInOrder(run, 'activity');
  const scopes = scopesOf(run).map((scope) => [keys.activity(scope, place), value] as const);
  const orders = number === undefined ? [] : RUN_ORDERS.filter((order) => hasPlace(run, order));
  return new Map([
    ...scopes,
    ...orders.map((order) => [keys.activity(orderScope(order), placeInOrder(run, order)), value] as const),
  ]);
}

/** Seals a run's history entries into a chain, each on top of the previous one. */
export type Seal = (runId: string, before: string, entry: HistoryEntry) => HistoryEntry;

/** Without a key entries stay unsealed. */
export function sealWith(key: string | null): Seal {
  if (key === null) return (_runId, _before, entry) => entry;
  return (run_id, before, entry) => {
    const salt = randomBytes(12).toString('base64url');
    return { ...entry, seal: sealEntry(key, { run_id, before, entry, salt }) };
  };
}

export interface Chained {
  readonly entries: readonly HistoryEntry[];
  /** The last seal; unchanged if nothing is sealed. */
  readonly chain: string | undefined;
}

/** `length`: number of entries of the run so far; `chain`: seal of the last one. */
export function chained(
  seal: Seal,
  runId: string,
  length: number,
  chain: string | undefined,
  added: readonly NewHistoryEntry[],
): Chained {
  let last = chain;
  const entries = added.map((entry, at) => {
    const sealed = seal(runId, last ?? '', { ...entry, sequence: length + at + 1 });
    last = sealed.seal?.mac ?? last;
    return sealed;
  });
  return { entries, chain: last };
}
