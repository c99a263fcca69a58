import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOT_TOKEN, SIGNING_SECRET, type SlackDouble, slackDouble } from '@culprit/doubles/slack';
import type { Test } from 'tap';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { httpClient } from '../support/http-client.js';
import { openPage } from './page.js';
import { commit, type Sandbox, type Started, until } from './sandbox.js';

const TOKEN = 'reviewer-token-0123456789';
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const REVIEWER = { authorization: `Bearer ${TOKEN}` };
/** Values for `…` in the pages. */
const FILLED = [
  ['xoxb-…', BOT_TOKEN],
  ['SLACK_SIGNING_SECRET=…', `SLACK_SIGNING_SECRET=${SIGNING_SECRET}`],
  ['SERVICE_TOKEN=…', 'SERVICE_TOKEN=service-token-0123456789'],
  ['REVIEWER_TOKEN=…', `REVIEWER_TOKEN=${TOKEN}`],
  ['whsec_…', KEY],
] as const;
const PASSED = /(?:#|ℹ) pass [1-9]/;

/** Runs the quick starts from the fenced code in their pages, and nothing else. */
export async function checkGuides(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  t.jobs = 2;
  await Promise.all([
    t.test('embed', { buffered: true }, (t) => embed(t, sandbox, node)),
    t.test('extend', { buffered: true }, (t) => extend(t, sandbox, node)),
    t.test('extend, with all options', { buffered: true }, (t) => extendAtLength(t, sandbox, node)),
    t.test('approve from chat', { buffered: true }, (t) => chat(t, sandbox, node)),
    t.test('reference host, watched live', { buffered: true }, (t) => watch(t, sandbox, node)),
  ]);
}

async function embed(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  const port = String(await reservePort());
  const page = openPage(sandbox, 'guides/embed.md', { node, filled: [...FILLED, ['8080', port]] });
  commit(page.folder, 'Open the shop');
  const [install = '', main = ''] = page.shell;
  t.match(await page.run(install), { status: 0 });
  const server = await page.start(main, {}, /^(.*)\n(http:\S+)\n/);
  t.equal(server.line[1], 'the till is stuck');
  const answer = await fetch(`${server.line[2]}/api/v1/runs`, { headers: REVIEWER });
  t.match(JSON.parse(await answer.text()), { runs: [{ state: 'staged_draft' }] });
  t.equal(await server.stop(), 0);
}

async function extend(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  const page = openPage(sandbox, 'guides/custom-connector.md', { node });
  const [kit = '', install = '', main = ''] = page.shell;
  t.match(await page.run(kit), { status: 0, stdout: PASSED });
  const notified = '!! staged_raw: the till is stuck\n';
  t.match(await page.run(`${install}\n${main}`), { status: 0, stdout: notified });
}

async function extendAtLength(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  const { EDGE_PORT, CORE_PORT } = await freePorts();
  const ports = [
    ['8001', EDGE_PORT],
    ['8000', CORE_PORT],
  ] as const;
  const page = openPage(sandbox, 'connectors/write-a-connector.md', { node, filled: ports });
  const [make = '', test = '', again = '', beside = '', up = '', send = ''] = page.shell;
  const edited = 'cp ../../index.js ../../subject.js .';
  const made = await page.run([make, test, edited, again, beside, 'cp ../culprit.json .'].join('\n'));
  t.match(made, { status: 0, stdout: PASSED }, made.stdout + made.stderr);
  t.equal(made.stdout.match(new RegExp(PASSED, 'g'))?.length, 2, 'as generated, and as changed on the page');
  const env = { EDGE_PORT, CORE_PORT };
  await serving(await page.start(`cd shop\n${up}`, env, /culprit is up/), async () => {
    const runs = 'npx culprit runs';
    t.ok(send.endsWith(runs));
    const sent = await page.run(`cd shop\n${send.slice(0, -runs.length)}`, env);
    t.match(sent, { status: 0, stdout: /^HTTP\/1.1 202 / });
    await until(async () => /TypeError: no price/.test((await page.run(`cd shop\n${runs}`, env)).stdout));
  });
}

async function chat(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  const double = await slackDouble();
  t.teardown(() => double.close());
  const page = openPage(sandbox, 'guides/approve-from-chat.md', { node, filled: FILLED });
  commit(page.folder, 'Open the shop');
  const [install = '', up = '', trigger = '', bot = ''] = page.shell;
  const ports = await freePorts();
  const botPort = String(await reservePort());
  const env = {
    ...ports,
    SLACK_API_URL: double.apiUrl,
    REVIEWER_TOKENS: `ada:${TOKEN}`,
    NOTIFY_WEBHOOK_URL: `http://127.0.0.1:${botPort}/`,
    NOTIFY_WEBHOOK_SECRET: KEY,
  };
  await serving(await page.start(`${install}\n${up}`, env, /culprit is up/), async () => {
    t.match(await page.run(trigger, ports), { status: 0 });
    for (const said of [/Waiting at Gate 1/, /Waiting at Gate 2/]) {
      await double.until(() => said.test(double.messages[0]?.text ?? ''));
      t.equal((await press(double, ports.CORE_PORT)).status, 200);
    }
    await double.until(() => /^Published/.test(double.messages[0]?.text ?? ''));
    t.equal(double.messages.length, 1, 'one message');
    const more = { PORT: botPort, CORE_URL: `http://127.0.0.1:${ports.CORE_PORT}` };
    await serving(await page.start(`${bot} --yes`, more, /listening/), async (server) => {
      t.match(await page.run(trigger.replace('node', 'python'), ports), { status: 0 });
      await server.printed(/Gate 1: \{ status: 'analyzed'[\s\S]*Gate 2: \{\s+status: 'published'/);
      const forged = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
      const answer = await fetch(`http://127.0.0.1:${botPort}/`, {
        method: 'POST',
        headers: forged,
        body: '{}',
      });
      t.equal(answer.status, 401, 'the page’s program rejects other senders');
    });
  });
}

/** A request as Slack sends it to the page's PUBLIC_URL. */
function press(double: SlackDouble, port: string) {
  const { headers, body } = double.press({ user: 'U0123456789', action: 'culprit.approve' });
  const client = httpClient(Number(port), { host: 'culprit.example' });
  return client({ method: 'POST', path: '/chat/slack/interactive', headers, body });
}

async function watch(t: Test, sandbox: Sandbox, node: string): Promise<void> {
  const page = openPage(sandbox, 'guides/reference-host.md', { node });
  const live = openPage(sandbox, 'guides/watch-live.md', { node, filled: FILLED });
  mkdirSync(join(page.folder, 'src'));
  writeFileSync(join(page.folder, 'src/cart.js'), 'a();\nb();\nc();\nd();\n');
  commit(page.folder, 'Open the shop');
  const [up = '', trigger = ''] = page.shell;
  const [listen = '', install = '', main = ''] = live.shell;
  const env = { ...(await freePorts()), REVIEWER_TOKENS: `ada:${TOKEN}` };
  await serving(await page.start(up, env, /culprit is up/), async () => {
    t.match(await live.run(install), { status: 0 });
    const core = { CORE_URL: `http://127.0.0.1:${env.CORE_PORT}` };
    const watchers = [
      await live.start(main, core, /0 open\n/),
      await page.start(listen, { ...env, CULPRIT_TOKEN: TOKEN }, /\n/),
    ];
    t.match(await page.run(trigger, { ...env, CULPRIT_TOKEN: TOKEN }), { status: 0 });
    for (const watcher of watchers) {
      await watcher.printed(/staged_raw/);
      t.equal(await watcher.stop(), 0);
    }
  });
}

async function serving(server: Started, act: (server: Started) => Promise<void>): Promise<void> {
  try {
    await act(server);
  } finally {
    await server.stop();
  }
}

async function freePorts() {
  const [EDGE_PORT, CORE_PORT] = await Promise.all([reservePort(), reservePort()]);
  return { EDGE_PORT: String(EDGE_PORT), CORE_PORT: String(CORE_PORT) };
}
