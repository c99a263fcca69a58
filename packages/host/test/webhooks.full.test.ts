import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine, silentLogger } from '@culprit/core';
import { EVENT_NAMES, type EventType } from '@culprit/core/internal/domain/webhook-events';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import * as v from 'valibot';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { injectionCorpus } from '../../core/test/support/injection-corpus.js';
import { titleEscapes } from '../../core/test/support/markdown-tree.js';
import { messageSchema } from '../src/webhooks/event-schema.js';
import { axe, boardBench, CHROMIUM, decisionKey, overflow, signIn, visit } from './support/board-bench.js';
import { type CoreBench, coreBench, TOKEN } from './support/core-bench.js';
import { culprit } from './support/run-culprit.js';
import { type Received, webhookReceiver } from './support/webhook-receiver.js';

t.setTimeout(600_000);

const ALLOWED = { allowedHosts: ['127.0.0.1'] };
const ada = { name: 'ada', via: 'api' } as const;
const PATH = '/api/v1/webhooks';
const post = ({ api }: Pick<CoreBench, 'api'>, path: string, body: object = {}) =>
  api({ method: 'POST', path, body });

async function subscribe(bench: Pick<CoreBench, 'api'>, url: string, more: object = {}) {
  const answer = await post(bench, PATH, { name: 'ops', url, events: EVENT_NAMES, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return { id: answer.json.webhook.id as string, secret: answer.json.secret as string };
}

const byType = (received: readonly Received[], type: string) =>
  received.filter(({ json }) => json.type === type);

async function eventually<Found>(look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(20);
  }
}

t.test('a run from crash to issue: each event once, signed, as its schema says', async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const { secret } = await subscribe(bench, `${receiver.url}/all`);
  await subscribe(bench, `${receiver.url}/other`, { projects: ['other'] });
  await subscribe(bench, `${receiver.url}/fatal`, { levels: ['fatal'] });
  await subscribe(bench, `${receiver.url}/staging`, { environments: ['staging'] });
  await subscribe(bench, `${receiver.url}/off`, { enabled: false });
  await subscribe(bench, `${receiver.url}/issues`, { events: ['issue.published'] });
  const id = await bench.stage('boom');
  await bench.engine.comment(id, ada, { comment: 'my token is ghp_0123456789abcdefghijklmnopqrstuvwxyzAB' });
  await bench.engine.approveGateOne(id, ada);
  await bench.engine.approveGateTwo(id, ada);
  await bench.engine.resolve(id, ada);
  const rejected = await bench.stage('other');
  await bench.engine.rejectGateOne(rejected, ada, { reason: 'noise' });
  await receiver.until(() => byType(receiver.received, 'run.rejected').length === 1);
  await receiver.until(() => receiver.received.some(({ path }) => path === '/issues'));
  await receiver.until(() => byType(receiver.received, 'run.fixed').length === 1);

  const all = receiver.received.filter(({ path }) => path === '/all');
  const types = (run: string) =>
    all.filter(({ json }) => json.data.run_id === run).map(({ json }) => json.type);
  const once = (run: string, type: EventType) => types(run).filter((one) => one === type).length;
  for (const type of [
    'run.created',
    'run.commented',
    'run.draft_ready',
    'issue.published',
    'run.fixed',
  ] as const)
    t.equal(once(id, type), 1, type);
  t.equal(once(rejected, 'run.rejected'), 1);
  t.equal(once(id, 'run.state_changed'), 4, 'analyzing, staged_draft, publishing, published');
  const ids = all.map(({ headers }) => headers['webhook-id']);
  t.equal(new Set(ids).size, ids.length, 'every event has its own id');
  t.same([...new Set(receiver.received.map(({ path }) => path))].sort(), ['/all', '/issues'], 'filters');
  t.same(
    byType(
      receiver.received.filter(({ path }) => path === '/issues'),
      'issue.published',
    ).length,
    1,
  );

  const verifier = new Webhook(secret);
  for (const { headers, body, json } of all) {
    t.ok(verifier.verify(body, headers as Record<string, string>), json.type);
    const read = v.safeParse(messageSchema(json.type), json);
    t.ok(read.success, `${json.type}: ${JSON.stringify(read.issues?.map((one) => v.getDotPath(one)))}`);
    t.ok(Buffer.byteLength(body) < 20_000, 'a small message');
  }
  const [comment] = byType(all, 'run.commented');
  t.notMatch(comment?.body, /ghp_0123/, 'secrets are redacted');
  const { json: openapi } = await bench.api({ path: '/openapi.json' });
  t.same(Object.keys(openapi.webhooks).sort(), [...EVENT_NAMES, 'webhook.test'].sort());
});

