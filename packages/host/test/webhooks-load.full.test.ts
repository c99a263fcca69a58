import { setTimeout as sleep } from 'node:timers/promises';
import { storage } from '@culprit/connectors/storage';
import { createEngine, type Engine, silentLogger } from '@culprit/core';
import { EVENT_NAMES, type EventType } from '@culprit/core/internal/domain/webhook-events';
import { endlessTerm } from '@culprit/core/internal/runs/lease';
import t, { type Test } from 'tap';
import { deliveryStore, type NewRow } from '../src/webhooks/delivery-store.js';
import { readEvents } from '../src/webhooks/event-reader.js';
import { createLanes } from '../src/webhooks/lanes.js';
import { createPace, type Pace } from '../src/webhooks/pace.js';
import { matcherOf, type Webhook } from '../src/webhooks/subscription.js';

t.setTimeout(300_000);

const ada = { name: 'ada', via: 'api' } as const;
const free: Pace = { take: () => true, waitMs: () => 1 };

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

async function memoryEngine(t: Test): Promise<Engine> {
  const engine = await createEngine({ connectors: [storage({ url: 'memory:' })], logger: silentLogger });
  t.teardown(() => engine.close());
  return engine;
}

t.test('requests become rarer while the process is busy, and never stop', (t) => {
  const state = { now: 0, busy: 0.2 };
  const pace = createPace({ now: () => state.now, utilisation: () => state.busy });
  const inSeconds = (seconds: number) => {
    let taken = 0;
    for (const until = state.now + seconds * 1_000; state.now < until; state.now += 2) {
      while (pace.take()) taken += 1;
    }
    return taken / seconds;
  };
  const within = (rate: number, least: number, most: number, what: string) =>
    t.ok(rate >= least && rate <= most, `${what}: ${rate} a second`);
  within(inSeconds(4), 190, 205, 'free');
  state.busy = 0.95;
  inSeconds(2);
  within(inSeconds(4), 48, 55, 'busy');
  state.busy = 0.7;
  within(inSeconds(2), 48, 55, 'neither');
  state.busy = 0.3;
  inSeconds(2);
  within(inSeconds(4), 190, 205, 'free again');
  while (pace.take());
  t.ok(pace.waitMs() >= 1 && pace.waitMs() <= 5, 'the next one soon');
  t.end();
});

t.test(
  'lanes: four requests for each webhook, one if it fails, 64 for all and 32 for those that fail',
  async (t) => {
    const sent: string[] = [];
    const ends: (() => void)[] = [];
    const now = new Map<string, number>();
    const most = { all: 0, failing: 0, one: 0, oneFailing: 0 };
    let active = 0;
    let failing = 0;
    const failed = new Set<string>();
    const lanes = createLanes<number>(async (webhook, item) => {
      const isFailing = failed.has(webhook);
      active += 1;
      if (isFailing) failing += 1;
      now.set(webhook, (now.get(webhook) ?? 0) + 1);
      most.all = Math.max(most.all, active);
      most.failing = Math.max(most.failing, failing);
      const own = now.get(webhook) ?? 0;
      if (isFailing) most.oneFailing = Math.max(most.oneFailing, own);
      else most.one = Math.max(most.one, own);
      await new Promise<void>((end) => ends.push(end));
      sent.push(`${webhook} ${item}`);
      active -= 1;
      if (isFailing) failing -= 1;
      now.set(webhook, own - 1);
      const ok = !webhook.startsWith('bad');
      // What it was when its request began counts.
      if (!ok && (now.get(webhook) ?? 0) <= 0) failed.add(webhook);
      return ok;
    }, free);
    const finish = async () => {
      for (const end of ends.splice(0)) end();
      await sleep(0);
    };
    const bad = Array.from({ length: 50 }, (_, n) => `bad${n}`);
    const good = Array.from({ length: 50 }, (_, n) => `good${n}`);
    for (const webhook of bad) lanes.add(webhook, 0);
    while (active > 0) await finish();
    t.equal(failed.size, 50);
    Object.assign(most, { all: 0, failing: 0, one: 0, oneFailing: 0 });
    for (const webhook of [...bad, ...good]) for (let item = 1; item <= 6; item++) lanes.add(webhook, item);
    while (active > 0) await finish();
    t.same(most, { all: 64, failing: 32, one: 4, oneFailing: 1 });
    t.equal(new Set(sent).size, 650);
    t.equal(sent.length, 650, 'each once');
    const first = sent.filter((one) => one.startsWith('good7 '));
    t.same(first, [...first].sort(), 'in the order in which they came');
  },
);

