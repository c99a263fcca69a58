import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  isCulpritError,
  type ParsedDelivery,
  type RawDelivery,
  silentLogger,
  type Tracker,
} from '@culprit/core/connector';
import { type TrackerSubject, trackerContract } from '@culprit/core/testing';
import fc from 'fast-check';
import t from 'tap';
import { parseEnvelope, SENTRY_LIMITS, sdkErrorOf, sentry, thinBody } from '../../src/sentry/index.js';
import { decodeBody } from '../../src/shared/decode.js';

const KEY = '0123456789abcdef0123456789abcdef';
const OTHER = 'fedcba9876543210fedcba9876543210';
const ID = '9ec79c33ec9942ab8353589fcb2e04dc';
const bytes = (text: string) => new TextEncoder().encode(text);
const folder = new URL('../../test/fixtures/sentry/', import.meta.url);
const fixture = (name: string): Uint8Array => readFileSync(new URL(`${name}.bin`, folder));

type Keys = Parameters<typeof sentry>[0]['keys'];
async function trackerOf(keys: Keys): Promise<Tracker> {
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const { tracker } = await sentry({ keys }).setup(context);
  if (!tracker) throw new Error('no tracker');
  return tracker;
}
const KEYS: Keys = [
  { project: 'shop', key: KEY },
  { project: 'billing', key: OTHER },
  { project: '42', key: 'abc' },
];

function delivery(body: Uint8Array, more: Partial<RawDelivery> = {}): RawDelivery {
  const query = { sentry_version: '7', sentry_key: KEY, sentry_client: 'x/1' };
  const base = { method: 'POST', path: '/api/1/envelope/', params: { project: '1' }, query, headers: {} };
  return { ...base, body, receivedAt: 0, ...more };
}
const envelope = (...lines: readonly string[]) => bytes(lines.join('\n'));
const EVENT = envelope(`{"event_id":"${ID}"}`, '{"type":"event"}', '{"message":"boom"}');

async function subject(): Promise<TrackerSubject> {
  const header = (value: string) => delivery(EVENT, { query: {}, headers: { 'x-sentry-auth': value } });
  const forged: readonly [string, RawDelivery][] = [
    ['no key', delivery(EVENT, { query: {} })],
    ['an empty key', delivery(EVENT, { query: { sentry_key: '' } })],
    ['an unknown key', delivery(EVENT, { query: { sentry_key: 'ffffffffffffffffffffffffffffffff' } })],
    ['a shortened key', delivery(EVENT, { query: { sentry_key: KEY.slice(1) } })],
    ['an upper-case key', delivery(EVENT, { query: { sentry_key: KEY.toUpperCase() } })],
    ['another project', delivery(EVENT, { params: { project: 'billing' } })],
    ['a header without key', header('Sentry sentry_version=7')],
    ['a header of another scheme', header(`Bearer sentry_key=${KEY}`)],
    ['two keys in one header', header(`Sentry sentry_key=${KEY}, Sentry sentry_key=${OTHER}`)],
    [
      'header and query disagree',
      delivery(EVENT, { headers: { 'x-sentry-auth': `Sentry sentry_key=${OTHER}` } }),
    ],
    ['HTTP Basic', delivery(EVENT, { query: {}, headers: { authorization: `Basic ${btoa(`${KEY}:`)}` } })],
    ['a future protocol version', delivery(EVENT, { query: { sentry_key: KEY, sentry_version: '8' } })],
    ['an invalid dsn', delivery(envelope('{"dsn":7}'), { query: {} })],
  ];
  const unreadable: readonly [string, Uint8Array][] = [
    ['empty', bytes('')],
    ['blank', bytes('\n\n')],
    ['no JSON', bytes('hello\n')],
    ['a list as header', bytes('[]\n')],
    ['an item header that is not JSON', envelope('{}', '{"type":')],
    ['an item without type', envelope('{}', '{}', '')],
    ['a length beyond the end', envelope('{}', '{"type":"event","length":99}', '{}')],
    ['a length before the end', envelope('{}', '{"type":"event","length":1}', '{}')],
    ['a negative length', envelope('{}', '{"type":"event","length":-1}', '{}')],
    ['a fractional length', envelope('{}', '{"type":"event","length":1.5}', '{}')],
    ['an event that is not JSON', envelope('{}', '{"type":"event"}', '{"a":')],
    ['an event that is a list', envelope('{}', '{"type":"event"}', '[]')],
    ['an event that is not UTF-8', Uint8Array.from([...envelope('{}', '{"type":"event"}', '"'), 0xff])],
    ['a path as event id', envelope('{"event_id":"../../x"}', '{"type":"event"}', '{}')],
    ['a short event id', envelope('{}', '{"type":"event"}', '{"event_id":"abc"}')],
  ];
  return {
    tracker: await trackerOf(KEYS),
    closed: await trackerOf([]),
    valid: delivery(EVENT),
    project: 'shop',
    secret: KEY,
    forged: forged.map(([name, forgery]) => ({ name, delivery: forgery })),
    unreadable: unreadable.map(([name, body]) => ({ name, delivery: delivery(body) })),
    coversBody: false,
  };
}
for (const law of trackerContract) t.test(`sentry: ${law.name}`, () => law.run(subject));

