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
  const broken = await send('\n', { authorization, 'content-type': 'application/x-protobuf' });
  t.equal(broken.status, 400);
  t.equal(broken.headers.get('content-type'), 'application/x-protobuf');
  t.match(await broken.text(), /not a valid OTLP protobuf message/);
});
