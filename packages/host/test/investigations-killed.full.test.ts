import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { InvestigationTrail } from '@culprit/core/internal/domain/investigation';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import {
  type CompletionRequest,
  KEY,
  MODEL,
  openaiDouble,
  type Said,
} from '../../connectors/test/support/openai-double.js';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { AUDIT_KEY, GATEWAY, TOKEN } from './support/core-bench.js';
import { cartCrash, crashingRepository } from './support/crashing-repository.js';
import { httpClient } from './support/http-client.js';
import { startCulprit } from './support/start-culprit.js';

t.setTimeout(300_000);

const skipRedis = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';
const seesPrograms = existsSync(`/proc/self/task/${process.pid}/children`);
const PRICE = { input: 1_000, output: 2_000 };
/** Of a call that the double answers. */
const SERVED = { tokens: 730, cost: (700 * PRICE.input + 30 * PRICE.output) / 1e6 };
const CAPS = { tokens: 60_000, cost: 80, day: 2_000 };
const QUESTIONS = ['search_history', 'show_commit', 'read_source'] as const;
const PATH = 'src/cart.js';
/** The bill begins again at midnight. */
const DAY = new Date().toISOString().slice(0, 10);
const ENDS_MS = 60_000;
/** After that a supervisor kills it. */
const STOPS_MS = 15_000;

type Core = Awaited<ReturnType<typeof startCore>>;
type Bench = Awaited<ReturnType<typeof bench>>;

async function startCore(t: Test, folder: string, repository: string, env: Record<string, string>) {
  const args = ['core', '--data', folder, '--core-port', '0', '--repository', repository];
  const { child, line, ended } = startCulprit(args, repository, env);
  const kill = () => void child.kill('SIGKILL');
  t.teardown(kill);
  const first = await Promise.race([line(({ msg }) => msg === 'core is listening'), ended]);
  if ('stderr' in first) throw new Error(`core ended: ${first.stdout}${first.stderr}`);
  const { port = 0 } = first;
  const api = httpClient(port, { host: `127.0.0.1:${port}`, authorization: `Bearer ${TOKEN}` });
  return { pid: child.pid ?? 0, kill, stop: () => void child.kill('SIGTERM'), ended, api };
}

/** A repository, a model that investigates it, and cores on one storage. */
async function bench(t: Test, { caps = CAPS, storage }: { caps?: typeof CAPS; storage?: string } = {}) {
  const folder = temporaryFolder(t, 'killed');
  const repository = crashingRepository(join(folder, 'shop'));
  const double = await openaiDouble('llamacpp', () => '{"insufficient":true,"claims":[]}');
  t.teardown(() => double.close());
  const counted = { served: 0 };
  let onCall: (number: number) => void = () => {};
  double.says((asked) => {
    if (asked.messages[1]?.content?.includes("KeyError: 'currency'")) return passesProbe(asked);
    counted.served += 1;
    onCall(counted.served);
    return investigates(asked, repository.culprit);
  });
  const env = {
    ...{ OPENAI_MODEL: MODEL, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: KEY },
    ...{ REVIEWER_TOKENS: `ada:${TOKEN}`, INTERNAL_GATEWAY_SECRET: GATEWAY, AUDIT_KEY },
    INVESTIGATE_PRICE: `${PRICE.input}/${PRICE.output}`,
    INVESTIGATE_TOKENS: String(caps.tokens),
    INVESTIGATE_COST: String(caps.cost),
    INVESTIGATE_COST_PER_DAY: String(caps.day),
    ...(storage === undefined ? {} : { STORAGE_URL: storage }),
  };
  let crashes = 0;
  return {
    ...{ double, caps, counted },
    on(call: typeof onCall) {
      onCall = call;
    },
    start: (data = 'data') => startCore(t, join(folder, data), repository.directory, env),
    /** A new run, when the model has passed its probe. */
    async stage({ api }: Core): Promise<string> {
      while ((await api({ path: '/api/v1/model' })).json.model?.investigates !== 'loop') await pause(20);
      crashes += 1;
      const crash = { ...cartCrash(`c${crashes}`, repository.head), fingerprint: [`own-${crashes}`] };
      const delivery = makeDelivery({ sequence: crashes, event_id: `c${crashes}`, crash });
      const { json } = await api({
        ...{ method: 'POST', path: '/internal/v1/deliveries' },
        headers: { authorization: `Bearer ${GATEWAY}` },
        body: { edge: 'edge-1', deliveries: [delivery] },
      });
      return json.outcomes[0].run_id;
    },
  };
}

