import { gzipSync } from 'node:zlib';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import t from 'tap';
import { edge, post, scratch, spooled, TOKEN } from './support/edge-kit.js';

const resource = (service: string) =>
  defaultResource().merge(
    resourceFromAttributes({
      'service.name': service,
      'service.version': '2.4.1',
      'deployment.environment.name': 'production',
      'vcs.ref.head.revision': 'a'.repeat(40),
    }),
  );

/** One request that fails: the exception is recorded by the span that threw and by the one around it. */
async function failingRequest(exporter: SpanExporter, service: string): Promise<void> {
  const provider = new BasicTracerProvider({
    resource: resource(service),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('shop');
  const outer = tracer.startSpan('POST /checkout', { attributes: { 'http.request.method': 'POST' } });
  const inner = tracer.startSpan('total', {}, trace.setSpan(context.active(), outer));
  try {
    JSON.parse('{');
  } catch (error) {
    for (const span of [inner, outer]) {
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  inner.end();
  outer.end();
  tracer.startSpan('quiet').end();
  await provider.shutdown();
}

t.test('the SDKs of OpenTelemetry for Node send traces as protobuf and JSON, and logs', async (t) => {
  const spoolDirectory = await scratch(t);
  const server = await edge(t, { spoolDirectory });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const url = `${server.url}/v1/traces`;
  const options = { url, headers, compression: CompressionAlgorithm.GZIP };
  await failingRequest(new OTLPTraceExporter(options), 'checkout');
  await failingRequest(new JsonTraceExporter({ url, headers: { 'x-service-token': TOKEN } }), 'payments');

  const provider = new LoggerProvider({
    resource: resource('checkout'),
    processors: [
      new SimpleLogRecordProcessor({
        exporter: new OTLPLogExporter({ url: `${server.url}/v1/logs`, headers }),
      }),
    ],
  });
  const logger = provider.getLogger('checkout.cart');
  logger.emit({ severityNumber: SeverityNumber.INFO, body: 'the cart is open' });
  logger.emit({
    severityNumber: SeverityNumber.FATAL,
    body: 'the request failed',
    attributes: {
      'exception.type': 'RangeError',
      'exception.message': 'no such cart',
      'exception.stacktrace': 'RangeError: no such cart\n    at total (src/cart.js:2:18)',
      password: 'hunter2hunter2',
    },
  });
  await provider.shutdown();

  const kept = await spooled(spoolDirectory);
  const of = (project: string, tracker = 'otlp') =>
    kept.filter((one) => one.project === project && one.tracker === tracker);
  t.equal(kept.length, 3, 'one for each exception');
  t.match(of('pay'), [{ door: 'native', trust: 'trusted', key: 'otlp/shop/ci' }], 'by its service.name');
  const [span, record] = of('shop').map(({ crash }) => crash);
  t.match(span, {
    platform: 'node',
    release: '2.4.1',
    environment: 'production',
    exception: { values: [{ type: 'SyntaxError', value: /JSON/ }] },
    stack: /SyntaxError[\s\S]*otlp\.full\.test/,
    contexts: { trace: { trace_id: /^[0-9a-f]{32}$/ } },
  });
  t.match(record, {
    level: 'fatal',
    logger: 'checkout.cart',
    exception: { values: [{ type: 'RangeError' }] },
  });
  t.notMatch(JSON.stringify(kept), /hunter2hunter2/, 'sanitised as at every door');
});

t.test('an exporter learns what it did wrong, in its own encoding', async (t) => {
  const server = await edge(t);
  const send = (body: string, headers: Record<string, string>) =>
    post(`${server.url}/v1/logs`, body, headers);
  const authorization = `Bearer ${TOKEN}`;
  const json = 'application/json';
  const closed = await send('{}', { 'content-type': json });
  t.equal(closed.status, 401);
  t.match(await closed.json(), { code: 16, message: /bearer token, is missing/ });
  const none = await send('{}', { authorization, 'content-type': json });
  t.same([none.status, await none.json()], [200, {}], 'a request without exceptions');
  const grpc = await send('', { authorization, 'content-type': 'application/grpc' });
  t.equal(grpc.status, 400);
  t.match(await grpc.text(), /OTLP over gRPC is not accepted/);
  for (const [encoding, path] of [
    ['application/json', '/v1/metrics'],
    ['application/x-protobuf', '/v1/metrics/'],
    ['application/json', '/v1development/profiles'],
  ] as const) {
    const refused = await post(`${server.url}${path}`, 'x'.repeat(70_000), { 'content-type': encoding });
    t.equal(refused.status, 404, 'which exporters do not repeat');
    t.equal(refused.headers.get('content-type'), encoding);
    t.match(await refused.text(), /no other signal. Set OTEL_METRICS_EXPORTER=none/);
  }
  for (const wrong of ['text/plain', 'application/x-www-form-urlencoded', 'application/x-protobuf2', '']) {
    const refused = await send('{}', { authorization, 'content-type': wrong });
    t.same([wrong, refused.status], [wrong, 400]);
    t.match(await refused.json(), { code: 3, message: /^Content-Type must be/ });
  }
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20));
  const large = await post(`${server.url}/v1/traces`, bomb, {
    ...{ authorization, 'content-type': json, 'content-encoding': 'gzip' },
  });
  t.equal(large.status, 413, 'never decoded as a whole');
  t.match(await large.json(), { code: 3 });
  const broken = await send('\n', { authorization, 'content-type': 'application/x-protobuf' });
  t.equal(broken.status, 400);
  t.equal(broken.headers.get('content-type'), 'application/x-protobuf');
  t.match(await broken.text(), /not a valid OTLP protobuf message/);
});

t.test('what thousands of exceptions have in common is not multiplied', async (t) => {
  const spoolDirectory = await scratch(t);
  const server = await edge(t, { spoolDirectory });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const pairs = (values: object) =>
    Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const exceptions = Array.from({ length: 4_000 }, (_, n) => pairs({ 'exception.type': `E${n}` }));
  const logs = (resource: object) => ({
    resourceLogs: [
      {
        resource: { attributes: pairs(resource) },
        scopeLogs: [{ logRecords: exceptions.map((attributes) => ({ attributes })) }],
      },
    ],
  });
  const spans = (own: object) => {
    const events = exceptions.map((attributes) => ({ name: 'exception', attributes }));
    const traceId = 'a'.repeat(32);
    return { resourceSpans: [{ scopeSpans: [{ spans: [{ traceId, attributes: pairs(own), events }] }] }] };
  };
  const large = 'v'.repeat(300_000);
  const stored = async () => (await spooled(spoolDirectory)).length;
  for (const [path, member, body] of [
    ['logs', 'rejectedLogRecords', logs({ 'service.name': large, 'service.version': large })],
    ['traces', 'rejectedSpans', spans({ note: large })],
  ] as const) {
    const before = await stored();
    const answer = await post(`${server.url}/v1/${path}`, JSON.stringify(body), headers);
    t.equal(answer.status, 200);
    const { partialSuccess } = (await answer.json()) as { partialSuccess: Record<string, string> };
    t.match(
      partialSuccess.errorMessage,
      /^\d+ are beyond the 16777216 bytes of one request and were not stored\.$/,
    );
    const count = Number(partialSuccess[member]);
    t.ok(count > 3_900, `${count}`);
    t.equal((await stored()) - before + count, exceptions.length, 'each is stored or counted');
  }
  // Before they were bounded, this took more than two minutes of processor time.
  const before = await stored();
  const many = spans(Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, 'v'])));
  const answer = await post(`${server.url}/v1/traces`, JSON.stringify(many), headers);
  t.same([answer.status, await answer.json()], [200, {}]);
  const crashes = (await spooled(spoolDirectory)).slice(before).map(({ crash }) => crash);
  t.equal(crashes.length, exceptions.length);
  t.equal(Object.keys((crashes[0] as { extra: object }).extra).length, 64);
});
