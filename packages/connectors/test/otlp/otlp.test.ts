import type { JsonValue } from '@culprit/core';
import { type ParsedDelivery, type RawDelivery, silentLogger, type Tracker } from '@culprit/core/connector';
import { trackerContract } from '@culprit/core/testing';
import fc from 'fast-check';
import { PbfReader, PbfWriter } from 'pbf';
import t from 'tap';
import { type Encoding, otlp, otlpAccepted, otlpRefused, type Signal } from '../../src/otlp/index.js';

const TOKEN = 'service-token-of-the-collector';
const STACK = 'TypeError: boom\n    at total (src/cart.js:2:18)\n    at main (src/index.js:5:3)';
const TRACE = '5b8efff798038103d269b633813fc60c';

async function trackerOf(config: Parameters<typeof otlp>[0]): Promise<Tracker> {
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const { tracker } = await otlp(config).setup(context);
  if (!tracker) throw new Error('no tracker');
  return tracker;
}
const CONFIG = {
  tokens: [{ project: 'shop', name: 'collector', token: TOKEN }],
  services: [{ service: 'payments', project: 'pay' }],
};

function delivery(
  signal: Signal,
  body: Uint8Array | object,
  headers: Record<string, string> = {},
): RawDelivery {
  const isBytes = body instanceof Uint8Array;
  return {
    method: 'POST',
    path: `/v1/${signal}`,
    params: {},
    query: {},
    headers: {
      'content-type': isBytes ? 'application/x-protobuf' : 'application/json',
      authorization: `Bearer ${TOKEN}`,
      ...headers,
    },
    body: isBytes ? body : new TextEncoder().encode(JSON.stringify(body)),
    receivedAt: 1_800_000_000_000,
  };
}

const attributes = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : value,
  }));
const EXCEPTION = {
  'exception.type': 'TypeError',
  'exception.message': 'boom',
  'exception.stacktrace': STACK,
};
const RESOURCE = {
  'service.name': 'checkout',
  'service.version': '2.4.1',
  'deployment.environment.name': 'production',
  'vcs.ref.head.revision': 'a'.repeat(40),
  'telemetry.sdk.language': 'nodejs',
};
const log = (more: object = {}, values: object = EXCEPTION) => ({
  timeUnixNano: '1800000000000000000',
  severityNumber: 21,
  attributes: attributes({ ...values }),
  traceId: TRACE,
  spanId: 'eee19b7ec3c1b174',
  ...more,
});
const logs = (records: readonly object[], resource: object = RESOURCE) => ({
  resourceLogs: [
    {
      resource: { attributes: attributes({ ...resource }) },
      scopeLogs: [{ scope: { name: 'checkout.cart' }, logRecords: records }],
    },
  ],
});
const spans = (list: readonly object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: attributes(RESOURCE) },
      scopeSpans: [{ scope: { name: 'http' }, spans: list }],
    },
  ],
});
const spanWith = (stack: string, spanId: string) => ({
  traceId: TRACE,
  spanId,
  name: 'POST /checkout',
  attributes: attributes({
    'http.request.method': 'POST',
    'url.path': '/checkout',
    'http.route': '/checkout/{id}',
  }),
  events: [
    {
      name: 'exception',
      timeUnixNano: 1_800_000_000_000_000_000,
      attributes: attributes({ ...EXCEPTION, 'exception.stacktrace': stack }),
    },
  ],
});

for (const law of trackerContract) {
  t.test(`otlp: ${law.name}`, () =>
    law.run(async () => {
      const valid = delivery('logs', logs([log()]));
      const wrong = (authorization: string) => ({ ...valid, headers: { ...valid.headers, authorization } });
      return {
        tracker: await trackerOf(CONFIG),
        closed: await trackerOf({ tokens: [] }),
        valid,
        project: 'shop',
        secret: TOKEN,
        forged: [
          { name: 'another token', delivery: wrong('Bearer another-token') },
          { name: 'shortened', delivery: wrong(`Bearer ${TOKEN.slice(1)}`) },
          { name: 'basic', delivery: wrong(`Basic ${TOKEN}`) },
          { name: 'none', delivery: wrong('') },
        ],
        unreadable: [
          { name: 'no JSON', delivery: { ...valid, body: new TextEncoder().encode('{"resourceLogs":') } },
          { name: 'another shape', delivery: delivery('logs', { resourceLogs: [{ scopeLogs: 7 }] }) },
          { name: 'no protobuf', delivery: delivery('logs', new Uint8Array([10, 255, 1])) },
          { name: 'another type', delivery: delivery('logs', {}, { 'content-type': 'application/grpc' }) },
        ],
        coversBody: false,
      };
    }),
  );
}

