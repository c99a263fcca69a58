// The board in a browser: with 5,000 runs at a thousand crashes a second, and with 100,000 runs in a store on disk.
// usage: npm run bench -- board [--quick] [--only rain|many] [--json]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { coldVisit, KEYS, SCROLL, SEARCH } from './board/page.mjs';

const json = process.argv.includes('--json');
const quick = process.argv.includes('--quick');
const only = process.argv[process.argv.indexOf('--only') + 1];
const wants = (part) => !process.argv.includes('--only') || only === part;
const RAIN = { perSecond: 1_000, seconds: 15 };
/** With 100,000 runs; transferred bytes of the first load. */
const LIMITS = { first_row_ms: 500, search_ms: 200, key_p95_ms: 50, bytes: 120_000 };
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (executablePath === undefined) {
  console.error('The benchmark needs Chromium. Install chromium and try again.');
  process.exit(2);
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const figures = {
  ...(wants('rain') ? { rain: await rain(quick ? 1_000 : 5_000) } : {}),
  ...(wants('many') ? { many: await many(quick ? 10_000 : 100_000) } : {}),
};
await browser.close();
const over = exceeded(figures);
if (json) console.log(JSON.stringify(figures));
else print(figures);
for (const what of over) console.error(`exceeds its limit: ${what}`);
process.exit(over.length === 0 ? 0 : 1);

/** Core in a separate process, with this many open runs. */
async function coreWith(runs, storage) {
  const token = randomBytes(24).toString('hex');
  const child = fork(fileURLToPath(new URL('./faults/feed/core.mjs', import.meta.url)), [token, storage]);
  const next = () => new Promise((resolve) => child.once('message', resolve));
  const { url } = await next();
  const ask = (what) => {
    const answer = next();
    child.send({ id: 1, ...what });
    return answer;
  };
  await ask({ plain: runs });
  return { url, token, ask, close: () => child.disconnect() };
}

/** Cold loads, each with an empty cache. The last page stays open. */
async function loadsOf(core, runs) {
  const times = [];
  let page;
  for (let n = 0; n < 5; n++) {
    await page?.context().close();
    page = await coldVisit(browser, core);
    times.push(await page.evaluate(() => window.firstRow));
  }
  const bytes = await page.evaluate(() => window.firstBytes);
  await page.waitForFunction(
    (count) => document.querySelector('.group')?.textContent.includes(count),
    runs.toLocaleString('en'),
    { timeout: 300_000 },
  );
  return { page, first_row_ms: at(times, 0.5), first_row_most_ms: at(times, 1), bytes };
}

async function rain(runs) {
  const core = await coreWith(runs, 'memory');
  const { page, ...loads } = await loadsOf(core, runs);
  const figuresNow = async () => ({
    scroll_p95_ms: at(await page.evaluate(SCROLL), 0.95),
    key_p95_ms: at(await page.evaluate(KEYS), 0.95),
  });
  const quiet = await figuresNow();
  const raining = core.ask({ rain: RAIN });
  await page.evaluate(() => document.querySelector('.rows').scrollTo(0, 0));
  const wet = await figuresNow();
  const { rate } = await raining;
  await page.context().close();
  core.close();
  return { runs, ...loads, quiet, rain: { events_per_second: rate, ...wet } };
}

async function many(runs) {
  const core = await coreWith(runs, 'file');
  const { page, ...loads } = await loadsOf(core, runs);
  const keys = await page.evaluate(KEYS);
  const searches = [];
  for (let n = 1; n <= 10; n++) {
    const wanted = `crash ${Math.floor((runs * n) / 11)}`;
    searches.push(await page.evaluate(SEARCH, wanted));
  }
  await page.context().close();
  core.close();
  return {
    runs,
    ...loads,
    key_p95_ms: at(keys, 0.95),
    search_ms: at(searches, 0.5),
    search_most_ms: at(searches, 1),
  };
}

function at(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function exceeded({ rain: wet, many: all }) {
  const found = wet !== undefined && wet.first_row_ms > 1_000 ? [`first row with ${wet.runs} runs`] : [];
  if (all === undefined) return found;
  return [...found, ...Object.keys(LIMITS).filter((name) => all[name] > LIMITS[name])];
}

function print({ rain: wet, many: all }) {
  for (const one of [wet, all]) {
    if (one === undefined) continue;
    console.log(
      `${one.runs} runs; first row after a cold load: median ${one.first_row_ms} ms, maximum ${one.first_row_most_ms} ms, ${one.bytes} bytes`,
    );
  }
  for (const [name, one] of wet === undefined
    ? []
    : [
        ['quiet', wet.quiet],
        [`${wet.rain.events_per_second} crashes/s`, wet.rain],
      ]) {
    console.log(
      `${wet.runs} runs, ${name}: p95 frame time while scrolling ${one.scroll_p95_ms} ms, p95 from J to the next run ${one.key_p95_ms} ms`,
    );
  }
  if (all === undefined) return;
  console.log(
    `${all.runs} runs: p95 from J to the next run ${all.key_p95_ms} ms; from the last key of a search to its result: median ${all.search_ms} ms, maximum ${all.search_most_ms} ms`,
  );
}
