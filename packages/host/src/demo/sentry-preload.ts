/**
 * Loaded into the crashing program by `node --import <this>?dsn=…&release=…`: the real `@sentry/node` with its default
 * integrations, which report an uncaught error and then let the program die.
 */
import * as Sentry from '@sentry/node';

const { searchParams } = new URL(import.meta.url);
Sentry.init({
  dsn: searchParams.get('dsn') ?? '',
  release: searchParams.get('release') ?? '',
  environment: searchParams.get('environment') ?? 'production',
});
