import { CulpritError } from '@culprit/core';
import { type Config, urlOf } from './config.js';
import { keptSecrets } from './generated-secrets.js';
import { readConfig } from './read-config.js';

/** What a command needs to speak to servers that already run. */
export interface ClientConfig {
  readonly config: Config;
  readonly coreUrl: string;
  readonly edgeUrl: string;
  /** A reviewer's token; `null` where none is known. */
  readonly token: string | null;
  readonly serviceToken: string | null;
  readonly hookSecret: string | null;
  readonly sdkKey: string | null;
}

export interface ClientFlags {
  readonly url: string | null;
  readonly edgeUrl: string | null;
  readonly token: string | null;
  readonly data: string | null;
  readonly config: string | null;
}

/**
 * Flags over `CULPRIT_URL`, `CULPRIT_EDGE_URL`, `CULPRIT_TOKEN` over what the servers of this folder are configured
 * with, generated secrets included. Makes nothing.
 */
export function readClientConfig(flags: ClientFlags): ClientConfig {
  const { env } = process;
  const given = (flag: string | null, name: string) =>
    flag ?? (env[name] === '' ? undefined : env[name]) ?? null;
  const read = readConfig({
    flags: { data: flags.data ?? undefined, config: flags.config ?? undefined },
    env,
    cwd: process.cwd(),
  });
  const config = keptSecrets(read);
  const coreUrl = given(flags.url, 'CULPRIT_URL') ?? config.coreUrl ?? urlOf(config.host, config.corePort);
  const edgeUrl = given(flags.edgeUrl, 'CULPRIT_EDGE_URL') ?? urlOf(config.host, config.edgePort);
  return {
    config,
    coreUrl: httpUrl(coreUrl, '--url'),
    edgeUrl: httpUrl(edgeUrl, '--edge-url'),
    token: given(flags.token, 'CULPRIT_TOKEN') ?? config.reviewers[0]?.token.reveal() ?? null,
    serviceToken: config.serviceTokens[0]?.token.reveal() ?? null,
    hookSecret: config.hookSecrets[0]?.secret.reveal() ?? null,
    sdkKey: config.sdkKeys[0]?.key ?? null,
  };
}

function httpUrl(text: string, flag: string): string {
  if (/^https?:\/\/[^\s/?#@]+\/?$/.test(text)) return text.replace(/\/$/, '');
  throw new CulpritError(
    'configuration',
    `${flag} must be http(s)://host[:port], without a path or a password.`,
  );
}
