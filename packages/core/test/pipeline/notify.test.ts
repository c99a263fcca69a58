import t from 'tap';
import type { ConnectorContext, ConnectorParts, Notifier } from '../../src/connector/index.js';
import {
  type Connector,
  CulpritError,
  createEngine,
  type Engine,
  type EngineOptions,
  isCulpritError,
  type Run,
} from '../../src/index.js';
import {
  makeRun,
  memoryPublisher,
  memoryStorageConnector,
  type NotifierSubject,
  notifierContract,
} from '../../src/testing/index.js';
import { memoryStorage } from '../../src/testing/memory-storage.js';
import { hostileRun } from '../../src/testing/notifier-contract.js';

const REVIEWER = { name: 'ada', via: 'chat' } as const;
const crash = (n: number) => ({ event_id: `crash-${n}`, message: `boom ${n}`, fingerprint: [`own-${n}`] });

const bring = (
  id: string,
  parts: ConnectorParts | ((context: ConnectorContext) => ConnectorParts),
): Connector => ({
  id,
  setup: (context) => (typeof parts === 'function' ? parts(context) : parts),
});

async function start(
  storage: ReturnType<typeof memoryStorage>,
  connectors: readonly Connector[],
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  return createEngine({
    connectors: [
      memoryStorageConnector(storage),
      ...(connectors.some(({ id }) => id === 'publisher')
        ? []
        : [bring('publisher', { publisher: memoryPublisher() })]),
      ...connectors,
    ],
    projects: { default: { publishRepository: 'acme/shop' } },
    policy: { notifyPausesMs: [1, 1, 1] },
    ...options,
  });
}

async function stage(engine: Engine, n = 1): Promise<string> {
  const { run_id } = await engine.ingest({ crash: crash(n) });
  if (run_id === null) throw new Error('no run');
  return run_id;
}

/** A notifier that records its calls; `fail` returns the error of a call, if any. */
function listener(fail: (run: Run, call: number) => unknown = () => null) {
  const heard: { run_id: string; state: string; version: number; trailer: string | undefined }[] = [];
  const waiting = new Set<() => void>();
  let calls = 0;
  let inside = 0;
  let most = 0;
  const notifier: Notifier = {
    async notify(run, _signal, _story, trailer) {
      inside += 1;
      most = Math.max(most, inside);
      try {
        const error = await fail(run, ++calls);
        if (error !== null) throw error;
        heard.push({ run_id: run.run_id, state: run.state, version: run.version, trailer });
      } finally {
        inside -= 1;
        for (const wake of waiting) wake();
      }
    },
  };
  const until = async (ready: () => boolean | Promise<boolean>) => {
    while (!(await ready())) {
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        setImmediate(resolve);
      });
    }
  };
  return {
    notifier,
    heard,
    until,
    get calls() {
      return calls;
    },
    get most() {
      return most;
    },
  };
}

t.test('every lasting state is notified, the latest last', async (t) => {
  const chat = listener();
  const publisher = memoryPublisher();
  const engine = await start(memoryStorage(), [bring('chat', chat), bring('publisher', { publisher })]);
  t.teardown(() => engine.close());
  const runId = await stage(engine);
  await chat.until(() => chat.heard.at(-1)?.state === 'staged_raw');
  await engine.approveGateOne(runId, REVIEWER);
  await chat.until(() => chat.heard.at(-1)?.state === 'staged_draft');
  await engine.approveGateTwo(runId, REVIEWER);
  await chat.until(() => chat.heard.at(-1)?.state === 'published');
  const { draft } = await engine.run(runId);
  const shown = chat.heard.find(({ state }) => state === 'staged_draft')?.trailer ?? '';
  t.equal(
    `${draft?.body}${shown.replace('the person who approves', 'ada')}`,
    publisher.issues[0]?.body,
    'chat shows all bytes that publishing adds',
  );
  t.same([chat.heard[0]?.trailer, chat.heard.at(-1)?.trailer], [undefined, undefined]);
  const versions = chat.heard.map(({ version }) => version);
  t.same(
    versions,
    [...new Set(versions)].sort((a, b) => a - b),
    'each once, in order',
  );
  const before = chat.calls;
  await engine.ingest({ crash: { ...crash(1), event_id: 'again' } });
  t.equal(chat.calls, before, 'a counted occurrence is not notified');
});

t.test('a failure is retried, then listed; a later success removes it', async (t) => {
  let down = true;
  const error = new CulpritError(
    'notifier_failed',
    `Chat is away; token ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}.`,
  );
  const chat = listener(() => (down ? error : null));
  const bell = listener();
  const engine = await start(memoryStorage(), [bring('chat', chat), bring('bell', bell)]);
  t.teardown(() => engine.close());
  const runId = await stage(engine);
  await bell.until(() => bell.heard.length === 1);
  await chat.until(async () => (await engine.failedNotifications()).length === 1);
  t.equal(chat.calls, 4, 'the first attempt and one after each delay');
  const [failed] = await engine.failedNotifications();
  t.match(failed, {
    connector: 'chat',
    run_id: runId,
    state: 'staged_raw',
    attempts: 4,
    code: 'notifier_failed',
  });
  t.notMatch(failed?.detail, /ghp_/);
  t.same(
    await engine.approveGateOne(runId, REVIEWER),
    { status: 'analyzed', state: 'staged_draft' },
    'gates do not wait',
  );
  await chat.until(async () => (await engine.failedNotifications())[0]?.state === 'staged_draft');
  t.equal((await engine.failedNotifications()).length, 1, 'one entry for a connector and run');
  down = false;
  await engine.retryNotification('chat', runId);
  await chat.until(async () => (await engine.failedNotifications()).length === 0);
  t.equal(chat.heard.at(-1)?.state, 'staged_draft');
  await t.rejects(engine.retryNotification('nobody', runId), { code: 'not_found' });
});

