import { spawnSync } from 'node:child_process';
import { LIVE_CLOSE } from '@culprit/client/live';
import t, { type Test } from 'tap';
import { type RedisServer, startRedis } from '../../connectors/test/support/redis-server.js';
import { coreBench, GATEWAY, TOKEN } from './support/core-bench.js';
import { httpClient } from './support/http-client.js';
import { openSocket } from './support/websocket-client.js';

const skip = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';
const bearer = { authorization: `Bearer ${TOKEN}` };

/** Two cores on one Redis that loses its data on restart. */
async function twoCores(t: Test) {
  const redis = await startRedis('--appendonly', 'no');
  t.teardown(() => redis.close());
  const cores = [await coreBench({}, redis.url()), await coreBench({}, redis.url())] as const;
  for (const { close } of cores) t.teardown(close);
  return { redis, one: cores[0], other: cores[1] };
}

t.test('cores share the reports of edges and the commands to them', { skip }, async (t) => {
  const { one, other } = await twoCores(t);
  const send = async (core: typeof one, body: object) =>
    (
      await httpClient(core.core.port)({
        method: 'POST',
        path: '/internal/v1/deliveries',
        headers: { host: core.host, authorization: `Bearer ${GATEWAY}` },
        body: { edge: 'edge-1', deliveries: [], ...body },
      })
    ).json;
  const report = { guard: { spool: { depth: 3 } }, limits: {}, dead_letters: [] };
  t.same((await send(one, report)).commands, []);
  const edges = async () => (await other.api({ path: '/api/v1/edges' })).json.edges;
  for (let heard = await edges(); heard.length === 0; heard = await edges()) await pause();
  t.match(await edges(), [{ edge: 'edge-1', figures: report.guard, commands: [] }]);

  const body = { kind: 'resend', sequences: 'all' };
  const { json } = await other.api({ method: 'POST', path: '/api/v1/edges/edge-1/commands', body });
  t.same((await send(one, report)).commands, [{ id: json.id, action: body }], 'from any core');
  const done = [{ id: json.id, ok: true, detail: 'nothing to send' }];
  t.same((await send(other, { ...report, done })).commands, []);
  t.match((await one.api({ path: '/api/v1/edges' })).json.edges[0].commands, [
    { id: json.id, status: 'done' },
  ]);
});

t.test('cores share sessions', { skip }, async (t) => {
  const { one, other } = await twoCores(t);
  const body = { token: TOKEN };
  const { headers, status } = await one.bare({ method: 'POST', path: '/api/v1/session', body });
  t.equal(status, 200);
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const runs = (core: typeof one) => core.bare({ path: '/api/v1/runs', headers: { cookie } });
  t.equal((await runs(other)).status, 200);
  const origin = { cookie, origin: `http://${one.host}` };
  const feed = await openSocket(other.core.port, '/api/v1/live', { cookie, origin: other.core.url });
  t.match(await feed.next(), { type: 'snapshot' });
  t.match(await one.bare({ method: 'DELETE', path: '/api/v1/session', headers: origin }), { status: 204 });
  t.equal((await runs(other)).status, 401);
  t.match(await feed.closed, { code: LIVE_CLOSE.signed_out }, 'the other core ends the live feed');
});

t.test('Redis fails over and loses data: live readers reconnect and start over', { skip }, async (t) => {
  const { redis, one, other } = await twoCores(t);
  await one.stage();
  const reader = await openSocket(other.core.port, '/api/v1/live', bearer);
  const { epoch, sequence } = await reader.next();
  await one.stage('seen');
  t.match(await reader.next(), { type: 'run', sequence: Number(sequence) + 1 });
  await failOver(redis);
  t.match(await reader.closed, { code: LIVE_CLOSE.storage });
  await ready(one);
  // The new Redis is empty and assigns the same numbers again.
  const runs = [await one.stage('after'), await one.stage('after that')];
  const live = `/api/v1/live?since=${epoch}.${sequence}`;
  const back = await openSocket(other.core.port, live, bearer);
  const snapshot = await back.next();
  t.match(snapshot, { type: 'snapshot', reset: true, sequence: 2 });
  t.not(snapshot.epoch, epoch);
  t.same((snapshot.runs as { run_id: string }[]).map(({ run_id }) => run_id).sort(), runs.sort());
  const run_id = await one.stage('later');
  t.match(await back.next(), { type: 'run', sequence: 3, run: { run_id } }, 'receives later changes');
  back.end();
});

/** Replaces Redis by an empty one. */
async function failOver(redis: RedisServer): Promise<void> {
  await redis.kill();
  await redis.start();
}

async function ready({ api }: { api: ReturnType<typeof httpClient> }): Promise<void> {
  while ((await api({ path: '/api/v1/runs' })).status !== 200) await pause();
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