t.test('made, changed, tested, rotated and deleted; secrets are shown once', async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const { id, secret } = await subscribe(bench, `${receiver.url}/1`);
  for (const method of ['GET', 'POST'])
    t.equal((await bench.bare({ method, path: PATH })).status, 401, 'needs a reviewer');
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const listed = await bench.api({ path: PATH });
  t.notMatch(listed.text, secret.slice(6), 'no list shows it');
  t.match(listed.json.webhooks, [{ id, enabled: true, dead: 0, created_by: 'ada', last_success_at: null }]);

  t.match((await post(bench, `${PATH}/${id}/test`)).json, { ok: true, status: 204, code: 'delivered' });
  const rotated = await post(bench, `${PATH}/${id}/secret`);
  t.match(rotated.json, { secret: /^whsec_/, previous_until: /^\d{4}-/ });
  await post(bench, `${PATH}/${id}/test`);
  const [, later] = receiver.received;
  for (const known of [secret, rotated.json.secret])
    t.ok(new Webhook(known).verify(later?.body ?? '', later?.headers as Record<string, string>), 'both sign');
  await post(bench, `${PATH}/${id}/secret`);
  await post(bench, `${PATH}/${id}/test`);
  const third = receiver.received[2];
  const verify = (known: string) => () =>
    new Webhook(known).verify(third?.body ?? '', third?.headers as Record<string, string>);
  t.throws(verify(secret), 'only one secret before stays');
  t.ok(verify(rotated.json.secret)());

  const changed = { name: 'two', url: `${receiver.url}/2`, events: ['run.created'], levels: ['error'] };
  const put = await bench.api({ method: 'PUT', path: `${PATH}/${id}`, body: changed });
  t.match(put.json, { ...changed, id, enabled: true, projects: [] });
  await bench.stage();
  await receiver.until(() => receiver.received.some(({ path }) => path === '/2'));
  t.match(
    await eventually(async () => {
      const { json } = await bench.api({ path: `${PATH}/${id}` });
      return json.last_success_at !== null && json;
    }),
    { failing_since: null, last_failure: null },
  );
  t.equal((await bench.api({ method: 'DELETE', path: `${PATH}/${id}` })).status, 204);
  t.match(await bench.api({ path: `${PATH}/${id}` }), { status: 404, json: { code: 'not_found' } });
  for (const path of ['/test', '/secret', '/resend'])
    t.match(await post(bench, `${PATH}/${id}${path}`), { status: 404 }, path);
  for (const wrong of [
    { events: [] },
    { events: ['run.exploded'] },
    { name: '' },
    { levels: ['loud'] },
    { secret: 'x' },
  ])
    t.match(
      await post(bench, PATH, { name: 'x', url: receiver.url, events: ['run.created'], ...wrong }),
      { status: 400, json: { code: 'malformed' } },
      JSON.stringify(wrong),
    );
});

t.test('private addresses are refused when a webhook is made, and when its name is resolved', async (t) => {
  const receiver = await webhookReceiver();
  let rebound = false;
  const asked: string[] = [];
  const resolve = ((name: string, _options: object, done: (...args: unknown[]) => void) => {
    asked.push(name);
    const address = rebound ? '127.0.0.1' : '93.184.216.34';
    done(null, [{ address, family: 4 }]);
  }) as never;
  const bench = await coreBench({ webhooks: { resolve } });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const refused = [
    'http://example.com/',
    'https://localhost/',
    'https://a.localhost/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.100.100.200/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://168.63.129.16/',
    'https://0.0.0.0/',
    'https://255.255.255.255/',
    'https://user:password@example.com/',
    'https://example.com/#fragment',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://exa mple.com/',
    'example.com',
  ];
  for (const url of refused)
    t.match(
      await post(bench, PATH, { name: 'x', url, events: ['run.created'] }),
      { status: 400, json: { code: 'malformed', path: 'url' } },
      url,
    );
  // DNS rebinding: the name is public when the webhook is made, and private when it is called.
  const { port } = new URL(receiver.url);
  const { id } = await subscribe(bench, `https://rebind.example:${port}/`);
  rebound = true;
  t.match((await post(bench, `${PATH}/${id}/test`)).json, {
    ok: false,
    status: null,
    code: 'address_refused',
  });
  t.same(asked, ['rebind.example']);
  t.equal(receiver.received.length, 0, 'nothing was sent');
});

