#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { readOptions } from './read-options.js';
import { startGithubDouble } from './server.js';
import { serveUntilStopped } from './until-stopped.js';

/** Runs a double as its own process: prints one JSON line when ready, and serves until it is stopped. */
const { values } = parseArgs({
  options: {
    repo: { type: 'string', multiple: true, default: [] },
    token: { type: 'string', multiple: true, default: [] },
    persist: { type: 'string' },
    lag: { type: 'string' },
    port: { type: 'string' },
    scale: { type: 'string' },
    origin: { type: 'string' },
    'no-limits': { type: 'boolean', default: false },
    enterprise: { type: 'boolean', default: false },
  },
});
const double = await startGithubDouble(readOptions(values));
const { url, graphqlUrl, port } = double;
serveUntilStopped(double, { url, graphql_url: graphqlUrl, port });
