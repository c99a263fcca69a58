import type { HttpResponse } from '../http/message.js';

/** Headers of every response of core. There are no CORS headers: core serves no other origin. */
const ALWAYS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The content security policy of pages: only core's own styles and scripts, nothing inline. */
export function pagePolicy(kind: 'board' | 'document', socketOrigin: string): string {
  const script = kind === 'board' ? `script-src 'self'; connect-src 'self' ${socketOrigin}; ` : '';
  return `default-src 'none'; ${script}style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
}

/** Adds the security headers; headers set by the response take precedence. */
export function secured(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...ALWAYS, ...response.headers } };
}
