import { CulpritError, type EvidenceBundle, type JsonObject } from '@culprit/core';
import { type Delivery, recordedDeliverySchema } from '@culprit/core/internal/domain/delivery';
import * as v from 'valibot';
import { atPath, type CapturedRequest, throughDoor } from './captured.js';
import type { ReplayItem } from './replay-case.js';

/** For deliveries without a time: a fixed one, so that every replay is the same. */
const DEFAULT_TIME = Date.parse('2026-01-01T00:00:00.000Z');
const NEVER_AFTER = Date.parse('2100-01-01T00:00:00.000Z');

export interface ReadItems {
  readonly items: readonly ReplayItem[];
  readonly bundles: readonly EvidenceBundle[];
}

/**
 * The contents of a file: an envelope, one JSON document, a JSON list, or one JSON document on each line. A document is a
 * delivery from `culprit record`, a request (`{path, headers, body}`), an evidence bundle or a crash object.
 * Rejects with `malformed` and the line.
 */
export function readItems(bytes: Uint8Array, name: string): ReadItems {
  if (isEnvelope(bytes, name)) {
    const request = throughDoor('sdk', bytes, { 'content-type': 'application/x-sentry-envelope' });
    return { items: [{ request, receivedAt: timeIn(textOf(bytes)) }], bundles: [] };
  }
  const text = textOf(bytes);
  const whole = parse(text);
  const documents = whole === undefined ? lines(text, name) : Array.isArray(whole) ? whole : [whole];
  const items: ReplayItem[] = [];
  const bundles: EvidenceBundle[] = [];
  for (const [index, document] of documents.entries()) {
    if (!isObject(document)) throw malformed(name, index + 1, 'is not a JSON object');
    const where = `${name}:${index + 1}`;
    checkDepth(document, where);
    if (document.format !== 'culprit.evidence/1') {
      items.push(itemOf(document, documents.length === 1 ? bytes : null, where));
      continue;
    }
    checkDocument('evidence', document, where);
    bundles.push(document as unknown as EvidenceBundle);
  }
  if (items.length + bundles.length === 0)
    throw new CulpritError('malformed', `${name} contains no delivery.`);
  return { items, bundles };
}

/** The SDK door's format: a JSON header, then items, each with a JSON header. */
function isEnvelope(bytes: Uint8Array, name: string): boolean {
  if (/\.(envelope|bin)$/.test(name)) return true;
  const [first = '', second = ''] = Buffer.from(bytes.subarray(0, 64 * 1024))
    .toString('utf8')
    .split('\n', 3);
  const [header, item] = [parse(first), parse(second)];
  if (!isObject(header) || !isObject(item) || typeof item.type !== 'string') return false;
  const known = ['type', 'length', 'content_type', 'filename', 'attachment_type', 'item_count', 'platform'];
  return Object.keys(item).every((key) => known.includes(key));
}

function itemOf(document: JsonObject, bytes: Uint8Array | null, where: string): ReplayItem {
  if (
    isObject(document.crash) &&
    typeof document.door === 'string' &&
    typeof document.event_id === 'string'
  ) {
    const delivery = { attachments: [], headers: {}, redactions: 0, ...document };
    checkDocument('delivery', delivery, where);
    return { delivery: delivery as unknown as Delivery };
  }
  if (isObject(document.headers) && (document.body !== undefined || document.body_base64 !== undefined)) {
    return requestItem(document, where);
  }
  const body = bytes ?? Buffer.from(JSON.stringify(document));
  const receivedAt = timeIn(textOf(body));
  if (!isObject(document.sdk)) return { request: throughDoor('native', body, JSON_HEADERS), receivedAt };
  return { request: { ...throughDoor('sdk', body, JSON_HEADERS), path: '/api/1/store/' }, receivedAt };
}

const JSON_HEADERS = { 'content-type': 'application/json' };

function requestItem(document: JsonObject, where: string): ReplayItem {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(document.headers as JsonObject)) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  const body = bodyOf(document, where);
  const path = typeof document.path === 'string' ? document.path : null;
  const request = path === null ? guessedRequest(headers, body) : atPath(path, body, headers);
  if (request === null)
    throw new CulpritError('malformed', `${where}: no door has the path ${JSON.stringify(path)}.`);
  const stated = typeof document.received_at === 'string' ? Date.parse(document.received_at) : Number.NaN;
  return { request, receivedAt: Number.isFinite(stated) ? stated : timeIn(textOf(body)) };
}

