import * as v from 'valibot';
import { cookieOf } from '../session-cookie.js';
import type { Site } from '../site.js';

const TTL_SECONDS = 600;
const LONGEST = 4_000;

const secret = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{32,128}$/));
const transactionSchema = v.strictObject({
  state: secret,
  nonce: secret,
  verifier: secret,
  /** Where to go afterwards; checked again when it is used. */
  to: v.string(),
});

/** A sign-in that is under way, kept by the browser that began it. */
export type Transaction = v.InferOutput<typeof transactionSchema>;

/** `null` if this browser has not begun a sign-in within the last ten minutes. */
export function readTransaction(header: string | undefined, site: Site): Transaction | null {
  const text = cookieOf(header, nameOf(site));
  if (text === null || text.length > LONGEST) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const read = v.safeParse(transactionSchema, parsed);
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}

/**
 * `Set-Cookie`, or to remove it (`null`). `Lax`, because the provider's page leads back to core. With https the name has the prefix
 * `__Host-`, so that no other host of the domain can set it.
 */
export function transactionCookie(transaction: Transaction | null, site: Site): string {
  const value = transaction === null ? '' : Buffer.from(JSON.stringify(transaction)).toString('base64url');
  const age = transaction === null ? 0 : TTL_SECONDS;
  const flags = `HttpOnly; SameSite=Lax; Path=/; Max-Age=${age}${site.secure ? '; Secure' : ''}`;
  return `${nameOf(site)}=${value}; ${flags}`;
}

function nameOf({ secure }: Site): string {
  return `${secure ? '__Host-' : ''}culprit_sign_in`;
}
