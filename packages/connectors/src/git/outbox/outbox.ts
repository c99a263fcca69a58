import { defineConnector } from '@culprit/core';
import { outboxConfig } from '../config.js';
import { checkOutbox } from './check.js';
import { createOutboxPublisher } from './publisher.js';

/** A folder as publisher: each issue is a Markdown file, and a page that the host serves at `/outbox/{number}`. */
export const outbox = defineConnector({
  id: 'outbox',
  config: outboxConfig,
  setup: (config) => ({
    publisher: createOutboxPublisher(config),
    check: () => checkOutbox(config.directory),
  }),
});