t.test('every captured envelope', async (t) => {
  const tracker = await trackerOf(KEYS);
  const short = ({ crashes, ignored, event_id }: ParsedDelivery) => ({
    ids: crashes.map((crash) => crash.event_id),
    files: crashes.flatMap((crash) => crash.attachments.map(({ name, bytes }) => `${name} ${bytes}`)),
    ignored,
    event_id,
  });
  const crash = (
    id: string,
    files: readonly string[] = [],
    ignored: Readonly<Record<string, number>> = {},
  ) => ({
    ids: [id],
    files,
    ignored,
    event_id: id,
  });
  const none = (ignored: Readonly<Record<string, number>>, event_id: string | null) => ({
    ids: [],
    files: [],
    ignored,
    event_id,
  });
  const expected: Readonly<Record<string, unknown>> = {
    'env-android-java-then-native': { ...crash(ID), ids: [ID, 'aac79c33ec9942ab8353589fcb2e04dc'] },
    'env-empty-headers-session': none({ session: 1 }, null),
    'env-header-only': none({}, null),
    'env-implicit-len-newline': none({ attachment: 1 }, ID),
    'env-java-event-attachment': 'malformed',
    'env-java-feedback': none({ user_report: 1 }, 'bdd63725a2b84c1eabd761106e17d390'),
    'env-java-session': none({ session: 1 }, null),
    'env-js-angular-event': crash('9353246b542f4a3191adb238f3d602ba'),
    'env-js-text-attachment': crash('7f88639e68f0491ebf2f78c4f474bc7f', ['attachment.txt 13']),
    'env-log-items': none({ log: 1 }, null),
    'env-node11-exception': crash('cb9a8c816915450485b6afabf567d150'),
    'env-node11-message': crash('82098c5819324bb19685af7df6ad2ea7'),
    'env-node11-session': none({ session: 1 }, null),
    'env-php-error': crash('4c3a4915f699467e95b2fdbd11c5ee55'),
    'env-php-statsd': none({ statsd: 1 }, 'a1a5606d421f4f23aa316d7d67f937ba'),
    'env-profile-chunk': 'malformed',
    'env-python-transaction': none({ transaction: 1 }, '34e68240171743b9bef9f9f99b8538c5'),
    'env-spec-binary-crlf': crash(ID, ['hello.txt 10']),
    'env-two-empty-attachments': none({ attachment: 2 }, ID),
  };
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.bin') ? [file.slice(0, -4)] : []));
  t.same(names.sort(), Object.keys(expected).sort(), 'every envelope is expected');
  for (const name of names) {
    const want = expected[name];
    const parse = () => short(tracker.parse(delivery(fixture(name))));
    if (want === 'malformed') t.throws(parse, { code: 'malformed' }, name);
    else t.same(parse(), want, name);
  }
  t.throws(() => parseEnvelope(fixture('env-profile-chunk')), { message: 'unexpected end of file' });
});

