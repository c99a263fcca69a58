import { isEncoded } from '@culprit/connectors/sentry';
import { parseCrash } from '@culprit/connectors/signed-json';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { ParsedCrash, ParsedDelivery, RawDelivery, Tracker, Trust } from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { EVENT_ID, EVENT_ID_RULE } from '@culprit/core/internal/domain/event-id';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { checkCrashObject } from '@culprit/core/internal/pipeline/crash-object/check-crash-object';
import { fitShape } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import { sha256Hex } from '@culprit/core/internal/pipeline/hash';
import type { RejectedCrashes } from '@culprit/core/internal/ports/tracker';
import { type BoundedMap, boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { systemIds } from '@culprit/core/internal/system';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import type { CleanBytes } from '../clean-bytes/clean-bytes.js';
import { allow, allowShape, countLimit, decodedLimitOf } from '../guards/guards.js';
import { type RateSubject, takeEvents } from '../guards/sender-rates.js';
import { admit, decode } from './decode-delivery.js';
import type { DoorContext, OpenDoor, Sanitise } from './door.js';
import { LIGHT_BYTES } from './fair-work.js';
import { outcomeOf } from './outcome-of.js';
import { readArrived, sdkBodyReader } from './sdk-body.js';

/**
 * Handles one delivery: verify, decode, parse, check, sanitise, write to disk, respond. The raw bytes live no longer
 * than this call. Every delivery ends in exactly one outcome.
 */
export async function receive(
  context: DoorContext,
  door: OpenDoor,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { guards } = context;
  allow(guards.bodySent[door.kind], request.kept?.sent ?? request.body.length);
  allow(guards.requestTime, Date.now() - request.receivedAt);
  try {
    const { id, crashes, again, rejected } = await take(context, door, request);
    guards.count(door.kind, again ? 'duplicate' : crashes > 0 ? 'accepted' : 'ignored');
    guards.crashes += crashes;
    return door.answersOf(request).accepted(id, rejected);
  } catch (error) {
    if (!isCulpritError(error))
      context.logger.error(
        { error: placeOf(error), door: door.name },
        'the edge failed to handle a delivery',
      );
    const refusal = isCulpritError(error)
      ? error
      : new CulpritError('overloaded', 'The delivery could not be stored.');
    guards.count(door.kind, outcomeOf(refusal));
    countLimit(guards, refusal);
    return door.answersOf(request).refused(refusal);
  }
}

interface Taken {
  /** The id in the response. */
  readonly id: string | null;
  readonly crashes: number;
  /** The delivery was stored before. */
  readonly again: boolean;
  readonly rejected?: RejectedCrashes;
}

/** The body is borrowed: it must be read completely, or copied, before the first await. */
function take(context: DoorContext, door: OpenDoor, request: HttpRequest): Promise<Taken> {
  if (door.kind === 'sdk') return takeFromSdk(context, door, request);
  const sender = admitWithin(context, door, request);
  const clean = cleanBytesOf(context, door, request);
  if (clean === null) return takeParsed(context, door, owned(request), sender);
  const id = clean.event_id ?? systemIds.eventId();
  const { headers: sent, receivedAt } = request;
  const { project, trust, key, received_at, raw_sha256, headers } = common(context, door, sender, {
    headers: sent,
    receivedAt,
    sha256: sha256Hex(request.body),
  });
  const delivery = [
    {
      event_id: id,
      project,
      door: door.kind,
      trust,
      key,
      tracker: door.name,
      received_at,
      raw_sha256,
      headers,
      attachments: NONE,
      redactions: 0,
      crash: request.body,
    },
  ];
  // Starts synchronously, because the body is borrowed.
  if (clean.event_id !== null || door.kind !== 'webhook')
    return context.spool.append(delivery).then(() => ({ id, crashes: 1, again: false }));
  const stored = context.guards.replays.once(bodyName(sender.project, door, raw_sha256), () =>
    context.spool.append(delivery).then(() => id),
  );
  return stored.then(({ id: kept, again }) => ({ id: kept, crashes: again ? 0 : 1, again }));
}

/** Identifies a delivery without an id, so that a captured request that is sent again counts once. */
function bodyName(project: string, door: OpenDoor, sha256: string): string {
  return `${door.name}/${project}/body/${sha256}`;
}

const NONE: readonly never[] = [];

const owned = <Request extends RawDelivery>(request: Request): Request => ({
  ...request,
  body: Buffer.from(request.body),
});

/** Anyone may know a public key: what takes long to read is read in turn. */
async function takeFromSdk(context: DoorContext, door: OpenDoor, request: HttpRequest): Promise<Taken> {
  const delivery = await readSdk(context, door, request);
  const sender = admitWithin(context, door, delivery);
  if (delivery.body.length < LIGHT_BYTES) return keep(context, door, delivery, sender);
  const store = await context.fairly.delivery(sender.key, () => prepare(context, door, delivery, sender));
  return store();
}

/** A long body has been read while it arrived; a compressed one is read in the same way. */
async function readSdk(context: DoorContext, door: OpenDoor, request: HttpRequest): Promise<Hashed> {
  if (request.kept !== undefined) return { ...request, ...request.kept };
  const body = Buffer.from(request.body);
  if (!isEncoded(request.headers['content-encoding'])) return { ...request, body, sha256: sha256Hex(body) };
  const raw = { ...request, body };
  return { ...raw, ...(await readArrived(sdkBodyReader(context, door, raw), raw)) };
}

/** A delivery and the SHA-256 of its body as sent. */
type Hashed = RawDelivery & { readonly sha256: string };

async function takeParsed(
  context: DoorContext,
  door: OpenDoor,
  raw: RawDelivery,
  sender: Sender,
): Promise<Taken> {
  const sha256 = sha256Hex(raw.body);
  return keep(context, door, { ...(await decode(context, door, raw)), sha256 }, sender);
}

/** Parses, checks, sanitises and stores a verified delivery. */
async function keep(...delivery: Parameters<typeof prepare>): Promise<Taken> {
  const store = await prepare(...delivery);
  return store();
}

/** Parses, checks and sanitises a verified delivery; what it returns stores it. */
async function prepare(
  context: DoorContext,
  door: OpenDoor,
  delivery: Hashed,
  sender: Sender,
): Promise<() => Promise<Taken>> {
  const { guards, spool } = context;
  const parsed = parseDelivery(context, door.tracker, delivery);
  const shared = common(context, door, sender, delivery);
  const read = async () => {
    if (parsed.crashes.length > 1) takeEvents(guards.rates, sender, parsed.crashes.length - 1);
    return checkedAll(context, door, parsed.crashes, delivery.body.length);
  };
  const write = async (crashes: readonly Checked[]) => {
    if (crashes.length > 0) await spool.append(crashes.map((crash) => ({ ...shared, ...crash })));
    guards.drop(parsed.ignored);
    const id = crashes[0]?.event_id ?? parsed.event_id;
    return id ?? (door.kind === 'sdk' ? null : systemIds.eventId());
  };
  const name = repeatableName(door, parsed, shared);
  const rejected = parsed.rejected === undefined ? {} : { rejected: parsed.rejected };
  if (name === null) {
    const crashes = await read();
    return async () => ({ id: await write(crashes), crashes: crashes.length, again: false, ...rejected });
  }
  return async () => {
    const { id, again } = await guards.replays.once(name, async () => write(await read()));
    return { id, crashes: again ? 0 : parsed.crashes.length, again, ...rejected };
  };
}

/** Of a large body, each crash is one piece of work. */
async function checkedAll(
  context: DoorContext,
  door: OpenDoor,
  crashes: readonly ParsedCrash[],
  bytes: number,
): Promise<readonly Checked[]> {
  if (bytes < LIGHT_BYTES) return crashes.map((crash) => checked(context, door, crash));
  const found: Checked[] = [];
  for (const crash of crashes) found.push(await context.fairly.piece(() => checked(context, door, crash)));
  return found;
}

/** The name by which a repeated delivery is recognised; `null` if core recognises its crashes by their event ids. */
function repeatableName(
  door: OpenDoor,
  parsed: ParsedDelivery,
  { project, raw_sha256 }: { readonly project: string; readonly raw_sha256: string },
): string | null {
  if (parsed.delivery_id !== undefined) return `${door.name}/${project}/${sha256Hex(parsed.delivery_id)}`;
  const unnamed = parsed.crashes.some(({ event_id }) => event_id === null);
  return door.kind === 'webhook' && unnamed ? bodyName(project, door, raw_sha256) : null;
}

/** What the deliveries of one request share. */
function common(
  context: DoorContext,
  door: OpenDoor,
  { project, trust, key }: Sender,
  delivery: Pick<Hashed, 'headers' | 'receivedAt' | 'sha256'>,
) {
  return {
    project,
    door: door.kind,
    trust,
    key,
    tracker: door.name,
    received_at: timeText(delivery.receivedAt),
    raw_sha256: delivery.sha256,
    headers: keptHeaders(delivery.headers, context.sanitise),
  };
}

/** The fast path: the body is the crash object itself, and can be stored as received. */
function cleanBytesOf(
  { guards, readCleanBytes }: DoorContext,
  door: OpenDoor,
  { headers, body }: RawDelivery,
): CleanBytes | null {
  const encoded = (headers['content-encoding'] ?? '') !== '';
  if (readCleanBytes === undefined || door.tracker.parse !== parseCrash || encoded) return null;
  if (body.length > decodedLimitOf(guards.limits, door.kind)) return null;
  const found = readCleanBytes(body);
  if (found === null || found.shape.depth > guards.limits.jsonDepth) return null;
  if (found.shape.width > guards.limits.jsonWidth) return null;
  allow(guards.bodyDecoded[door.kind], body.length);
  allowShape(guards, found);
  return found;
}

/** What the credential says about the sender. */
interface Sender extends RateSubject {
  readonly trust: Trust;
}

/** Checks the credential and the sender's rates, as for one event. */
function admitWithin({ guards }: DoorContext, door: OpenDoor, delivery: RawDelivery): Sender {
  const { project, credential, trust } = admit(door.tracker, delivery);
  const sender = {
    project,
    door: door.kind,
    key: `${door.name}/${credential}`,
    trust: trustOf({ door: door.kind, trust }),
  };
  takeEvents(guards.rates, sender, 1);
  return sender;
}

type Checked = ReturnType<typeof checked>;

function checked(context: DoorContext, door: OpenDoor, parsed: ParsedCrash) {
  const { guards } = context;
  const shape = { depth: guards.limits.jsonDepth, width: guards.limits.jsonWidth };
  const fitted = fitShape(parsed.crash, shape);
  checkCrashObject(fitted.value, { strict: door.kind !== 'sdk' });
  allowShape(guards, fitted);
  if (parsed.bytes !== undefined) allow(guards.eventItem, parsed.bytes);
  const id = parsed.event_id ?? systemIds.eventId();
  if (!EVENT_ID.test(id)) {
    throw new CulpritError('malformed', `event_id ${EVENT_ID_RULE}.`, { path: 'event_id' });
  }
  const { value, redactions } = context.sanitise(fitted.value);
  return {
    ...(fitted.notes.length === 0 ? {} : { trimmed: fitted.notes.map((note) => textOf(context, note)) }),
    event_id: id,
    attachments: parsed.attachments.map(({ name, bytes }) => ({
      name: textOf(context, name).slice(0, 200),
      bytes,
    })),
    redactions,
    crash: value as Delivery['crash'],
    ...(parsed.project === undefined ? {} : { project: parsed.project }),
  };
}

function textOf({ sanitise }: DoorContext, text: string): string {
  const { value } = sanitise(text);
  return typeof value === 'string' ? value : '';
}

/** The request headers that are stored with a delivery: no credentials, nothing that names a person. */
const KEPT = [
  'content-type',
  'content-encoding',
  'user-agent',
  'request-id',
  'x-request-id',
  'traceparent',
  'sentry-hook-resource',
  'sentry-hook-timestamp',
  'webhook-id',
  'webhook-timestamp',
];
const LONGEST = 256;

/** Senders repeat a few values. Bounded in number and, by {@link LONGEST}, in length. */
const REMEMBERED = 256;
const known = new WeakMap<Sanitise, BoundedMap<string, Readonly<Record<string, string>>>>();

/** The stored headers, sanitised. Equal headers return the same object. */
function keptHeaders(
  headers: Readonly<Record<string, string>>,
  sanitise: Sanitise,
): Readonly<Record<string, string>> {
  let key = '';
  for (const name of KEPT) key += `${headers[name]?.slice(0, LONGEST) ?? ''}\n`;
  const own = knownOf(sanitise);
  const earlier = own.get(key);
  if (earlier !== undefined) return earlier;
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const text = headers[name]?.slice(0, LONGEST) ?? '';
    if (text === '') continue;
    const { value } = sanitise(text);
    if (typeof value === 'string') kept[name] = value;
  }
  own.set(key, kept);
  return kept;
}