t.test(
  'failures are retried, dead deliveries are listed and sent again, 410 turns a webhook off',
  async (t) => {
    let status = 500;
    const receiver = await webhookReceiver(({ path }) => {
      if (path === '/moved') return { status: 302, headers: { location: `${receiver.url}/elsewhere` } };
      return { status: path === '/gone' ? 410 : status };
    });
    const bench = await coreBench({ webhooks: { ...ALLOWED, pausesMs: [1, 1] } });
    t.teardown(async () => {
      await bench.close();
      await receiver.close();
    });
    const events = ['run.created'];
    const failing = await subscribe(bench, `${receiver.url}/failing`, { events });
    const moved = await subscribe(bench, `${receiver.url}/moved`, { events });
    const gone = await subscribe(bench, `${receiver.url}/gone`, { events });
    const run = await bench.stage();
    const dead = (id: string) =>
      eventually(async () => {
        const { json } = await bench.api({ path: `${PATH}/${id}/dead` });
        return json.deliveries.length > 0 && json.deliveries;
      });
    t.match(await dead(failing.id), [{ type: 'run.created', attempts: 3, code: 'refused', status: 500 }]);
    t.match(await dead(moved.id), [{ attempts: 3, code: 'redirected', status: 302 }]);
    t.match(await dead(gone.id), [{ attempts: 1, code: 'gone', status: 410 }]);
    t.notOk(
      receiver.received.some(({ path }) => path === '/elsewhere'),
      'redirects are not followed',
    );
    const attempts = receiver.received.filter(({ path }) => path === '/failing');
    t.equal(attempts.length, 3);
    t.equal(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size, 1, 'one id for all attempts');
    const off = await eventually(async () => {
      const { json } = await bench.api({ path: `${PATH}/${gone.id}` });
      return !json.enabled && json;
    });
    t.match(off, { turned_off: 'gone', dead: 1 });
    t.match((await bench.api({ path: `${PATH}/${failing.id}` })).json, { failing_since: /^\d/, dead: 1 });

    status = 200;
    const flags = ['--url', bench.core.url];
    const env = { CULPRIT_TOKEN: TOKEN };
    const shown = await culprit(['webhooks', 'dead', failing.id, ...flags], { env });
    t.match(shown.stdout, /run_\S+_1_run_created {2}run\.created {2}3× {2}refused \(500\)/);
    const resent = await culprit(['webhooks', 'resend', failing.id, ...flags], { env });
    t.match(resent, { code: 0, stdout: 'Queued: one delivery.\n' });
    await receiver.until(() => receiver.received.filter(({ path }) => path === '/failing').length === 4);
    const last = receiver.received.findLast(({ path }) => path === '/failing');
    t.match(last?.json, { type: 'run.created', data: { run_id: run } });
    t.equal(last?.headers['webhook-id'], attempts[0]?.headers['webhook-id'], 'also when it is sent again');
    t.same((await bench.api({ path: `${PATH}/${failing.id}/dead` })).json, { deliveries: [], next: null });
  },
);

t.test('the command line makes, lists, changes, tests and deletes', async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const env = { CULPRIT_TOKEN: TOKEN };
  const run = (...args: string[]) => culprit(['webhooks', ...args, '--url', bench.core.url], { env });
  t.equal((await run()).stdout, 'No webhooks.\n');
  t.match((await run('events')).stdout, /\nissue\.publish_failed .*\nwebhook\.test .*\n$/);
  const made = await run('create', receiver.url, '--name', 'ops', '--event', 'all', '--level', 'error');
  const id = /wh_[\w-]+/.exec(made.stdout)?.[0] ?? '';
  t.match(made.stdout, /^Made wh_[\w-]{16}\. Its secret.+\nwhsec_/);
  t.match((await run('list')).stdout, new RegExp(`^${id} {2}ops {2}on {2}0 dead {2}${receiver.url}`));
  t.match((await run('test', id)).stdout, /^Status 204\. The receiver accepted the message\. \(\d+ ms\)\n$/);
  t.match((await run('change', id, '--no-filters', '--off', '--event', 'run.created')).stdout, /levels +all/);
  t.match((await run('show', id, '--json')).stdout, /"enabled": false/);
  t.match((await run('rotate', id)).stdout, /^whsec_\S+\nThe previous secret also signs until /);
  t.equal((await run('delete', id)).stdout, 'Deleted.\n');
  t.match(await run('show', id), { code: 3 });
  t.match(await run('create', 'https://10.0.0.1/', '--name', 'x', '--event', 'all'), { code: 2 });
  t.match(await run('create', receiver.url, '--name', 'x'), { code: 2 });
});

