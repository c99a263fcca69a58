import type { JsonObject } from '@culprit/core';
import type {
  boundEvent,
  checkCrashObject,
  composeDraft,
  crashException,
  fingerprintsOf,
  normalise,
  sanitiseJson,
  titleOf,
} from '@culprit/core/analysis';

/** The functions of `@culprit/core/analysis`, or of its sources. */
export interface Receiver {
  readonly boundEvent: typeof boundEvent;
  readonly checkCrashObject: typeof checkCrashObject;
  readonly composeDraft: typeof composeDraft;
  readonly crashException: typeof crashException;
  readonly fingerprintsOf: typeof fingerprintsOf;
  readonly normalise: typeof normalise;
  readonly sanitiseJson: typeof sanitiseJson;
  readonly titleOf: typeof titleOf;
  readonly EVENT_BYTES: number;
}

export interface Received {
  readonly event: ReturnType<typeof normalise>;
  readonly bounded: ReturnType<typeof normalise>;
  readonly fingerprint: ReturnType<typeof fingerprintsOf>['fingerprint'];
  readonly title: string;
}

/** What runs for every crash until its run is stored. */
export function receiveWith(core: Receiver, crash: JsonObject): Received;

/** The draft of a received crash whose code is unknown. */
export function draftWith(core: Receiver, received: Received): ReturnType<typeof composeDraft>;