t.test('a permanent error is not retried; Retry-After is respected', async (t) => {
  const refusing = listener(
    () => new CulpritError('notifier_failed', 'No such channel.', { retryable: false }),
  );
  const waiting = listener((_run, call) =>
    call === 1 ? new CulpritError('notifier_failed', 'Slow down.', { retryAfterMs: 150 }) : null,
  );
  const engine = await start(memoryStorage(), [bring('refusing', refusing), bring('waiting', waiting)]);
  t.teardown(() => engine.close());
  const began = performance.now();
  await stage(engine);
  await refusing.until(async () => (await engine.failedNotifications()).length === 1);
  t.equal(refusing.calls, 1);
  await waiting.until(() => waiting.heard.length === 1);
  t.ok(performance.now() - began >= 145);
});

t.test('a notifier that hangs delays no gate, no other notifier and no shutdown', async (t) => {
  const hanging = listener(() => new Promise(() => {}));
  const bell = listener();
  const engine = await start(memoryStorage(), [bring('hanging', hanging), bring('bell', bell)]);
  const runIds = await Promise.all(Array.from({ length: 12 }, (_, n) => stage(engine, n)));
  await bell.until(() => bell.heard.length === 12);
  t.equal(hanging.most, 4, 'at most four at a time');
  for (const runId of runIds) await engine.approveGateOne(runId, REVIEWER);
  await engine.close();
});

t.test('calls for one run never overlap, and changes during a call are combined', async (t) => {
  let release = () => {};
  const held = new Promise<null>((resolve) => {
    release = () => resolve(null);
  });
  const chat = listener((_run, call) => (call === 1 ? held : null));
  const engine = await start(memoryStorage(), [bring('chat', chat)]);
  t.teardown(() => engine.close());
  const runId = await stage(engine);
  await chat.until(() => chat.calls === 1);
  await engine.approveGateOne(runId, REVIEWER);
  const { draft } = await engine.run(runId);
  await engine.approveGateTwo(runId, REVIEWER, { digest: draft?.digest });
  t.equal(chat.calls, 1);
  release();
  await chat.until(() => chat.heard.at(-1)?.state === 'published');
  t.same(
    chat.heard.map(({ state }) => state),
    ['staged_raw', 'published'],
  );
  t.equal(chat.most, 1);
});

t.test('after a restart only missing notifications are sent', async (t) => {
  const storage = memoryStorage();
  const away = listener((run) => (run.title.includes('boom 2') ? new Error('away') : null));
  const first = await start(storage, [bring('chat', away)], { policy: { notifyPausesMs: [3_600_000] } });
  const notified = await stage(first, 1);
  const missed = await stage(first, 2);
  await away.until(() => away.heard.length === 1 && away.calls === 2);
  await first.close();
  const chat = listener();
  const second = await start(storage, [bring('chat', chat)]);
  await chat.until(() => chat.heard.length === 1);
  await second.close();
  t.same(
    chat.heard.map(({ run_id }) => run_id),
    [missed],
  );
  t.not(notified, missed);
});

t.test('a connector stores small values', async (t) => {
  const contexts: ConnectorContext[] = [];
  const keep = (context: ConnectorContext) => {
    contexts.push(context);
    return {};
  };
  const storage = memoryStorage();
  const early = bring('early', (context) => {
    t.rejects(
      async () => void (await context.values?.get('k')),
      { code: 'storage_unavailable' },
      'not in setup',
    );
    return keep(context);
  });
  const engine = await start(storage, [early, bring('other', keep)]);
  t.teardown(() => engine.close());
  const [one, two] = contexts;
  await one?.values?.set('k', 'mine');
  t.equal(await one?.values?.get('k'), 'mine');
  t.equal(await two?.values?.get('k'), undefined);
  t.equal(await storage.values.get('k'), undefined);
  await one?.values?.delete('k');
  t.equal(await one?.values?.get('k'), undefined);
});

t.test('the contract suite finds violations', async (t) => {
  const subject =
    (notify: (run: Run, sent: string[]) => Promise<void>) => async (): Promise<NotifierSubject> => {
      const sent: string[] = [];
      return { notifier: { notify: (run) => notify(run, sent) }, sent: () => sent.join('\n') };
    };
  const broken = async (make: () => Promise<NotifierSubject>) => {
    const names: string[] = [];
    for (const law of notifierContract) await law.run(make).catch(() => names.push(law.name));
    return names.length;
  };
  t.equal(await broken(subject(async (run, sent) => void sent.push(run.run_id))), 0);
  t.equal(await broken(subject(async () => {})), 2);
  t.equal(
    await broken(subject(async (run, sent) => void sent.push(run.run_id, run.title))),
    1,
    'a secret is sent',
  );
  t.equal(isCulpritError(null), false);
  t.notSame(hostileRun(), makeRun());
});
