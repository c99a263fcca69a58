// year-core.mjs STORE FOLDER: core with its server on a storage that fill-year.mjs filled. Stages crashes while it is asked to.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createEngine, silentLogger } from '@culprit/core';
import { composeCore } from '../../packages/host/dist/compose/core-parts.js';
import { readConfig } from '../../packages/host/dist/config/read-config.js';
import { startCore } from '../../packages/host/dist/server/server.js';
import { answering, percentiles } from '../loaded/child.mjs';
import { createDeliveries } from './deliveries.mjs';
import { openPlace } from './places.mjs';
import { AUDIT_KEY } from './runs.mjs';
import { PROJECTS, REVIEWER } from './year.mjs';

const [store, folder] = process.argv.slice(2);
const BATCH = 10;
const BATCHES_PER_S = 20;
const SAMPLED_MS = 100;
const place = await openPlace(store, folder);
const data = join(folder, 'data');
mkdirSync(data, { recursive: true });
const { config } = readConfig({
  flags: { data },
  env: { STORAGE_URL: place.url, AUDIT_KEY, RETENTION: 'off' },
  cwd: folder,
});
const { connectors, documents } = composeCore(config);
let engine;
const core = await startCore({
  host: '127.0.0.1',
  port: 0,
  engine: async (url) => {
    engine = await createEngine({
      connectors: connectors(url),
      projects: Object.fromEntries(PROJECTS.map((name) => [name, config.projects.default])),
      policy: { quotas: null },
      logger: silentLogger,
    });
    return engine;
  },
  reviewers: [REVIEWER],
  internalSecrets: ['internal-secret-of-the-bench'],
  documents,
  logger: { ...silentLogger, warn: (about, text) => console.error('core:', text, about.err?.message ?? '') },
});

const own = `${process.pid}-${Date.now()}`;
const { next } = createDeliveries();
let sequence = 1;
let load = null;

/** Batches at a fixed rate; each is measured from when it was due. */
async function stage(ended) {
  const times = [];
  const pending = [];
  const everyMs = 1_000 / BATCHES_PER_S;
  for (let due = performance.now(); !ended.aborted; due += everyMs) {
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const deliveries = Array.from({ length: BATCH }, () => {
      const one = next(sequence++);
      const event_id = `${own}-${one.event_id}`;
      return { ...one, event_id, crash: { ...one.crash, event_id } };
    });
    pending.push(
      engine.ingestBatch({ edge: own, deliveries }).then(() => times.push(performance.now() - due)),
    );
  }
  await Promise.all(pending);
  return percentiles(times);
}

answering(
  { port: core.port },
  {
    /** Begins to measure, and to stage crashes if `staging`. */
    begin({ staging }) {
      globalThis.gc?.();
      const end = new AbortController();
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const before = memory();
      let most = before;
      const sampling = setInterval(() => {
        most = Math.max(most, memory());
      }, SAMPLED_MS);
      const staged = staging ? stage(end.signal) : Promise.resolve(null);
      load = { end, delay, sampling, staged, before, most: () => most, cpu: process.cpuUsage() };
    },
    async end() {
      const { end, delay, sampling, staged, before, most, cpu } = load;
      end.abort();
      const stage = await staged;
      clearInterval(sampling);
      delay.disable();
      const { user, system } = process.cpuUsage(cpu);
      return {
        stage,
        cpu_s: (user + system) / 1e6,
        blocked_ms: { p99: delay.percentile(99) / 1e6, most: delay.max / 1e6 },
        memory_mb: { before, most: most() },
      };
    },
  },
  async () => {
    await core.close();
    place.close();
  },
);

/** In MB, without the pages of files that the system can reclaim. */
function memory() {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const anonymous = /^RssAnon:\s+(\d+)/m.exec(status)?.[1];
  return anonymous === undefined ? process.memoryUsage.rss() / 1024 / 1024 : Number(anonymous) / 1024;
}