t.test('what happened before a restart, and while core was away, is delivered once', async (t) => {
  const folder = await temporaryFolder(t, 'webhooks-');
  const url = `file:${folder}/store`;
  const seen: string[] = [];
  let up = false;
  const receiver = await webhookReceiver(({ headers }) => {
    if (up) seen.push(String(headers['webhook-id']));
    return { status: up ? 200 : 503 };
  });
  t.teardown(() => receiver.close());
  const webhooks = { ...ALLOWED, pausesMs: [50, 50, 50, 100, ...Array(2_000).fill(200)] };
  const first = await coreBench({ webhooks }, url);
  await subscribe(first, receiver.url, { events: ['run.created', 'run.rejected'] });
  const one = await first.stage('before');
  await receiver.until(() => receiver.received.length > 0);
  await first.close();

  const { storage } = await import('@culprit/connectors/storage');
  const auditKey = 'audit-key-of-the-test-000000000000000';
  const alone = await createEngine({ connectors: [storage({ url, auditKey })], logger: silentLogger });
  const crash = { event_id: 'away', message: 'away', fingerprint: ['away'] };
  const { run_id: two } = await alone.ingest({ crash });
  await alone.rejectGateOne(one, ada, { reason: 'known' });
  await alone.close();

  up = true;
  const again = await coreBench({ webhooks }, url);
  t.teardown(() => again.close());
  const wanted = [`${one}_1_run_created`, `${one}_2_run_rejected`, `${two}_1_run_created`].sort();
  await receiver.until(() => wanted.every((id) => seen.includes(id)));
  await eventually(async () => {
    const { json } = await again.api({ path: PATH });
    return json.webhooks[0].failing_since === null;
  });
  t.same(seen.toSorted(), wanted, 'each once');
});

t.test('a slow receiver holds up nobody else', async (t) => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  const receiver = await webhookReceiver(({ path }) => ({
    status: 200,
    ...(path === '/slow' ? { until: held } : {}),
  }));
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    release();
    await bench.close();
    await receiver.close();
  });
  await subscribe(bench, `${receiver.url}/slow`, { events: ['run.created'] });
  await subscribe(bench, `${receiver.url}/quick`, { events: ['run.created'] });
  for (let n = 0; n < 10; n++) await bench.stage();
  const of = (path: string) => receiver.received.filter((got) => got.path === path).length;
  await receiver.until(() => of('/quick') === 10);
  t.equal(of('/slow'), 4, 'at most four at once for one receiver');
  release();
  await receiver.until(() => of('/slow') === 10);
});

const skip = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';

t.test('of several cores on one Redis, one delivers and another takes over', { skip }, async (t) => {
  const redis = await startRedis('--appendonly', 'no');
  const receiver = await webhookReceiver();
  const cores = [
    await coreBench({ webhooks: ALLOWED }, redis.url()),
    await coreBench({ webhooks: ALLOWED }, redis.url()),
  ] as const;
  const closed = new Set<CoreBench>();
  const close = async (core: CoreBench) => {
    if (closed.has(core)) return;
    closed.add(core);
    await core.close();
  };
  t.teardown(async () => {
    for (const core of cores) await close(core);
    await receiver.close();
    await redis.close();
  });
  const [one, other] = cores;
  await subscribe(other, receiver.url, { events: ['run.created'] });
  const stage = async ({ engine }: CoreBench, name: string) => {
    const crash = { event_id: name, message: name, fingerprint: [name] };
    return (await engine.ingest({ crash })).run_id ?? '';
  };
  const ids = [await stage(one, 'from-one'), await stage(other, 'from-the-other')];
  const got = () => receiver.received.map(({ json }) => json.data.run_id);
  await receiver.until(() => ids.every((id) => got().includes(id)));
  await close(one);
  const third = await stage(other, 'after-the-change');
  await receiver.until(() => got().includes(third));
  t.same([...new Set(got())].sort(), [...ids, third].sort());
});

