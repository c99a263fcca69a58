/**
 * Loaded into the crashing program by `node --import <this>?dsn=…&release=…&to=FILE`: `@sentry/node` with its default
 * integrations, which report an uncaught error before the program exits. Writes what the door answered to FILE.
 */
import { writeFileSync } from 'node:fs';
import * as Sentry from '@sentry/node';

export interface SdkAnswer {
  readonly status: number;
  /** From the request to the response. */
  readonly ms: number;
}

const { searchParams } = new URL(import.meta.url);
Sentry.init({
  dsn: searchParams.get('dsn') ?? '',
  release: searchParams.get('release') ?? '',
  environment: searchParams.get('environment') ?? 'production',
  transport(options) {
    const transport = Sentry.makeNodeTransport(options);
    return {
      ...transport,
      async send(envelope) {
        const started = performance.now();
        const answer = await transport.send(envelope);
        const status = answer.statusCode;
        const isEvent = envelope[1].some(([{ type }]) => type === 'event');
        const measured: SdkAnswer = { status: status ?? 0, ms: performance.now() - started };
        if (isEvent && status !== undefined)
          writeFileSync(searchParams.get('to') ?? '', JSON.stringify(measured));
        return answer;
      },
    };
  },
});
