import { defineConnector } from '@culprit/core';
import { bugsinkConfig } from './config.js';
import { parseAlert } from './parse.js';
import { secretVerifier } from './verify.js';

/** Read by the host before setup. */
export const ports = ['tracker'];

/** `POST /webhook/bugsink`: alerts of Bugsink's generic webhook. */
export const bugsink = defineConnector({
  id: 'bugsink',
  config: bugsinkConfig,
  setup: (config) => ({ tracker: { verify: secretVerifier(config), parse: parseAlert } }),
});

/** The same connector under the name that the host loads from a package. */
export const connector = bugsink;
