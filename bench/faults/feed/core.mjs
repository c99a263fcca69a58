// core.mjs TOKEN [memory|file]: core in a separate process, with a git repository and the outbox. Controlled by messages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createEngine, silentLogger } from '@culprit/core';
import { composeCore } from '../../../packages/host/dist/compose/core-parts.js';
import { readConfig } from '../../../packages/host/dist/config/read-config.js';
import { buildWebshop } from '../../../packages/host/dist/demo/webshop.js';
import { startCore } from '../../../packages/host/dist/server/server.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-feed-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
process.once('disconnect', () => process.exit(0));
const shop = join(directory, 'webshop');
buildWebshop(shop);
const [token, storage = 'memory'] = process.argv.slice(2);
const { config } = readConfig({
  flags: { data: join(directory, 'data'), repository: shop },
  env: storage === 'memory' ? { STORAGE_URL: 'memory:' } : {},
  cwd: directory,
});
const { connectors, documents } = composeCore(config);
let engine;
const core = await startCore({
  host: '127.0.0.1',
  port: 0,
  engine: async (url) => {
    engine = await createEngine({
      connectors: connectors(url),
      projects: config.projects,
      policy: { quotas: null },
    });
    return engine;
  },
  reviewers: [{ name: 'ada', token }],
  internalSecrets: [],
  documents,
  logger: silentLogger,
});

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
/** Event loop delays since the last call. */
function held() {
  const ms = (nanoseconds) => Math.max(0, Math.round(nanoseconds / 1e6) - 5);
  const figures = { p99_ms: ms(delay.percentile(99)), most_ms: ms(delay.max) };
  delay.reset();
  return figures;
}

let made = 0;
async function stage(padding = []) {
  const number = ++made;
  const { run_id } = await engine.ingest({
    crash: {
      event_id: `crash-${number}`,
      platform: 'node',
      release: 'v2.4.0',
      fingerprint: [`own-${number}`, ...padding],
      message: `crash ${number}`,
      stack: `TypeError: crash ${number}\n    at voucherDiscount (src/pricing/discounts.js:8:42)`,
    },
  });
  return run_id;
}

/** Creates runs at a constant rate; `kilobytes` is the approximate size of each feed entry. */
async function newRuns({ count, perSecond, kilobytes }) {
  const padding = Array.from({ length: kilobytes }, () => 'x'.repeat(950));
  const start = performance.now();
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, 1 + Math.floor(((performance.now() - start) / 1000) * perSecond));
    await Promise.all(Array.from({ length: due - sent }, () => stage(padding)));
    sent = due;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Crashes of existing runs, and occasionally a new run. */
async function rain(perSecond, seconds) {
  const start = performance.now();
  const total = perSecond * seconds;
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond));
    const crashes = Array.from({ length: due - sent }, (_, at) => sent + at);
    await Promise.all(
      crashes.map((number) =>
        engine.ingest({
          crash: {
            event_id: `rain-${process.pid}-${made}-${number}`,
            message: 'rain',
            fingerprint: [
              number % 100 === 0 ? `rain-${number}` : `own-${1 + (number % Math.min(made, 300))}`,
            ],
          },
        }),
      ),
    );
    sent = due;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Math.round(total / ((performance.now() - start) / 1000));
}

process.on(
  'message',
  async ({ id, stage: wanted = 0, plain = 0, flood, rain: drops, held: asksHeld = false }) => {
    const rate = drops === undefined ? 0 : await rain(drops.perSecond, drops.seconds);
    const runs = [];
    for (let n = 0; n < wanted; n++) runs.push(await stage());
    for (let n = 0; n < plain; n += 50) await Promise.all(Array.from({ length: 50 }, () => stage()));
    if (flood !== undefined) await newRuns(flood);
    process.send({ id, runs, rate, held: asksHeld ? held() : null, rss: process.memoryUsage.rss() });
  },
);
process.send({ url: core.url, port: core.port });
