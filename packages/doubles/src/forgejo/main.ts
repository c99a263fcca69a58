#!/usr/bin/env node
import { readArguments, serveUntilStopped } from '../shared/process.js';
import type { DoubleToken, Scope } from './options.js';
import { startForgejoDouble } from './server.js';

const SCOPE = /^(?:read|write):(?:repository|issue|user|organization)$/;

/** `--token TOKEN=user:read:user,write:issue` */
function tokenOf(user: string, scopes: readonly string[]): DoubleToken {
  const unknown = scopes.find((scope) => !SCOPE.test(scope));
  if (unknown !== undefined) throw new Error(`unknown scope ${unknown} in --token`);
  return { user, scopes: scopes as readonly Scope[] };
}

const double = await startForgejoDouble(readArguments(tokenOf));
serveUntilStopped(double, { url: double.url });
