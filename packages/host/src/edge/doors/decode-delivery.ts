import { decodeBody } from '@culprit/connectors/sentry';
import { CulpritError, type ErrorCode, isCulpritError } from '@culprit/core';
import type { RawDelivery, Tracker } from '@culprit/core/connector';
import { trustOf } from '@culprit/core/internal/domain/trust';
import type { Proof } from '../../http/arrivals.js';
import type { RequestHead } from '../../http/message.js';
import { allow, decodedLimitOf, type HttpDoor } from '../guards/guards.js';
import type { DoorContext, OpenDoor } from './door.js';

const REFUSED_AS: Readonly<Record<400 | 401 | 403, ErrorCode>> = {
  400: 'malformed',
  401: 'unauthenticated',
  403: 'forbidden',
};

/** Checks the credential. Throws if it is missing, wrong or not allowed here. */
export function admit(tracker: Tracker, delivery: RawDelivery) {
  const verification = tracker.verify(delivery);
  if (verification.ok) return verification;
  throw new CulpritError(REFUSED_AS[verification.status], verification.reason);
}

export const NO_BODY = new Uint8Array();

/** Whether the key of a delivery at the SDK door is not only inside the envelope. */
export function hasKeyOutside({ headers, query }: Pick<RequestHead, 'headers' | 'query'>): boolean {
  const inHeader = [headers['x-sentry-auth'], headers.authorization].some((text) =>
    text?.includes('sentry_key='),
  );
  return inHeader || (query.sentry_key ?? '') !== '';
}

/** What a request's head proves about its sender. */
export function proofOfHead(kind: HttpDoor, tracker: Tracker, head: RequestHead): Proof {
  const verification = tracker.verify({ ...head, body: NO_BODY });
  if (!verification.ok) return 'none';
  return trustOf({ door: kind, trust: verification.trust }) === 'trusted' ? 'trusted' : 'public';
}

export async function decode(
  { guards, brotli }: DoorContext,
  door: OpenDoor,
  raw: RawDelivery,
): Promise<RawDelivery> {
  const gauge = guards.bodyDecoded[door.kind];
  try {
    const limit = decodedLimitOf(guards.limits, door.kind);
    const body = await decodeBody(raw.body, raw.headers['content-encoding'], limit, {
      brotli: brotli === true,
    });
    allow(gauge, body.length);
    return body === raw.body ? raw : { ...raw, body };
  } catch (error) {
    if (isCulpritError(error, 'too_large')) gauge.refused++;
    throw error;
  }
}
