// Records an exception with the OpenTelemetry SDK. The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.
import { SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

function total(items) {
  return items.reduce((sum, item) => sum + item.price.amount, 0);
}

const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'checkout', 'service.version': '2.4.1' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const span = provider.getTracer('shop').startSpan('POST /checkout');
try {
  total([{ name: 'teapot' }]);
} catch (error) {
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
span.end();
await provider.shutdown();
