// costs.mjs STORE RUNS FOLDER: opens a storage filled by fill.mjs and measures. The last line is JSON.
import { readFileSync } from 'node:fs';
import { openPlace } from './places.mjs';
import { batchOf, itemOf, openStorage, runIdOf, timeOf } from './runs.mjs';

const [store, text, folder] = process.argv.slice(2);
const size = Number(text);
const SAMPLES = 500;
const WARM = 50;
/** Warm-up and samples of searches. */
const FEWER = [5, 100];
const PAGE = 50;
/** Unique events for each measurement. */
const own = `${process.pid}-${Date.now()}`;
const place = await openPlace(store, folder);
const before = process.memoryUsage.rss();
const starting = performance.now();
const storage = await openStorage(place);
const { runStore } = storage;
await runStore.get(runIdOf(0));
const startMs = Math.round(performance.now() - starting);

const pick = () => runIdOf(Math.floor(Math.random() * size));
const now = size + Math.round((Date.now() - Date.UTC(2026, 0, 1)) / 1_000);
let cursor;
for (let page = 1; page < Math.min(1_000, Math.ceil(size / PAGE)); page++) {
  cursor = (await runStore.page({ limit: PAGE, ...(cursor ? { cursor } : {}) })).next;
}
const get = (run) => runStore.get(run);
const ms = {
  'first gets': await measure(pick, get, 0),
  get: await measure(pick, get, 2 * SAMPLES, 10 * SAMPLES),
  'first page': await measure(
    () => ({ limit: PAGE }),
    (query) => runStore.page(query),
  ),
  'page 1,000': await measure(
    () => ({ limit: PAGE, cursor }),
    (query) => runStore.page(query),
  ),
  'search 1 run': await measure(
    () => ({ limit: PAGE, query: `TypeError seed${Math.floor(Math.random() * size)}` }),
    (query) => runStore.page(query),
    ...FEWER,
  ),
  'search most': await measure(
    () => ({ limit: PAGE, query: 'level:error env:prod file:src/cart "cannot read"', order: 'crashes' }),
    (query) => runStore.page(query),
    ...FEWER,
  ),
  'search none': await measure(
    () => ({ limit: PAGE, query: 'level:error env:staging cart' }),
    (query) => runStore.page(query),
    ...FEWER,
  ),
  stage: await measure(
    (n) => batchOf([itemOf(`${own}-${n}`)], now + n),
    (batch) => runStore.record(batch),
  ),
  count: await measure(
    (n) => batchOf([itemOf(`${own}-c${n}`, `seed${Math.floor(Math.random() * size)}`)], now + n),
    (batch) => runStore.record(batch),
  ),
  approve: await measure(pick, approve),
};
const row = {
  runs: size,
  start_ms: startMs,
  ms,
  rss_mb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
  rss_files_mb: pagesOfFiles(),
  rss_before_mb: Math.round(before / 1024 / 1024),
  ...place.facts(),
};
await storage.close();
place.close();
console.log(JSON.stringify(row));

/** The part of resident memory that consists of file pages, which the system can reclaim. */
function pagesOfFiles() {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Math.round(Number(/^RssFile:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

/** The writes of Gate 1: read, and compare-and-set with the decision. */
async function approve(run_id) {
  const { run } = await runStore.get(run_id);
  const entry = {
    at: timeOf(0),
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
    now: timeOf(now),
    history: [entry],
  });
}

/** Median and 99th percentile of a hundred runs of `act`, in ms, after `warm` uncounted ones. Cheap reads take more samples. */
async function measure(prepare, act, warm = WARM, samples = SAMPLES) {
  const times = [];
  for (let n = 0; n < samples + warm; n++) {
    const given = prepare(n);
    const from = performance.now();
    await act(given);
    if (n >= warm) times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const at = (share) => Number(times[Math.floor(times.length * share)].toFixed(3));
  return { median: at(0.5), p99: at(0.99) };
}
