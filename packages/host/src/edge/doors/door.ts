import type { JsonValue, Logger } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import type { RequestHead } from '../../http/message.js';
import type { ReadCleanBytes } from '../clean-bytes/clean-bytes.js';
import type { Guards, HttpDoor } from '../guards/guards.js';
import type { Spool } from '../spool/spool.js';
import type { Answers } from './answers.js';
import type { FairWork } from './fair-work.js';

/** Redacts secrets before anything is written to disk. */
export type Sanitise = (value: JsonValue) => { readonly value: JsonValue; readonly redactions: number };

export interface DoorContext {
  readonly guards: Guards;
  /** Resolves once the deliveries are fsynced. No door reports success before that. */
  readonly spool: Pick<Spool, 'append'>;
  readonly sanitise: Sanitise;
  /** The fast path, by the same rules. Default: every body is parsed. */
  readonly readCleanBytes?: ReadCleanBytes;
  /** Accepts Brotli bodies. */
  readonly brotli?: boolean;
  readonly fairly: FairWork;
  readonly logger: Logger;
}

/** A door and its tracker. */
export interface OpenDoor {
  readonly kind: HttpDoor;
  /** The tracker's connector id. */
  readonly name: string;
  readonly tracker: Tracker;
  /** The responses to a request. Most doors answer every request in one format. */
  readonly answersOf: (head: RequestHead) => Answers;
}
