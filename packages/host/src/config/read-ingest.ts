import { CulpritError, linearPattern, type SanitiserOptions, type ScrubRule } from '@culprit/core';
import * as v from 'valibot';
import { type Given, type HookSecret, parseBoolean, parseHookSecrets, parseList, refuse } from './formats.js';
import type { SettingKey } from './settings.js';
import { unknownKey } from './sources.js';

export const IP_MODES = ['off', 'keys', 'all'] as const;

/** What the doors take beside their own secrets, and what is taken out of it. */
export interface IngestConfig {
  readonly sentryHook: { readonly secrets: readonly HookSecret[]; readonly toleranceSeconds: number | null };
  readonly standardWebhooks: { readonly secrets: readonly HookSecret[]; readonly toleranceSeconds: number };
  /** `host[:port]/project` of the DSNs that `/tunnel` takes. */
  readonly tunnels: readonly string[];
  readonly brotli: boolean;
  readonly scrub: ScrubConfig;
}
export type ScrubConfig = Required<SanitiserOptions>;

type Read = <T>(key: SettingKey, parse: (given: Given) => T, fallback: T) => T;

export function readIngest(read: Read, scrub: unknown): IngestConfig {
  return {
    sentryHook: {
      secrets: read('sentryHookSecrets', parseHookSecrets, []),
      toleranceSeconds: read<number | null>('sentryHookTolerance', parseSeconds, null),
    },
    standardWebhooks: {
      secrets: read('standardWebhookSecrets', parseHookSecrets, []),
      toleranceSeconds: read('standardWebhookTolerance', parseSeconds, 300),
    },
    tunnels: read('sdkTunnels', parseTunnels, []),
    brotli: read('allowBrotli', parseBoolean, false),
    scrub: {
      email: read('scrubEmail', parseBoolean, true),
      ip: read('scrubIp', parseIpMode, 'keys'),
      rules: readRules(scrub),
    },
  };
}

function parseSeconds(given: Given): number {
  if (!/^[1-9]\d{0,6}$/.test(given.text)) refuse(given, 'must be a whole number of seconds above 0');
  return Number(given.text);
}

function parseTunnels(given: Given): string[] {
  const targets = parseList(given.text.toLowerCase());
  if (!targets.every((target) => /^[^/@\s]+\/[^/\s]+$/.test(target))) {
    refuse(given, 'must be written host[:port]/project, several separated by commas');
  }
  return targets;
}

function parseIpMode(given: Given): ScrubConfig['ip'] {
  return (
    IP_MODES.find((mode) => mode === given.text) ?? refuse(given, `must be one of ${IP_MODES.join(', ')}`)
  );
}

const scrubSchema = v.strictObject({
  rules: v.optional(
    v.array(
      v.strictObject({
        id: v.pipe(v.string(), v.regex(/^[a-z0-9_-]{1,40}$/, 'must be 1 to 40 of a-z 0-9 _ -')),
        what: v.optional(v.string(), 'A rule of this installation'),
        pattern: v.string(),
        ignoreCase: v.optional(v.boolean(), false),
      }),
    ),
    [],
  ),
});

/** The file's `scrub.rules`. */
function readRules(value: unknown): readonly ScrubRule[] {
  const parsed = v.safeParse(scrubSchema, value ?? {});
  if (!parsed.success) {
    const issue = parsed.issues[0];
    const path = `scrub.${v.getDotPath(issue) ?? ''}`;
    if (issue.expected === 'never') throw unknownKey(`${path} is not a setting`, path, ['rules']);
    throw new CulpritError('configuration', `${path}: ${issue.message}.`, { path });
  }
  for (const [index, { pattern, ignoreCase }] of parsed.output.rules.entries()) {
    linearPattern(pattern, { ignoreCase, path: `scrub.rules.${index}.pattern` });
  }
  return parsed.output.rules;
}
