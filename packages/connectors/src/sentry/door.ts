import type { RawDelivery } from '@culprit/core';

/** The tunnel's path contains neither project nor key: both are in the envelope's `dsn`. */
export const isTunnel = ({ path }: RawDelivery): boolean => /^\/tunnel\/*$/.test(path);

/** False only for a plain JSON event at the legacy `/store/` endpoint. Other endpoints ignore the content type. */
export function isEnvelope({ path, headers }: Pick<RawDelivery, 'path' | 'headers'>): boolean {
  if (!/\/store\/*$/.test(path)) return true;
  return /^\s*application\/x-sentry-envelope\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}
