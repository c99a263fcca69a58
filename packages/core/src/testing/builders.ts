import type { Delivery } from '../domain/delivery.js';
import type { Event, Frame } from '../domain/event.js';
import type { Fingerprint } from '../domain/fingerprint.js';
import { sha256Hex } from '../pipeline/hash.js';
import { makeFrame as frameOf } from '../pipeline/parse-stack/text.js';
import type { BatchItem, Occurrence, RecordBatch } from '../ports/run-store.js';

/** Builds a stack frame for tests; the given members override the defaults. */
export function makeFrame(overrides: Partial<Frame> = {}): Frame {
  const total = { file: 'src/cart.js', function: 'total', line: 12, column: 7, in_app: true };
  return frameOf({ ...total, ...overrides });
}

/** A complete, ordinary event: a TypeError in `src/cart.js`. */
export function makeEvent(overrides: Partial<Event> = {}): Event {
  return {
    event_id: '0123456789abcdef0123456789abcdef',
    project: 'default',
    door: 'native',
    timestamp: '2026-01-05T09:00:00.000Z',
    received_at: '2026-01-05T09:00:01.000Z',
    level: 'error',
    platform: 'node',
    message: null,
    message_template: null,
    exceptions: [
      {
        type: 'TypeError',
        value: "Cannot read properties of undefined (reading 'price')",
        module: null,
        handled: false,
        synthetic: false,
        mechanism: null,
        frames: [makeFrame({ file: 'src/server.js', function: 'handle', line: 40 }), makeFrame()],
      },
    ],
    release: 'shop@1.0.0',
    dist: null,
    environment: 'production',
    commit: null,
    server_name: null,
    transaction: null,
    logger: null,
    tags: {},
    user: null,
    request: null,
    contexts: {},
    breadcrumbs: [],
    extra: {},
    modules: {},
    fingerprint: null,
    sdk: null,
    attachments: [],
    trimmed: [],
    redactions: 0,
    raw_sha256: null,
    ...overrides,
  };
}

/** The fingerprint of a seed: the same seed, the same hash. */
export function makeFingerprint(seed = 'cart', overrides: Partial<Fingerprint> = {}): Fingerprint {
  return { version: '1', hash: sha256Hex(seed), parts: [`seed ${seed}`], ...overrides };
}

/** Builds a delivery for tests; the given members override the defaults. */
export function makeDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    sequence: 1,
    event_id: '0123456789abcdef0123456789abcdef',
    project: 'default',
    door: 'native',
    tracker: 'tracker',
    received_at: '2026-01-05T09:00:01.000Z',
    raw_sha256: sha256Hex('body'),
    headers: { 'content-type': 'application/json' },
    attachments: [],
    redactions: 0,
    crash: {
      event_id: '0123456789abcdef0123456789abcdef',
      message: "Cannot read properties of undefined (reading 'price')",
      platform: 'node',
      stack_trace: { frames: [{ file: 'src/cart.js', line: 12, function: 'total', in_app: true }] },
    },
    ...overrides,
  };
}

/** Builds an occurrence for tests; the given members override the defaults. */
export function makeOccurrence(
  seed = 'cart',
  event: Partial<Event> = {},
  overrides: Partial<Occurrence> = {},
): Occurrence {
  const made = makeEvent(event);
  return {
    event: made,
    fingerprint: makeFingerprint(seed),
    aliases: [],
    title: `TypeError in ${seed}`,
    key: null,
    candidate_run_id: `run_${sha256Hex(`${seed} ${made.event_id}`).slice(0, 26)}`,
    ...overrides,
  };
}

/** A batch item that counts one event. Its event id is made from the sequence unless given. */
export function makeItem(
  sequence: number,
  seed = 'cart',
  event: Partial<Event> = {},
  overrides: Partial<Occurrence> = {},
): BatchItem {
  const event_id = event.event_id ?? sha256Hex(`event ${sequence}`).slice(0, 32);
  return {
    sequence,
    event_id,
    occurrence: makeOccurrence(seed, { ...event, event_id }, overrides),
    refusal: null,
  };
}

/** Builds a record batch for tests; the given members override the defaults. */
export function makeBatch(items: readonly BatchItem[], overrides: Partial<RecordBatch> = {}): RecordBatch {
  return {
    edge: 'edge-1',
    items,
    now: '2026-01-05T09:00:02.000Z',
    policy: { quietAfterRejectMs: 7 * 86_400_000 },
    ...overrides,
  };
}
