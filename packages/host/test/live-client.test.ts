import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  connectLive,
  type LiveClient,
  type LiveEvents,
  type LiveMessage,
  OPEN_STATES,
} from '@culprit/client/live';
import type { RunSummary } from '@culprit/core';
import { CLOSED_STATES, RUN_STATES, summarise } from '@culprit/core/internal/domain/run';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import { makeRun } from '@culprit/core/testing';
import t from 'tap';
import * as v from 'valibot';
import { WebSocket } from 'ws';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { isFull, randomBetween, seed } from '../../../bench/faults/lib/random.mjs';
import { liveMessageSchema } from '../src/server/live/protocol.js';
import { coreBench, GATEWAY, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { cuttingProxy } from './support/cutting-proxy.js';
import { type Ask, httpClient } from './support/http-client.js';
import { openSocket } from './support/websocket-client.js';

const BIN = fileURLToPath(new URL('../dist/bin/culprit.js', import.meta.url));
const OPEN = 'staged_raw,analyzing,staged_draft,publishing';
const QUICK = [2, 5, 10, 20];

function event<Name extends keyof LiveEvents>(
  client: LiveClient,
  name: Name,
  wanted: (given: LiveEvents[Name]) => boolean = () => true,
): Promise<LiveEvents[Name]> {
  return new Promise((resolve) => {
    const stop = client.on(name, (given) => {
      if (!wanted(given)) return;
      stop();
      resolve(given);
    });
  });
}

const byId = (runs: Iterable<RunSummary>) => [...runs].sort((a, b) => (a.run_id < b.run_id ? -1 : 1));

t.test('topics: matching runs, and runs that leave them', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const ada = { name: 'ada', via: 'api' } as const;
  const open = (topics: readonly string[]) => {
    const client = connectLive({ url: core.url, token: TOKEN, topics });
    t.teardown(() => client.close());
    return client;
  };
  const first = await stage();
  const second = await stage();
  const drafts = open(['state:staged_draft']);
  const one = open([`run:${first}`]);
  const none = open(['project:elsewhere', 'state:published']);
  await Promise.all([drafts, one, none].map((client) => event(client, 'snapshot')));
  t.same(
    [drafts, one, none].map(({ runs }) => [...runs.keys()]),
    [[], [first], []],
  );
  const seen: string[] = [];
  for (const [name, client] of Object.entries({ drafts, one, none })) {
    client.on('run', ({ run }) =>
      seen.push(`${name} ${run.run_id === first ? 'first' : 'second'} ${run.state}`),
    );
  }
  const drafted = event(drafts, 'run', ({ run }) => run.state === 'staged_draft');
  await engine.approveGateOne(first, ada);
  await drafted;
  t.same([...drafts.runs.keys()], [first]);
  const left = event(drafts, 'run', ({ open }) => !open);
  const published = event(none, 'run', ({ run }) => run.state === 'published');
  await engine.rejectGateOne(second, ada, { reason: 'no' });
  await engine.approveGateTwo(first, ada);
  await Promise.all([left, published]);
  t.same([...drafts.runs.keys()], [], 'receives runs that leave the state');
  t.same([...none.runs.keys()], [first], 'closed states can be followed');
  t.same(
    seen.filter((line) => line.includes('second')),
    [],
    'no messages about other runs',
  );
  t.equal(seen.filter((line) => line === 'none first published').length, 1, 'one message for two topics');
  const cursor = one.cursor ?? { epoch: '', sequence: 0 };
  const again = connectLive({
    url: core.url,
    token: TOKEN,
    topics: [`run:${second}`],
    since: cursor,
  });
  t.teardown(() => again.close());
  await event(again, 'guard');
  t.same([...again.runs.keys()], []);
  for (const bad of [
    'nonsense',
    'state:gone',
    'run:',
    Array.from({ length: 21 }, (_, at) => `run:${at}`).join(','),
  ]) {
    const refused = openSocket(core.port, `/api/v1/live?topics=${bad}`, { authorization: `Bearer ${TOKEN}` });
    t.match(await refused.catch((error: unknown) => error), { status: 400 }, bad.slice(0, 20));
  }
});

