import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Erasure, erasureSettled } from '@culprit/client';
import { storage } from '@culprit/connectors/storage';
import { CulpritError, createEngine, type Logger, silentLogger } from '@culprit/core';
import { endlessTerm } from '@culprit/core/internal/runs/lease';
import t from 'tap';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { type ErasureRecord, erasureRecords, startErasing } from '../src/server/erasures/erasing.js';
import { clientOf, makeToken } from './support/access-kit.js';
import { type CoreBench, coreBench, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import {
  audited,
  clientFor,
  counted,
  everything,
  filesNaming,
  keysNaming,
  PERSON,
} from './support/erasing-kit.js';
import { culprit } from './support/run-culprit.js';
import { webhookReceiver } from './support/webhook-receiver.js';

const skipRedis = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';

const EVENTS = {
  events: ['run.created', 'run.commented'],
  projects: [],
  levels: [],
  environments: [],
} as const;
/** Crashes that name the person, through both gates and all that is stored beside runs. */
async function plant(bench: CoreBench, api: Client): Promise<readonly [string, string, string]> {
  const [first, second, third] = [
    await bench.stage(`cart of ${PERSON}`),
    await bench.stage(`receipt for ${PERSON.toUpperCase()}`),
    await bench.stage('nobody is named'),
  ];
  await api.commentOnRun({ run_id: first, comment: `asked ${PERSON}` });
  await api.rejectGateOne({ run_id: second, reason: `as ${PERSON} said` });
  await api.approveGateOne({ run_id: first });
  (await api.saveView({ name: 'Theirs', address: `?search=${encodeURIComponent(PERSON)}` })).views;
  return [first, second, third];
}

async function erased(api: Client, person = PERSON): Promise<Erasure> {
  const { erasure_id, digest } = await counted(api, person);
  await api.erasePerson({ erasure_id, person, digest: digest ?? '' });
  return erasureSettled(api, erasure_id);
}

t.test('count, confirm, erase: while core runs, on a file store', async (t) => {
  const data = t.testdir();
  const lines: string[] = [];
  const log = (...parts: unknown[]) => void lines.push(JSON.stringify(parts));
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const bench = await coreBench({ logger }, `file:${data}`);
  t.teardown(bench.close);
  const api = clientFor(bench);
  const [first, second, third] = await plant(bench, api);
  t.ok((await everything(api, [first, second, third])).includes(PERSON));

  const found = await counted(api);
  t.match(found, {
    state: 'counted',
    by: 'ada',
    digest: /^[0-9a-f]{64}$/,
    runs: 3,
    looked_at: 3,
    error: null,
  });
  t.match(found.found, { runs: 2, events: 2, evidence: 1, history: 2, tokens: 0, sessions: 0, issues: [] });
  t.ok(found.found.fields > found.found.events && found.found.values > 0, 'fields and views');
  t.ok((await everything(api, [first])).includes(PERSON), 'counting changes nothing');
  const other = (await bench.engine.values.get('erasures')) ?? '';
  t.notOk(other.includes(PERSON), 'whom it was about is not kept while it waits');

  const { erasure_id, digest } = found;
  const refusals = [
    [`${PERSON}.uk`, digest],
    [PERSON, '0'.repeat(64)],
  ] as const;
  for (const [person, sent] of refusals)
    await t.rejects(api.erasePerson({ erasure_id, person, digest: sent ?? '' }), {
      status: 409,
      code: 'erasure_changed',
      message: /Count again/,
    });

  const more = await bench.stage(`refund for ${PERSON}`);
  await api.erasePerson({ erasure_id, person: PERSON, digest: digest ?? '' });
  const changed = await erasureSettled(api, erasure_id);
  t.match([changed.state, changed.found.runs], ['changed', 3], 'a run that nobody has confirmed');
  t.not(changed.digest, digest);
  t.ok((await everything(api, [first])).includes(PERSON), 'nothing was erased');
  await t.rejects(api.erasePerson({ erasure_id, person: PERSON, digest: digest ?? '' }), {
    code: 'erasure_changed',
  });
  await api.erasePerson({ erasure_id, person: PERSON.toUpperCase(), digest: changed.digest ?? '' });
  const done = await erasureSettled(api, erasure_id);
  t.match(done, { state: 'done', digest: null, ended_at: /Z$/ });
  t.same(done.found, changed.found, 'what was shown was erased');

  t.notOk((await everything(api, [first, second, third, more])).includes(PERSON));
  for (const id of [first, second, more]) {
    const entry = (await api.getHistory({ run_id: id })).entries.find(({ name }) => name === 'person.erased');
    t.match(entry, { by: 'ada', via: 'api', kind: 'decision', detail: { erasure: erasure_id } });
  }
  t.match(await audited(`file:${data}`), { verified: true, findings: [], erased: 2 });
  t.notOk((await api.getHistory({ run_id: third })).entries.some(({ name }) => name === 'person.erased'));
  t.same((await api.listRuns({ q: 'okafor' })).runs, [], 'searches do not find the name');
  t.same(filesNaming(data), [], 'no byte of the store, while core runs');
  t.notOk(lines.join().includes(PERSON), 'no line of the log');
  t.match((await api.listErasures()).erasures, [{ erasure_id, state: 'done', by: 'ada' }]);
  t.match((await counted(api)).found, { runs: 0, events: 0, fields: 0, values: 0 });
});

t.test(
  'sessions and tokens of the person end; an operator who erases themself is not named again',
  async (t) => {
    const bench = await coreBench();
    t.teardown(bench.close);
    const run = await bench.stage('by grace');
    const grace = clientOf(bench, OTHER_TOKEN);
    const made = await makeToken({ ...bench, api: grace }, { name: 'job', scopes: ['read'] });
    const signedIn = await bench.bare({
      ...{ method: 'POST', path: '/api/v1/session', body: { token: OTHER_TOKEN } },
      headers: { origin: bench.core.url },
    });
    t.equal(signedIn.status, 200);
    const api = clientFor(bench, OTHER_TOKEN);
    await api.commentOnRun({ run_id: run, comment: 'mine' });
    t.match((await counted(api, 'grace')).found, { tokens: 1, sessions: 1, runs: 1 });
    t.match(await erased(api, 'grace'), { state: 'done', by: '[erased]', found: { tokens: 1, sessions: 1 } });
    t.equal((await clientOf(bench, made.token)({ path: '/api/v1/runs' })).status, 401);
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
    t.equal((await bench.bare({ path: '/api/v1/runs', headers: { cookie } })).status, 401);
    const entry = (await api.getHistory({ run_id: run })).entries.find(
      ({ name }) => name === 'person.erased',
    );
    t.match(entry, { by: null, kind: 'decision' });
    t.notOk(JSON.stringify((await clientFor(bench).getHistory({ run_id: run })).entries).includes('grace'));
  },
);

t.test('what a webhook still has to send loses the person, also in memory', async (t) => {
  const receiver = await webhookReceiver(() => ({ status: 500 }));
  t.teardown(receiver.close);
  const bench = await coreBench({
    webhooks: { allowedHosts: ['127.0.0.1'], pausesMs: Array.from({ length: 1_000 }, () => 200) },
  });
  t.teardown(bench.close);
  const api = clientFor(bench);
  await api.createWebhook({ name: 'all', url: receiver.url, ...EVENTS });
  await bench.stage(`cart of ${PERSON}`);
  await receiver.until(() => receiver.received.length > 0);
  const waiting = async () => {
    const ids = JSON.parse((await bench.engine.values.get('webhook:batches')) ?? '[]') as string[];
    return Promise.all(ids.map((id) => bench.engine.values.get(`webhook:batch:${id}`)));
  };
  while (!/"failures":[1-9]/.test((await waiting()).join())) await sleep(20);
  t.ok((await waiting()).join().includes(PERSON));
  t.match(await erased(api), { state: 'done' });
  t.notOk((await waiting()).join().includes(PERSON));
  t.match((await waiting()).join(), /"failures":[1-9]/, 'the delivery still waits');
  const sent = receiver.received.length;
  await receiver.until(() => receiver.received.length > sent + 1);
  const bodies = receiver.received.map(({ body }) => body.includes(PERSON));
  t.same([bodies[0], bodies.at(-1)], [true, false], 'what is sent from memory');
  t.notOk((await waiting()).join().includes(PERSON), 'and written again after it');
});

t.test('credentials that ended are announced before the walk goes on, which may fail', async (t) => {
  const engine = await createEngine({ connectors: [storage({ url: 'memory:' })], logger: silentLogger });
  t.teardown(() => engine.close());
  const records = erasureRecords(engine.values);
  const none = { runs: 0, events: 0, fields: 0, evidence: 0, drafts: 0, history: 0, values: 0 };
  const at = new Date().toISOString();
  const record: ErasureRecord = {
    ...{ id: 'era_1', person: 'grace', looked: 0, all: 0, started_at: at, erasing_since: at },
    ...{ ended_at: null, scope: '', digest: null, error: null },
    state: 'erasing',
    stage: 'values',
    by: { name: 'ada', via: 'api' },
    found: { ...none, tokens: 0, sessions: 0, issues: [] },
  };
  await records.change(() => [record]);
  const announced: string[] = [];
  let changes = 0;
  const erasing = startErasing({
    tokens: { changed: () => void changes++ },
    ended: async (key) => void announced.push(key),
    erasure: {
      countRuns: async () => 0,
      async *walk() {
        yield {
          ...{ part: 'values', found: {}, looked: 1, scope: '' },
          credentials: [
            ['sessions', 'session:1'],
            ['tokens', 'tok_1'],
          ],
        } as const;
        throw new CulpritError('internal', 'The storage is damaged.');
      },
      compact: async () => {},
    },
    deliveries: { erase: async () => {} },
    term: endlessTerm(),
    ...{ records, shared: true, logger: silentLogger, now: Date.now },
  });
  while ((await records.get())[0]?.state !== 'failed') await sleep(10);
  await erasing.close();
  t.same([announced, changes], [['session:1', 'token:tok_1'], 1]);
});

t.test('a person with a word of ours as their name, or a number', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  const api = clientFor(bench);
  const run = await bench.stage('for 404');
  for (const person of ['api', '404']) t.match(await erased(api, person), { state: 'done', by: 'ada' });
  t.match(await api.getRun({ run_id: run }), { state: 'staged_raw', event: { message: 'for [erased]' } });
  t.equal((await api.listErasures()).erasures.length, 2);
});

