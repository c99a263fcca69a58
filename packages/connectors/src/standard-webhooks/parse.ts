import { eventIdOf, type JsonObject, type ParsedDelivery, type RawDelivery } from '@culprit/core';
import { EVENT_ID } from '@culprit/core/model';
import { isJsonObject, readCrashJson } from '../shared/json-body.js';

const SUBSTANCE = ['message', 'exception', 'stack', 'stack_trace', 'stacktrace', 'logentry'];

/**
 * The payload is the crash object or, as the specification recommends, `{ type, timestamp, data }` with the crash in `data`.
 * Without an `event_id` the delivery's own id is used: it stays the same when the sender retries.
 */
export function parseWebhook({ headers, body }: RawDelivery): ParsedDelivery {
  const payload = readCrashJson(body);
  const crash = crashOf(payload);
  const deliveryId = headers['webhook-id'] ?? '';
  const id = eventIdOf(crash) ?? (EVENT_ID.test(deliveryId) ? deliveryId : null);
  return {
    crashes: [{ event_id: id, crash, attachments: [] }],
    ignored: {},
    event_id: id,
    ...(deliveryId === '' ? {} : { delivery_id: deliveryId }),
  };
}

function crashOf(payload: JsonObject): JsonObject {
  const { data, timestamp } = payload;
  if (!isJsonObject(data) || typeof payload.type !== 'string') return payload;
  if (SUBSTANCE.some((name) => Object.hasOwn(payload, name))) return payload;
  return data.timestamp === undefined && timestamp !== undefined ? { ...data, timestamp } : data;
}
