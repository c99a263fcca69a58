import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { StoredKey } from '@culprit/core/internal/domain/stored-values';
import type { Values } from '@culprit/core/internal/ports/values';
import { type Stored, stored } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { HttpRequest, HttpResponse } from '../http/message.js';
import { problemResponse } from '../http/problem-response.js';
import type { CoreRoute } from './route.js';
import { sealBytes, unsealBytes } from './sealed.js';
import { authenticatedSessionId } from './session-cookie.js';

/** How long an answer is kept. */
const KEPT_MS = 24 * 60 * 60_000;
/** A request whose process ended is forgotten after this time; while it runs, this is renewed. */
const LEASE_MS = 30_000;
/** More than the clocks of two cores differ. A lease that ends later was taken before the clock was set back. */
const MAX_AHEAD_MS = 60 * 60_000;
const RENEW_MS = 10_000;
const LONGEST_KEY = 255;
/** Answers kept of one credential; the oldest go first. */
const MAX_ANSWERS = 1_000;
/** Headers that say how, or on which condition, the request is meant. */
const MEANING = ['if-match', 'prefer'] as const;

const recordSchema = v.object({
  /** Digest of the request. */
  request: v.string(),
  /** Names the attempt that runs. */
  owner: v.string(),
  /** Milliseconds since 1970. */
  until: v.number(),
  /** Encrypted; absent while the request runs. */
  answer: v.optional(v.string()),
});
type StoredRecord = v.InferOutput<typeof recordSchema>;

/** Whether a route understands the header: those that create or decide. Errors of `sentry-cli`'s paths have another form. */
export function takesKey({ access, method, refusal }: CoreRoute): boolean {
  return access === 'reviewer' && method === 'POST' && refusal === undefined;
}

interface Keyed {
  readonly values: Values;
  readonly request: HttpRequest;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Acts once for each `Idempotency-Key` of a credential (draft-ietf-httpapi-idempotency-key-header-07): a repetition within 24
 * hours gets the first answer. Without the header it just acts. An answer may contain a new token's secret or a person's name,
 * so it is encrypted with a key made of the credential and the header, which are not stored.
 * @throws `idempotency_mismatch` for another request with this key, `idempotency_in_progress` while the first one runs
 */
export async function onceByKey(
  keyed: Keyed,
  act: () => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse> {
  const name = readKey(keyed.request.headers['idempotency-key']);
  if (name === null) return act();
  const { values, request, now } = keyed;
  const place = placeOf(request, name);
  const mine: StoredRecord = { request: digestOf(request), owner: randomUUID(), until: now() + LEASE_MS };
  const record = stored<StoredRecord | null>(values, place.storedAs, {
    ...{ schema: recordSchema, none: null, ttlMs: KEPT_MS },
  });
  const found = (await record.change((before) => (isFree(before, now()) ? mine : null))) ?? mine;
  if (found.owner !== mine.owner) return repeated(found, mine, place.secret, now());
  const renewing = renew(record, mine, now);
  const response = await actOrRefuse(act)
    .catch(async (error: unknown) => {
      // It may succeed the next time.
      await record.delete().catch(() => {});
      throw error;
    })
    .finally(() => clearInterval(renewing));
  // The decision is made: if only its answer cannot be kept, the caller learns it all the same.
  const kept = { ...mine, answer: seal(response, place.secret) };
  await record
    .set(kept)
    .then(() => countIn(values, place))
    .catch(() => {});
  return response;
}

/** Each credential has places for `MAX_ANSWERS` answers: the next one takes that of the oldest. */
async function countIn(values: Values, { storedAs, credential }: Place): Promise<void> {
  const count = (before: string | undefined) => String((Number(before ?? 0) % MAX_ANSWERS) + 1);
  const number = await values.change(`${credential}:last`, count, KEPT_MS);
  let oldest: string | undefined;
  const take = (before: string | undefined) => {
    oldest = before;
    return storedAs;
  };
  await values.change(`${credential}:${number}`, take, KEPT_MS);
  if (oldest !== undefined && oldest !== storedAs) await values.delete(oldest);
}

/** A refusal that would be the same again is an answer, too. */
async function actOrRefuse(act: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await act();
  } catch (error) {
    if (isCulpritError(error) && error.status < 500 && !error.retryable) return problemResponse(error);
    throw error;
  }
}

function repeated(found: StoredRecord, mine: StoredRecord, secret: Buffer, now: number): HttpResponse {
  if (found.request !== mine.request) {
    const detail =
      'This Idempotency-Key was already sent with another request. Use a new key for each decision.';
    throw new CulpritError('idempotency_mismatch', detail, { path: 'Idempotency-Key' });
  }
  if (found.answer === undefined) {
    const detail = 'The first request with this Idempotency-Key is still running. Repeat the request later.';
    throw new CulpritError('idempotency_in_progress', detail, {
      retryAfterMs: Math.min(1_000, Math.max(1, found.until - now)),
    });
  }
  const response = unseal(found.answer, secret);
  return { ...response, headers: { ...response.headers, 'idempotency-replayed': 'true' } };
}

function isFree(found: StoredRecord | null, now: number): boolean {
  if (found === null) return true;
  const left = found.until - now;
  return found.answer === undefined && (left <= 0 || left > MAX_AHEAD_MS);
}

function renew(record: Stored<StoredRecord | null>, mine: StoredRecord, now: () => number): NodeJS.Timeout {
  const again = (found: StoredRecord | null) =>
    found?.owner !== mine.owner || found.answer !== undefined ? null : { ...mine, until: now() + LEASE_MS };
  // If the storage does not respond, the lease ends.
  const timer = setInterval(() => void record.change(again).catch(() => {}), RENEW_MS);
  return timer.unref();
}

/** A string in quotes, as the draft has it, or a plain word. `null` without one. */
function readKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const key =
    /^"((?:[ !#-[\]-~]|\\["\\])+)"$/.exec(header.trim())?.[1] ?? /^[\w.:~-]+$/.exec(header.trim())?.[0];
  if (key !== undefined && key.length <= LONGEST_KEY) return key;
  const detail = `"Idempotency-Key" must be a text in quotes of at most ${LONGEST_KEY} characters, such as a UUID.`;
  throw new CulpritError('malformed', detail, { path: 'Idempotency-Key' });
}

