import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Connector, type RawDelivery, silentLogger, type Tracker } from '@culprit/core/connector';
import { type TrackerSubject, trackerContract } from '@culprit/core/testing';
import t from 'tap';
import { sentryHook } from '../../src/sentry-hook/index.js';
import { standardWebhooks } from '../../src/standard-webhooks/index.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const NOW = 1_800_000_000_000;
const SECONDS = String(NOW / 1000);
const fixture = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/tracker/${name}`, import.meta.url));

async function trackerOf(connector: Connector): Promise<Tracker> {
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const { tracker } = await connector.setup(context);
  if (!tracker) throw new Error('no tracker');
  return tracker;
}

function delivery(
  connector: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): RawDelivery {
  const path = `/webhook/${connector}`;
  return { method: 'POST', path, params: { connector }, query: {}, headers, body, receivedAt: NOW };
}

const EVENT = { event_id: 'e'.repeat(32), platform: 'node', message: 'boom', timestamp: NOW / 1000 };
const SECRET = 'client-secret-of-the-integration';
const hex = (body: Uint8Array, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');

function hook(body: object | string, resource = 'event_alert', more: Readonly<Record<string, string>> = {}) {
  const raw = bytes(typeof body === 'string' ? body : JSON.stringify(body));
  return delivery('sentry-hook', raw, {
    'sentry-hook-resource': resource,
    'sentry-hook-signature': hex(raw),
    'sentry-hook-timestamp': SECONDS,
    ...more,
  });
}
const ALERT = { action: 'triggered', data: { event: EVENT } };
const HOOK = {
  secrets: [
    { project: 'shop', secret: 'old-secret' },
    { project: 'shop', secret: SECRET },
  ],
};

async function hookSubject(): Promise<TrackerSubject> {
  const signed = (signature: string) => hook(ALERT, 'event_alert', { 'sentry-hook-signature': signature });
  const right = hex(hook(ALERT).body);
  const forged: readonly [string, RawDelivery][] = [
    ['another secret', signed(hex(hook(ALERT).body, 'other'))],
    ['an empty secret', signed(createHmac('sha256', '').update(hook(ALERT).body).digest('hex'))],
    ['shortened', signed(right.slice(1))],
    ['doubled', signed(`${right}, ${right}`)],
    ['upper case', signed(right.toUpperCase())],
    ['base64', signed(Buffer.from(right, 'hex').toString('base64'))],
    ['the prefix of the other tracker', signed(`sha256=${right}`)],
  ];
  return {
    tracker: await trackerOf(sentryHook(HOOK)),
    closed: await trackerOf(sentryHook({ secrets: [] })),
    valid: hook(ALERT),
    project: 'shop',
    secret: SECRET,
    forged: forged.map(([name, forgery]) => ({ name, delivery: forgery })),
    unreadable: ['', 'hello', '[]', '{"a":', 'null'].map((body) => ({ name: body, delivery: hook(body) })),
    coversBody: true,
  };
}
for (const law of trackerContract) t.test(`sentry-hook: ${law.name}`, () => law.run(hookSubject));

t.test('Sentry’s integration platform', async (t) => {
  const tracker = await trackerOf(sentryHook(HOOK));
  const { _client_secret: secret, ...headers } = JSON.parse(
    fixture('hook-wire-nonascii.headers.json').toString(),
  );
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const vector = delivery('sentry-hook', fixture('hook-wire-nonascii.raw.json'), lower);
  const theirs = await trackerOf(sentryHook({ secrets: [{ project: 'shop', secret }] }));
  t.ok(theirs.verify(vector).ok, 'a vector that changes when reserialised');
  const parsed = theirs.parse(vector);
  t.match(parsed, { event_id: 'e4874d664c3540c1a32eab185f12c5ab', delivery_id: lower['request-id'] ?? '' });
  t.equal(parsed.crashes.length, 1);

  const again = bytes(JSON.stringify(JSON.parse(Buffer.from(vector.body).toString())));
  t.notOk(theirs.verify({ ...vector, body: again }).ok);
  t.equal(
    tracker.verify(
      hook(ALERT, 'event_alert', { 'sentry-hook-signature': hex(hook(ALERT).body, 'old-secret') }),
    ).ok,
    true,
    'the previous secret',
  );

  const of = (resource: string, body: object) => tracker.parse(hook(body, resource));
  t.equal(of('error', { action: 'created', data: { error: EVENT } }).crashes[0]?.event_id, EVENT.event_id);
  const issue = {
    title: 'E: x',
    metadata: { type: 'E', value: 'x' },
    level: 'error',
    platform: 'node',
    id: '1',
  };
  t.match(of('issue', { action: 'created', data: { issue } }).crashes[0]?.crash, {
    exception: { values: [{ type: 'E', value: 'x' }] },
    extra: { sentry_issue: { id: '1' } },
  });
  const created = (url: string, request: string) =>
    tracker.parse(
      hook({ action: 'created', data: { issue: { ...issue, url } } }, 'issue', { 'request-id': request }),
    ).crashes[0]?.event_id;
  const first = created('https://sentry.io/api/0/issues/1/', 'a');
  t.match(first, /^[0-9a-f]{32}$/);
  t.equal(created('https://sentry.io/api/0/issues/1/', 'b'), first, 'a repetition has another Request-ID');
  t.not(created('https://errors.example/api/0/issues/1/', 'a'), first);
  const bare = { title: 'Blocked script', message: '', occurrence: null };
  t.match(of('error', { data: { error: bare } }).crashes[0]?.crash, { message: 'Blocked script' });
  for (const [resource, body, ignored] of [
    ['issue', { action: 'resolved', data: { issue } }, { issue: 1 }],
    ['issue', { action: 'created', data: { issue: { ...issue, issueCategory: 'outage' } } }, { issue: 1 }],
    ['metric_alert', { action: 'critical', data: { metric_alert: {} } }, { metric_alert: 1 }],
    ['comment', { action: 'created', data: {} }, { comment: 1 }],
    ['installation', { action: 'deleted', data: {} }, { installation: 1 }],
    ['event_alert', { action: 'triggered', data: null }, { event_alert: 1 }],
    [
      'event_alert',
      { data: { event: { title: 'N+1 Query', type: 'transaction', occurrence: { type: 1006 } } } },
      { event_alert: 1 },
    ],
    ['error', { data: { error: { event_id: EVENT.event_id, message: '' } } }, { error: 1 }],
    ['of-the-future', {}, { unknown: 1 }],
    ['__proto__', {}, { unknown: 1 }],
  ] as const) {
    t.match(of(resource, body), { crashes: [], ignored }, resource);
  }

  const strict = await trackerOf(sentryHook({ ...HOOK, toleranceSeconds: 300 }));
  const at = (offset: number) =>
    hook(ALERT, 'event_alert', { 'sentry-hook-timestamp': String(NOW / 1000 + offset) });
  for (const [offset, ok] of [
    [0, true],
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ] as const) {
    t.equal(strict.verify(at(offset)).ok, ok, `${offset} s`);
  }
  t.notOk(strict.verify(hook(ALERT, 'event_alert', { 'sentry-hook-timestamp': 'soon' })).ok);
});

const KEY = `whsec_${Buffer.from('a key of twenty-four b').toString('base64')}`;
const OLD = `whsec_${Buffer.from('the key that was before').toString('base64')}`;
const sign = (id: string, at: string, body: Uint8Array, key = KEY) =>
  `v1,${createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
    .update(`${id}.${at}.`)
    .update(body)
    .digest('base64')}`;
function standard(body: object | string, more: Readonly<Record<string, string>> = {}, at = SECONDS) {
  const raw = bytes(typeof body === 'string' ? body : JSON.stringify(body));
  return delivery('standard-webhooks', raw, {
    'webhook-id': 'msg_1',
    'webhook-timestamp': at,
    'webhook-signature': sign('msg_1', at, raw),
    ...more,
  });
}
const STANDARD = {
  secrets: [
    { project: 'shop', secret: OLD },
    { project: 'shop', secret: KEY },
  ],
};

async function standardSubject(): Promise<TrackerSubject> {
  const { body } = standard(EVENT);
  const right = sign('msg_1', SECONDS, body);
  const signed = (signature: string) => standard(EVENT, { 'webhook-signature': signature });
  const forged: readonly [string, RawDelivery][] = [
    ['another key', signed(sign('msg_1', SECONDS, body, `whsec_${btoa('quite another key here')}`))],
    ['without version', signed(right.slice(3))],
    ['version 1a', signed(`v1a${right.slice(2)}`)],
    ['shortened', signed(right.slice(0, -2))],
    ['joined by a comma', signed(`${right},${right}`)],
    ['another id', standard(EVENT, { 'webhook-id': 'msg_2' })],
    ['an id with a dot', standard(EVENT, { 'webhook-id': 'msg.1' })],
    ['another time', standard(EVENT, { 'webhook-timestamp': String(NOW / 1000 + 1) })],
    ['hex', signed(`v1,${Buffer.from(right.slice(3), 'base64').toString('hex')}`)],
  ];
  return {
    tracker: await trackerOf(standardWebhooks(STANDARD)),
    closed: await trackerOf(standardWebhooks({ secrets: [] })),
    valid: standard(EVENT),
    project: 'shop',
    secret: KEY.slice(6),
    forged: forged.map(([name, forgery]) => ({ name, delivery: forgery })),
    unreadable: ['', 'hello', '[]', '{"event_id":7}', '{"event_id":"../x"}'].map((body) => ({
      name: body,
      delivery: standard(body),
    })),
    coversBody: true,
  };
}
for (const law of trackerContract) t.test(`standard-webhooks: ${law.name}`, () => law.run(standardSubject));

t.test('Standard Webhooks', async (t) => {
  const tracker = await trackerOf(standardWebhooks(STANDARD));
  // The example of the specification's reference libraries.
  const theirs = await trackerOf(
    standardWebhooks({ secrets: [{ project: 'shop', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] }),
  );
  const vector = delivery('standard-webhooks', bytes('{"test": 2432232314}'), {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
  t.ok(theirs.verify({ ...vector, receivedAt: 1_614_265_330_000 }).ok, 'the reference vector');
  t.notOk(theirs.verify(vector).ok, 'years later');

  const { body } = standard(EVENT);
  const several = `v1a,abc ${sign('msg_1', SECONDS, body, `whsec_${btoa('quite another key here')}`)} ${sign('msg_1', SECONDS, body, OLD)}`;
  t.ok(
    tracker.verify(standard(EVENT, { 'webhook-signature': several })).ok,
    'one of several signatures, with the previous key',
  );
  for (const [offset, ok] of [
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ] as const) {
    t.equal(tracker.verify(standard(EVENT, {}, String(NOW / 1000 + offset))).ok, ok, `${offset} s`);
  }
  t.throws(() => standardWebhooks({ secrets: [{ project: 'shop', secret: 'whsec_' }] }), {
    code: 'configuration',
  });

  const wrapped = tracker.parse(
    standard({ type: 'crash', timestamp: '2026-11-21T10:00:00Z', data: { message: 'm' } }),
  );
  t.match(wrapped, {
    event_id: 'msg_1',
    delivery_id: 'msg_1',
    crashes: [{ event_id: 'msg_1', crash: { message: 'm', timestamp: '2026-11-21T10:00:00Z' } }],
  });
  t.match(tracker.parse(standard(EVENT)), { event_id: EVENT.event_id });
});