t.test('framing', (t) => {
  const read = (...lines: readonly string[]) =>
    parseEnvelope(envelope(...lines)).items.map(({ type, payload }) => `${type}:${Buffer.from(payload)}`);
  t.same(read('{}'), [], 'header only');
  t.same(read('{}', ''), [], 'header and newline');
  t.same(read('{}', '{"type":"a"}', 'one', '{"type":"b"}', 'two'), ['a:one', 'b:two'], 'no length');
  t.same(
    read('{}', '{"type":"a","length":5}', 'x\ny\nz', '{"type":"b"}', ''),
    ['a:x\ny\nz', 'b:'],
    'with length',
  );
  t.same(
    read('{}', '{"type":"a","length":0}', '', '{"type":"b","length":0}'),
    ['a:', 'b:'],
    'an empty payload at the end of the file',
  );
  t.same(read('{}', '{"type":"a","length":null}', 'one'), ['a:one'], 'a null length counts as missing');
  t.same(
    read('{}', '{"type":"a"}', 'one\r', '{"type":"b"}', 'two'),
    ['a:one\r', 'b:two'],
    '\\r is part of the payload',
  );
  t.same(read('{}\r', '{"type":"a","length":3}\r', 'one', ''), ['a:one'], '\\r ends a header');
  t.same(
    read('', '{}', '', '{"type":"a"}', 'one', '', '', '{"type":"b"}', 'two', '', ''),
    ['a:one', 'b:two'],
    'blank',
  );
  t.same(read('{}', '{"type":"é","length":2}', 'é'), ['é:é'], 'length counts bytes');
  t.throws(() => read('{}', '{"type":"a","length":4}', 'one'), { message: 'unexpected end of file' });
  t.throws(() => read('{}', '{"type":"a","length":2}', 'one'), { message: /missing newline/ });
  t.throws(() => read('{}', '{"type":"a","length":3}', 'one\r', ''), { message: /missing newline/ });
  t.throws(() => read('{"__proto__":{"type":"a"}}', '{"__proto__":{"type":"a"}}', ''), {
    message: 'invalid item header',
  });
  const binary = Uint8Array.from([...bytes('{}\n{"type":"a","length":4}\n'), 0, 10, 255, 13]);
  t.same([...(parseEnvelope(binary).items[0]?.payload ?? [])], [0, 10, 255, 13]);
  const many = (count: number) => read('{}', ...Array.from({ length: count }, () => '{"type":"a"}\nx'));
  t.equal(many(SENTRY_LIMITS.items).length, SENTRY_LIMITS.items);
  t.throws(() => many(SENTRY_LIMITS.items + 1), { code: 'too_large' });
  const long = (count: number) => read(`{"x":"${'x'.repeat(count - 8)}"}`);
  t.same(long(SENTRY_LIMITS.headerBytes), []);
  t.throws(() => long(SENTRY_LIMITS.headerBytes + 1), { code: 'too_large' });
  t.throws(() => read('{}', `{"type":"${'x'.repeat(SENTRY_LIMITS.headerBytes)}"}`), { code: 'too_large' });
  const blank = (count: number) => read(`${' '.repeat(count)}{}`);
  t.same(blank(SENTRY_LIMITS.headerBytes), []);
  t.throws(() => blank(SENTRY_LIMITS.headerBytes + 1), { code: 'too_large', path: 'header' });
  const gap = '\n'.repeat(SENTRY_LIMITS.headerBytes + 1);
  t.throws(() => read('{}', gap), { code: 'too_large', path: 'items[0]' }, 'nor between items or at the end');
  t.end();
});

t.test('items', async (t) => {
  const tracker = await trackerOf(KEYS);
  const parse = (...lines: readonly string[]) => tracker.parse(delivery(envelope(...lines)));
  const dashed = '9EC79C33-EC99-42AB-8353-589FCB2E04DC';
  t.equal(parse('{}', '{"type":"event"}', `{"event_id":"${dashed}"}`).crashes[0]?.event_id, ID, 'a UUID');
  t.equal(parse('{}', '{"type":"event"}', '{"message":"m"}').crashes[0]?.event_id, null, 'missing');
  const other = 'a'.repeat(32);
  t.equal(
    parse(`{"event_id":"${dashed}"}`, '{"type":"event"}', `{"event_id":"${other}"}`).crashes[0]?.event_id,
    ID,
  );
  t.same(parse('{}', '{"type":"event"}', '{"message":"m"}').crashes[0]?.crash, { message: 'm' });

  const twice = parse(
    `{"event_id":"${ID}"}`,
    '{"type":"event"}',
    '{}',
    '{"type":"event"}',
    `{"event_id":"${ID}"}`,
  );
  t.same([twice.crashes.length, twice.ignored], [1, { event: 1 }], 'a repeated event');
  const three = ['a', 'b', 'c'].flatMap((char) => ['{"type":"event"}', `{"event_id":"${char.repeat(32)}"}`]);
  t.equal(parse('{}', ...three.slice(0, 4)).crashes.length, 2);
  t.throws(() => parse('{}', ...three), { code: 'too_large' });

  const mixed = ['{"type":"x-mine"}', '1', '{"type":"__proto__"}', '1', '{"type":"session"}', '{}'];
  t.same(parse('{}', ...mixed, '{"type":"event"}', '{"a":1}').ignored, { unknown: 2, session: 1 });
  t.same(parse('{}', '{"type":"event"}', '{"type":"transaction"}').ignored, { transaction: 1 });
  const named = parse(
    '{}',
    '{"type":"attachment","filename":"../..\\\\a\\u0000b"}',
    'xy',
    '{"type":"event"}',
    '{}',
  );
  t.same(named.crashes[0]?.attachments, [{ name: 'ab', bytes: 2 }]);

  const limit = SENTRY_LIMITS.eventBytes;
  const sized = (size: number) => parse('{}', '{"type":"event"}', `{"m":"${'x'.repeat(size - 8)}"}`);
  t.equal(sized(limit).crashes.length, 1);
  t.throws(() => sized(limit + 1), { code: 'too_large', path: 'items[0]' });
});

