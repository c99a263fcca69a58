import { createHash, timingSafeEqual } from 'node:crypto';
import { CulpritError } from '@culprit/core';
import { isLoopback } from '../http/client-address.js';
import type { RequestHead } from '../http/message.js';

export interface ServiceToken {
  readonly name: string;
  readonly token: string;
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];
const LOCAL_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Guard figures need a service token, or a request from this machine without forwarding headers or a foreign `Host`
 * (DNS rebinding). `always`: every request needs a token, for a proxy on this machine that adds no such header. Throws
 * `unauthenticated` otherwise.
 */
export function createServiceAccess(
  tokens: readonly ServiceToken[],
  always = false,
): (head: RequestHead) => void {
  const digests = tokens.filter(({ token }) => token !== '').map(({ token }) => digest(token));
  return ({ headers, remoteAddress }) => {
    const presented = headers['x-service-token'];
    if (presented !== undefined) {
      const given = digest(presented);
      let known = false;
      for (const token of digests) known = timingSafeEqual(token, given) || known;
      if (known && presented !== '') return;
      throw new CulpritError('unauthenticated', 'The header x-service-token holds no active token.');
    }
    const direct = !always && FORWARDING.every((name) => headers[name] === undefined);
    if (direct && isLoopback(remoteAddress) && LOCAL_HOST.test(headers.host ?? '')) return;
    throw new CulpritError('unauthenticated', 'Send a service token in the header x-service-token.');
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();
