import type { Test } from 'tap';
import type { RunRecord } from '../../src/domain/run.js';
import { documentValues, eventLines, runLines, searchDocument } from '../../src/domain/search/document.js';
import { matchesSearch, prepareDocument } from '../../src/domain/search/match-search.js';
import { placeInOrder } from '../../src/domain/search/run-order.js';
import type { RunQuery, RunStore } from '../../src/ports/run-store.js';
import type { ValuesQuery } from '../../src/ports/run-values.js';
import { readSearch } from '../../src/runs/read-search.js';
import type { Storage } from '../../src/store/open-store.js';
import { makeBatch, makeItem } from '../../src/testing/builders.js';
import { makeSuspect } from '../../src/testing/make-run.js';

/** Runs of a sealed block and a part of the next one. */
const RUNS = 560;
const QUERIES = 15;
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
const WORDS = ['checkout', 'check', 'voucher', 'cart', 'Ошибка', 'x', 'applyVoucher', 'e\u0301t\u00e9'];
const ENVS = ['production', 'staging', 'prod-eu'];

/** Writes runs, and compares what searches find with what comparing every run finds. */
export async function searchAgrees(
  t: Test,
  { runStore, runValues, seal }: Pick<Storage, 'runStore' | 'runValues'> & { seal(): Promise<unknown> },
  random: (below: number) => number,
): Promise<void> {
  const one = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const itemOf = (n: number, seed: number) =>
    makeItem(
      0,
      `seed${seed}`,
      {
        event_id: `e${n}`,
        received_at: at(n),
        environment: one(ENVS),
        release: `shop@1.${random(12)}`,
        level: one(['error', 'fatal'] as const),
        tags: { region: seed % 2 === 0 ? 'eu' : 'us', [`n${seed % 40}`]: String(seed % 3) },
      },
      { title: `${one(WORDS)} ${one(WORDS)} ${random(50)}` },
    );
  const write = async (from: number, to: number, seedOf: (n: number) => number) => {
    for (let n = from; n < to; n += 100) {
      const items = Array.from({ length: Math.min(100, to - n) }, (_, more) =>
        itemOf(n + more, seedOf(n + more)),
      );
      await runStore.record(makeBatch(items, { edge: 'embedded', now: at(n) }));
    }
  };
  await write(0, RUNS, (n) => n);
  await seal();
  // Counts that add releases, decisions and suspects, in sealed blocks and after them.
  await write(RUNS, RUNS + 300, () => random(RUNS));
  const { runs } = await runStore.page({ limit: 200 });
  for (const [n, { run_id, version }] of runs.entries()) {
    const suspects = [makeSuspect({ author: { name: one(['Kim Lee', 'Chidi']) } })];
    const patch = n % 3 === 0 ? { state: 'rejected' as const } : { suspects };
    await runStore.change({ run_id, version, patch, now: at(5_000 + n), history: [] });
  }
  const terms = () =>
    one([
      one(WORDS),
      one(WORDS).slice(0, 3),
      `seed${random(RUNS)}`,
      `"${one(WORDS)} ${one(WORDS)}"`,
      `env:${one(['prod', '"staging"', 'production'])}`,
      `release:1.${random(12)}`,
      `level:${one(['fatal', 'error'])}`,
      `state:${one(['rejected', 'staged'])}`,
      `tag:n${random(40)}=${random(3)}`,
      `title:${one(WORDS)}`,
      `author:kim`,
      '!',
    ]);
  const list = async (query: RunQuery) => {
    const found: string[] = [];
    const totals = new Set<number | null | undefined>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await runStore.page({ ...query, ...(cursor === '' ? {} : { cursor }) });
      found.push(...page.runs.map((run) => run.run_id));
      totals.add(page.total);
      cursor = page.next;
    }
    return { found, total: [...totals] };
  };
  const all = await everyRun(runStore);
  for (let n = 0; n < QUERIES; n++) {
    const query: RunQuery = {
      limit: 200,
      query: Array.from({ length: 1 + random(3) }, terms).join(' '),
      order: one(['activity', 'seen', 'crashes', 'newest', 'oldest'] as const),
      ...(random(3) === 0 ? { states: ['rejected', 'published'] as const } : {}),
    };
    const [own, wanted] = [await list(query), matching(all, query)];
    if (own.found.join() !== wanted.join())
      t.fail(
        `${JSON.stringify(query)} found ${own.found.length} of ${wanted.length} runs, or in another order`,
      );
    if (own.total.some((total) => total !== null && total !== wanted.length))
      t.fail(`${JSON.stringify(query)} counted ${own.total} of ${wanted.length} runs`);
  }
  for (const field of ['env', 'release', 'state', 'tag'] as const) {
    const asked = { field, prefix: field === 'tag' ? 'n1' : '', limit: 20 };
    t.same(await runValues.list(asked), valuesIn(all, asked), `the values of ${field}`);
  }
}

async function everyRun(runStore: RunStore): Promise<readonly RunRecord[]> {
  const all: RunRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await runStore.page({ limit: 200, ...(cursor === '' ? {} : { cursor }) });
    for (const { run_id } of page.runs) all.push((await runStore.get(run_id)) as RunRecord);
    cursor = page.next;
  }
  return all;
}

function documentOf({ run }: RunRecord) {
  return searchDocument(run.run_id, [...runLines(run), ...eventLines(run.event)]);
}

function matching(all: readonly RunRecord[], { query = '', states = [], order = 'activity' }: RunQuery) {
  const terms = readSearch(query);
  return all
    .filter(({ run }) => states.length === 0 || states.includes(run.state))
    .filter((record) => matchesSearch(prepareDocument(documentOf(record)), terms))
    .map(({ run }) => ({ id: run.run_id, place: placeInOrder(run, order) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ id }) => id);
}

function valuesIn(all: readonly RunRecord[], { field, prefix, limit }: ValuesQuery) {
  const counts = new Map<string, number>();
  for (const record of all) {
    for (const [own, value] of documentValues(documentOf(record)))
      if (own === field && value.startsWith(prefix)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, runs]) => ({ value, runs }))
    .sort((a, b) => b.runs - a.runs || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}