function knownOf(sanitise: Sanitise): BoundedMap<string, Readonly<Record<string, string>>> {
  const earlier = known.get(sanitise);
  if (earlier !== undefined) return earlier;
  const own = boundedMap<string, Readonly<Record<string, string>>>(REMEMBERED);
  known.set(sanitise, own);
  return own;
}

/** A parser that throws anything but `malformed` has a bug; the sender still gets `malformed`. */
function parseDelivery(context: DoorContext, tracker: Tracker, delivery: RawDelivery): ParsedDelivery {
  try {
    return tracker.parse({ ...delivery, itemBytes: context.guards.limits.eventItemBytes });
  } catch (error) {
    if (isCulpritError(error)) throw error;
    context.logger.error({ error: placeOf(error) }, 'a tracker’s parser failed');
    throw new CulpritError('malformed', 'The body could not be parsed.');
  }
}

/** The type and stack of an error, without its message: `JSON.parse` quotes the unsanitised body there. */
function placeOf(error: unknown): { readonly type: string; readonly stack: string } {
  if (!(error instanceof Error)) return { type: typeof error, stack: '' };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return { type: error.name, stack: frames.slice(0, 10).join('\n') };
}

let lastMs = Number.NaN;
let lastText = '';

/** A time in ISO 8601. Under load, many deliveries arrive within one millisecond. */
function timeText(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