t.test('/store/', async (t) => {
  const tracker = await trackerOf(KEYS);
  const store = (body: Uint8Array, headers: Readonly<Record<string, string>> = {}, path = '/api/1/store/') =>
    tracker.parse(delivery(body, { path, headers }));
  t.same(store(bytes(`{"event_id":"${ID}","message":"m"}`)).crashes[0]?.event_id, ID);
  t.same(store(bytes('{"message":"m"}'), {}, '/api/1/store').crashes[0]?.event_id, null);
  t.same(store(EVENT, { 'content-type': 'application/x-sentry-envelope' }).event_id, ID);
  const python = store(bytes('{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \\" Infinity","d":{"NaN":1}}'));
  t.same(python.crashes[0]?.crash, { a: null, b: [null, null], c: 'NaN " Infinity', d: { NaN: 1 } });
  t.throws(() => tracker.parse(delivery(envelope('{}', '{"type":"event"}', '{"a":NaN}'))), {
    code: 'malformed',
  });
  t.throws(() => store(bytes('')), { code: 'malformed' });
  t.throws(() => store(bytes(`${'"\\"'.repeat(50_000)} NaN`)), { code: 'malformed' });
  t.throws(() => store(bytes(`{"m":"${'x'.repeat(SENTRY_LIMITS.eventBytes)}"}`)), { code: 'too_large' });
});

t.test('authentication', async (t) => {
  const tracker = await trackerOf(KEYS);
  const verify = (more: Partial<RawDelivery>, body = EVENT) => tracker.verify(delivery(body, more));
  const status = (more: Partial<RawDelivery>, body = EVENT) => {
    const result = verify(more, body);
    return result.ok ? `${result.project} ${result.credential}` : result.status;
  };
  const auth = (value: string, name = 'x-sentry-auth') => ({ query: {}, headers: { [name]: value } });
  const shop = 'shop shop/key-1';
  t.equal(status({}), shop, 'query');
  t.equal(
    status(auth(`Sentry sentry_version=7, sentry_client=a/1, sentry_key=${KEY}, sentry_secret=x`)),
    shop,
  );
  t.equal(
    status(auth(`sentry sentry_key=${KEY},sentry_version=7,sentry_timestamp=1`)),
    shop,
    'Java’s commas',
  );
  t.equal(status(auth(`Sentry sentry_key=${KEY}`, 'authorization')), shop);
  t.equal(
    status({ headers: { 'x-sentry-auth': `Sentry sentry_key=${KEY}` } }),
    shop,
    'two credentials that agree',
  );
  t.equal(status({ headers: { authorization: 'Basic eDp5' } }), shop, 'a proxy’s own header');
  const dsn = (text: string) => envelope(`{"dsn":${JSON.stringify(text)}}`);
  t.equal(status({ query: {} }, dsn(`https://${KEY}@errors.example/1`)), shop, 'a tunnel');
  t.equal(status({ query: {} }, dsn(`https://${KEY}:old@errors.example:8001/some/path/1`)), shop);
  t.equal(status({}, dsn(`https://${KEY}@errors.example/1`)), shop, 'dsn and query agree');
  t.equal(status({}, dsn(`https://${OTHER}@errors.example/1`)), 400, 'the dsn has another key');
  t.equal(status({}, dsn(`https://${KEY}@errors.example/2`)), 400, 'the dsn has another project');
  t.equal(status({ query: {} }, dsn('no dsn')), 401);
  t.equal(
    status({ query: {}, path: '/api/1/store/' }, dsn(`https://${KEY}@h/1`)),
    401,
    'an event is not an envelope',
  );
  t.equal(status({ query: { sentry_key: 'nobody' } }), 401);

  const project = (name: string, key = KEY) =>
    status({ params: { project: name }, query: { sentry_key: key } });
  t.equal(project('shop'), shop, 'by name');
  t.equal(project('77'), shop, 'any number');
  t.equal(project('billing'), 403, 'another project’s name');
  t.equal(project('42'), 403, 'another project’s number');
  t.equal(project('42', 'abc'), '42 42/key-3');
  t.equal(project('43', 'abc'), 403, 'a number must match exactly');
  t.equal(project('../shop'), 403);
  t.equal(status({ params: {} }), shop, 'no project in the path');
  t.throws(() => sentry({ keys: [KEYS[0], { project: 'b', key: KEY }] as Keys }), { code: 'configuration' });
  t.throws(() => sentry({ keys: [{ project: 'b', key: '' }] }), { code: 'configuration' });
});