const answersIn = ({ messages }: CompletionRequest) => messages.filter(({ role }) => role === 'tool');

function passesProbe(asked: CompletionRequest): Said {
  const [listed] = answersIn(asked);
  if (listed === undefined) return { calls: [['search_history', { text: 'currency' }]] };
  const [sha = ''] = /\b[0-9a-f]{12}\b/.exec(listed.content ?? '') ?? [];
  if (answersIn(asked).length === 1) return { calls: [['show_commit', { sha }]] };
  return findingOf(sha, 'src/price.py', 11, 'currency = order["currency"]');
}

/** One question, then two together, then the finding. */
function investigates(asked: CompletionRequest, sha: string): Said {
  const inputs = [{ path: PATH, text: 'tax' }, { sha, path: PATH }, { path: PATH }];
  const left = QUESTIONS.map((name, at) => [name, inputs[at]] as const).slice(answersIn(asked).length);
  if (left.length === 0) return findingOf(sha, PATH, 4, 'return sum * items[0].tax.rate;');
  return { calls: left.length === QUESTIONS.length ? left.slice(0, 1) : left };
}

function findingOf(sha: string, path: string, line: number, quote: string): Said {
  const finding = { commits: [sha], mechanism: 'A value is missing.', place: { path, line }, quote };
  return { calls: [['finding', { ...finding, probability: 0.8, none_probability: 0.05 }]] };
}

function programsOf(pid: number): readonly number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const own = listed.split(' ').filter(Boolean).map(Number);
    return [...own, ...own.flatMap(programsOf)];
  } catch {
    return []; // It has ended.
  }
}

/** Kills a core as soon as it has started a program: git, which answers a question. */
function killInQuestion({ pid, kill }: Core): void {
  const before = programsOf(pid).length;
  const look = () => (programsOf(pid).length === before ? void setImmediate(look) : kill());
  setImmediate(look);
}

const approve = ({ api }: Core, runId: string, gate: 1 | 2) =>
  api({ method: 'POST', path: `/api/v1/runs/${runId}/gate${gate}/approve` });

async function trailOf({ api }: Core, runId: string): Promise<InvestigationTrail> {
  return (await api({ path: `/api/v1/runs/${runId}/investigation` })).json;
}

async function ends(core: Core, runId: string): Promise<InvestigationTrail> {
  const start = performance.now();
  for (;;) {
    const trail = await trailOf(core, runId);
    const { state = 'none' } = trail.investigation ?? {};
    if (state !== 'running' && state !== 'none') return trail;
    if (performance.now() - start > ENDS_MS) throw new Error(`It has not ended: ${JSON.stringify(trail)}`);
    await pause(50);
  }
}

/** No cap is exceeded, no call that was served is free, and every question is there once. */
async function isRight(
  t: Test,
  { caps, counted }: Bench,
  core: Core,
  { trail, served }: { trail: InvestigationTrail; served: number },
): Promise<void> {
  const { tokens = 0, cost = null, questions = 0 } = trail.investigation ?? {};
  const { today } = (await core.api({ path: '/api/v1/model' })).json;
  const text = JSON.stringify({ tokens, cost, questions, served, today, counted });
  const isBetween = (amount: number | null, least: number, most: number) =>
    t.ok(amount !== null && amount > least - 1e-6 && amount <= most, text);
  isBetween(tokens, served * SERVED.tokens, caps.tokens);
  isBetween(cost, served * SERVED.cost, caps.cost);
  const all = today.day === DAY ? counted.served : 0;
  isBetween(today.tokens, all * SERVED.tokens, Infinity);
  isBetween(today.cost, all * SERVED.cost, caps.day);
  t.ok(questions <= 12, text);
  const asked = trail.asked.map(({ number, question }) => [number, question]);
  const expected = [...QUESTIONS, ...QUESTIONS].map((question, at) => [at + 1, question]);
  t.same(asked, expected.slice(0, questions));
}

/** Its issue follows from the evidence, whatever was lost. */
async function publishes(t: Test, core: Core, runId: string): Promise<void> {
  t.match(await approve(core, runId, 2), { status: 200, json: { status: 'published' } });
  t.match((await core.api({ path: `/api/v1/runs/${runId}/verification` })).json, { verified: true });
}

async function stops(t: Test, core: Core): Promise<void> {
  core.stop();
  const ended = await Promise.race([core.ended, pause(STOPS_MS, null, { ref: false })]);
  t.match(ended, { code: 0 });
}

