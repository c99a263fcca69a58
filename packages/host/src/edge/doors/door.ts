import type { CleanBytes, JsonValue, Logger, Tracker } from '@culprit/core';
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
  /** Of the same rules: an answer says that a crash object may be kept byte for byte. Default: none is. */
  readonly plain?: (body: Uint8Array) => CleanBytes | null;
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
