import { eventIdOf, type ParsedDelivery, type RawDelivery } from '@culprit/core';
import { readCrashJson } from '../shared/json-body.js';

/**
 * The body is the crash object itself: one JSON object. Core checks its shape. The edge recognises this parser and may
 * store a valid, clean body without parsing it, so it must never change the crash.
 */
export function parseCrash({ body }: RawDelivery): ParsedDelivery {
  const crash = readCrashJson(body);
  const id = eventIdOf(crash);
  return { crashes: [{ event_id: id, crash, attachments: [] }], ignored: {}, event_id: id };
}
