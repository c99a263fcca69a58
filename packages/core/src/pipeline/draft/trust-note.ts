import { trustMix } from '../../domain/source.js';
import type { DraftSource } from './draft-source.js';

const CHECK = 'Check that it is real before you act on it.';

/** Warns if anyone could have sent some of the crashes; `null` if every one is trusted. */
export function trustNote({ incident }: Pick<DraftSource, 'incident'>): string | null {
  const { doors, sources } = incident;
  const onlySdk = doors.length > 0 && doors.every((door) => door === 'sdk');
  if (onlySdk) {
    return `> This crash was reported only through the SDK door. SDK keys are public, so anyone could have sent it. ${CHECK}`;
  }
  // Evidence of older versions.
  if (sources === undefined) return null;
  const { kind, untrusted, unknown } = trustMix(incident);
  if (kind === 'trusted') return null;
  if (kind === 'untrusted') {
    return `> This crash was reported only with public keys, so anyone could have sent it. ${CHECK}`;
  }
  if (unknown > 0) {
    return (
      '> Some of these crashes were reported with a public key, so anyone could have sent them. An older version of Culprit did ' +
      `not separate them from the trusted ones. ${CHECK}`
    );
  }
  return (
    `> ${untrusted} of ${incident.occurrences} crashes ${untrusted === 1 ? 'was' : 'were'} reported with a public key, which anyone ` +
    'may have. Such crashes are only counted: everything else in this issue is from trusted ones.'
  );
}
