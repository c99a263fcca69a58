import type { Event } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import { fingerprintEvent } from './fingerprint-event.js';

export type FingerprintAlgorithm = (event: Event) => Fingerprint;

/**
 * Earlier versions of the algorithm, unchanged as long as runs that use them may be open. When the algorithm changes,
 * the old version moves here in the same commit. Its hashes are computed and stored next to the new one, so that an
 * incident remains one incident. See `docs/decisions/0010-fingerprint-v1.md`.
 */
const EARLIER: readonly FingerprintAlgorithm[] = [];

/** The event's fingerprint and its hashes from earlier versions. */
export function fingerprintsOf(
  event: Event,
  earlier: readonly FingerprintAlgorithm[] = EARLIER,
): { readonly fingerprint: Fingerprint; readonly aliases: readonly string[] } {
  const fingerprint = fingerprintEvent(event);
  const hashes = earlier
    .map((algorithm) => algorithm(event).hash)
    .filter((hash) => hash !== fingerprint.hash);
  return { fingerprint, aliases: [...new Set(hashes)] };
}
