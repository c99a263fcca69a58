/**
 * Loaded into the crashing program by `node --import <this>?dsn=…&release=…`: `@sentry/node` with its default integrations,
 * which report an uncaught error before the program exits.
 */
import * as Sentry from '@sentry/node';

const { searchParams } = new URL(import.meta.url);
Sentry.init({
  dsn: searchParams.get('dsn') ?? '',
  release: searchParams.get('release') ?? '',
  environment: searchParams.get('environment') ?? 'production',
});
