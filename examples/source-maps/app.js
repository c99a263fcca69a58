// A program that crashes in src/cart.js. The SDK reads SENTRY_DSN and SENTRY_RELEASE.
import * as Sentry from '@sentry/node';
import { total } from './src/cart.js';

Sentry.init({ defaultIntegrations: false });

function checkout(items) {
  return total(items) + 1;
}

try {
  checkout([{ price: 1 }]);
} catch (error) {
  Sentry.captureException(error);
}
await Sentry.flush(20_000);
