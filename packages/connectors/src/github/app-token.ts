import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { CulpritError } from '@culprit/core';

/** Seconds. GitHub accepts at most ten minutes; the start is in the past, because clocks differ. */
const EARLY = 30;
const LASTS = 600;
/** GitHub's words for a JWT whose times do not fit its clock. */
const WRONG_TIME =
  /'Expiration time' claim \('exp'\) (?:is too far in the future|must be a numeric value)|'Issued at' claim \('iat'\) must be an Integer/;

/** The JWT by which an App authenticates, RS256. `aheadMs` is added to this machine's clock. */
export function appToken(id: string, key: KeyObject, aheadMs: number): string {
  const iat = Math.floor((Date.now() + aheadMs) / 1_000) - EARLY;
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iat, exp: iat + LASTS, iss: id },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

/** PKCS#1 or PKCS#8 as PEM. Environments often have `\n` in place of line breaks. Throws `configuration`. */
export function appKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch (cause) {
    const wanted =
      'is not a private key. Paste the PEM file that GitHub created for the App, without a password.';
    throw new CulpritError('configuration', `Connector github: app.privateKey ${wanted}`, {
      path: 'app.privateKey',
      cause,
    });
  }
}

/** By how many ms GitHub's clock is ahead, if that is why it rejects a JWT; otherwise `null`. */
export function clockDifference(message: string, date: string | number | undefined): number | null {
  const now = Date.parse(String(date));
  return WRONG_TIME.test(message) && Number.isFinite(now) ? now - Date.now() : null;
}