t.test('the command line asks a running core', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  const api = clientFor(bench);
  const [first] = await plant(bench, api);
  const env = { CULPRIT_URL: bench.core.url, CULPRIT_TOKEN: TOKEN };
  const run = (...args: string[]) => culprit(['erase', '--user', PERSON, ...args], { env });
  const dry = await run('--dry-run', '--json');
  t.equal(dry.code, 0, dry.stderr);
  t.match(JSON.parse(dry.stdout), { runs: 2, events: 2, spool: 0 });
  t.match(await run(), { code: 2, stderr: /--dry-run/ });
  t.ok((await everything(api, [first])).includes(PERSON));
  t.match(await run('--yes'), { code: 0, stdout: /runs +2[\s\S]*Erased\./ });
  t.notOk((await everything(api, [first])).includes(PERSON));
  const list = await culprit(['erase', 'list'], { env });
  t.match(list, { code: 0, stdout: /^\S+ +done +by ada .* ended .* 2 runs/m });
  t.notOk(list.stdout.includes(PERSON), 'the list does not say who was erased');
  const { erasures } = JSON.parse((await culprit(['erase', 'list', '--json'], { env })).stdout);
  t.same(erasures, (await api.listErasures()).erasures);
  t.match(await run('list'), { code: 2, stderr: /takes no --user/ });
  t.match(
    await culprit(['erase', '--user', PERSON, '--dry-run'], { env: { ...env, CULPRIT_TOKEN: 'wrong' } }),
    {
      code: 4,
      stderr: /refuses the token/,
    },
  );
  t.match(await run('--url', bench.core.url, '--data', t.testdir(), '--yes'), {
    code: 2,
    stderr: /Pass one/,
  });
  t.match(
    await culprit(['erase', '--user', PERSON, '--dry-run', '--json', '--data', t.testdir()], { env }),
    { code: 0, stdout: /"runs": 0/ },
    '--data names a storage, not the running core',
  );
});