t.test('responses in the SDKs’ format', async (t) => {
  const tracker = await trackerOf(KEYS);
  const answer = (body: Uint8Array) => {
    try {
      return tracker.parse(delivery(body));
    } catch (error) {
      return sdkErrorOf(error);
    }
  };
  const causes = ['unexpected end of file'];
  const body = envelope('{}', '{"type":"event","length":9}', '{}');
  t.same(answer(body), { status: 400, body: { detail: 'invalid event envelope', causes } });
  t.same(answer(bytes('')), { status: 400, body: { detail: 'empty request body' } });
  t.equal(sdkErrorOf(new TypeError('secret')).status, 500);
  t.notMatch(JSON.stringify(sdkErrorOf(new TypeError('secret'))), /secret/);
});

t.test('content encodings', async (t) => {
  const plain = bytes('hello '.repeat(1000));
  const same = async (encoded: Uint8Array, encoding?: string) =>
    t.same(Buffer.from(await decodeBody(encoded, encoding, 6000)), Buffer.from(plain), String(encoding));
  for (const none of [undefined, '', ' ', 'identity', 'UTF-8']) await same(plain, none);
  await same(gzipSync(plain), 'gzip');
  await same(gzipSync(plain), 'GZIP');
  await same(deflateSync(plain), 'deflate');
  await same(deflateRawSync(plain), 'deflate');
  const refused = (encoded: Uint8Array, encoding: string | undefined, code: string) =>
    t.rejects(decodeBody(encoded, encoding, 5999), { code }, `${encoding} ${code}`);
  await refused(plain, undefined, 'too_large');
  await refused(gzipSync(plain), 'gzip', 'too_large');
  await refused(deflateSync(new Uint8Array(50_000_000)), 'deflate', 'too_large');
  await refused(gzipSync(plain).subarray(0, 20), 'gzip', 'malformed');
  await refused(plain, 'gzip', 'malformed');
  await refused(new Uint8Array(), 'gzip', 'malformed');
  await refused(new Uint8Array(), 'deflate', 'malformed');
  await refused(brotliCompressSync(plain), 'br', 'unsupported_encoding');
  for (const encoding of ['gzip, gzip', 'compress', '\u0000'])
    await refused(plain, encoding, 'unsupported_encoding');
});

/** A frame of RLE blocks, 4 bytes per 128 KiB, built from RFC 8878 because Node 20 has no encoder. */
function repeated(blocks: number, window = 0x58): Uint8Array {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, window];
  for (let index = 0; index < blocks; index++) {
    const header = (131_072 << 3) | (1 << 1) | (index === blocks - 1 ? 1 : 0);
    frame.push(header & 255, (header >> 8) & 255, (header >> 16) & 255, 0x61);
  }
  return Uint8Array.from(frame);
}
/** `hello zstd\n` as encoded by the reference encoder. */
const ZSTD = Buffer.from('KLUv/QRYWQAAaGVsbG8genN0ZApsV/lR', 'base64');