t.test('the injection corpus: no message has a title that mentions, links or hides', async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  await subscribe(bench, receiver.url, { events: ['run.created'] });
  const cases = injectionCorpus().flatMap(({ cases }) => cases);
  for (const [n, { text }] of cases.entries()) {
    const crash = { event_id: `c-${n}`, message: text, fingerprint: [`c-${n}`], release: text.slice(0, 100) };
    await bench.engine.ingest({ crash });
  }
  const runs = new Set<string>();
  await receiver.until(() => {
    for (const { json } of receiver.received) runs.add(json.data.run_id);
    return runs.size >= cases.length;
  });
  const escapes = receiver.received.flatMap(({ json }) => titleEscapes(json.data.title));
  t.same(escapes, []);
  const hidden = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
  t.same(
    receiver.received.filter(({ json }) => hidden.test(JSON.stringify(json.data.release) + json.data.title)),
    [],
  );
});

t.test('a run is handed to webhooks after Gate 2, with the brief, once', async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const id = await bench.stage('[click](https://evil.example) @everyone <b>');
  const path = `/api/v1/runs/${id}/hand-offs`;
  const send = (digest: string | null, to = 'webhook') =>
    bench.api({
      method: 'POST',
      path,
      body: { to },
      headers: digest === null ? {} : { 'if-match': `"${digest}"` },
    });
  await bench.engine.approveGateOne(id, ada);
  const { draft } = await bench.engine.run(id);
  const digest = draft?.digest ?? '';
  t.match(await send(digest), { status: 409, json: { code: 'hand_off_refused' } }, 'no webhook wants it');
  await subscribe(bench, receiver.url, { events: ['run.handed_off'] });
  t.match(await send(digest), { status: 409, json: { code: 'state_conflict' } }, 'before Gate 2');
  await bench.engine.approveGateTwo(id, ada, { digest });
  t.match(await send(null), { status: 428 }, 'bound to a digest');
  t.match(await send('0'.repeat(64)), { status: 412, json: { code: 'draft_changed', digest } });
  t.match(
    await send(digest, 'github'),
    { status: 409, json: { code: 'hand_off_refused' } },
    'not configured',
  );
  t.match(await send(digest, 'elsewhere'), { status: 400 });
  const env = { CULPRIT_TOKEN: TOKEN };
  const handOff = () => culprit(['hand-off', id, '--to', 'webhook', '--url', bench.core.url], { env });
  t.match(await handOff(), { code: 0, stdout: new RegExp(`^Handed ${id} to webhooks: http`) });
  t.match(await handOff(), { code: 0, stdout: /^ada handed .+ at 2.+ Nothing was sent again/ }, 'repeated');
  t.match((await send(digest)).json.hand_offs, [{ to: 'webhook', by: 'ada', digest, state: 'done' }]);
  await receiver.until(() => receiver.received.length > 0);
  await bench.engine.comment(id, ada, { comment: 'later' });
  const [message] = receiver.received;
  t.ok(v.is(messageSchema('run.handed_off'), message?.json), message?.body ?? '');
  const { hand_off } = message?.json.data ?? {};
  t.match(hand_off, { digest, issue_url: (await bench.engine.run(id)).publication?.issue_url });
  t.equal(hand_off.brief, await bench.engine.brief(id));
  t.equal(receiver.received.length, 1, 'once');
});

const noBrowser = CHROMIUM === undefined ? 'needs chromium' : false;

