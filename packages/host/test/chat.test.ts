import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Connector,
  createEngine,
  type Engine,
  type EnginePolicy,
  type Logger,
  silentLogger,
} from '@culprit/core';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import {
  BOT_TOKEN,
  CHANNEL,
  type Interaction,
  SIGNING_SECRET,
  type SlackDouble,
  slackDouble,
} from '@culprit/doubles/slack';
import t from 'tap';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { composeCore } from '../src/compose/core-parts.js';
import { composeChat, describeChat } from '../src/compose/notifiers.js';
import { readConfig } from '../src/config/read-config.js';
import { startCore } from '../src/server/server.js';
import { TOKEN } from './support/core-bench.js';
import { type Answer, httpClient } from './support/http-client.js';
import { culprit } from './support/run-culprit.js';

const PATH = '/chat/slack/interactive';
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface ChatBench {
  readonly double: SlackDouble;
  readonly engine: Engine;
  readonly runId: string;
  readonly url: string;
  readonly api: ReturnType<typeof httpClient>;
  send(interaction: Interaction, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

interface ChatOptions {
  readonly reviewers: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly first?: readonly Connector[];
  readonly policy?: Partial<EnginePolicy>;
  readonly logger?: Logger;
}

/** The configured host, with a test double of Slack. */
async function chatBench(t: { teardown(fn: () => unknown): void }, options: ChatOptions): Promise<ChatBench> {
  const double = await slackDouble();
  const directory = mkdtempSync(join(tmpdir(), 'culprit-chat-'));
  const { config } = readConfig({
    flags: { data: directory },
    env: {
      STORAGE_URL: 'memory:',
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_CHANNEL: CHANNEL,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: double.apiUrl,
      SLACK_REVIEWERS: options.reviewers,
      ...options.env,
    },
    cwd: directory,
  });
  let started: Engine | null = null;
  const core = await startCore({
    host: '127.0.0.1',
    port: 0,
    engine: async (publicUrl) => {
      started = await createEngine({
        connectors: [...(options.first ?? []), ...composeCore(config).connectors(publicUrl)],
        projects: { default: { publishRepository: 'acme/shop' } },
        policy: { notifyPausesMs: [5, 5, 5], ...options.policy },
      });
      return started;
    },
    reviewers: [{ name: 'ada', token: TOKEN }],
    internalSecrets: [],
    chat: composeChat(config, options.logger ?? silentLogger),
    logger: silentLogger,
  });
  t.teardown(async () => {
    await core.close();
    await double.close();
    await removeFolder(directory);
  });
  const engine = started as Engine | null;
  if (engine === null) throw new Error('no engine');
  const { run_id } = await engine.ingest({ crash: { event_id: 'crash-1', message: 'boom' } });
  const host = `127.0.0.1:${core.port}`;
  const bare = httpClient(core.port, { host });
  return {
    double,
    engine,
    runId: run_id ?? '',
    url: core.url,
    api: httpClient(core.port, { host, authorization: `Bearer ${TOKEN}` }),
    send: ({ headers, body }, more = {}) =>
      bare({ method: 'POST', path: PATH, headers: { ...headers, ...more }, body }),
  };
}

const standsAt = (double: SlackDouble, gate: number) =>
  double.until(() => new RegExp(`Waiting at Gate ${gate}`).test(double.messages.at(-1)?.text ?? ''));

t.test('snoozes, claims and comments: in the message and its thread, as text', async (t) => {
  const { double, engine, runId } = await chatBench(t, { reviewers: 'U1:ada' });
  const ada = { name: 'ada', via: 'board' } as const;
  const shows = (pattern: RegExp) => double.until(() => pattern.test(JSON.stringify(double.messages)));
  await standsAt(double, 1);
  await engine.claim(runId, ada);
  await shows(/:eyes: `ada` is looking at this run, until <!date\^\d{10}\^/);
  const comment = '<!channel> `x` *bold* <https://evil.example|click>';
  await engine.comment(runId, ada, { comment });
  await double.until(() => double.replies.length > 0);
  const [reply] = double.replies;
  t.equal(reply?.thread_ts, double.messages[0]?.ts, 'in the thread of the run');
  const text = JSON.stringify(reply?.blocks);
  t.match(text, /&lt;!channel&gt;/);
  t.notMatch(text, /<!channel>|<https/);
  await engine.snooze(runId, ada, { until: { kind: 'crashes', more: 1 } });
  await shows(/\*Snoozed\* until the next crash by `ada`/);
  t.notMatch(JSON.stringify(double.messages), /culprit\.approve|:eyes:/, 'no button, and the claim is over');
  await engine.ingest({ crash: { event_id: 'crash-2', message: 'boom' } });
  await shows(/Back from a snooze\.\* It crashed again/);
  t.match(JSON.stringify(double.messages), /culprit\.approve/);
  t.equal(double.messages.length, 1);
});

t.test(
  '300 simultaneous approvals, half of them of a stale draft: one decides, the others get the reason',
  async (t) => {
    const people = Array.from({ length: 300 }, (_, n) => ({ user: `U${1_000 + n}`, name: `reviewer ${n}` }));
    const reviewers = people.map(({ user, name }) => `${user}:${name}`).join(',');
    const { double, engine, runId, send } = await chatBench(t, { reviewers });
    await standsAt(double, 1);
    await engine.approveGateOne(runId, { name: 'ada', via: 'board' });
    await standsAt(double, 2);
    const shown = await engine.run(runId);
    if (shown.draft === null) throw new Error('no draft');
    const stale = double.press({ user: 'U1000', action: 'culprit.approve' });
    const oldValue =
      (JSON.parse(new URLSearchParams(stale.body).get('payload') ?? '') as { actions: { value: string }[] })
        .actions[0]?.value ?? '';
    const eve = { name: 'eve', via: 'board' } as const;
    const fresh = await engine.editDraft(runId, eve, {
      ...shown.draft,
      title: 'As it should read',
      digest: shown.draft.digest,
    });
    await double.until(() => JSON.stringify(double.messages.at(-1)).includes(fresh.digest));

    const pressed = people.map(({ user }, n) =>
      double.press({ user, action: 'culprit.approve', ...(n % 2 === 0 ? { value: oldValue } : {}) }),
    );
    const began = performance.now();
    const answers = await Promise.all(
      pressed.map(async (interaction) => {
        const answer = await send(interaction);
        return { status: answer.status, text: answer.text, ms: performance.now() - began };
      }),
    );
    t.same(
      [...new Set(answers.map(({ status, text }) => `${status} "${text}"`))],
      ['200 ""'],
      'all acknowledged',
    );
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    t.comment(`the last of 300 was acknowledged after ${Math.round(slowest)} ms`);
    await double.until(() => double.whispers.length === 300);

    const approvals = (await engine.history(runId)).filter(({ name }) => name === 'gate2.approve');
    t.equal(approvals.length, 1, 'one approval');
    t.match(approvals[0], { via: 'chat', digest: fresh.digest, detail: { bound: true } });
    const winner = approvals[0]?.by;
    const replies = new Map(double.whispers.map(({ user, text }) => [user, text]));
    t.equal(replies.size, 300, 'each got one response');
    for (const [n, { user, name }] of people.entries()) {
      const text = replies.get(user) ?? '';
      if (n % 2 === 0)
        t.match(
          text,
          new RegExp(
            `outdated.*${shown.draft.digest.slice(0, 12)}.*${fresh.digest.slice(0, 12)}.*Nothing was decided`,
          ),
          name,
        );
      else if (name === winner) t.match(text, /^You approved Gate 2\. Published/, name);
      else t.match(text, `*${winner}* approved Gate 2 before you`, name);
    }
    t.match(await engine.run(runId), { state: 'published', publication: { digest: fresh.digest } });
    await double.until(() => /^Published/.test(double.messages[0]?.text ?? ''));
    t.equal(double.messages.length, 1, 'still one message');
    t.comment(
      `300 approvals: acknowledged within ${Math.round(slowest)} ms, all answered after ${Math.round(performance.now() - began)} ms`,
    );
  },
);

t.test('the message of a waiting run changes when the first crash comes with a public key', async (t) => {
  const { double, engine } = await chatBench(t, { reviewers: 'U1ADA:ada' });
  await standsAt(double, 1);
  const first = double.messages[0];
  t.notMatch(JSON.stringify(first), /public key/);
  const crash = { event_id: 'crash-2', message: 'boom' };
  const open = { door: 'sdk', trust: 'untrusted', tracker: 'sentry', sequence: 1 } as const;
  const send = (event_id: string, sequence: number) =>
    engine.ingestBatch({ edge: 'e', deliveries: [makeDelivery({ ...open, event_id, sequence, crash })] });
  await send('crash-2', 1);
  await double.until(() => /1 of 2 crashes came with a public key/.test(JSON.stringify(double.messages)));
  t.match(JSON.stringify(double.messages[0]), /through embedded ×1, sdk \(public key\) ×1/);
  t.equal(double.messages.length, 1, 'the same message');
});

t.test('acknowledged at once during a long analysis; the result follows', async (t) => {
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow: Connector = {
    id: 'slow',
    setup: () => ({
      explainer: {
        name: 'slow',
        explain: async () => {
          await held;
          throw new Error('no');
        },
      },
    }),
  };
  const { double, engine, runId, send } = await chatBench(t, { reviewers: 'U1ADA:ada', first: [slow] });
  await standsAt(double, 1);
  t.match(await send(double.press({ user: 'U1ADA', action: 'culprit.approve' })), { status: 200, text: '' });
  await double.until(() => /approved, analysing/.test(double.messages[0]?.text ?? ''));
  t.equal(double.whispers.length, 0, 'no early result');
  t.equal((await engine.run(runId)).state, 'analyzing');
  finish();
  await double.until(() => double.whispers.length === 1);
  t.match(double.whispers[0], { text: /^You approved Gate 1/ });
});

t.test(
  'second person: the reviewer who approved Gate 1 on the board cannot approve Gate 2 in chat',
  async (t) => {
    const policy = { requireSecondPerson: true };
    const { double, engine, runId, send } = await chatBench(t, { reviewers: 'U1ADA:ada,U2EVE:eve', policy });
    await standsAt(double, 1);
    await engine.approveGateOne(runId, { name: 'ada', via: 'board' });
    await standsAt(double, 2);
    t.match(await send(double.press({ user: 'U1ADA', action: 'culprit.approve' })), {
      status: 200,
      text: '',
    });
    await double.until(() => double.whispers.length === 1);
    t.match(double.whispers[0], {
      user: 'U1ADA',
      text: /You approved Gate 1 of this run\. Ask another reviewer/,
    });
    t.equal((await engine.run(runId)).state, 'staged_draft');
    t.match(await send(double.press({ user: 'U2EVE', action: 'culprit.approve' })), {
      status: 200,
      text: '',
    });
    await double.until(() => double.whispers.length === 2);
    t.match(double.whispers[1], { user: 'U2EVE', text: /^You approved Gate 2\. Published/ });
    t.match(
      (await engine.history(runId)).filter(({ name }) => name === 'gate2.approve'),
      [{ by: 'eve', via: 'chat' }],
    );
  },
);

t.test('reviewers of some projects: both gates and both buttons, in these projects only', async (t) => {
  const reviewers = 'U1ADA:ada,U2BOB:bob=web,U2BOB:bob=api,U3EVE:eve=default,U4DAN:dan=no-such-project';
  const logged: object[] = [];
  const logger = { ...silentLogger, info: (fields: object) => void logged.push(fields) };
  const { double, engine, runId, send } = await chatBench(t, { reviewers, logger });
  const ada = { name: 'ada', via: 'board' } as const;
  const answerTo = async (interaction: Interaction): Promise<string> => {
    const before = double.whispers.length;
    t.match(await send(interaction), { status: 200, text: '' });
    await double.until(() => double.whispers.length > before);
    return double.whispers.at(-1)?.text ?? '';
  };
  const press = (user: string, button: 'approve' | 'reject', value?: string) =>
    answerTo(double.press({ user, action: `culprit.${button}`, ...(value === undefined ? {} : { value }) }));
  const beyond =
    /^You decide in `web, api` only, and this run is of `default`\. Nothing.*`U2BOB:bob=default`/;
  const lost = /^You decide in `no-such-project` only/;
  const decisions = async (id: string) =>
    (await engine.history(id)).filter(({ kind }) => kind === 'decision').map(({ name, by }) => [name, by]);
  const valueAt = (id: string, gate: 1 | 2, digest: string | null) =>
    JSON.stringify({ v: 1, run: id, gate, cycle: 1, digest });

  await standsAt(double, 1);
  for (const button of ['approve', 'reject'] as const) {
    t.match(await press('U2BOB', button), beyond, button);
    t.match(await press('U4DAN', button), lost, button);
  }
  t.equal(double.forms.length, 0, 'no form opened');
  t.same(
    logged,
    Array.from({ length: 4 }, () => ({ run_id: runId, project: 'default' })),
  );
  await send(double.press({ user: 'U3EVE', action: 'culprit.reject' }));
  await double.until(() => double.forms.length === 1);
  const [form] = double.forms;
  if (form === undefined) throw new Error('no form');
  t.match(await answerTo(double.submit({ ...form, user: 'U2BOB' }, 'noise')), beyond, 'a form submitted');
  t.same(await decisions(runId), []);
  t.match(await press('U3EVE', 'approve'), /^You approved Gate 1/);
  await standsAt(double, 2);
  const { draft } = await engine.run(runId);
  if (draft === null) throw new Error('no draft');
  t.match(await press('U2BOB', 'approve'), beyond);
  t.match(await press('U2BOB', 'reject'), beyond);
  t.match(await press('U2BOB', 'approve', valueAt(runId, 2, '0'.repeat(64))), beyond, 'before the digest');
  await send(double.press({ user: 'U1ADA', action: 'culprit.reject' }));
  await double.until(() => double.forms.length === 2);
  const second = double.forms[1] ?? form;
  t.match(await answerTo(double.submit({ ...second, user: 'U2BOB' }, 'noise', 'rejected')), beyond);
  t.equal((await engine.run(runId)).state, 'staged_draft');

  const other = await engine.ingest({ crash: { event_id: 'crash-2', message: 'another boom' } });
  const merged = other.run_id ?? '';
  await engine.merge(merged, ada, { into: runId });
  t.match(await press('U2BOB', 'approve', valueAt(merged, 1, null)), beyond, 'a merged run');
  t.match(await press('U3EVE', 'approve', valueAt(merged, 1, null)), /^Nothing was decided.*merged/);
  t.match(await press('U2BOB', 'approve', valueAt('run_unknown', 1, null)), /^Nothing was decided/);
  t.same(await decisions(merged), [['gate1.merge', 'ada']]);

  const web = await engine.ingest({ project: 'web', crash: { event_id: 'crash-3', message: 'web boom' } });
  const unset = await engine.ingest({ project: 'new', crash: { event_id: 'crash-4', message: 'new boom' } });
  const [webRun, newRun] = [web.run_id ?? '', unset.run_id ?? ''];
  t.match(await press('U3EVE', 'approve', valueAt(webRun, 1, null)), /^You decide in `default` only/);
  t.match(await press('U2BOB', 'approve', valueAt(newRun, 1, null)), /this run is of `new`/);
  t.match(await press('U2BOB', 'approve', valueAt(webRun, 1, null)), /^You approved Gate 1/);
  t.match(await press('U1ADA', 'approve', valueAt(newRun, 1, null)), /^You approved Gate 1/, 'no limit');
  t.same(
    [await decisions(webRun), await decisions(newRun)],
    [[['gate1.approve', 'bob']], [['gate1.approve', 'ada']]],
  );
  t.match(
    await press('U3EVE', 'approve', valueAt(runId, 2, draft.digest)),
    /^You approved Gate 2\. Published/,
  );
  t.same(
    (await decisions(runId)).filter(([, by]) => by !== 'ada'),
    [
      ['gate1.approve', 'eve'],
      ['gate2.approve', 'eve'],
    ],
    'beside the merge',
  );
});

t.test('SLACK_REVIEWERS with projects', (t) => {
  const read = (reviewers: string) => {
    const slack = {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_CHANNEL: CHANNEL,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
    };
    const env = { STORAGE_URL: 'memory:', ...slack, SLACK_REVIEWERS: reviewers };
    return readConfig({ flags: {}, env, cwd: t.testdirName }).config;
  };
  const config = read('U1A:ada@acme.example,U2B:Bob=shop, U2B:Bob = web,U3C:eve=*');
  t.same(config.slackReviewers, {
    U1A: 'ada@acme.example',
    U2B: { name: 'Bob', projects: ['shop', 'web'] },
    U3C: 'eve',
  });
  t.match(describeChat(config), /3 reviewers \(1 for some projects only\)$/);
  t.match(describeChat(read('U1:ada,U2:bob')), /2 reviewers$/);
  for (const text of ['U1:ada=', 'U1:ada=a b', 'U1:ada=a=b'])
    t.throws(
      () => read(text),
      { code: 'configuration', message: /SLACK_REVIEWERS.*names a project that/ },
      text,
    );
  t.throws(() => read('U1:=shop'), { message: /contains a name that/ });
  for (const text of [
    'U1:ada,U1:ada=shop',
    'U1:ada=shop,U1:ada',
    'U1:ada=shop,U1:eve=web',
    'U1:ada=shop,U1:ada=shop',
    'U1:ada=shop,U1:ada=*',
  ])
    t.throws(() => read(text), { code: 'configuration', message: /SLACK_REVIEWERS.*Slack user twice/ }, text);
  t.end();
});

t.test('forged, late, repeated, altered and unsigned requests are rejected', async (t) => {
  const { double, engine, runId, send, api } = await chatBench(t, { reviewers: 'U1ADA:ada' });
  await standsAt(double, 1);
  const now = Math.floor(Date.now() / 1_000);
  const press = (more: object = {}) => double.press({ user: 'U1ADA', action: 'culprit.approve', ...more });
  const good = press();
  const refused: Record<string, Interaction> = {
    forged: press({ secret: 'wrong' }),
    'with an empty secret': press({ secret: '' }),
    late: press({ at: now - 303 }),
    early: press({ at: now + 303 }),
    altered: { ...good, body: good.body.replace('U1ADA', 'U2EVE') },
    unsigned: { body: good.body, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  };
  for (const [name, interaction] of Object.entries(refused)) {
    const { status, headers, json } = await send(interaction);
    t.match(
      { status, headers, json },
      {
        status: 401,
        headers: { 'content-type': 'application/problem+json' },
        json: { code: 'unauthenticated' },
      },
      name,
    );
  }
  t.equal((await engine.run(runId)).state, 'staged_raw');
  t.equal((await send(good, { host: 'evil.example' })).status, 403, 'another host name');
  const twice = await Promise.all([send(good), send(good), send(good)]);
  t.same(twice.map(({ status }) => status).sort(), [200, 401, 401], 'simultaneous duplicates: accepted once');
  t.match(await send(good), { status: 401, json: { detail: /already received/ } });
  await standsAt(double, 2);
  const approvals = (await engine.history(runId)).filter(({ name }) => name === 'gate1.approve');
  t.equal(approvals.length, 1);
  t.equal((await send({ headers: good.headers, body: 'x'.repeat(1_100_000) })).status, 413);
  t.equal((await api({ path: PATH })).status, 405);
});

t.test('without a signing secret chat is disabled', async (t) => {
  const { double, send } = await chatBench(t, { reviewers: 'U1ADA:ada', env: { SLACK_SIGNING_SECRET: '' } });
  await standsAt(double, 1);
  t.notMatch(JSON.stringify(double.messages), 'culprit.approve', 'messages have no buttons');
  for (const secret of ['', SIGNING_SECRET, 'null', 'undefined']) {
    const pressed = double.press({ user: 'U1ADA', action: 'culprit.approve', secret, value: '{}' });
    t.match(await send(pressed), { status: 401, json: { detail: /SLACK_SIGNING_SECRET/ } });
  }
});

t.test('failed notifications are listed and retried, over the API and the command line', async (t) => {
  let down = true;
  const bodies: string[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    if (!down) bodies.push(body);
    response.writeHead(down ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const bench = await chatBench(t, {
    reviewers: '',
    env: { NOTIFY_WEBHOOK_URL: url, NOTIFY_WEBHOOK_SECRET: KEY },
  });
  const { api, engine, runId } = bench;
  const listed = async () => (await api({ path: '/api/v1/notifications/failed' })).json.notifications;
  while ((await listed()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.match(await listed(), [
    { connector: 'webhook', run_id: runId, state: 'staged_raw', attempts: 4, code: 'notifier_failed' },
  ]);
  t.match(
    await engine.approveGateOne(runId, { name: 'ada', via: 'board' }),
    { state: 'staged_draft' },
    'gates are not delayed',
  );
  while ((await listed())[0]?.state !== 'staged_draft') await new Promise((resolve) => setImmediate(resolve));

  const flags = ['--url', bench.url, '--token', TOKEN];
  const shown = await culprit(['notifications', ...flags]);
  t.match(shown, {
    code: 0,
    stdout: /webhook {2}run_\w+ {2}staged_draft {2}4× {2}The webhook receiver returned 500\./,
  });
  const retry = (body: object) => api({ method: 'POST', path: '/api/v1/notifications/retry', body });
  t.match(await retry({ connector: 'nobody', run_id: runId }), { status: 404, json: { code: 'not_found' } });
  t.match(await retry({ connector: 'webhook', run_id: 'run_x' }), {
    status: 404,
    json: { code: 'run_not_found' },
  });
  t.match(await retry({ connector: 'webhook' }), { status: 400, json: { path: 'run_id' } });
  down = false;
  t.match(await culprit(['notifications', 'retry', 'webhook', runId, ...flags]), {
    code: 0,
    stdout: / again\./,
  });
  while ((await listed()).length > 0) await new Promise((resolve) => setImmediate(resolve));
  t.match(JSON.parse(bodies.at(-1) ?? 'null'), {
    type: 'run.staged_draft',
    data: { run_id: runId, url: `${bench.url}/#${runId}` },
  });
  t.match(await culprit(['notifications', ...flags]), { code: 0, stdout: 'No failed notifications.\n' });
  t.match(await culprit(['notifications', 'retry', 'webhook', ...flags]), { code: 2 });
  t.equal(
    (
      await httpClient(Number(new URL(bench.url).port), { host: new URL(bench.url).host })({
        path: '/api/v1/notifications/failed',
      })
    ).status,
    401,
  );
});