t.test('zstd', async (t) => {
  t.equal(Buffer.from(await decodeBody(ZSTD, 'zstd', 100)).toString(), 'hello zstd\n');
  t.equal((await decodeBody(repeated(8), 'zstd', 1024 * 1024)).length, 1024 * 1024, 'exactly the limit');
  const refused = (body: Uint8Array, limit: number, code: string, name: string) =>
    t.rejects(decodeBody(body, 'zstd', limit), { code }, name);
  await refused(repeated(8), 1024 * 1024 - 1, 'too_large', 'one byte over');
  await refused(repeated(8192), 20_000_000, 'too_large', '32 KB that decompress to 1 GB');
  await refused(repeated(1, 0xff), 20_000_000, 'too_large', 'a window of gigabytes');
  await refused(ZSTD.subarray(0, 12), 100, 'malformed', 'cut short');
  await refused(new Uint8Array(), 100, 'malformed', 'empty');
  await refused(bytes('no zstd at all'), 100, 'malformed', 'not zstd');
  const block = [0x00, 255, 255, 255, 0x54, 0, 2, 52, 128, 128];
  const header = (block.length << 3) | (2 << 1);
  const slow = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
  for (let index = 0; index < 2_000; index++) slow.push(header & 255, header >> 8, 0, ...block);
  await refused(Uint8Array.from([...slow, 1, 0, 0]), 1_000_000, 'too_large', '26 KB that would take hours');
  t.equal((await decodeBody(ZSTD, 'zstd', 100)).length, 11, 'the next body is decoded');
});

t.test('brotli only if it is allowed', async (t) => {
  const packed = brotliCompressSync(bytes('hello '.repeat(1000)));
  t.equal((await decodeBody(packed, 'br', 6000, { brotli: true })).length, 6000);
  t.rejects(decodeBody(packed, 'br', 5999, { brotli: true }), { code: 'too_large' });
});

t.test('Raven’s bodies, client reports, tunnels', async (t) => {
  const tracker = await trackerOf(KEYS);
  const event = JSON.stringify({ event_id: ID, message: 'old' });
  const packed = deflateSync(event).toString('base64');
  const store = (body: string | Uint8Array) =>
    tracker.parse(delivery(typeof body === 'string' ? bytes(body) : body, { path: '/api/1/store/' }));
  for (const body of [packed, `${packed}\n`, deflateSync(event), Buffer.from(event).toString('base64')]) {
    t.same(store(body).crashes[0]?.crash, { event_id: ID, message: 'old' });
  }
  t.throws(() => store(deflateSync(new Uint8Array(2_000_000)).toString('base64')), { code: 'too_large' });
  t.throws(() => store(packed.slice(0, 40)), { code: 'malformed' });
  const report = {
    discarded_events: [{ reason: 'ratelimit_backoff', category: 'error', quantity: 7 }, 1, {}],
  };
  const reported = tracker.parse(
    delivery(envelope('{}', '{"type":"client_report"}', JSON.stringify(report))),
  );
  t.same(reported.ignored, { client_report: 1, client_discarded: 7 });

  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const { tracker: open } = await sentry({ keys: KEYS, tunnels: ['Errors.example:8001/1'] }).setup(context);
  const status = (dsn: string | null, of = open) => {
    const body = envelope(JSON.stringify(dsn === null ? {} : { dsn }));
    const result = of?.verify(delivery(body, { path: '/tunnel', params: {}, query: {} }));
    return result?.ok === true ? result.project : result?.status;
  };
  t.equal(status(`https://${KEY}@errors.example:8001/1`), 'shop');
  t.equal(status(`https://${KEY}@errors.example/1`), 403, 'another host');
  t.equal(status(`https://${KEY}@errors.example:8001/2`), 403, 'another project');
  t.equal(
    status(`https://${KEY}@evil.example/a@errors.example:8001/1`),
    403,
    'a host name that only looks similar',
  );
  t.equal(status(`https://${'f'.repeat(32)}@errors.example:8001/1`), 401, 'an unknown key');
  t.equal(status(null), 401, 'no dsn');
  t.equal(status(`https://${KEY}@errors.example:8001/1`, tracker), 403, 'no list: closed');
});

/** What parsing gives, as JSON, or how it was refused. Nothing else may be thrown. */
function outcomeOf(parse: () => ParsedDelivery): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    if (isCulpritError(error, 'malformed') || isCulpritError(error, 'too_large'))
      return `${error.code} ${error.message}`;
    throw error;
  }
}

