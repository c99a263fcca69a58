// core.mjs STORE RECEIVER MAPS: core with its server, engine, webhooks and source maps, on a new storage. MAPS: the folder of
// uploaded source maps. It starts without load; "load" gives and takes it away, see subscriptions.mjs for the kinds of webhooks.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, silentLogger } from '@culprit/core';
import { composeCore } from '../../packages/host/dist/compose/core-parts.js';
import { readConfig } from '../../packages/host/dist/config/read-config.js';
import { startCore } from '../../packages/host/dist/server/server.js';
import { openSourceMaps } from '../../packages/host/dist/source-maps/store.js';
import { createDeliveries } from '../store/deliveries.mjs';
import { openPlace } from '../store/places.mjs';
import { answering, cpuOf, percentiles, settled } from './child.mjs';
import { givenWebhooks } from './subscriptions.mjs';

const [store, receiver, maps] = process.argv.slice(2);
const TOKEN = 'reviewer-token-of-the-bench-0000000';
const AUDIT_KEY = 'an audit key of thirty-two chars';
const ada = { name: 'ada', via: 'api' };
const folder = mkdtempSync(join(tmpdir(), 'culprit-bench-core-'));
const place = await openPlace(store);
const head = repository(join(folder, 'shop'));
const settings = { data: join(folder, 'data'), repository: join(folder, 'shop') };
const { config } = readConfig({
  flags: settings,
  env: { STORAGE_URL: place.url, AUDIT_KEY },
  cwd: folder,
});
const openMaps = (directory) =>
  openSourceMaps({ directory, quotaBytes: 2 ** 31, keepMs: 90 * 86_400_000, logger: silentLogger });
const noMaps = openMaps(join(folder, 'maps'));
const allMaps = openMaps(maps);
let currentMaps = noMaps;
/** Whichever the load has. */
const sourceMaps = new Proxy({}, { get: (_target, name) => currentMaps[name] });
const { connectors, documents } = composeCore(config);
let engine;
let webhooks;
const core = await startCore({
  host: '127.0.0.1',
  port: 0,
  engine: async (url) => {
    engine = await createEngine({
      connectors: connectors(url),
      projects: config.projects,
      policy: { quotas: null },
      sourceMaps,
      logger: silentLogger,
    });
    webhooks = givenWebhooks(engine.values, receiver);
    return Object.create(engine, { values: { value: webhooks.values } });
  },
  reviewers: [{ name: 'ada', token: TOKEN }],
  internalSecrets: ['internal-secret-of-the-bench'],
  documents,
  sourceMaps,
  webhooks: { allowedHosts: ['127.0.0.1'] },
  logger: { ...silentLogger, warn: (about, text) => console.error('core:', text, about.err?.message ?? '') },
});