t.test('an exception log record becomes a crash with its release, environment and revision', async (t) => {
  const tracker = await trackerOf(CONFIG);
  const named = delivery('logs', {}, { authorization: '', 'x-service-token': TOKEN });
  t.match(tracker.verify(named), { ok: true, project: 'shop', credential: 'shop/collector' });
  const { crashes, ignored } = tracker.parse(
    delivery('logs', logs([log(), log({ body: { stringValue: 'ordinary' } }, {})])),
  );
  t.same(ignored, { otlp_log_record: 1 });
  t.match(crashes, [
    {
      event_id: /^[0-9a-f]{32}$/,
      crash: {
        timestamp: '2027-01-15T08:00:00.000Z',
        level: 'fatal',
        platform: 'node',
        release: '2.4.1',
        environment: 'production',
        logger: 'checkout.cart',
        exception: { values: [{ type: 'TypeError', value: 'boom' }] },
        stack: STACK,
        tags: { 'service.name': 'checkout', 'vcs.ref.head.revision': 'a'.repeat(40) },
        contexts: { trace: { trace_id: TRACE, span_id: 'eee19b7ec3c1b174' } },
      },
    },
  ]);
  t.notOk('project' in (crashes[0] ?? {}), 'a service that is not listed belongs to the token’s project');
  const [pay] = tracker.parse(delivery('logs', logs([log()], { 'service.name': 'payments' }))).crashes;
  t.equal(pay?.project, 'pay');
});

t.test('one crash for each exception, not for each span that it passed', async (t) => {
  const tracker = await trackerOf(CONFIG);
  const longer = `${STACK}\n    at handler (src/http.js:9:1)`;
  const bubbled = spans([
    spanWith(STACK, 'aaaaaaaaaaaaaaaa'),
    spanWith(longer, 'bbbbbbbbbbbbbbbb'),
    { name: 'quiet' },
  ]);
  const { crashes, ignored } = tracker.parse(delivery('traces', bubbled));
  t.match(crashes, [
    {
      crash: { stack: longer, transaction: '/checkout/{id}', request: { method: 'POST', url: '/checkout' } },
    },
  ]);
  t.equal(crashes.length, 1);
  t.same(ignored, { otlp_repeated_exception: 1, otlp_span: 1 });
  const [logged] = tracker.parse(delivery('logs', logs([log()]))).crashes;
  t.equal(
    logged?.event_id,
    crashes[0]?.event_id,
    'a logger’s record of it, in another request, has the same id',
  );
  const said = (body: object) =>
    tracker.parse(delivery('logs', logs([log({ body })]))).crashes[0]?.crash as Record<string, unknown>;
  t.match(said({ stringValue: 'Order 7 could not be paid' }), { message: 'Order 7 could not be paid' });
  t.notOk('message' in said({ stringValue: EXCEPTION['exception.message'] }), 'most loggers repeat it');
  const parts = { kvlistValue: { values: [{ key: 'order', value: { intValue: '7' } }] } };
  t.match(said(parts), { extra: { 'log.body': { order: 7 } } });
  const twice = tracker.parse(delivery('logs', logs([log({ body: { stringValue: 'first' } }), log()])));
  t.match(twice.crashes, [{ crash: { message: 'first' } }], 'a repeated record keeps it');
  const untraced = (time: string) =>
    tracker.parse(delivery('logs', logs([log({ traceId: '', timeUnixNano: time })]))).crashes[0]?.event_id;
  t.equal(untraced('1'), untraced('1'), 'a request that is sent again');
  t.not(untraced('1'), untraced('2'), 'without a trace, each record is a crash');
});

t.test('a crash that is too large is rejected alone, and the answer says so', async (t) => {
  const tracker = await trackerOf(CONFIG);
  const large = log({ traceId: '' }, { ...EXCEPTION, 'exception.stacktrace': 'x'.repeat(5_000) });
  const parsed = tracker.parse({ ...delivery('logs', logs([log(), large])), itemBytes: 3_000 });
  t.equal(parsed.crashes.length, 1);
  t.match(parsed.rejected, { count: 1, reason: /^1 exceptions are larger than 3000 bytes/ });
  t.same(JSON.parse(String(otlpAccepted('logs', 'json', parsed.rejected).body)), {
    partialSuccess: { rejectedLogRecords: '1', errorMessage: parsed.rejected?.reason },
  });
  t.equal(otlpAccepted('traces', 'json').body, '{}');
  const { body } = otlpAccepted('traces', 'protobuf', parsed.rejected);
  const outer = new PbfReader(body as Uint8Array);
  const read: unknown[] = [];
  outer.readFields((field) => {
    if (field === 1)
      outer.readMessage((inner) => {
        if (inner === 1) read.push(outer.readVarint());
        if (inner === 2) read.push(outer.readString());
      }, null);
  }, null);
  t.same(read, [1, parsed.rejected?.reason]);
});

t.test('errors are google.rpc.Status; only those that may pass are repeated by exporters', async (t) => {
  const { CulpritError } = await import('@culprit/core');
  for (const [code, status, encoding] of [
    ['malformed', 400, 'json'],
    ['unauthenticated', 401, 'json'],
    ['rate_limited', 429, 'json'],
    ['overloaded', 503, 'protobuf'],
    ['timed_out', 503, 'json'],
  ] as const) {
    const answer = otlpRefused(encoding as Encoding, new CulpritError(code, 'why'), 3);
    t.match(answer, { status, headers: { 'retry-after': '3' } }, code);
    if (encoding === 'json') t.match(JSON.parse(String(answer.body)), { message: 'why' });
  }
});

