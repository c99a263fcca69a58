import { resolve } from 'node:path';
import { serverUrl } from '@culprit/connectors/settings';
import type { CodeMapping } from '@culprit/core/internal/domain/code-mapping';
import {
  DEFAULT_QUOTAS,
  QUOTA_LIMITS,
  QUOTA_SCOPES,
  type Quota,
  type QuotaScope,
  type Quotas,
} from '@culprit/core/internal/domain/quota';
import { DEFAULT_RETENTION, type Retention } from '@culprit/core/store';
import * as v from 'valibot';
import { Secret } from './secret.js';
import { refuse, type SettingType } from './setting.js';

/** The items of a comma-separated list. */
export function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Text of one pattern; `problem` completes "NAME …". */
export function text(format: string, pattern: RegExp, problem: string): SettingType<string> {
  return {
    format,
    read: (given) => (pattern.test(given.text) ? given.text : refuse(given, problem)),
  };
}

/** Read as an absolute path: from the working directory, or the folder of the file that says it. */
export const filePath: SettingType<string> = {
  format: 'path',
  read: (given, { cwd }) => resolve(cwd, given.text),
};

export const anyText = (format: string): SettingType<string> => ({ format, read: (given) => given.text });

export function list(format: string, pattern = /./, problem = ''): SettingType<readonly string[]> {
  return {
    format,
    read(given) {
      const items = itemsOf(given.text);
      return items.every((item) => pattern.test(item)) ? items : refuse(given, problem);
    },
  };
}

/** A name that is compared without case, such as a host. */
export function lowerCase(type: SettingType<readonly string[]>): SettingType<readonly string[]> {
  return { ...type, read: (given, at) => type.read({ ...given, text: given.text.toLowerCase() }, at) };
}

export function wholeNumber(min: number, max: number, what: string): SettingType<number> {
  return {
    format: `${min}–${max}`,
    read(given) {
      const value = /^\d{1,15}$/.test(given.text) ? Number(given.text) : Number.NaN;
      return value >= min && value <= max ? value : refuse(given, `must be ${what} from ${min} to ${max}`);
    },
  };
}

export const port = wholeNumber(0, 65_535, 'a port number');
export const seconds = wholeNumber(1, 9_999_999, 'a number of seconds');

export const boolean: SettingType<boolean> = {
  format: '0 or 1',
  read(given) {
    if (['1', 'true', 'yes'].includes(given.text)) return true;
    if (['0', 'false', 'no'].includes(given.text)) return false;
    return refuse(given, 'must be 1 or 0');
  },
};

