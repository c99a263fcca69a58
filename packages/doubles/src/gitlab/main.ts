#!/usr/bin/env node
import { readArguments, serveUntilStopped } from '../shared/process.js';
import type { DoubleToken, Scope } from './options.js';
import { startGitlabDouble } from './server.js';

const SCOPES: readonly string[] = ['api', 'read_api', 'read_repository'];

/** `--token TOKEN=user:api,read_api` */
function tokenOf(user: string, scopes: readonly string[]): DoubleToken {
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined)
    throw new Error(`unknown scope ${unknown} in --token; valid names: ${SCOPES.join(', ')}`);
  return { user, scopes: scopes as readonly Scope[] };
}

const double = await startGitlabDouble(readArguments(tokenOf, ['no-limits']));
serveUntilStopped(double, { url: double.url });