t.test('killed at any call and any question, it continues', async (t) => {
  const b = await bench(t);
  let core = await b.start();
  const first = await b.stage(core);
  t.match(await approve(core, first, 1), { status: 200 });
  const trail = await ends(core, first);
  const calls = b.counted.served;
  await isRight(t, b, core, { trail, served: calls });

  const later = (ms: number) => (dying: Core) => void setTimeout(dying.kill, ms);
  const moments: [name: string, call: number, kill: (dying: Core) => void][] = [];
  for (let call = 1; call <= calls; call++) {
    moments.push([`before answer ${call}`, call, ({ kill }) => kill()]);
    for (const ms of call === calls ? [0, 40] : [3 * call])
      moments.push([`${ms} ms after answer ${call}`, call, later(ms)]);
    if (seesPrograms && call < 3) moments.push([`in a question after answer ${call}`, call, killInQuestion]);
  }
  moments.push(['while Gate 1 analyses', 0, later(30)], ['Gate 1 is approved', -1, ({ kill }) => kill()]);
  for (const [name, call, kill] of moments) {
    await t.test(name, async (t) => {
      const dying = core;
      const runId = await b.stage(dying);
      const before = b.counted.served;
      b.on((number) => number - before === call && kill(dying));
      const approved = approve(dying, runId, 1).catch(() => {});
      if (call === -1) await approved;
      if (call < 1) kill(dying);
      await dying.ended;
      b.on(() => {});
      core = await b.start();
      await approve(core, runId, 1);
      const trail = await ends(core, runId);
      t.match(trail.investigation, { state: 'used' });
      await isRight(t, b, core, { trail, served: b.counted.served - before });
      await publishes(t, core, runId);
    });
  }
  await stops(t, core);
});

t.test('killed in the same place again and again, it ends; so it does at a cap', async (t) => {
  const cases = [
    ['interrupted', CAPS],
    ['tokens', { ...CAPS, tokens: 12_000 }],
    ['daily_cost', { ...CAPS, day: 20 }],
  ] as const;
  for (const [reason, caps] of cases) {
    await t.test(reason, async (t) => {
      const b = await bench(t, { caps });
      let core = await b.start();
      const runId = await b.stage(core);
      for (let kills = 0; kills < 4; kills++) {
        const dying = core;
        b.on((number) => number > 1 && dying.kill());
        if (kills === 0) approve(dying, runId, 1).catch(() => {});
        const trail = await Promise.race([dying.ended, ends(dying, runId).catch(() => dying.ended)]);
        if ('investigation' in trail) break;
        core = await b.start();
      }
      const trail = await ends(core, runId);
      t.match(trail.investigation, { state: 'ended', reason });
      await isRight(t, b, core, { trail, served: b.counted.served });
      await publishes(t, core, runId);
      await stops(t, core);
    });
  }
});

t.test('while the model does not answer, Gate 2 is signed and core is stopped or killed', async (t) => {
  const b = await bench(t);
  let core = await b.start();
  const killed = async (_: Test, { kill }: Core) => kill();
  for (const [name, signed, end] of [
    ['stopped', false, stops],
    ['signed and stopped', true, stops],
    ['killed', false, killed],
    ['signed and killed', true, killed],
  ] as const) {
    await t.test(name, async (t) => {
      const runId = await b.stage(core);
      const before = b.counted.served;
      const called = new Promise<void>((resolve) => b.on(() => resolve()));
      await approve(core, runId, 1);
      await called;
      b.double.fails(() => {});
      while ((await trailOf(core, runId)).asked.length === 0) await pause(10);
      await pause(100);
      if (signed) await publishes(t, core, runId);
      await end(t, core);
      await core.ended;
      b.double.fails(null);
      core = await b.start();
      const trail = await ends(core, runId);
      t.match(trail.investigation, signed ? { state: 'ended', reason: 'left' } : { state: 'used' });
      await isRight(t, b, core, { trail, served: b.counted.served - before });
      if (!signed) await publishes(t, core, runId);
    });
  }
});

t.test(
  'the core that investigates is killed: another one on the Redis continues',
  { skip: skipRedis },
  async (t) => {
    const redis = await startRedis();
    t.teardown(redis.close);
    const b = await bench(t, { storage: redis.url() });
    const [dying, other] = [await b.start('one'), await b.start('other')];
    const runId = await b.stage(dying);
    b.on((number) => number === 2 && dying.kill());
    await approve(dying, runId, 1);
    await dying.ended;
    const trail = await ends(other, runId);
    t.match(trail.investigation, { state: 'used' });
    await isRight(t, b, other, { trail, served: b.counted.served });
    await publishes(t, other, runId);
    await stops(t, other);
  },
);
