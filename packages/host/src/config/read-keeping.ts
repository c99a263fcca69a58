import { DEFAULT_RETENTION, type Retention } from '@culprit/connectors/storage';
import { AUDIT_KEY_CHARS } from '@culprit/core';
import { type Given, refuse } from './formats.js';
import { Secret } from './secret.js';

const DAY_MS = 24 * 60 * 60_000;

export function parseAuditKey(given: Given): Secret {
  if (given.text.length < AUDIT_KEY_CHARS) refuse(given, `must have ${AUDIT_KEY_CHARS} characters or more`);
  return new Secret(given.text);
}

/** `staged_raw=90d/100000,…`; a state that is not named keeps its default. */
export function parseRetention(given: Given): Retention | null {
  if (given.text === 'off') return null;
  const parts = given.text.split(',').map((part) => {
    const match = /^(staged_raw|staged_draft|rejected|published)=(\d{1,5})d\/(\d{1,9})$/.exec(part.trim());
    if (match === null)
      return refuse(
        given,
        'must be state=<days>d/<runs>,… with staged_raw, staged_draft, rejected or published; or off',
      );
    return [match[1], { ageMs: Number(match[2]) * DAY_MS, count: Number(match[3]) }] as const;
  });
  return { ...DEFAULT_RETENTION, ...Object.fromEntries(parts) };
}