/** One fresh run in a hundred is fatal: somebody is on call for it. */
const deliveries = createDeliveries((fresh) => (fresh % 100 === 99 ? 'fatal' : 'error'));
let sequence = 1;
let gated = 0;
let named = 0;
let session = null;
const ask = (method, given) =>
  new Promise((resolve, reject) =>
    session.post(method, given, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

answering(
  { port: core.port, token: TOKEN },
  {
    /** Core looks for changed webhooks before it reads what changed; somebody is on call for this crash. */
    async load({ kind }) {
      await webhooks.give(kind);
      currentMaps = kind === null ? noMaps : allMaps;
      const name = `load-${named++}`;
      await engine.ingest({
        crash: { event_id: name, message: 'load', level: 'fatal', fingerprint: [name] },
      });
      await settled();
    },
    /** Batches of `size` from two edges, as fast as possible or `perSecond` events. `only`: see deliveries.mjs. */
    stage: ({ seconds, size, perSecond, only, unsettled }) =>
      cpuOf(async () => {
        const times = [];
        const started = performance.now();
        const ends = started + seconds * 1_000;
        let events = 0;
        const one = async (edge) => {
          const from = performance.now();
          const batch = Array.from({ length: size }, () => deliveries.next(sequence++, only));
          await engine.ingestBatch({ edge, deliveries: batch });
          times.push(performance.now() - from);
          events += size;
        };
        if (perSecond === undefined) {
          const edge = async (name) => {
            while (performance.now() < ends) await one(name);
          };
          await Promise.all([edge('edge-1'), edge('edge-2')]);
        } else {
          const pending = [];
          const everyMs = (size / perSecond) * 1_000;
          for (let due = started; due < ends; due += everyMs) {
            const wait = due - performance.now();
            if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
            pending.push(one(`edge-${pending.length % 2}`));
          }
          await Promise.all(pending);
        }
        return { events, ms: performance.now() - started, ...percentiles(times) };
      }, unsettled),
    /** Reads of a run and of the first page, in turn. */
    read: ({ count }) =>
      cpuOf(async () => {
        const { runs } = await engine.runs({ limit: 50 });
        const [gets, pages] = [[], []];
        for (let n = 0; n < count; n++) {
          const from = performance.now();
          await engine.run(runs[n % runs.length].run_id);
          gets.push(performance.now() - from);
          if (n % 10 > 0) continue;
          const middle = performance.now();
          await engine.runs({ limit: 50 });
          pages.push(performance.now() - middle);
        }
        return { count, get: percentiles(gets), page: percentiles(pages) };
      }),
    /** New runs through both gates, with git and the outbox. */
    async gates({ count }) {
      const ids = [];
      for (let n = 0; n < count; n++) ids.push((await engine.ingest({ crash: cartCrash() })).run_id);
      const [first, second] = [[], []];
      const { cpu, main } = await cpuOf(async () => {
        for (const id of ids) {
          const from = performance.now();
          await engine.approveGateOne(id, ada);
          const middle = performance.now();
          await engine.approveGateTwo(id, ada);
          first.push(middle - from);
          second.push(performance.now() - middle);
        }
      });
      return { count, cpu, main, first: percentiles(first), second: percentiles(second) };
    },
    /** New runs whose titles contain the time, for readers of the live feed. */
    changes: ({ count, everyMs }) =>
      cpuOf(async () => {
        const started = performance.now();
        for (let n = 0; n < count; n++) {
          const wait = started + n * everyMs - performance.now();
          if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
          const at = (performance.timeOrigin + performance.now()).toFixed(3);
          const crash = { event_id: `f-${named}`, message: `at=${at}`, fingerprint: [`named-${named++}`] };
          await engine.ingest({ crash: { ...crash, platform: 'node' } });
        }
        return { count };
      }),
    settled: () => cpuOf(async () => ({})),
    /** `count` new runs at once. */
    async burst({ count }) {
      const batch = Array.from({ length: count }, () => deliveries.next(sequence++, 'fresh'));
      await engine.ingestBatch({ edge: 'edge-1', deliveries: batch });
    },
    memory: () => ({ rss: process.memoryUsage.rss() }),
    async profile({ start, file }) {
      if (start) {
        session = new Session();
        session.connect();
        await ask('Profiler.enable');
        await ask('Profiler.start');
        return;
      }
      writeFileSync(file, JSON.stringify((await ask('Profiler.stop')).profile));
    },
  },
  async () => {
    await core.close();
    await noMaps.close();
    await allMaps.close();
    place.close();
    rmSync(folder, { recursive: true, force: true });
  },
);

/** A small repository with a commit that broke the crashed function. Returns its head. */
function repository(directory) {
  mkdirSync(join(directory, 'src'), { recursive: true });
  const person = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' };
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    ...person,
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  const git = (...args) => execFileSync('git', args, { cwd: directory, env, encoding: 'utf8' }).trim();
  const commit = (text, message) => {
    writeFileSync(join(directory, 'src/cart.js'), `export function total(items) {\n  return ${text};\n}\n`);
    git('add', '-A');
    git('commit', '-qm', message);
  };
  git('init', '-q', '-b', 'main');
  commit('items.length', 'feat: carts have totals');
  commit('items.length * items[0].tax.rate', 'feat: totals carry tax');
  return git('rev-parse', 'HEAD');
}

function cartCrash() {
  const n = gated++;
  const frame = { filename: 'src/cart.js', function: 'total', lineno: 2, colno: 30, in_app: true };
  const value = "Cannot read properties of undefined (reading 'rate')";
  return {
    event_id: `gated-${n}`,
    message: value,
    platform: 'node',
    release: head,
    fingerprint: [`gated-${n}`],
    exception: { values: [{ type: 'TypeError', value, stacktrace: { frames: [frame] } }] },
  };
}