function guessedRequest(headers: Readonly<Record<string, string>>, body: Uint8Array): CapturedRequest {
  if (headers['tracker-hook-signature'] !== undefined) return throughDoor('webhook', body, headers);
  const sdk = headers['x-sentry-auth'] !== undefined || /sentry-envelope/.test(headers['content-type'] ?? '');
  return throughDoor(sdk ? 'sdk' : 'native', body, headers);
}

function bodyOf(document: JsonObject, where: string): Uint8Array {
  const { body, body_base64: base64 } = document;
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  if (typeof body === 'string') return Buffer.from(body);
  if (isObject(body)) return Buffer.from(JSON.stringify(body));
  throw new CulpritError(
    'malformed',
    `${where}: "body" must be text or an object, unless "body_base64" is given.`,
  );
}

function lines(text: string, name: string): readonly unknown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parse(line);
    if (value === undefined) throw malformed(name, index + 1, 'is not JSON');
    return [value];
  });
}

const STATED_TIME = /"(?:timestamp|sent_at)"\s*:\s*(?:"([^"]{1,40})"|(\d{9,13}(?:\.\d+)?))/g;

/** The crash's own time. It counts as time of receipt, because doors accept no crash from the future. */
export function timeIn(text: string): number {
  const [found] = text.matchAll(STATED_TIME);
  return timeOf(found) ?? DEFAULT_TIME;
}

/** The latest time in a crash, as its time of receipt; never after `until`, which is also the default. */
export function receiptIn(text: string, until: number): number {
  const times = [...text.matchAll(STATED_TIME)].flatMap((found) => timeOf(found) ?? []);
  const latest = Math.max(...times.filter((time) => time <= until));
  return Number.isFinite(latest) ? latest : until;
}

function timeOf(found: RegExpExecArray | undefined): number | null {
  const seconds = Number(found?.[2]);
  const time = found?.[1] !== undefined ? Date.parse(zoned(found[1])) : seconds * (seconds > 1e11 ? 1 : 1000);
  return Number.isFinite(time) && time > 0 && time < NEVER_AFTER ? Math.ceil(time) : null;
}

/** Times without a zone are UTC. */
function zoned(text: string): string {
  return /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text) || !text.includes(':') ? text : `${text}Z`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(name: string, line: number, what: string): CulpritError {
  return new CulpritError('malformed', `${name}:${line} ${what}.`);
}

const object = v.looseObject({});

/** What a replay needs of evidence, also of older versions. The file may come from anybody. */
const evidenceShape = v.looseObject({
  run_id: v.pipe(v.string(), v.regex(/^[\w.:-]{1,128}$/, 'must be the id of a run')),
  project: v.string(),
  generation: v.number(),
  cycle: v.number(),
  analyzed_at: v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time in UTC')),
  versions: v.record(v.string(), v.string()),
  config: object,
  incident: v.looseObject({ title: v.string(), fingerprint: v.looseObject({ version: v.string() }) }),
  event: v.looseObject({
    event_id: v.string(),
    exceptions: v.array(v.looseObject({ frames: v.array(object) })),
  }),
  calls: v.array(
    v.looseObject({
      port: v.string(),
      method: v.string(),
      error: v.nullable(v.looseObject({ code: v.string(), detail: v.string() })),
    }),
  ),
  draft: v.looseObject({ digest: v.string() }),
});

const SHAPES = { evidence: evidenceShape, delivery: recordedDeliverySchema };

/** @throws `malformed` with the member that is wrong */
function checkDocument(kind: keyof typeof SHAPES, document: unknown, where: string): void {
  const { issues: [issue] = [] } = v.safeParse(SHAPES[kind], document);
  if (issue === undefined) return;
  const path = v.getDotPath<(typeof SHAPES)[typeof kind]>(issue as never) ?? '';
  throw new CulpritError('malformed', `${where} is not a recorded ${kind}: "${path}" ${issue.message}.`);
}

/** Levels of nested values. An event has at most 64. */
const MAX_LEVELS = 200;

/** @throws `malformed` if values are nested so deeply that reading them could end the process */
function checkDepth(document: unknown, where: string): void {
  let level: readonly unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS)
      throw new CulpritError('malformed', `${where} is nested more than ${MAX_LEVELS} levels deep.`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
}
