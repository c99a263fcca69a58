import type { RawDelivery } from '@culprit/core';

/** The tunnel's path names no project and carries no key: both stand in the envelope's `dsn`. */
export const isTunnel = ({ path }: RawDelivery): boolean => /^\/tunnel\/*$/.test(path);

/** False only for the legacy `/store/` door with a plain JSON event. Elsewhere the content type is not looked at. */
export function isEnvelope({ path, headers }: RawDelivery): boolean {
  if (!/\/store\/*$/.test(path)) return true;
  return /^\s*application\/x-sentry-envelope\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}