t.test(
  'the board: a webhook is made, tested, rotated, resent to and deleted, by keyboard',
  { skip: noBrowser },
  async (t) => {
    let status = 500;
    const receiver = await webhookReceiver(() => ({ status }));
    const bench = await boardBench(t, { webhooks: { ...ALLOWED, pausesMs: [] } });
    t.teardown(() => receiver.close());
    const { page, problems } = await visit(t, `${bench.core.url}/#/settings/webhooks`);
    await signIn(page);
    await page.getByRole('heading', { name: 'New webhook' }).waitFor();
    await page.getByLabel('Name: who receives it').fill('ops <b>team</b>');
    await page.getByLabel('URL of the receiver').fill(receiver.url);
    for (const name of [/^run\.created/, /^run\.handed_off/]) {
      await page.getByRole('checkbox', { name }).focus();
      await page.keyboard.press('Space');
    }
    await page.getByRole('button', { name: 'Make the webhook' }).focus();
    await page.keyboard.press('Enter');
    const secret = page.getByRole('status', { name: 'The secret' });
    t.match(await secret.locator('code').textContent(), /^whsec_/);
    await bench.stage();
    await receiver.until(() => receiver.received.length > 0);
    const row = page.locator('.cards > li', { hasText: 'ops <b>team</b>' });
    await eventually(async () => (await bench.api({ path: PATH })).json.webhooks[0].dead === 1);
    await row.getByRole('button', { name: /^Test/ }).click();
    await row.getByText('Status 500.').waitFor();
    status = 204;
    await row.getByRole('button', { name: /^Dead deliveries/ }).click();
    const dead = row.getByRole('list', { name: /^Dead deliveries/ });
    await dead.getByText('refused (500), 1 attempt').waitFor();
    await row.getByRole('button', { name: /^Change/ }).click();
    await page.getByRole('heading', { name: 'Change the webhook' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      t.same(await axe(page), [], colorScheme);
    }
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      t.ok((await overflow(page)) <= 0, `${width} px`);
      const { WEBHOOK_VIEWS: views } = process.env;
      if (views !== undefined) await page.screenshot({ path: `${views}/${width}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await row.getByRole('button', { name: /^Send all again/ }).click();
    await receiver.until(() => receiver.received.length === 3);
    await row.getByRole('button', { name: /^Turn off/ }).click();
    await row.getByRole('button', { name: /^Turn on/ }).click();
    await row.getByRole('button', { name: /^Rotate secret/ }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await secret.getByText('The previous secret also signs until').waitFor();

    const id = await bench.stage();
    await bench.engine.approveGateOne(id, ada);
    await bench.engine.approveGateTwo(id, ada);
    await page.goto(`${bench.core.url}/#${id}`);
    await page.getByRole('button', { name: /^Hand over/ }).waitFor();
    const { hand_offs, confirmed } = await handOverWithComments(page, id);
    t.match(hand_offs, [undefined, 'd'.repeat(64)], 'first asked, then confirmed by the digest');
    t.match(confirmed, /also reads a comment on the issue.*linus\u27e8202e\u27e9/s);
    await decisionKey(page, 'h');
    await page
      .getByRole('dialog')
      .getByLabel(/^Webhooks/)
      .check();
    t.same(await axe(page), [], 'the question');
    await page.getByRole('button', { name: 'Hand over', exact: true }).last().click();
    await page.getByText('Handed to webhooks by ada.').waitFor();
    await receiver.until(() => byType(receiver.received, 'run.handed_off').length === 1);

    await page.goto(`${bench.core.url}/#/settings/webhooks`);
    await row.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('No webhooks.').waitFor();
    t.same(problems, []);
  },
);

/** Hands the open run to an agent of a code host on which somebody has commented. Resolves with what the board sent and asked. */
async function handOverWithComments(page: Page, id: string) {
  const hand_offs: (string | undefined)[] = [];
  const path = `**/api/v1/runs/${id}/hand-offs`;
  const problem = {
    type: 'about:blank',
    title: 'No',
    status: 409,
    code: 'comments_unconfirmed',
    detail: 'No.',
  };
  const entries = [{ url: 'https://example.com/1', by: 'linus\u202e', at: '2026-11-20T10:00:00.000Z' }];
  await page.route(path, async (route) => {
    hand_offs.push(route.request().postDataJSON().comments);
    if (hand_offs.length === 2) return route.fulfill({ json: {} });
    const json = { ...problem, comments: { digest: 'd'.repeat(64), count: 1, entries } };
    return route.fulfill({ status: 409, contentType: 'application/problem+json', json });
  });
  await decisionKey(page, 'h');
  await page.getByRole('button', { name: 'Hand over', exact: true }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Have you read the comments?' });
  const confirmed = await dialog.textContent();
  await dialog.getByRole('button', { name: /^I have read them/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute(path);
  return { hand_offs, confirmed };
}
