import type { JsonObject } from '@culprit/core';
import type { checkCrashObject } from '@culprit/core/internal/pipeline/crash-object/check-crash-object';
import type { fitShape } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import type { composeDraft } from '@culprit/core/internal/pipeline/draft/compose-draft';
import type { fingerprintsOf } from '@culprit/core/internal/pipeline/fingerprint/fingerprints-of';
import type { crashException } from '@culprit/core/internal/pipeline/locate/crash-exception';
import type { boundEvent } from '@culprit/core/internal/pipeline/normalise/bound-event';
import type { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import type { titleOf } from '@culprit/core/internal/pipeline/normalise/title-of';
import type { sanitiseJson } from '@culprit/core/internal/pipeline/sanitise/sanitise';

/** The functions of the package, or of its sources. */
export interface Receiver {
  readonly boundEvent: typeof boundEvent;
  readonly checkCrashObject: typeof checkCrashObject;
  readonly composeDraft: typeof composeDraft;
  readonly crashException: typeof crashException;
  readonly fingerprintsOf: typeof fingerprintsOf;
  readonly fitShape: typeof fitShape;
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
