// The board in a browser with 5,000 runs: first load, scrolling, and keyboard latency at a thousand crashes a second.
// usage: npm run bench -- board [--quick] [--json]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const json = process.argv.includes('--json');
const runs = process.argv.includes('--quick') ? 1_000 : 5_000;
const RAIN = { perSecond: 1_000, seconds: 15 };
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (executablePath === undefined) {
  console.error('The benchmark needs Chromium. Install chromium and try again.');
  process.exit(2);
}
const token = randomBytes(24).toString('hex');
const child = fork(fileURLToPath(new URL('../faults/feed/core.mjs', import.meta.url)), [token]);
const next = () => new Promise((resolve) => child.once('message', resolve));
const { url } = await next();
const ask = (what) => {
  const answer = next();
  child.send({ id: 1, ...what });
  return answer;
};
await ask({ plain: runs });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** A browser with an empty cache. */
async function coldVisit() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.request.post(`${url}/api/v1/session`, { data: { token } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('.row') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        window.firstRow = performance.now();
      });
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => window.firstRow !== undefined);
  return page;
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => {
  const list = sorted(values);
  return Math.round(list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0);
};

const loads = [];
let page;
for (let n = 0; n < 5; n++) {
  await page?.context().close();
  page = await coldVisit();
  loads.push(await page.evaluate(() => window.firstRow));
}
const bytes = await page.evaluate(() =>
  performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0),
);

/** Frame times while scrolling through the whole list. */
const scroll = () =>
  page.evaluate(async () => {
    const box = document.querySelector('.rows');
    const gaps = [];
    let last = performance.now();
    for (let step = 0; step <= 120; step++) {
      box.scrollTop = (box.scrollHeight * step) / 120;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      gaps.push(now - last);
      last = now;
    }
    return gaps;
  });
/** Time from pressing J to the first frame with the next run selected. */
const keys = () =>
  page.evaluate(async () => {
    const took = [];
    for (let n = 0; n < 30; n++) {
      const before = location.hash;
      const start = performance.now();
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
      while (
        document.querySelector('.row[aria-current]')?.getAttribute('href') !== location.hash ||
        location.hash === before
      ) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (performance.now() - start > 5_000) break;
      }
      took.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return took;
  });

await page.waitForFunction(
  (count) => document.querySelector('.group')?.textContent.includes(count),
  runs.toLocaleString('en'),
);
const quiet = { scroll: await scroll(), keys: await keys() };
const raining = ask({ rain: RAIN });
await page.evaluate(() => document.querySelector('.rows').scrollTo(0, 0));
const rain = { scroll: await scroll(), keys: await keys() };
const { rate } = await raining;
const figures = {
  runs,
  first_load_ms: { median: at(loads, 0.5), most: at(loads, 1) },
  bytes,
  quiet: { scroll_p95_ms: at(quiet.scroll, 0.95), key_p95_ms: at(quiet.keys, 0.95) },
  rain: { events_per_second: rate, scroll_p95_ms: at(rain.scroll, 0.95), key_p95_ms: at(rain.keys, 0.95) },
};
await browser.close();
child.disconnect();
if (json) console.log(JSON.stringify(figures));
else {
  console.log(
    `${runs} runs; first row after a cold load: median ${figures.first_load_ms.median} ms, maximum ${figures.first_load_ms.most} ms, ${bytes} bytes`,
  );
  for (const [name, { scroll_p95_ms, key_p95_ms }] of [
    ['quiet', figures.quiet],
    [`${rate} crashes/s`, figures.rain],
  ]) {
    console.log(
      `${name}: p95 frame time while scrolling ${scroll_p95_ms} ms, p95 from J to the next run ${key_p95_ms} ms`,
    );
  }
}
process.exit(figures.first_load_ms.median < 1_000 ? 0 : 1);