/** A key belongs to one credential: to others the same key is another one. */
function placeOf({ headers }: HttpRequest, key: string): Place {
  const owner = [headers.authorization ?? '', authenticatedSessionId(headers.cookie) ?? ''];
  const digest = (purpose: string, of: readonly string[]) =>
    createHash('sha256')
      .update(`culprit.${purpose}\n${JSON.stringify(of)}`)
      .digest();
  return {
    storedAs: `${ANSWERS_PREFIX}${digest('answer', [...owner, key]).toString('hex')}`,
    secret: digest('answer-secret', [...owner, key]),
    credential: `${ANSWERS_PREFIX}of:${digest('answers-of', owner).toString('hex')}`,
  };
}

interface Place {
  readonly storedAs: StoredKey;
  readonly secret: Buffer;
  /** Of the list of its answers. */
  readonly credential: string;
}
const ANSWERS_PREFIX = 'answer:';

function digestOf({ method, path, query, headers, body }: HttpRequest): string {
  const meaning = MEANING.map((name) => headers[name] ?? '');
  const head = JSON.stringify([method, path, Object.entries(query).sort(), ...meaning]);
  return createHash('sha256').update(`${head}\n`).update(body).digest('hex');
}

function seal({ status, headers = {}, body = '' }: HttpResponse, secret: Buffer): string {
  const plain = JSON.stringify({ status, headers, body: Buffer.from(body).toString('base64') });
  return sealBytes(gzipSync(plain), secret).toString('base64');
}

function unseal(text: string, secret: Buffer): HttpResponse {
  const plain = unsealBytes(Buffer.from(text, 'base64'), secret);
  const { body, ...head } = JSON.parse(gunzipSync(plain).toString()) as Required<HttpResponse> & {
    readonly body: string;
  };
  return { ...head, body: Buffer.from(body, 'base64') };
}
