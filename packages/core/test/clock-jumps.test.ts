import t from 'tap';
import { type Connector, createEngine } from '../src/index.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;
const HOUR = 60 * 60_000;
const YEAR = 365 * 24 * HOUR;

t.test(
  'the clock is set back while a publication waits: it waits no longer than any publication',
  async (t) => {
    const storage = memoryStorage();
    const before = manualClock('2027-01-05T09:00:00.000Z');
    const publisher = memoryPublisher({ clock: before, retryAfterMs: HOUR });
    const open = (clock = before) =>
      createEngine({
        connectors: [memoryStorageConnector(storage), { id: 'issues', setup: () => ({ publisher }) }],
        projects: { default: { publishRepository: 'acme/shop' } },
        policy: { publishWaitMs: 1_000 },
        clock,
      });
    const engine = await open();
    const { run_id } = await engine.ingest({ crash: { event_id: 'c1', message: 'boom' } });
    const runId = run_id ?? '';
    const first = engine.approveGateOne(runId, REVIEWER);
    await before.advance(0);
    await first;
    publisher.next('wait');
    const signed = engine.approveGateTwo(runId, REVIEWER);
    for (let second = 0; second < 3; second++) await before.advance(1_000);
    t.match(await signed, { status: 'publishing' });
    await engine.close();

    const back = manualClock(new Date(before.now() - YEAR).toISOString());
    const again = await open(back);
    t.teardown(() => again.close());
    for (let hour = 0; hour < 4 && (await again.run(runId)).state === 'publishing'; hour++)
      for (let quarter = 0; quarter < 4; quarter++) await back.advance(HOUR / 4);
    t.match(await again.run(runId), { state: 'published' });
    t.equal(publisher.issues.length, 1);
    const times = (await again.history(runId)).map(({ sequence }) => sequence);
    t.same(
      times,
      times.map((_, at) => at + 1),
      'the history keeps its order',
    );
  },
);

t.test('years forward and back: crashes are counted, snoozed runs wake, gates work', async (t) => {
  const clocks = ['2026-01-05', '2036-01-05', '2025-06-01', '2026-01-06'];
  const storage = memoryStorage();
  const publisher = memoryPublisher();
  let runId = '';
  for (const [round, day] of clocks.entries()) {
    const clock = manualClock(`${day}T09:00:00.000Z`);
    const engine = await createEngine({
      connectors: [memoryStorageConnector(storage), { id: 'issues', setup: () => ({ publisher }) }],
      projects: { default: { publishRepository: 'acme/shop' } },
      clock,
    });
    const { run_id } = await engine.ingest({ crash: { event_id: `c${round}`, message: 'boom' } });
    runId ||= run_id ?? '';
    t.equal(run_id, runId, `counted on the same run on ${day}`);
    t.equal(
      (await engine.ingest({ crash: { event_id: `c${round}`, message: 'boom' } })).outcome,
      'duplicate',
    );
    const until = { kind: 'time', at: new Date(clock.now() + HOUR).toISOString() } as const;
    await engine.snooze(runId, REVIEWER, { until });
    await clock.advance(2 * HOUR);
    for (let tries = 0; tries < 50 && (await engine.run(runId)).state === 'snoozed'; tries++)
      await clock.advance(20_000);
    t.equal((await engine.run(runId)).state, 'staged_raw', 'awake after an hour of this clock');
    t.equal((await engine.run(runId)).occurrences, round + 1);
    await engine.close();
  }
});

t.test('a process that was stopped writes nothing once the limit has passed', async (t) => {
  const sent: string[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(init?.method ?? 'GET');
    return new Response();
  };
  const connector: Connector = {
    id: 'slow',
    setup: async (context) => {
      const ask = (method: string) => {
        const signal = AbortSignal.timeout(20);
        // As SIGSTOP does: time passes, and no timer runs.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
        return context.fetch('http://127.0.0.1:9/', { method, signal });
      };
      await ask('GET');
      await t.rejects(ask('POST'), { name: 'TimeoutError' });
      await context.fetch('http://127.0.0.1:9/', { method: 'POST', signal: AbortSignal.timeout(60_000) });
      return {};
    },
  };
  const engine = await createEngine({ connectors: [memoryStorageConnector(), connector], fetch });
  await engine.close();
  t.same(sent, ['GET', 'POST']);
});
