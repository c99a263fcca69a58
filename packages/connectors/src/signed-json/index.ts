import { timingSafeEqual } from 'node:crypto';
import {
  defineConnector,
  type ParsedDelivery,
  type RawDelivery,
  type Verification,
} from '@culprit/core/connector';
import { eventIdOf } from '@culprit/core/internal/pipeline/crash-object/event-id-of';
import * as v from 'valibot';
import { projectSecrets } from '../shared/config.js';
import { serviceTokens, TOKEN_HEADER, tokenVerifier } from '../shared/credentials.js';
import { hmacSha256With } from '../shared/hmac.js';
import { readCrashJson } from '../shared/json-body.js';

/** Several secrets may be active at once, for one project or many. An empty list closes the endpoint. */
const errortrackerConfig = v.strictObject({
  secrets: projectSecrets,
});
type ErrortrackerConfig = v.InferOutput<typeof errortrackerConfig>;

const nativeConfig = v.strictObject({ tokens: serviceTokens });

/** `POST /webhook/errortracker`: crash objects signed with HMAC-SHA256 over the raw body. */
export const errortracker = defineConnector({
  id: 'errortracker',
  config: errortrackerConfig,
  setup: (config) => ({
    tracker: { verify: signatureVerifier(config), parse: parseCrash },
  }),
});

/** `POST /api/v1/telemetry/ingest`: crash objects with a service token. */
export const native = defineConnector({
  id: 'native',
  config: nativeConfig,
  setup: ({ tokens }) => {
    const verify = tokenVerifier(tokens, (headers) => headers[TOKEN_HEADER], `The header ${TOKEN_HEADER}`);
    return { tracker: { verify, parse: parseCrash } };
  },
});

const SIGNATURE = 'tracker-hook-signature';
/** Lower case by contract. Anything else, such as two headers joined by a comma, is invalid. */
const HEX_SHA256 = /^(?:sha256=)?([0-9a-f]{64})$/;

function refuse(reason: string): Verification {
  return { ok: false, status: 401, reason };
}

/** HMAC-SHA256 over the raw body by any active secret. */
function signatureVerifier(config: ErrortrackerConfig): (delivery: RawDelivery) => Verification {
  const secrets = config.secrets
    .filter(({ secret }) => secret !== '')
    .map(({ project, secret }, index) => ({
      sign: hmacSha256With(secret),
      owner: { ok: true, project, credential: `${project}/secret-${index + 1}` } satisfies Verification,
    }));
  return ({ headers, body }) => {
    const header = headers[SIGNATURE];
    if (header === undefined || header === '') return refuse(`The header ${SIGNATURE} is missing.`);
    const hex = HEX_SHA256.exec(header)?.[1];
    if (hex === undefined) {
      return refuse(`The header ${SIGNATURE} must be an HMAC-SHA256 of 64 lower-case hex digits.`);
    }
    const given = Buffer.from(hex, 'latin1');
    let found: Verification | null = null;
    for (const { sign, owner } of secrets) {
      if (timingSafeEqual(Buffer.from(sign(body), 'latin1'), given)) found ??= owner;
    }
    return found ?? refuse('The signature matches no active secret.');
  };
}

/**
 * The body is the crash object itself: one JSON object. Core checks its shape. The edge recognises this parser and may
 * store a valid, clean body without parsing it, so it must never change the crash.
 */
export function parseCrash({ body }: RawDelivery): ParsedDelivery {
  const crash = readCrashJson(body);
  const id = eventIdOf(crash);
  return { crashes: [{ event_id: id, crash, attachments: [] }], ignored: {}, event_id: id };
}
