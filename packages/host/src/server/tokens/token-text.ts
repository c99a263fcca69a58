import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Begins every token, so that people, secret scanners and our own sanitiser recognise one. */
export const TOKEN_PREFIX = 'culprit_pat_';
const SECRET_BYTES = 32;
/** Characters of 32 bytes, and of a CRC-32, as base 62. */
const SECRET_CHARS = 43;
const CHECK_CHARS = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECK_CHARS}}$`);

/** A new token: the prefix, 256 random bits and the CRC-32 of both, in base 62. */
export function newToken(): string {
  const bits = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  const start = TOKEN_PREFIX + base62(bits, SECRET_CHARS);
  return start + checksum(start);
}

/** Whether the text looks like a token. Typing errors are found without the storage. */
export function looksLikeToken(text: string): boolean {
  return FORM.test(text) && text.endsWith(checksum(text.slice(0, -CHECK_CHARS)));
}

/** What is stored: the token cannot be derived from it, because it has 256 random bits. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function checksum(start: string): string {
  return base62(BigInt(crc32(start)), CHECK_CHARS);
}

function base62(value: bigint, chars: number): string {
  let text = '';
  for (let left = value; left > 0n; left /= 62n) text = (DIGITS[Number(left % 62n)] ?? '') + text;
  return text.padStart(chars, '0');
}
