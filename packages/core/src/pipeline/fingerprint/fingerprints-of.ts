import type { Event } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import { fingerprintEvent } from './fingerprint-event.js';

export type FingerprintAlgorithm = (event: Event) => Fingerprint;

/**
 * Earlier versions of the algorithm, kept as they were for as long as runs of theirs may be open. When the algorithm
 * changes, the old one moves here in the same commit: its hashes are looked up and kept beside the new one, so an
 * incident goes on being one incident. `docs/decisions/0010-fingerprint-v1.md`.
 */
const EARLIER: readonly FingerprintAlgorithm[] = [];

/** The event's fingerprint, and the hashes under which it was known before. */
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
