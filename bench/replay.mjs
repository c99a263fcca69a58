// Replays 10,000 deliveries in this process through both gates and prints the rate, and the memory before and after.
// usage: npm run bench -- replay [--quick] [--json]
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
/** Permitted memory growth between the first thousand deliveries and the end. */
const MAX_HEAP_MIB = 16;
const MAX_RSS_MIB = 64;

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = (path) => import(pathToFileURL(join(root, 'packages/host/dist/replay', path)).href);
const { createReplayer } = await dist('in-process.js');
const { replayAll } = await dist('replay-all.js');
const { scenarioCase } = await dist('scenario.js');

const quick = process.argv.includes('--quick');
const json = process.argv.includes('--json');
const wanted = quick ? 1_000 : 10_000;
const folder = join(root, 'bench/scenarios');
const cases = readdirSync(folder)
  .filter((name) => /^\d\d-/.test(name))
  .map((name) => scenarioCase(join(folder, name)));
const each = cases.reduce((sum, { items }) => sum + items.length, 0);

const figures = [];
for (const until of ['gate1', 'published']) figures.push(await measure(until));
const flat = figures.every(
  ({ rss_mib, heap_mib }) =>
    rss_mib[1] - rss_mib[0] <= MAX_RSS_MIB && heap_mib[1] - heap_mib[0] <= MAX_HEAP_MIB,
);
const same = figures.every(({ different }) => different === 0);
if (json) console.log(JSON.stringify({ area: 'replay', figures, memory_flat: flat, digests_same: same }));
else
  console.log(
    `memory ${flat ? 'flat' : 'NOT flat'} (at most ${MAX_RSS_MIB} MiB rss, ${MAX_HEAP_MIB} MiB heap)`,
  );
process.exit(flat && same ? 0 : 1);

/** The first tenth is warm-up, until code is compiled and the heap has its size. Then `wanted` deliveries are counted. */
async function measure(until) {
  const replayCase = await createReplayer({ until, offline: true });
  const run = (times) =>
    replayAll(cases, replayCase, { times, parallel: 4, signal: new AbortController().signal, onDone() {} });
  const times = Math.ceil(wanted / each);
  await run(Math.ceil(times / 10));
  const before = memory();
  const { results, deliveries, seconds } = await run(times);
  const after = memory();
  const verdicts = results.flatMap(({ runs }) => runs.map(({ verdict }) => verdict));
  const figure = {
    until,
    deliveries,
    seconds: Math.round(seconds * 10) / 10,
    per_second: Math.round(deliveries / seconds),
    rss_mib: [before.rss, after.rss],
    heap_mib: [before.heap, after.heap],
    different: verdicts.filter((verdict) => /different|failed/.test(verdict)).length,
  };
  if (figure.different > 0) {
    const bad = results.flatMap(({ name, runs }) => runs.map((run) => ({ name, ...run })));
    const { name, verdict, digest, expected, detail } = bad.find((run) =>
      /different|failed/.test(run.verdict),
    );
    console.error(`${name}: ${verdict}, ${digest} instead of ${expected}; ${detail ?? ''}`);
  }
  if (!json) {
    console.log(
      `${until.padEnd(9)}  ${deliveries} deliveries in ${figure.seconds} s, ${figure.per_second}/s; ` +
        `rss ${before.rss} → ${after.rss} MiB, heap ${before.heap} → ${after.heap} MiB; ${figure.different} differ`,
    );
  }
  return figure;
}

function memory() {
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: Math.round(rss / 2 ** 20), heap: Math.round(heapUsed / 2 ** 20) };
}