t.test(
  'messages wait in the histories while many deliveries wait, but not for a webhook that is slow',
  async (t) => {
    const held: Pace = { take: () => false, waitMs: () => 1_000 };
    const lanes = createLanes<number>(async () => true, held);
    for (let item = 0; item < 10_000; item++) lanes.add('slow', item);
    t.notOk(lanes.crowded());
    for (let webhook = 0; webhook < 600; webhook++)
      for (let item = 0; item < 20; item++) lanes.add(`w${webhook}`, item);
    t.ok(lanes.crowded());
  },
);

t.test(
  'a message for thousands of webhooks is stored in batches that are written one at a time',
  async (t) => {
    const { values } = await memoryEngine(t);
    const row = (number: number): NewRow => ({
      message: { id: `m${number}`, type: 'run.created', timestamp: '', data: {} },
      targets: Object.fromEntries(
        Array.from({ length: 600 }, (_, at) => [`wh_${at}`, { failures: 0, at: 0 }]),
      ),
    });
    await deliveryStore(values, endlessTerm()).create([row(1), row(2), row(3)]);
    t.equal(JSON.parse((await values.get('webhook:batches')) ?? '[]').length, 3);
    const loaded = await deliveryStore(values, endlessTerm()).load();
    t.same(loaded.map(({ message, targets }) => [message.id, Object.keys(targets).length]).sort(), [
      ['m1', 600],
      ['m2', 600],
      ['m3', 600],
    ]);
  },
);

const webhook = (events: readonly EventType[], more: Partial<Webhook> = {}): Webhook => ({
  ...{ id: 'wh_1', name: 'ops', url: 'https://a.example/', projects: [], levels: [], environments: [] },
  ...{ enabled: true, created_at: '', created_by: 'ada', active_since: '', earlier: [], turned_off: null },
  events: [...events],
  ...more,
});

/** Reads the events of an engine, and counts which histories were read. */
async function reading(engine: Engine, webhooks: readonly Webhook[], deliver?: () => Promise<void>) {
  const types: string[] = [];
  const histories: string[] = [];
  const reader = await readEvents({
    engine: {
      ...engine,
      async history(run) {
        histories.push(run);
        return engine.history(run);
      },
    },
    boardUrl: 'http://127.0.0.1',
    matcher: async () => matcherOf(webhooks),
    async deliver(messages) {
      await deliver?.();
      types.push(...messages.map(({ message }) => message.type));
    },
    crowded: () => false,
    pace: free,
    logger: silentLogger,
    now: Date.now,
  });
  return { types, histories, close: reader.close };
}

async function stage(engine: Engine, name: string): Promise<string> {
  const crash = { event_id: name, message: name, platform: 'node', fingerprint: [name] };
  const { run_id } = await engine.ingest({ crash });
  if (run_id === null) throw new Error('no run');
  return run_id;
}

t.test('a history is read only if a webhook may want what is new in it', async (t) => {
  const engine = await memoryEngine(t);
  const decisions = await reading(engine, [
    webhook(['run.rejected']),
    webhook(EVENT_NAMES, { projects: ['other'] }),
  ]);
  const created = await reading(engine, [webhook(['run.created'])]);
  const runs: string[] = [];
  for (let n = 0; n < 25; n++) runs.push(await stage(engine, `crash-${n}`));
  await eventually(() => created.types.length === 25);
  const [first = ''] = runs;
  await engine.rejectGateOne(first, ada, { reason: 'noise' });
  await eventually(() => decisions.types.length === 1);
  t.same(decisions.types, ['run.rejected']);
  t.same(decisions.histories, [first], 'nobody wanted the others');
  t.equal(created.types.length, 25, 'each once');
  await decisions.close();
  await created.close();
});

t.test('what could not be stored is read after a restart, whatever came later', async (t) => {
  const engine = await memoryEngine(t);
  const before = await reading(engine, [webhook(['run.created'])]);
  await stage(engine, 'one');
  await eventually(() => before.types.length === 1);
  await before.close();
  let tried = 0;
  const broken = await reading(engine, [webhook(['run.created'])], async () => {
    tried += 1;
    throw new Error('the storage is down');
  });
  const second = await stage(engine, 'two');
  await eventually(() => tried > 0);
  await engine.comment(second, ada, { comment: 'still there' });
  await broken.close();
  const after = await reading(engine, [webhook(['run.created', 'run.commented'])]);
  await eventually(() => after.types.length >= 2);
  t.same(after.types, ['run.created', 'run.commented']);
  await after.close();
});
