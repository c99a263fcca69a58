#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { serveUntilStopped } from '../github/index.js';
import type { DoubleRepository, DoubleToken, Scope } from './options.js';
import { startForgejoDouble } from './server.js';

/**
 * Runs a double as its own process: prints one JSON line when ready, and serves until it is stopped.
 * `--repo owner/name=PATH`, `--token TOKEN=USER:SCOPE,SCOPE`.
 */
const { values } = parseArgs({
  options: {
    repo: { type: 'string', multiple: true, default: [] },
    token: { type: 'string', multiple: true, default: [] },
    persist: { type: 'string' },
    port: { type: 'string' },
    scale: { type: 'string' },
    origin: { type: 'string' },
  },
});
const pairs = (texts: readonly string[]) =>
  texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const);
const { persist, port, scale, origin } = values;
const double = await startForgejoDouble({
  repositories: Object.fromEntries(
    pairs(values.repo).map(([name, git]): [string, DoubleRepository] => [name, { git }]),
  ),
  tokens: Object.fromEntries(
    pairs(values.token).map(([token, rest]): [string, DoubleToken] => {
      const at = rest.indexOf(':');
      return [token, { user: rest.slice(0, at), scopes: rest.slice(at + 1).split(',') as Scope[] }];
    }),
  ),
  ...(persist === undefined ? {} : { persistTo: persist }),
  ...(port === undefined ? {} : { port: Number(port) }),
  ...(scale === undefined ? {} : { timeScale: Number(scale) }),
  ...(origin === undefined ? {} : { timeOrigin: Number(origin) }),
});
serveUntilStopped(double, { url: double.url });
