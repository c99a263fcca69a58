import { defineConnector } from '@culprit/core';
import { bugsinkConfig } from './config.js';
import { parseAlert } from './parse.js';
import { secretVerifier } from './verify.js';

/** Tells the host, before setup, where this belongs. */
export const ports = ['tracker'];

/** `POST /webhook/bugsink`: alerts of Bugsink's generic webhook. */
export const bugsink = defineConnector({
  id: 'bugsink',
  config: bugsinkConfig,
  setup: (config) => ({ tracker: { verify: secretVerifier(config), parse: parseAlert } }),
});

/** The same under the name by which the host loads connectors that are configured by package name. */
export const connector = bugsink;
