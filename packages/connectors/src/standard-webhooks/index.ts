import type { JsonObject } from '@culprit/core';
import {
  defineConnector,
  type ParsedDelivery,
  type RawDelivery,
  secret,
  type Verification,
} from '@culprit/core/connector';
import { EVENT_ID } from '@culprit/core/internal/domain/event-id';
import { eventIdOf } from '@culprit/core/internal/pipeline/crash-object/event-id-of';
import * as v from 'valibot';
import { positiveInteger, projectName } from '../shared/config.js';
import { matchingSecret } from '../shared/hmac.js';
import { isJsonObject, readCrashJson } from '../shared/json-body.js';
import { webhookKey, webhookParts } from '../shared/standard-webhooks.js';

/** `whsec_` and the key in base64; the prefix is optional. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}$/, 'must be whsec_ and at least 16 bytes in base64'),
);

const standardWebhooksConfig = v.strictObject({
  /** Two may be active for a project during a rotation. An empty list closes the endpoint. */
  secrets: v.array(v.strictObject({ project: projectName, secret: key })),
  /** Tolerance of `webhook-timestamp`, in both directions. */
  toleranceSeconds: v.optional(positiveInteger, 300),
});
type StandardWebhooksConfig = v.InferOutput<typeof standardWebhooksConfig>;

/** `POST /webhook/standard-webhooks`: crash objects signed according to Standard Webhooks. */
export const standardWebhooks = defineConnector({
  id: 'standard-webhooks',
  config: standardWebhooksConfig,
  setup: (config) => ({ tracker: { verify: webhookVerifier(config), parse: parseWebhook } }),
});

const refuse = (reason: string): Verification => ({ ok: false, status: 401, reason });
/** Ids contain no dot, because dots separate the signed parts. */
const ID = /^[^\s.]{1,256}$/;
/** Maximum signatures read from the header: senders include one per active key. */
const SIGNATURES = 10;

/** Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, as space-separated `v1,<base64>`. */
function webhookVerifier(config: StandardWebhooksConfig): (delivery: RawDelivery) => Verification {
  const secrets = config.secrets.map(({ project, secret }) => ({
    project,
    secret: webhookKey(secret),
  }));
  return ({ headers, body, receivedAt }) => {
    const id = headers['webhook-id'] ?? '';
    const timestamp = headers['webhook-timestamp'] ?? '';
    if (!ID.test(id)) return refuse('The header webhook-id is missing or contains a dot.');
    if (!/^\d{1,12}$/.test(timestamp))
      return refuse('The header webhook-timestamp must be seconds since 1970.');
    const given = signaturesOf(headers['webhook-signature'] ?? '');
    if (given.length === 0) return refuse('The header webhook-signature must contain v1,<base64>.');
    const found = matchingSecret(secrets, webhookParts(id, timestamp, body), ...given);
    if (found === null) return refuse('No signature matches an active secret.');
    if (Math.abs(receivedAt / 1000 - Number(timestamp)) > config.toleranceSeconds) {
      return refuse(
        'The header webhook-timestamp differs too much from the current time. Check the server’s clock.',
      );
    }
    return { ok: true, project: found.project, credential: found.credential };
  };
}

/** Signatures of version 1 and of the right length; other versions (`v1a`) are ignored. */
function signaturesOf(header: string): readonly Uint8Array[] {
  return header
    .slice(0, 4096)
    .split(' ')
    .filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
    .slice(0, SIGNATURES)
    .map((part) => Buffer.from(part.slice(3), 'base64'));
}

const SUBSTANCE = ['message', 'exception', 'stack', 'stack_trace', 'stacktrace', 'logentry'];

/**
 * The payload is the crash object or, as the specification recommends, `{ type, timestamp, data }` with the crash in `data`.
 * Without an `event_id` the delivery's own id is used: it stays the same when the sender retries.
 */
function parseWebhook({ headers, body }: RawDelivery): ParsedDelivery {
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
