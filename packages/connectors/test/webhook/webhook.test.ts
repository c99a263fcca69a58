import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEngine } from '@culprit/core';
import { silentLogger } from '@culprit/core/connector';
import { makeOwnership } from '@culprit/core/internal/testing/make-run';
import { memoryStorage } from '@culprit/core/internal/testing/memory-storage';
import { hostileRun, hostileStory } from '@culprit/core/internal/testing/notifier-contract';
import {
  failingNotifierContract,
  makeRun,
  memoryStorageConnector,
  type NotifyFailure,
  notifierContract,
} from '@culprit/core/testing';
import t from 'tap';
import { standardWebhooks } from '../../src/standard-webhooks/index.js';
import { webhook } from '../../src/webhook/index.js';
import { webhookMessage } from '../../src/webhook/message.js';

const OLD_KEY = `whsec_${Buffer.from('an old key of 32 bytes, base64 ok').toString('base64')}`;
const KEY = `whsec_${Buffer.from('a newer key of 32 bytes, base64ok').toString('base64')}`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver with the usual failures. */
async function receiver() {
  const received: Received[] = [];
  const paths: string[] = [];
  let failure: NotifyFailure | 'redirect' | 'broken' | null = null;
  let broken = false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    paths.push(request.url ?? '');
    const failing = failure;
    failure = null;
    if (broken || failing === 'broken') return void response.writeHead(500).end('x'.repeat(100_000));
    if (failing === 'unavailable') return void response.destroy();
    if (failing === 'refused') return void response.writeHead(410).end();
    if (failing === 'wait') return void response.writeHead(429, { 'retry-after': '3' }).end();
    if (failing === 'redirect') return void response.writeHead(307, { location: '/elsewhere' }).end();
    if (failing === 'hang') return;
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`;
  return {
    url,
    received,
    paths,
    failNext: (next: typeof failure) => {
      failure = next;
    },
    breakDown: (is: boolean) => {
      broken = is;
    },
    sent: () => received.map(({ body }) => body).join('\n'),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function notifierOf(url: string, secrets = [KEY]) {
  const parts = await webhook({ url, secrets, boardUrl: 'https://culprit.example' }).setup({
    fetch: globalThis.fetch,
    logger: silentLogger,
    signal: new AbortController().signal,
  });
  if (parts.notifier === undefined) throw new Error('no notifier');
  return parts.notifier;
}

const soon = () => AbortSignal.timeout(300_000);

t.test('fulfils the notifier contract', async (t) => {
  const subject = async () => {
    const { url, ...double } = await receiver();
    return { notifier: await notifierOf(url), ...double };
  };
  for (const law of notifierContract) await t.test(law.name, () => law.run(subject));
  for (const law of failingNotifierContract) await t.test(law.name, () => law.run(subject));
});

t.test('our own Standard Webhooks endpoint accepts the signature, with either key', async (t) => {
  const double = await receiver();
  t.teardown(double.close);
  await (await notifierOf(double.url, [KEY, OLD_KEY])).notify(
    makeRun('staged_draft', { version: 4 }),
    soon(),
  );
  const [first] = double.received;
  if (first === undefined) throw new Error('nothing was received');
  t.equal(first.headers['webhook-id'], 'run_00000000000000000000000001_4');
  t.equal(double.paths[0], '/hook?a=1');
  const raw = {
    headers: first.headers as Record<string, string>,
    query: {},
    body: Buffer.from(first.body),
    receivedAt: Date.now(),
  };
  for (const secret of [KEY, OLD_KEY]) {
    const { tracker } = await standardWebhooks({ secrets: [{ project: 'p', secret }] }).setup({
      fetch: globalThis.fetch,
      logger: silentLogger,
      signal: new AbortController().signal,
    });
    t.match(tracker?.verify(raw as never), { ok: true }, secret);
    t.match(tracker?.verify({ ...raw, body: Buffer.from(`${first.body} `) } as never), { ok: false });
  }
  t.match(JSON.parse(first.body), {
    type: 'run.staged_draft',
    timestamp: '2026-01-05T09:05:00.000Z',
    data: {
      gate: 2,
      digest: /^[0-9a-f]{64}$/,
      url: 'https://culprit.example/#run_00000000000000000000000001',
    },
  });
});

t.test('a message stays small, and its id stays the same', async (t) => {
  const run = hostileRun({ platform: 'x'.repeat(9_000), releases: ['y'.repeat(9_000)] });
  const { id, body } = webhookMessage(run, null);
  t.ok(Buffer.byteLength(body) < 20_000, `${Buffer.byteLength(body)} bytes`);
  t.equal(webhookMessage(run, null).id, id);
  const told = webhookMessage({ ...run, state: 'staged_raw' }, null, hostileStory()).body;
  t.ok(Buffer.byteLength(told) < 20_000, `${Buffer.byteLength(told)} bytes`);
  t.match(JSON.parse(told).data, {
    comebacks: ['regression', 'analysis_failed', 'returned'],
    story: [{ run_id: 'run_before', fixed_by: 'f'.repeat(40) }, { run_id: run.run_id }],
  });
  t.not(webhookMessage({ ...run, version: 2 }, null).id, id);
  t.notMatch(id, /\./);
});

t.test('a message says how crashes came; another way of coming is another message', async (t) => {
  const seen = {
    first_seen: '2026-01-05T09:00:00.000Z',
    last_seen: '2026-01-05T09:00:00.000Z',
    event_id: null,
  };
  const signed = { door: 'webhook', trust: 'trusted', occurrences: 2, ...seen } as const;
  const open = { door: 'sdk', trust: 'untrusted', occurrences: 1, ...seen } as const;
  const one = webhookMessage(makeRun('staged_raw', { sources: [signed] }), null);
  const both = webhookMessage(
    makeRun('staged_raw', { sources: [signed, open], ownership: makeOwnership() }),
    null,
  );
  t.not(both.id, one.id);
  t.match(JSON.parse(both.body).data, {
    trust: 'mixed',
    owners: [{ name: '@acme/payments', line: 2 }],
    sources: [
      { door: 'webhook', trust: 'trusted', occurrences: 2 },
      { door: 'sdk', trust: 'untrusted', occurrences: 1 },
    ],
  });
});

t.test('redirects are not followed', async (t) => {
  const double = await receiver();
  t.teardown(double.close);
  double.failNext('redirect');
  await t.rejects((await notifierOf(double.url)).notify(makeRun(), soon()), {
    retryable: false,
    message: /redirects/,
  });
  t.same(double.paths, ['/hook?a=1']);
});

t.test('rejected targets and keys', async (t) => {
  const configure = (url: string, secrets: string[] = [KEY], allowPlaintext = false) =>
    webhook({ url, secrets, allowPlaintext });
  for (const url of [
    '',
    'ftp://h/x',
    'http://h/x',
    'https://u:p@h/x',
    'https://h/#x',
    'file:///etc/passwd',
    'http://127.0.0.1.evil.example/',
  ]) {
    t.throws(() => configure(url), { code: 'configuration' }, url);
  }
  for (const secrets of [[], [''], ['whsec_short'], [KEY, KEY, KEY]]) {
    t.throws(() => configure('https://h/x', secrets), { code: 'configuration' });
  }
  t.doesNotThrow(() => configure('http://h/x', [KEY], true));
  t.doesNotThrow(() => configure('http://localhost:1/x'));
});

t.test(
  'retries with delays; failed notifications are listed, even after a restart, until they are delivered',
  async (t) => {
    const double = await receiver();
    t.teardown(double.close);
    const storage = memoryStorage();
    const start = (notifyPausesMs: readonly number[]) =>
      createEngine({
        connectors: [memoryStorageConnector(storage), webhook({ url: double.url, secrets: [KEY] })],
        policy: { notifyPausesMs },
      });
    double.breakDown(true);
    const first = await start([1, 1, 1]);
    const { run_id } = await first.ingest({ crash: { event_id: 'c', message: 'boom' } });
    while ((await first.failedNotifications()).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    t.equal(double.paths.length, 4);
    await first.close();
    const second = await start([3_600_000]);
    const wanted = { connector: 'webhook', run_id, attempts: 4, detail: /returned 500/ };
    t.match(await second.failedNotifications(), [wanted], 'survives the restart');
    await second.close();
    double.breakDown(false);
    const third = await start([1]);
    t.teardown(() => third.close());
    while ((await third.failedNotifications()).length > 0)
      await new Promise((resolve) => setImmediate(resolve));
    t.match(double.sent(), run_id);
  },
);
