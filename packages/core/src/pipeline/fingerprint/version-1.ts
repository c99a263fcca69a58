import type { Event } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import { canonicalJson } from '../../domain/json.js';
import { sha256Hex } from '../hash.js';
import { basisOf, sentParts } from './basis.js';
import { reach } from './frame-key.js';
import type { KeyedFrames } from './keyed-frames.js';

/**
 * Only what every form of a crash contains counts: no type, folder or source line. Runs that began with it keep it, so it must
 * not change: see `docs/decisions/0071-fingerprint-v2.md`.
 */
export function version1(event: Event, keyed: KeyedFrames): Fingerprint {
  const limit = reach(event.platform).places;
  const { strategy, parts } = basisOf(event, (exception) =>
    keyed(exception)
      .filter(({ key }, at, all) => key !== all[at - 1]?.key)
      .slice(-limit),
  );
  const custom = sentParts(event, parts);
  const counted = custom ?? parts;
  const hash = sha256Hex(canonicalJson(['v1', custom === null ? strategy : 'custom', counted]));
  return { version: 'v1', hash, parts: counted };
}