/** The same request as protobuf, written field by field as opentelemetry-proto numbers them. */
function asProtobuf(request: ReturnType<typeof logs>): Uint8Array {
  type Value = { readonly stringValue?: string; readonly intValue?: number };
  const writer = new PbfWriter();
  const pair = (item: { key: string; value: unknown }, pbf: PbfWriter) => {
    pbf.writeStringField(1, item.key);
    pbf.writeMessage(
      2,
      (value: Value, one: PbfWriter) => one.writeStringField(1, value.stringValue ?? ''),
      item.value as Value,
    );
  };
  for (const { resource, scopeLogs } of request.resourceLogs) {
    writer.writeMessage(
      1,
      (_, pbf) => {
        for (const { scope, logRecords } of scopeLogs)
          pbf.writeMessage(
            2,
            (__, inner) => {
              inner.writeMessage(
                1,
                (named: { name: string }, one) => one.writeStringField(1, named.name),
                scope,
              );
              for (const record of logRecords as ReturnType<typeof log>[])
                inner.writeMessage(
                  2,
                  (one: ReturnType<typeof log>, item) => {
                    item.writeFixed64Field(1, Number(one.timeUnixNano));
                    item.writeVarintField(2, one.severityNumber);
                    for (const attribute of one.attributes) item.writeMessage(6, pair, attribute);
                    item.writeBytesField(9, Buffer.from(one.traceId, 'hex'));
                    item.writeBytesField(10, Buffer.from(one.spanId, 'hex'));
                  },
                  record,
                );
            },
            null,
          );
        pbf.writeMessage(
          1,
          (from: typeof resource, one) => {
            for (const attribute of from.attributes) one.writeMessage(1, pair, attribute);
          },
          resource,
        );
      },
      null,
    );
  }
  return writer.finish();
}

t.test('JSON and protobuf give the same crash', async (t) => {
  const tracker = await trackerOf(CONFIG);
  const request = logs([log()]);
  t.same(tracker.parse(delivery('logs', asProtobuf(request))), tracker.parse(delivery('logs', request)));
});

t.test('property: bytes that are no message are refused, and take no time', async (t) => {
  const tracker = await trackerOf(CONFIG);
  const whole = asProtobuf(logs([log()]));
  const parse = (signal: Signal, body: Uint8Array): ParsedDelivery | null => {
    try {
      return tracker.parse(delivery(signal, body));
    } catch (error) {
      if ((error as { code?: string }).code === 'malformed') return null;
      throw error;
    }
  };
  fc.assert(
    fc.property(
      fc.constantFrom<Signal>('logs', 'traces'),
      fc.uint8Array({ maxLength: 200 }),
      (signal, bytes) => {
        parse(signal, bytes);
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }),
      fc.nat(whole.length),
      (changes, length) => {
        const bytes = Uint8Array.from(whole.subarray(0, length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        parse('logs', bytes);
      },
    ),
  );
  const empty = Buffer.alloc(120_000);
  for (let at = 0; at < empty.length; at += 2) empty[at] = 0x12;
  const writer = new PbfWriter();
  writer.writeMessage(1, (_, pbf) => pbf.writeBytesField(2, empty), null);
  t.throws(() => tracker.parse(delivery('traces', writer.finish())), { code: 'too_large' });
  // A length of 2^31 in a body of six bytes: read as zeros, it would take minutes.
  t.equal(parse('logs', new Uint8Array([10, 255, 255, 255, 255, 7])), null);
});

t.test('deep and repeated attributes, unknown fields, numbers beyond 53 bits', async (t) => {
  const tracker = await trackerOf(CONFIG);
  let deep: unknown = { stringValue: 'end' };
  for (let level = 0; level < 60; level++) deep = { arrayValue: { values: [deep] } };
  const record = log({
    unknown: [1],
    attributes: [
      ...attributes(EXCEPTION),
      { key: 'deep', value: deep },
      { key: 'id', value: { intValue: '9223372036854775807' } },
      { key: 'id', value: { intValue: 1 } },
      { key: '__proto__', value: { kvlistValue: { values: [{ key: 'a', value: { boolValue: true } }] } } },
      { key: 'map', value: { kvlistValue: { values: [{ key: 'a', value: { doubleValue: 'NaN' } }] } } },
    ],
  });
  const [crash] = tracker.parse(delivery('logs', { ...logs([record]), more: true })).crashes;
  const { extra = {} } = (crash?.crash ?? {}) as { extra?: Record<string, JsonValue> };
  t.same(Object.keys(extra), ['deep', 'id', 'map']);
  t.equal(extra.id, 2 ** 63);
  t.same(extra.map, { a: 'NaN' });
  t.notMatch(JSON.stringify(extra.deep), /end/, 'left out below eight levels');
});
