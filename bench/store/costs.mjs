// costs.mjs STORE RUNS: fills a storage with runs, opens it anew and measures. The last line is JSON.
import { keyv } from '@culprit/connectors/keyv';
import { makeBatch, makeItem } from '@culprit/core/testing';
import { openPlace, quiet } from './places.mjs';

const [store, text] = process.argv.slice(2);
const size = Number(text);
const SAMPLES = 300;
const PAGE = 50;
const place = await openPlace(store);
const open = () =>
  keyv({ url: place.url, auditKey: 'an audit key of thirty-two chars', retention: null }).setup({
    fetch,
    logger: quiet,
    signal: new AbortController().signal,
  });
const time = (n) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
const extra = { context: 'x'.repeat(1_000) };
const item = (n, seed = `seed${n}`) => makeItem(0, seed, { event_id: `e${n}`, extra });
const embedded = (items, n) => makeBatch(items, { edge: 'embedded', now: time(n) });

let storage = await open();
const ids = [];
const filling = performance.now();
for (let from = 0; from < size; from += 500) {
  const items = Array.from({ length: Math.min(500, size - from) }, (_, n) => item(from + n));
  const { outcomes } = await storage.runStore.record(embedded(items, from));
  for (const { run_id } of outcomes) ids.push(run_id);
}
const fillPerS = Math.round((size * 1000) / (performance.now() - filling));
await storage.close();
globalThis.gc();
const before = process.memoryUsage.rss();
const starting = performance.now();
storage = await open();
await storage.runStore.get(ids[0]);
const startMs = Math.round(performance.now() - starting);

const { runStore } = storage;
const pick = () => ids[Math.floor(Math.random() * ids.length)];
let cursor;
for (let page = 1; page < Math.min(1_000, Math.ceil(size / PAGE)); page++) {
  cursor = (await runStore.page({ limit: PAGE, ...(cursor ? { cursor } : {}) })).next;
}
const ms = {
  stage: await measure((n) => runStore.record(embedded([item(size + n)], size + n))),
  count: await measure((n) => runStore.record(embedded([item(2 * size + n, `seed${n}`)], size + n))),
  get: await measure(() => runStore.get(pick())),
  'first page': await measure(() => runStore.page({ limit: PAGE })),
  'page 1,000': await measure(() => runStore.page({ limit: PAGE, cursor })),
  approve: await measure((n) => approve(ids[SAMPLES + n])),
};
const row = {
  runs: size,
  fill_per_s: fillPerS,
  start_ms: startMs,
  ms,
  rss_mb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
  rss_before_mb: Math.round(before / 1024 / 1024),
  ...place.facts(),
};
await storage.close();
place.close();
console.log(JSON.stringify(row));

/** What Gate 1 writes: read, and compare-and-set with its decision. */
async function approve(run_id) {
  const { run } = await runStore.get(run_id);
  const entry = {
    at: time(0),
    kind: 'decision',
    name: 'gate1.approve',
    by: 'alex',
    via: 'api',
    from: 'staged_raw',
    to: 'analyzing',
    digest: null,
    ms: null,
    error: null,
    detail: { cycle: 1 },
  };
  await runStore.change({
    run_id,
    version: run.version,
    patch: { state: 'analyzing' },
    now: time(size),
    history: [entry],
  });
}

async function measure(act) {
  for (let n = 0; n < 20; n++) await act(n);
  const times = [];
  for (let n = 20; n < SAMPLES; n++) {
    const from = performance.now();
    await act(n);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const at = (share) =>
    Number(times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(3));
  return { median: at(0.5), p99: at(0.99) };
}
