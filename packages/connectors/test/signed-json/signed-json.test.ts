import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Connector,
  isCulpritError,
  type RawDelivery,
  silentLogger,
  type Tracker,
} from '@culprit/core/connector';
import { type TrackerSubject, trackerContract } from '@culprit/core/testing';
import fc from 'fast-check';
import t from 'tap';
import { hmacSha256With } from '../../src/shared/hmac.js';
import { errortracker, native } from '../../src/signed-json/index.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const sign = (body: Uint8Array, secret: string) => createHmac('sha256', secret).update(body).digest('hex');

async function trackerOf(connector: Connector): Promise<Tracker> {
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const { tracker } = await connector.setup(context);
  if (!tracker) throw new Error('no tracker');
  return tracker;
}

function delivery(headers: Readonly<Record<string, string>>, body: Uint8Array): RawDelivery {
  return { method: 'POST', path: '/x', params: {}, query: {}, headers, body, receivedAt: 0 };
}

t.test('property: the two hashes of a signature are its HMAC-SHA256, whatever its key and body', async () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 65_000, max: 66_000 }).map((length) => Buffer.alloc(length, 'x')),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'grapheme' }), body, body, (secret, one, other) => {
      const made = hmacSha256With(secret);
      return made(one) === sign(one, secret) && made(other) === sign(other, secret);
    }),
    { numRuns: 300 },
  );
});

