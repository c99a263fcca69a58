import type { JsonValue, Logger, Tracker } from '@culprit/core';
import type { ReadCleanBytes } from '../clean-bytes/clean-bytes.js';
import type { Guards, HttpDoor } from '../guards/guards.js';
import type { Spool } from '../spool/spool.js';
import type { Answers } from './answers.js';

/** Takes secrets out of what a door hands over, before it touches the disk. */
export type Sanitise = (value: JsonValue) => { readonly value: JsonValue; readonly redactions: number };

export interface DoorContext {
  readonly guards: Guards;
  /** Resolves once the deliveries are kept; until then no door answers with a success. */
  readonly spool: Pick<Spool, 'append'>;
  readonly sanitise: Sanitise;
  /** The fast path, by the same rules. Default: every body is parsed. */
  readonly readCleanBytes?: ReadCleanBytes;
  /** True: bodies may come in Brotli. */
  readonly brotli?: boolean;
  readonly logger: Logger;
}

/** A door with the tracker that stands behind it. */
export interface OpenDoor {
  readonly kind: HttpDoor;
  /** The tracker's connector id. */
  readonly name: string;
  readonly tracker: Tracker;
  readonly answers: Answers;
}
