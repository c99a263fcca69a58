#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { serveUntilStopped } from '../github/index.js';
import type { Scope } from './options.js';
import { startGitlabDouble } from './server.js';

/**
 * Runs a double as its own process: prints one JSON line when ready, and serves until it is stopped.
 * `--repo group/project=/path/of/git`, `--token TOKEN=user:api,read_api`; both repeatable.
 */
const { values } = parseArgs({
  options: {
    repo: { type: 'string', multiple: true, default: [] },
    token: { type: 'string', multiple: true, default: [] },
    persist: { type: 'string' },
    port: { type: 'string' },
    scale: { type: 'string' },
    origin: { type: 'string' },
    'no-limits': { type: 'boolean', default: false },
  },
});
const SCOPES: readonly string[] = ['api', 'read_api', 'read_repository'];
const pairs = (given: readonly string[]) =>
  given.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const);
const double = await startGitlabDouble({
  repositories: Object.fromEntries(pairs(values.repo).map(([name, git]) => [name, { git }])),
  tokens: Object.fromEntries(
    pairs(values.token).map(([token, text]) => {
      const [user = '', list = ''] = text.split(':');
      const scopes = list.split(',');
      if (user === '' || !scopes.every((scope) => SCOPES.includes(scope)))
        throw new Error(`--token must be TOKEN=user:SCOPE,… with scopes of ${SCOPES.join(', ')}`);
      return [token, { user, scopes: scopes as Scope[] }];
    }),
  ),
  ...(values.persist === undefined ? {} : { persistTo: values.persist }),
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.scale === undefined ? {} : { timeScale: Number(values.scale) }),
  ...(values.origin === undefined ? {} : { timeOrigin: Number(values.origin) }),
  ...(values['no-limits'] ? { limits: false as const } : {}),
});
serveUntilStopped(double, { url: double.url });