t.test(
  'Redis: one erasure for all cores, and it reaches the core that sends webhooks',
  { skip: skipRedis },
  async (t) => {
    const redis = await startRedis();
    t.teardown(redis.close);
    const receiver = await webhookReceiver(() => ({ status: 500 }));
    t.teardown(receiver.close);
    const webhooks = { allowedHosts: ['127.0.0.1'], pausesMs: [60_000] };
    const one = await coreBench({ webhooks }, redis.url());
    t.teardown(one.close);
    const api = clientFor(one);
    await api.createWebhook({ name: 'all', url: receiver.url, ...EVENTS });
    const ids = await plant(one, api);
    await receiver.until(() => receiver.received.length > 0);
    const two = await coreBench({ webhooks }, redis.url());
    t.teardown(two.close);
    const other = clientFor(two);
    const found = await counted(other);
    t.match(await api.getErasure({ erasure_id: found.erasure_id }), {
      state: 'counted',
      digest: found.digest,
    });
    await other.erasePerson({ erasure_id: found.erasure_id, person: PERSON, digest: found.digest ?? '' });
    t.match(await erasureSettled(api, found.erasure_id), { state: 'done', found: { runs: 2 } });
    for (const client of [api, other]) t.notOk((await everything(client, ids)).includes(PERSON));
    t.same(await keysNaming(redis), []);
  },
);