/** The body as it is kept if it arrives in pieces, each of which is overwritten by the next. */
function inPieces(raw: RawDelivery, cuts: readonly number[]): Uint8Array {
  const thin = thinBody(raw, SENTRY_LIMITS);
  const places = [0, ...cuts.map((cut) => cut % (raw.body.length + 1)).sort((one, other) => one - other)];
  for (const [index, from] of places.entries()) {
    const piece = Uint8Array.from(raw.body.subarray(from, places[index + 1]));
    thin.take(piece);
    piece.fill(0x21);
  }
  return thin.end();
}

t.test('property: random and damaged envelopes give a result or a refusal', async (t) => {
  const tracker = await trackerOf(KEYS);
  const known = readdirSync(folder).flatMap((file) =>
    file.endsWith('.bin') ? [fixture(file.slice(0, -4))] : [],
  );
  const damaged = fc
    .tuple(
      fc.constantFrom(...known),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
      fc.nat(),
    )
    .map(([source, changes, cut]) => {
      const out = Uint8Array.from(source);
      for (const [at, byte] of changes) out[at % out.length] = byte;
      return cut % 3 === 0 ? out.subarray(0, cut % out.length) : out;
    });
  const line = fc.oneof(
    fc.constantFrom(
      '{}',
      '{"type":"event"}',
      '{"type":"event","length":2}',
      '{"type":"attachment","length":0}',
      '',
      '\r',
    ),
    fc.json(),
    fc.string(),
  );
  const body = fc.oneof(
    damaged,
    fc.uint8Array({ maxLength: 200 }),
    fc.array(line).map((lines) => envelope(...lines)),
  );
  fc.assert(
    fc.property(body, fc.boolean(), fc.array(fc.nat(), { maxLength: 4 }), (bytes, store, cuts) => {
      const raw = delivery(bytes, store ? { path: '/api/1/store/' } : {});
      if (typeof tracker.verify(raw).ok !== 'boolean') return false;
      const parsed = outcomeOf(() => tracker.parse(raw));
      const thinned = outcomeOf(() => tracker.parse({ ...raw, body: inPieces(raw, cuts) }));
      if (parsed !== thinned) throw new Error(`whole: ${parsed}\nin pieces: ${thinned}`);
      return true;
    }),
    { numRuns: 5000 },
  );
  t.equal(Object.keys(Object.prototype).length, 0);
});

/** The real SDK in its own process, as a program would use it. */
const CLIENT = `
  import * as Sentry from '@sentry/node';
  Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', environment: 'test' });
  Sentry.setTag('area', 'cart');
  Sentry.setExtra('filler', 'x'.repeat(Number(process.env.FILLER)));
  Sentry.captureException(new TypeError('boom from the real SDK'));
  await Sentry.flush(10000);
`;

async function capture(filler: number): Promise<{ raw: RawDelivery; encoding: string | undefined }[]> {
  const got: { request: IncomingMessage; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ request, body: Buffer.concat(chunks) });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    ...process.env,
    DSN: `http://${KEY}@127.0.0.1:${port}/1`,
    FILLER: String(filler),
    NODE_OPTIONS: '',
  };
  const cwd = new URL('../..', import.meta.url);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', CLIENT], {
    env,
    cwd,
    stdio: 'inherit',
  });
  await new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => server.close(resolve));
  return Promise.all(
    got.map(async ({ request, body }) => {
      const url = new URL(request.url ?? '', 'http://x');
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const decoded = await decodeBody(body, headers['content-encoding'], 20_000_000);
      const query = Object.fromEntries(url.searchParams);
      return {
        raw: delivery(decoded, { path: url.pathname, headers, query }),
        encoding: headers['content-encoding'],
      };
    }),
  );
}

t.test('the real @sentry/node', async (t) => {
  const tracker = await trackerOf(KEYS);
  for (const [filler, encoding] of [
    [10, undefined],
    [60_000, 'gzip'],
  ] as const) {
    const requests = await capture(filler);
    const parsed = requests.map(({ raw }) => {
      t.match(tracker.verify(raw), { ok: true, project: 'shop' });
      return tracker.parse(raw);
    });
    const crashes = parsed.flatMap((delivery) => delivery.crashes);
    t.equal(crashes.length, 1);
    t.match(crashes[0]?.event_id, /^[0-9a-f]{32}$/);
    t.match(crashes[0]?.crash, {
      release: 'shop@1.2.3',
      tags: { area: 'cart' },
      exception: { values: [{ type: 'TypeError', value: 'boom from the real SDK' }] },
    });
    t.ok(
      requests.some((request) => request.encoding === encoding),
      `encoding ${encoding}`,
    );
  }
});