const CRASH = bytes(
  '{"event_id":"evt-1","message":"bööm","stack_trace":{"frames":[{"file":"a.js","line":1}]}}',
);
const UNREADABLE: readonly [string, Uint8Array][] = [
  ['not UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['not JSON', bytes('{"event_id":')],
  ['empty', bytes('')],
  ['a list', bytes('[]')],
  ['null', bytes('null')],
  ['a bare string', bytes('"boom"')],
  ['NaN', bytes('{"a":NaN}')],
  ['an empty id', bytes('{"event_id":""}')],
  ['a path as id', bytes('{"event_id":"../../etc/passwd"}')],
  ['a number as id', bytes('{"event_id":7}')],
  ['an id that is too long', bytes(`{"event_id":"${'x'.repeat(129)}"}`)],
  ['an id with a newline', bytes('{"event_id":"a\\n"}')],
];

const SECRET = 'whisky-tango-1';
const signed = (body: Uint8Array, header = sign(body, SECRET)) =>
  delivery({ 'tracker-hook-signature': header }, body);

async function errortrackerSubject(): Promise<TrackerSubject> {
  const secrets = [
    { project: 'shop', secret: 'older' },
    { project: 'shop', secret: SECRET },
    { project: 'billing', secret: 'other' },
  ];
  const good = sign(CRASH, SECRET);
  const forged: readonly [string, string][] = [
    ['wrong secret', sign(CRASH, 'wrong')],
    ['empty secret', createHmac('sha256', '').update(CRASH).digest('hex')],
    ['truncated', good.slice(0, 63)],
    ['longer', `${good}0`],
    ['doubled', `${good}, ${good}`],
    ['two signatures', `${sign(CRASH, 'wrong')}, ${good}`],
    ['the body twice, without a comma', good + good],
    ['upper case', good.toUpperCase()],
    ['upper-case prefix', `SHA256=${good}`],
    ['another prefix', `sha1=${good}`],
    ['two prefixes', `sha256=sha256=${good}`],
    ['spaces', ` ${good}`],
    ['a newline', `${good}\n`],
    ['not hex', 'z'.repeat(64)],
    ['base64', createHmac('sha256', SECRET).update(CRASH).digest('base64')],
    ['sha1', createHmac('sha1', SECRET).update(CRASH).digest('hex')],
    ['of the parsed body', sign(bytes(JSON.stringify(JSON.parse('{"a": 1.0}'))), SECRET)],
    ['the secret itself', SECRET],
    ['empty', ''],
  ];
  return {
    tracker: await trackerOf(errortracker({ secrets })),
    closed: await trackerOf(errortracker({ secrets: [] })),
    valid: signed(CRASH),
    project: 'shop',
    secret: SECRET,
    forged: forged.map(([name, header]) => ({ name, delivery: signed(CRASH, header) })),
    unreadable: UNREADABLE.map(([name, body]) => ({ name, delivery: signed(body) })),
    coversBody: true,
  };
}

const TOKEN = 'token-abcdef';
const withToken = (body: Uint8Array, token = TOKEN) => delivery({ 'x-service-token': token }, body);

async function nativeSubject(): Promise<TrackerSubject> {
  const tokens = [
    { project: 'billing', name: 'old', token: 'other' },
    { project: 'shop', name: 'api', token: TOKEN },
  ];
  const forged = [
    '',
    'x',
    TOKEN.slice(1),
    `${TOKEN}x`,
    TOKEN.toUpperCase(),
    `${TOKEN}, ${TOKEN}`,
    `Bearer ${TOKEN}`,
  ];
  return {
    tracker: await trackerOf(native({ tokens })),
    closed: await trackerOf(native({ tokens: [] })),
    valid: withToken(CRASH),
    project: 'shop',
    secret: TOKEN,
    forged: forged.map((token) => ({ name: token, delivery: withToken(CRASH, token) })),
    unreadable: UNREADABLE.map(([name, body]) => ({ name, delivery: withToken(body) })),
    coversBody: false,
  };
}

for (const [name, make] of Object.entries({ errortracker: errortrackerSubject, native: nativeSubject })) {
  for (const law of trackerContract) t.test(`${name}: ${law.name}`, () => law.run(make));
}

t.test('a signature over the raw bytes, as created by a real sender’s library', async (t) => {
  const folder = new URL('../../test/fixtures/tracker/', import.meta.url);
  const body = readFileSync(new URL('hook-wire-nonascii.raw.json', folder));
  const vector = JSON.parse(readFileSync(new URL('hook-wire-nonascii.headers.json', folder), 'utf8'));
  const secrets = [{ project: 'default', secret: vector._client_secret }];
  const tracker = await trackerOf(errortracker({ secrets }));
  const signature: string = vector['Sentry-Hook-Signature'];
  t.equal(tracker.verify(signed(body, signature)).ok, true);
  t.equal(tracker.verify(signed(body, `sha256=${signature}`)).ok, true, 'the prefix is accepted');
  const again = bytes(JSON.stringify(JSON.parse(body.toString())));
  t.equal(tracker.verify(signed(again, signature)).ok, false, 'a reserialised body differs');
});

t.test('every active secret is accepted for its project', async (t) => {
  const { tracker } = await errortrackerSubject();
  for (const [secret, project, credential] of [
    ['older', 'shop', 'shop/secret-1'],
    [SECRET, 'shop', 'shop/secret-2'],
    ['other', 'billing', 'billing/secret-3'],
  ] as const) {
    t.same(tracker.verify(signed(CRASH, sign(CRASH, secret))), { ok: true, project, credential });
  }
  const tokens = await nativeSubject();
  t.same(tokens.tracker.verify(withToken(CRASH)), { ok: true, project: 'shop', credential: 'shop/api' });
});

t.test('configuration', (t) => {
  const bad = [
    () => errortracker({ secrets: [{ project: 'shop', secret: '' }] }),
    () => errortracker({ secrets: [{ project: 'a/b', secret: 'x' }] }),
    () => native({ tokens: [{ project: 'shop', name: '', token: 'x' }] }),
  ];
  for (const make of bad) t.throws(make, { code: 'configuration' });
  t.end();
});

t.test('the event id is returned unchanged; JSON is parsed like JSON.parse', async (t) => {
  const { tracker } = await nativeSubject();
  const idOf = (text: string) => tracker.parse(withToken(bytes(text))).crashes[0]?.event_id;
  t.equal(idOf('{"event_id":"A-b_c.d:1"}'), 'A-b_c.d:1');
  t.equal(idOf(`{"event_id":"${'x'.repeat(128)}"}`), 'x'.repeat(128));
  t.equal(idOf('{"message":"m"}'), null);
  t.equal(idOf('{"event_id":null}'), null);
  t.equal(idOf('{"event_id":"a","event_id":"b"}'), 'b', 'the last of two members wins');
  t.equal(idOf('{"__proto__":{"event_id":"x"}}'), null, 'a prototype does not provide an id');
  t.equal(idOf('\uFEFF{"event_id":"bom"}'), 'bom');
  t.throws(() => idOf('{"event_id":"a b"}'), { code: 'malformed', path: 'event_id' });
  t.equal(tracker.parse(withToken(CRASH)).event_id, 'evt-1');
});

t.test('property: random bodies are parsed or rejected as malformed', async (t) => {
  const { tracker } = await nativeSubject();
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map(bytes),
    fc
      .dictionary(fc.constantFrom('event_id', '__proto__', 'message'), fc.jsonValue())
      .map((v) => bytes(JSON.stringify(v))),
  );
  fc.assert(
    fc.property(body, (bytes) => {
      try {
        return tracker.parse(withToken(bytes)).crashes.length === 1;
      } catch (error) {
        return isCulpritError(error, 'malformed');
      }
    }),
    { numRuns: 3000 },
  );
  t.equal(Object.keys(Object.prototype).length, 0);
});