t.test('a reader that does not read is closed with a reason and does not delay others', async (t) => {
  const { api, core, engine, close } = await coreBench();
  t.teardown(close);
  const slow = await openSocket(core.port, '/api/v1/live', { authorization: `Bearer ${TOKEN}` });
  await slow.next();
  slow.pause();
  const quick = connectLive({ url: core.url, token: TOKEN });
  t.teardown(() => quick.close());
  await event(quick, 'snapshot');
  const states: string[] = [];
  quick.on('state', ({ state }) => states.push(state));
  const title = 'x'.repeat(200);
  const readers = async () =>
    Number(/^culprit_live_sockets (\d+)$/m.exec((await api({ path: '/metrics' })).text)?.[1]);
  // The system buffers an unknown number of bytes for a reader that does not read.
  for (let batch = 0; (await readers()) === 2; batch++) {
    const ids = Array.from({ length: 100 }, (_, at) => `flood-${batch}-${at}`);
    const arrived = event(quick, 'run', () => quick.runs.size === (batch + 1) * ids.length);
    const fingerprint = Array.from({ length: 8 }, () => title.repeat(4));
    await Promise.all(
      ids.map((id) =>
        engine.ingest({
          crash: { event_id: id, message: `${title} ${id}`, fingerprint: [id, ...fingerprint] },
        }),
      ),
    );
    await arrived;
  }
  t.same(states, [], 'the other reader received every batch without a reconnect');
  slow.resume();
  t.match(await slow.closed, { code: 4008, reason: /too slow/ });
});

t.test('150 readers: each receives every change once and in order, also when resuming', async (t) => {
  const { core, stage, close } = await coreBench();
  t.teardown(close);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  // Enough readers for core to batch changes.
  const crowd = (query: string) =>
    Promise.all(Array.from({ length: 150 }, () => openSocket(core.port, `/api/v1/live${query}`, bearer)));
  const here = await crowd('');
  const [first] = await Promise.all(here.map((reader) => reader.next()));
  const { epoch, sequence } = first as { readonly epoch: string; readonly sequence: number };
  const changes = 60;
  const staging = Promise.all(Array.from({ length: changes }, () => stage()));
  const back = await crowd(`?since=${epoch}.${sequence}`);
  await staging;
  const numbers = async (reader: (typeof here)[number]) => {
    const got: number[] = [];
    while (got.length < changes) {
      const message = await reader.next();
      if (message.type === 'run') got.push(Number(message.sequence) - sequence);
    }
    reader.end();
    return got.join(' ');
  };
  const got = new Set(await Promise.all([...here, ...back].map(numbers)));
  t.same([...got], [Array.from({ length: changes }, (_, at) => at + 1).join(' ')]);
});

t.test('snapshot, changes, closed runs, guard figures', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const first = await stage();
  const client = connectLive({ url: core.url, token: TOKEN });
  t.teardown(() => client.close());
  t.same([...client.runs], []);
  t.match(await event(client, 'snapshot'), { reset: false, complete: true, runs: [{ run_id: first }] });
  t.equal(client.state, 'live');
  const appeared = event(client, 'run');
  const second = await stage();
  t.match(await appeared, { before: null, open: true, run: { run_id: second, state: 'staged_raw' } });
  const closed = event(client, 'run', ({ open }) => !open);
  await engine.rejectGateOne(second, { name: 'ada', via: 'api' }, { reason: 'no' });
  t.match(await closed, { before: { state: 'staged_raw' }, run: { run_id: second, state: 'rejected' } });
  t.same([...client.runs.keys()], [first]);
  const guard = event(client, 'guard', (all) => all.length > 0);
  await httpClient(core.port)({
    method: 'POST',
    path: '/internal/v1/deliveries',
    headers: { host: `127.0.0.1:${core.port}`, authorization: `Bearer ${GATEWAY}` },
    body: { edge: 'edge-1', deliveries: [], guard: { spool: { depth: 3 } } },
  });
  t.match(await guard, [{ edge: 'edge-1', figures: { spool: { depth: 3 } } }]);
  const elsewhere = connectLive({
    url: core.url,
    token: TOKEN,
    since: { epoch: 'of-another-store', sequence: 7 },
  });
  t.match(await event(elsewhere, 'snapshot'), { reset: true }, 'reports the reset');
  const { cursor } = elsewhere;
  elsewhere.close();
  const later = connectLive({ url: core.url, token: TOKEN, ...(cursor && { since: cursor }) });
  const change = event(later, 'run');
  const third = await stage();
  t.match(await change, { run: { run_id: third } }, 'resumed without a snapshot');
  later.close();
  client.close();
  t.equal(client.state, 'closed');
});