export function oneOf<const Choice extends string>(choices: readonly Choice[]): SettingType<Choice> {
  return {
    format: choices.join(' · '),
    read: (given) =>
      choices.find((choice) => choice === given.text) ??
      refuse(given, `must be one of ${choices.join(', ')}`),
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds. */
export const duration: SettingType<number> = {
  format: '<number>s · m · h · d, or 0',
  read(given) {
    const match = /^(?:0|(\d{1,6})([smhd]))$/.exec(given.text);
    if (match === null) return refuse(given, 'must be a duration such as 7d, 12h, 30m or 45s');
    return Number(match[1] ?? 0) * (UNIT_MS[match[2] ?? 's'] ?? 0);
  },
};

const AMOUNT = /^\d{1,7}(?:\.\d{1,6})?$/;

/** Money, in the currency of the operator's bill. Without a price nothing is known of cost. */
export const amount: SettingType<number> = {
  format: 'amount, such as 2.50',
  read(given, { written }) {
    if (!AMOUNT.test(given.text)) refuse(given, 'must be an amount, such as 2.50');
    if (written?.('investigatePrice') === null) refuse(given, 'needs INVESTIGATE_PRICE');
    return Number(given.text);
  },
};

/** Of a million tokens. */
export const tokenPrice: SettingType<{ readonly input: number; readonly output: number }> = {
  format: '<input>/<output>',
  read(given) {
    const [input = '', output = '', ...more] = given.text.split('/');
    if (more.length > 0 || !AMOUNT.test(input) || !AMOUNT.test(output))
      refuse(given, 'must be the prices of input and output, such as 0.25/2');
    return { input: Number(input), output: Number(output) };
  },
};

/** An address to listen on; IPv6 without brackets. */
export const hostName: SettingType<string> = {
  format: 'address',
  read(given) {
    const host = given.text.replace(/^\[|\]$/g, '');
    if (/^[A-Za-z0-9.:_-]{1,253}$/.test(host)) return host;
    return refuse(given, 'must be an address or a host name, without a port');
  },
};

/** A text that a schema checks. Its messages complete "NAME …". */
export function ofSchema(schema: v.GenericSchema<string, string>, format: string): SettingType<string> {
  return {
    format,
    read(given) {
      const parsed = v.safeParse(schema, given.text);
      return parsed.success ? parsed.output : refuse(given, parsed.issues[0].message);
    },
  };
}

export function secretOf(type: SettingType<string>): SettingType<Secret> {
  return { ...type, secret: true, read: (given, at) => new Secret(type.read(given, at)) };
}

/** An http(s) URL without credentials, query, fragment or final slash. */
export const url = ofSchema(serverUrl, 'URL');

/** The same, without a path. */
export const origin: SettingType<string> = {
  ...url,
  read(given, context) {
    const value = url.read(given, context);
    return new URL(value).pathname === '/'
      ? value
      : refuse(given, 'must not contain a path: the board is served at the root');
  },
};

/** A URL that may contain a secret in its query. */
export const secretUrl: SettingType<Secret> = {
  format: 'URL',
  secret: true,
  read(given) {
    // Parsers disagree about where the host ends once other characters occur.
    if (!/^[!#-;=?-[\]_a-z~]+$/.test(given.text))
      refuse(given, 'must contain only the characters of RFC 3986');
    if (!URL.canParse(given.text)) refuse(given, 'must be an http(s) URL');
    const { protocol, username, password, hash } = new URL(given.text);
    if (!/^https?:$/.test(protocol)) refuse(given, 'must be an http(s) URL');
    if (username !== '' || password !== '' || hash !== '')
      refuse(given, 'must not contain a user, a password or a fragment');
    return new Secret(given.text);
  },
};

export const codeMappings: SettingType<readonly CodeMapping[]> = {
  format: 'stack root=source root,…',
  read: (given) =>
    itemsOf(given.text).map((item) => {
      const at = item.indexOf('=');
      if (at < 0) refuse(given, 'must be stack root=source root pairs, separated by commas');
      return { stack_root: item.slice(0, at).trim(), source_root: item.slice(at + 1).trim() };
    }),
};

const DAY_MS = 24 * 60 * 60_000;

/** States that are not named have their default; `off` is `null`. */
export const retention: SettingType<Retention | null> = {
  format: 'state=<days>d/<runs>,… or off',
  read(given) {
    if (given.text === 'off') return null;
    const parts = given.text.split(',').map((part) => {
      const match =
        /^(staged_raw|staged_draft|snoozed|rejected|published|merged)=(\d{1,5})d\/(\d{1,9})$/.exec(
          part.trim(),
        );
      if (match === null)
        return refuse(
          given,
          'must be state=<days>d/<runs>,… with staged_raw, staged_draft, snoozed, rejected, published or merged; or off',
        );
      return [match[1], { ageMs: Number(match[2]) * DAY_MS, count: Number(match[3]) }] as const;
    });
    return { ...DEFAULT_RETENTION, ...Object.fromEntries(parts) };
  },
};

export const DEFAULT_RETENTION_TEXT = Object.entries(DEFAULT_RETENTION)
  .map(([state, { ageMs, count }]) => `${state}=${ageMs / DAY_MS}d/${count}`)
  .join(', ');

const MIB = 1024 * 1024;
const SCOPES = QUOTA_SCOPES.join(', ');

/** Scopes that are not named have their default; `off` is `null`. */
export const quotas: SettingType<Quotas | null> = {
  format: 'scope=<new runs an hour>/<open runs>/<MiB>,… or off',
  read(given) {
    if (given.text === 'off') return null;
    const parts = given.text.split(',').map((part): [QuotaScope, Quota] => {
      const [, name, ...numbers] = /^(\w+)=(\d{1,9})\/(\d{1,9})\/(\d{1,9})$/.exec(part.trim()) ?? [];
      const scope = QUOTA_SCOPES.find((one) => one === name);
      if (scope === undefined)
        return refuse(
          given,
          `must be scope=<new runs an hour>/<open runs>/<MiB>,… with the scopes ${SCOPES}; or off`,
        );
      const [new_runs = 0, open_runs = 0, mebibytes = 0] = numbers.map(Number);
      return [scope, { new_runs, open_runs, bytes: mebibytes * MIB }];
    });
    const read = { ...DEFAULT_QUOTAS, ...Object.fromEntries(parts) } as Quotas;
    const half = QUOTA_LIMITS.every((limit) => 2 * read.door[limit] <= read.project[limit]);
    if (!half)
      refuse(
        given,
        'must give a door at most half of its project’s quota, so that a flood through one door leaves room for the others',
      );
    return read;
  },
};

export const DEFAULT_QUOTAS_TEXT = QUOTA_SCOPES.map((scope) => {
  const { new_runs, open_runs, bytes } = DEFAULT_QUOTAS[scope];
  return `${scope}=${new_runs}/${open_runs}/${bytes / MIB}`;
}).join(', ');
