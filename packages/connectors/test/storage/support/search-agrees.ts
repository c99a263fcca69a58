import type { RunQuery } from '@culprit/core';
import type { RunStore } from '@culprit/core/internal/ports/run-store';
import { makeBatch, makeItem, makeSuspect, memoryStorage, type Storage } from '@culprit/core/testing';
import type { Test } from 'tap';

/** Runs of a sealed block and a part of the next one. */
const RUNS = 560;
const QUERIES = 15;
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
const WORDS = ['checkout', 'check', 'voucher', 'cart', 'Ошибка', 'x', 'applyVoucher', 'e\u0301t\u00e9'];
const ENVS = ['production', 'staging', 'prod-eu'];

/** Writes the same runs to a store and to the one that compares every run with a search, and compares what both answer. */
export async function searchAgrees(
  t: Test,
  { runStore, runValues, seal }: Pick<Storage, 'runStore' | 'runValues'> & { seal(): Promise<unknown> },
  random: (below: number) => number,
): Promise<void> {
  const memory = memoryStorage();
  const known = memory.runStore;
  const both = [runStore, known];
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
      for (const store of both) await store.record(makeBatch(items, { edge: 'embedded', now: at(n) }));
    }
  };
  await write(0, RUNS, (n) => n);
  await seal();
  // Counts that add releases, decisions and suspects, in sealed blocks and after them.
  await write(RUNS, RUNS + 300, () => random(RUNS));
  const { runs } = await known.page({ limit: 200 });
  for (const [n, { run_id, version }] of runs.entries()) {
    const suspects = [makeSuspect({ author: { name: one(['Kim Lee', 'Chidi']) } })];
    const patch = n % 3 === 0 ? { state: 'rejected' as const } : { suspects };
    for (const store of both) await store.change({ run_id, version, patch, now: at(5_000 + n), history: [] });
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
  const list = async (store: RunStore, query: RunQuery) => {
    const found: string[] = [];
    const totals = new Set<number | null | undefined>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await store.page({ ...query, ...(cursor === '' ? {} : { cursor }) });
      found.push(...page.runs.map((run) => run.run_id));
      totals.add(page.total);
      cursor = page.next;
    }
    return { found, total: [...totals] };
  };
  for (let n = 0; n < QUERIES; n++) {
    const query: RunQuery = {
      limit: 200,
      query: Array.from({ length: 1 + random(3) }, terms).join(' '),
      order: one(['activity', 'seen', 'crashes', 'newest', 'oldest'] as const),
      ...(random(3) === 0 ? { states: ['rejected', 'published'] as const } : {}),
    };
    const [own, wanted] = [await list(runStore, query), await list(known, query)];
    if (own.found.join() !== wanted.found.join())
      t.fail(
        `${JSON.stringify(query)} found ${own.found.length} of ${wanted.found.length} runs, or in another order`,
      );
    if (own.total.some((total) => total !== null && total !== wanted.found.length))
      t.fail(`${JSON.stringify(query)} counted ${own.total} of ${wanted.found.length} runs`);
  }
  for (const field of ['env', 'release', 'state', 'tag'] as const) {
    const asked = { field, prefix: field === 'tag' ? 'n1' : '', limit: 20 };
    t.same(await runValues.list(asked), await memory.runValues.list(asked), `the values of ${field}`);
  }
}