t.test('credentials, versions, a rejected handshake, the end of a session', async (t) => {
  const { core, bare, close } = await coreBench();
  t.teardown(close);
  const wrong = connectLive({ url: core.url, token: 'wrong', pausesMs: QUICK });
  t.match(await event(wrong, 'state', ({ state }) => state === 'closed'), {
    detail: /Unknown reviewer token/,
    reason: 'signed_out',
  });
  const refused = await bare({
    path: '/api/v1/live?version=2',
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  t.match(refused, { status: 400, json: { path: 'version', detail: /uses version 1/ } });
  const other = connectLive({
    url: core.url,
    token: TOKEN,
    WebSocket: class extends WebSocket {
      constructor(url: string, ...rest: never[]) {
        super(url.replace('version=1', 'version=2'), ...rest);
      }
    },
    fetch: (url, init) => fetch(String(url).replace('version=1', 'version=2'), init),
  });
  t.match(await event(other, 'state', ({ state }) => state === 'closed'), {
    detail: /uses version 1/,
    reason: 'unsupported_version',
  });
  t.throws(() => connectLive({ url: 'nonsense' }), TypeError);

  let tries = 0;
  /** For a rejected handshake Node 22 emits an error event without a close event. */
  class OnlyErrors {
    addEventListener(type: string, listener: (event: object) => void) {
      if (type === 'error') queueMicrotask(() => listener({ type }));
      if (type === 'open') tries += 1;
    }
    close() {}
  }
  const silent = connectLive({ url: core.url, token: TOKEN, WebSocket: OnlyErrors, pausesMs: QUICK });
  while (tries < 3) await event(silent, 'state', ({ state }) => state === 'connecting');
  silent.close();

  const session = await bare({ method: 'POST', path: '/api/v1/session', body: { token: OTHER_TOKEN } });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  const page = connectLive({
    url: core.url,
    WebSocket: class extends WebSocket {
      constructor(url: string) {
        super(url, { headers: { cookie, origin: core.url } });
      }
    },
  });
  await event(page, 'snapshot');
  await bare({ method: 'DELETE', path: '/api/v1/session', headers: { cookie, origin: core.url } });
  t.match(await event(page, 'state', ({ state }) => state === 'closed'), { detail: 'signed out' });
});

t.test('more open runs than fit in one message, with concurrent changes', async (t) => {
  const { core, api, engine, close } = await coreBench();
  t.teardown(close);
  const ids: string[] = [];
  for (let n = 0; n < 450; n++) {
    const { run_id } = await engine.ingest({
      crash: { event_id: `e${n}`, message: 'm', fingerprint: [`f${n}`] },
    });
    if (run_id !== null) ids.push(run_id);
  }
  let asked = 0;
  const client = connectLive({
    url: core.url,
    token: TOKEN,
    pausesMs: QUICK,
    async fetch(url, init) {
      // Runs of the page change, close and move before it arrives.
      const response = await fetch(url, init);
      asked += 1;
      if (asked === 2) throw new TypeError('fetch failed');
      const body = await response.text();
      await engine.rejectGateOne(ids[asked] ?? '', { name: 'ada', via: 'api' }, { reason: 'no' });
      await engine.rejectGateOne(ids[220 + asked] ?? '', { name: 'ada', via: 'api' }, { reason: 'no' });
      await engine.ingest({
        crash: { event_id: `again${asked}`, message: 'm', fingerprint: [`f${50 + asked}`] },
      });
      return new Response(body, { status: response.status });
    },
  });
  t.teardown(() => client.close());
  t.match(await event(client, 'snapshot'), { complete: false });
  await event(client, 'complete');
  t.equal(client.complete, true);
  const { run_id: last } = await engine.ingest({
    crash: { event_id: 'last', message: 'm', fingerprint: ['last'] },
  });
  if (!client.runs.has(last ?? '')) await event(client, 'run', ({ run }) => run.run_id === last);
  const shown: RunSummary[] = [];
  for (let cursor = ''; cursor !== 'null'; ) {
    const path = `/api/v1/runs?state=${OPEN}&limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { json } = await api({ path });
    shown.push(...json.runs);
    cursor = String(json.next);
  }
  t.equal(shown.length, 451 - 2 * (asked - 1));
  t.same(byId(client.runs.values()), byId(shown));
});

t.test('messages take precedence over pages', async (t) => {
  const run = (n: number, state: RunSummary['state'], version = 1) =>
    summarise(makeRun(state, { run_id: `run_${n}`, version }));
  const base = { version: 1, epoch: 'e', guard: [], reset: false } as const;
  const socket = new EventTarget();
  const pages = [
    { runs: [run(1, 'staged_raw', 0), run(2, 'staged_raw', 1), run(3, 'staged_raw')], next: 'more' },
    { runs: [run(4, 'staged_raw', 1)], next: null },
  ];
  const feed = (message: LiveMessage) =>
    socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  const client = connectLive({
    url: 'http://core.example',
    WebSocket: class {
      constructor() {
        queueMicrotask(() => socket.dispatchEvent(new Event('open')));
      }
      addEventListener = socket.addEventListener.bind(socket);
      close() {}
    },
    async fetch() {
      if (pages.length === 1) feed({ type: 'run', sequence: 7, run: run(4, 'analyzing', 3) });
      return Response.json(pages.shift());
    },
  });
  t.teardown(() => client.close());
  await event(client, 'state', ({ state }) => state === 'connecting');
  const gaps: string[] = [];
  client.on('state', ({ reason }) => void (reason === null || gaps.push(reason)));
  const snapshot = {
    type: 'snapshot',
    ...base,
    sequence: 5,
    runs: [run(1, 'staged_raw')],
    more: true,
  } as const;
  const complete = event(client, 'complete');
  await new Promise(setImmediate);
  feed(snapshot);
  feed({ type: 'run', sequence: 6, run: run(2, 'rejected', 2) });
  feed({ type: 'run', sequence: 6, run: run(9, 'staged_raw') });
  await complete;
  t.same(
    byId(client.runs.values()).map(({ run_id, version }) => [run_id, version]),
    [
      ['run_1', 1],
      ['run_3', 1],
      ['run_4', 3],
    ],
  );
  t.ok(client.complete);
  feed({ type: 'run', sequence: 9, run: run(9, 'staged_raw') });
  t.same([gaps, client.state, client.cursor?.sequence], [['gap'], 'waiting', 7], 'a gap is not applied');
  t.ok(v.is(liveMessageSchema, JSON.parse(JSON.stringify(snapshot))), 'the types match the schema');
  t.same(
    OPEN_STATES,
    RUN_STATES.filter((state) => !CLOSED_STATES.includes(state)),
    'the client and core agree which runs are open',
  );
});

interface Child {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Uses a new port each time, because another connection may occupy the old one. */
async function startCore(directory: string, proxyPort: number): Promise<Child> {
  const child = spawn(process.execPath, [BIN, 'core', '--data', directory, '--core-port', '0'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      REVIEWER_TOKENS: `ada:${TOKEN}`,
      INTERNAL_GATEWAY_SECRET: GATEWAY,
      ALLOWED_HOSTS: `127.0.0.1:${proxyPort}`,
      LOG_LEVEL: 'error',
    },
  });
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    { port?: number },
  ];
  if (message?.port === undefined) throw new Error('core did not start');
  return { process: child, port: message.port };
}

/** How often the connection is cut. */
const CUTS = isFull ? 40 : 12;

t.test(
  'property: random disconnects and restarts of core: the same runs as the API',
  { timeout: 600_000 },
  async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'culprit-live-'));
    const proxy = await cuttingProxy();
    let core = await startCore(directory, proxy.port);
    proxy.target(core.port);
    t.teardown(async () => {
      core.process.kill('SIGKILL');
      await proxy.close();
      await removeFolder(directory);
    });
    const http = (asked: Ask, token: string) =>
      httpClient(core.port, { host: `127.0.0.1:${core.port}`, authorization: `Bearer ${token}` })(asked);
    const ask = (asked: Ask) => http(asked, TOKEN);
    const deliver = (deliveries: readonly object[]) =>
      http(
        { method: 'POST', path: '/internal/v1/deliveries', body: { edge: 'edge-1', deliveries } },
        GATEWAY,
      );
    const random = (below: number) => randomBetween(0, below);
    const runs = new Set<string>();
    let sequence = 0;

    /** Creates, counts and rejects some runs. Core may be down at any time. */
    const stir = async () => {
      const deliveries = Array.from({ length: 1 + random(4) }, () => {
        const n = ++sequence;
        const crash = { event_id: `e${n}`, message: `boom ${n}`, fingerprint: [`f${random(60)}`] };
        return makeDelivery({ sequence: n, event_id: `e${n}`, crash });
      });
      const answer = await deliver(deliveries);
      for (const { run_id } of answer.json?.outcomes ?? []) if (run_id !== null) runs.add(run_id);
      const some = [...runs][random(runs.size)];
      if (random(3) > 0 || some === undefined) return;
      const gate = random(2) === 0 ? 'gate1/approve' : 'gate1/reject';
      const body = gate === 'gate1/reject' ? { reason: 'noise' } : {};
      await ask({ method: 'POST', path: `/api/v1/runs/${some}/${gate}`, body });
    };

    const client = connectLive({
      url: `http://127.0.0.1:${proxy.port}`,
      token: TOKEN,
      pausesMs: QUICK,
    });
    t.teardown(() => client.close());
    const seen = { snapshots: 0, resets: 0, losses: 0, runs: 0 };
    let before = 'connecting';
    client.on('state', ({ state }) => {
      if (state === 'waiting' && before === 'live') seen.losses += 1;
      before = state;
    });
    client.on('snapshot', ({ reset }) => {
      seen.snapshots += 1;
      if (reset) seen.resets += 1;
    });
    client.on('run', () => {
      seen.runs += 1;
    });
    await event(client, 'snapshot');
    proxy.cutAfter(() => (random(4) === 0 ? random(400) : random(9_000)));
    proxy.cutAll();
    let restarts = 0;
    let due = CUTS / 4;
    while (proxy.cuts < CUTS || seen.losses < CUTS) {
      await stir().catch(() => {});
      if (random(3) === 0) proxy.cutAll();
      if (proxy.cuts < due) continue;
      due += CUTS / 2;
      restarts += 1;
      core.process.kill(random(2) === 0 ? 'SIGKILL' : 'SIGTERM');
      await once(core.process, 'exit');
      core = await startCore(directory, proxy.port);
      proxy.target(core.port);
    }
    proxy.cutAfter(() => null);
    const cuts = proxy.cuts;
    proxy.cutAll();
    const last = `last-${seed}`;
    const crash = { event_id: last, message: 'the end', fingerprint: [last] };
    const { json } = await deliver([makeDelivery({ sequence: ++sequence, event_id: last, crash })]);
    const marker = json.outcomes[0].run_id as string;
    const settled = () =>
      ask({ path: `/api/v1/runs?state=analyzing,publishing` }).then((page) => page.json.runs.length === 0);
    while (!(await settled())) await new Promise((resolve) => setImmediate(resolve));
    const shown = (await ask({ path: `/api/v1/runs?state=${OPEN}&limit=200` })).json;
    const caughtUp = () => {
      const known = new Map(shown.runs.map((run: RunSummary) => [run.run_id, run.updated_at]));
      return (
        client.runs.has(marker) &&
        [...client.runs.values()].every((run) => known.get(run.run_id) === run.updated_at)
      );
    };
    if (!caughtUp()) {
      await new Promise<void>((resolve) => {
        const look = () => caughtUp() && resolve();
        client.on('run', look);
        client.on('snapshot', look);
      });
    }
    t.same(byId(client.runs.values()), byId(shown.runs));
    t.equal(shown.next, null);
    t.ok(cuts >= CUTS && seen.losses >= CUTS && restarts >= 2, `${cuts} cuts, ${restarts} restarts of core`);
    t.comment(
      `${cuts} cuts, ${seen.losses} of them while it was live, ${restarts} restarts, ${seen.runs} changes, ${seen.snapshots} snapshots, ${seen.resets} of them resets, ${runs.size} runs`,
    );
  },
);
