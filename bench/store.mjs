// Measures the storage on a file and on Redis by number of runs; with a year of crashes and 2,000 releases, the pages of releases and the
// erasing of a person; and how many events per second the engine stages.
// usage: npm run bench -- store [--quick] [--long] [--json] [--sizes N,N] [--stores file,redis] [--parts runs,year,staging] [--seconds N]
//          [--keep FOLDER]
//        npm run bench -- store --loaded [--quick] [--json] [--stores file,redis] [--processes N] [--rounds N] [--only TURN]
// --loaded compares core without and with 1,000 webhooks and 200 MB of source maps.
// Filling a million runs takes minutes; --keep stores the filled storages in a folder and reuses them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { storeLoaded } from './loaded/store.mjs';
import { sizesOf } from './loaded/with-load.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    long: { type: 'boolean' },
    json: { type: 'boolean' },
    sizes: { type: 'string' },
    stores: { type: 'string' },
    parts: { type: 'string' },
    seconds: { type: 'string' },
    keep: { type: 'string' },
    loaded: { type: 'boolean' },
    processes: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
  },
});
const usual = values.quick ? [1_000, 10_000] : values.long ? [1_000, 100_000, 1_000_000] : [1_000, 100_000];
const sizes = values.sizes?.split(',').map(Number) ?? usual;
const stores = (values.stores ?? 'file,redis').split(',');
const parts = (values.parts ?? 'runs,year,staging').split(',');
/** More only if `--sizes` names it: erasing reads all three times. */
const MAX_A_YEAR = 100_000;
const seconds = Number(values.seconds ?? (values.quick ? 3 : 15));
const say = values.json ? () => {} : (line) => console.log(line);

if (values.loaded) {
  const found = await storeLoaded({ stores, quick: values.quick === true, say, sizes: sizesOf(values) });
  if (values.json) console.log(JSON.stringify({ area: 'store', ...found }));
  process.exit(0);
}

/** A separate process for each, so that one does not warm or fill the other. */
function run(script, ...args) {
  const path = fileURLToPath(new URL(`store/${script}.mjs`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', path, ...args.map(String)], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'culprit-bench-store-'));
const result = { area: 'store', sizes: [], year: [], staging: [] };
for (const store of parts.includes('runs') ? stores : []) {
  for (const size of sizes) {
    const place = join(folder, `${store}-${size}`);
    const row = { store, ...run('fill', store, size, place), ...run('costs', store, size, place) };
    if (values.keep === undefined) rmSync(place, { recursive: true, force: true });
    result.sizes.push(row);
    say(
      `${store}, ${size.toLocaleString('en')} runs: filled at ${row.fill_per_s}/s, start-up ${row.start_ms} ms, memory ${row.rss_mb} MB, ${row.rss_files_mb} MB of it pages of files${row.redis_mb ? `, Redis ${row.redis_mb} MB` : ''}${row.disk_mb ? `, disk ${row.disk_mb} MB` : ''}`,
    );
    for (const [name, { median, p99 }] of Object.entries(row.ms)) {
      say(`  ${name.padEnd(12)} median ${median} ms, p99 ${p99} ms`);
    }
  }
}
for (const store of parts.includes('year') ? stores : []) {
  for (const size of values.sizes ? sizes : sizes.filter((one) => one <= MAX_A_YEAR)) {
    const place = join(folder, `${store}-year-${size}`);
    const row = { store, runs: size, ...run('fill-year', store, size, place) };
    const releases = run('releases', store, size, place);
    const erasing = run('erasing', store, size, place);
    if (values.keep === undefined) rmSync(place, { recursive: true, force: true });
    result.year.push({ ...row, releases, erasing });
    say(
      `${store}, ${size.toLocaleString('en')} runs of a year: filled at ${row.fill_per_s}/s; ${releases.releases} releases, ${releases.runs_of_one} runs of one; core blocked for ${releases.blocked_ms.most} ms at most`,
    );
    for (const [name, { median, p99 }] of Object.entries(releases.ms)) {
      const staging = releases.staging_ms[name];
      say(
        `  ${name.padEnd(12)} median ${median} ms, p99 ${p99} ms; beside staging ${staging.median} ms, ${staging.p99} ms`,
      );
    }
    say(`  erasing a person of ${erasing.named_runs} runs`);
    for (const [name, phase] of Object.entries(erasing.phases))
      say(`  ${name.padEnd(15)} ${phaseText(phase)}`);
  }
}
for (const store of seconds > 0 && parts.includes('staging') ? stores : []) {
  const row = { store, ...run('staging', store, seconds) };
  result.staging.push(row);
  say(
    `staging through the engine, ${store}: ${row.per_s} events/s for ${row.seconds} s, 10% new fingerprints; ${row.bound}`,
  );
}
if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify(result));

/** What core did, and what others waited. */
function phaseText({ seconds: took, cpu_s, memory_mb, read_ms, stage_ms, blocked_ms }) {
  const waited = ({ p50, p99 }) => `median ${p50} ms, p99 ${p99} ms`;
  return `${took} s, processor ${cpu_s} s, memory ${memory_mb.before} MB, at most ${memory_mb.most} MB; reads ${waited(read_ms)}; staging ${waited(stage_ms)}; core blocked for ${blocked_ms.most} ms at most`;
}
