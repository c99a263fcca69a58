import assert from 'node:assert/strict';
import type { RawDelivery } from '../domain/delivery.js';
import type { JsonObject } from '../domain/json.js';
import { isCulpritError } from '../errors/error.js';
import { checkCrashObject, normalise, titleOf } from '../pipeline/normalise/index.js';
import type { Tracker } from '../ports/tracker.js';
import { makeDelivery } from './builders.js';
import type { ContractCase } from './contract-case.js';

/** A sample delivery with the name its test case shows. */
export interface NamedDelivery {
  readonly name: string;
  readonly delivery: RawDelivery;
}

/** A tracker, and deliveries as its sender would send them. */
export interface TrackerSubject {
  readonly tracker: Tracker;
  /** The same tracker with no credential configured: its door is closed. */
  readonly closed: Tracker;
  /** Accepted by `verify`, with at least one crash in it. */
  readonly valid: RawDelivery;
  /** The project that `valid`'s credential belongs to. */
  readonly project: string;
  /** The credential, which must not appear in a refusal. */
  readonly secret: string;
  /** Must be refused: missing, wrong, truncated, repeated, in another case, for another door … */
  readonly forged: readonly NamedDelivery[];
  /** Correctly signed but unreadable: `parse` must throw `malformed`. */
  readonly unreadable: readonly NamedDelivery[];
  /** True: the credential covers the body, so that a changed byte is refused. */
  readonly coversBody: boolean;
  /** The crash location of `valid`'s first crash, as Culprit parses it, such as `src/cart.js:3`; `null`: it has no stack. */
  readonly crashedAt?: string | null;
}

/** The rules of the `Tracker` port. */
export const trackerContract: readonly ContractCase<TrackerSubject>[] = [
  law('a valid delivery is accepted every time, for its project', ({ tracker, valid, project }) => {
    const first = tracker.verify(valid);
    assert.ok(first.ok, first.ok ? '' : first.reason);
    assert.equal(first.project, project);
    assert.notEqual(first.credential, '');
    assert.deepEqual(tracker.verify(valid), first);
  }),
  law(
    'forged deliveries are refused with a status, a reason and no secret',
    ({ tracker, forged, secret }) => {
      assert.ok(forged.length > 0, 'give at least one forged delivery');
      for (const { name, delivery } of forged) assertRefused(tracker, delivery, name, secret);
    },
  ),
  law('a delivery without a credential is refused', ({ tracker, valid, secret }) => {
    const bare = { ...valid, headers: {}, query: {}, body: new Uint8Array() };
    assertRefused(tracker, bare, 'no header, query or body', secret);
  }),
  law('without credentials the door is closed, not open', ({ closed, valid, forged, secret }) => {
    assertRefused(closed, valid, 'valid elsewhere', secret);
    for (const { name, delivery } of forged) assertRefused(closed, delivery, name, secret);
    const blank = Object.fromEntries(Object.keys(valid.headers).map((name) => [name, '']));
    assertRefused(closed, { ...valid, headers: blank }, 'empty headers', secret);
  }),
  law(
    'if the credential covers the body, every modified body is refused',
    ({ tracker, valid, coversBody, secret }) => {
      if (!coversBody) return;
      const { body } = valid;
      for (const [name, changed] of changesOf(body))
        assertRefused(tracker, { ...valid, body: changed }, name, secret);
    },
  ),
  law('verify never throws and modifies nothing', ({ tracker, closed, valid }) => {
    for (const delivery of hostile(valid)) {
      const before = describe(delivery);
      for (const subject of [tracker, closed]) assert.equal(typeof subject.verify(delivery).ok, 'boolean');
      assert.equal(describe(delivery), before);
    }
  }),
  law('parse is synchronous, deterministic, and does not modify the bytes', ({ tracker, valid }) => {
    const before = describe(valid);
    const parsed = tracker.parse(valid);
    assert.ok(!(parsed instanceof Promise), 'parse is synchronous');
    assert.ok(parsed.crashes.length > 0);
    for (const { event_id, crash, attachments } of parsed.crashes) {
      assert.ok(event_id === null || (typeof event_id === 'string' && event_id !== ''));
      assert.equal(typeof JSON.stringify(crash), 'string', 'a crash is JSON');
      for (const { name, bytes } of attachments) assert.ok(name !== '' && bytes >= 0);
    }
    for (const count of Object.values(parsed.ignored)) assert.ok(count > 0);
    assert.deepEqual(tracker.parse(valid), parsed);
    assert.equal(describe(valid), before);
  }),
  law('the crash has a title and the expected crash location', ({ tracker, valid, crashedAt }) => {
    const [first] = tracker.parse(valid).crashes;
    assert.ok(first !== undefined);
    checkCrashObject(first.crash, { strict: valid.path.startsWith('/webhook/') });
    const event = normalise(makeDelivery({ crash: first.crash as JsonObject }));
    assert.notEqual(titleOf(event), 'Unknown crash', 'it has neither a message nor an exception');
    if (crashedAt === undefined) return;
    const last = event.exceptions.at(-1)?.frames.at(-1);
    const place = last === undefined ? null : `${last.file}:${last.line}`;
    assert.equal(place, crashedAt, 'frames are oldest first: the last one crashed');
  }),
  law('parse throws malformed for an unreadable body', ({ tracker, unreadable }) => {
    assert.ok(unreadable.length > 0, 'give at least one unreadable delivery');
    for (const { name, delivery } of unreadable) {
      assert.throws(
        () => tracker.parse(delivery),
        (error) => isCulpritError(error, 'malformed') && error.message !== '',
        name,
      );
    }
  }),
  law('parse of damaged bytes returns a crash or throws malformed or too_large', ({ tracker, valid }) => {
    for (const [name, body] of changesOf(valid.body)) {
      try {
        assert.ok(Array.isArray(tracker.parse({ ...valid, body }).crashes), name);
      } catch (error) {
        const known = isCulpritError(error, 'malformed') || isCulpritError(error, 'too_large');
        assert.ok(known, `${name}: ${String(error)}`);
      }
    }
    assert.equal(Object.keys(Object.prototype).length, 0, 'no prototype was polluted');
  }),
];

function law(name: string, check: (subject: TrackerSubject) => void): ContractCase<TrackerSubject> {
  return { name, run: async (make) => check(await make()) };
}

function assertRefused(tracker: Tracker, delivery: RawDelivery, name: string, secret: string): void {
  const result = tracker.verify(delivery);
  assert.equal(result.ok, false, `accepted: ${name}`);
  if (result.ok) return;
  assert.ok([400, 401, 403].includes(result.status), name);
  assert.notEqual(result.reason, '', name);
  assert.ok(!result.reason.includes(secret), `the reason repeats the credential: ${name}`);
}

/** The body truncated, extended, and with single bits flipped at even intervals. */
function changesOf(body: Uint8Array): readonly (readonly [string, Uint8Array])[] {
  const changes: (readonly [string, Uint8Array])[] = [
    ['empty', new Uint8Array()],
    ['one byte more', Uint8Array.from([...body, 0x20])],
    ['a byte order mark before', Uint8Array.from([0xef, 0xbb, 0xbf, ...body])],
  ];
  const step = Math.max(1, Math.floor(body.length / 64));
  for (let at = 0; at < body.length; at += step) {
    const turned = Uint8Array.from(body);
    turned[at] = (turned[at] ?? 0) ^ 0x21;
    changes.push([`byte ${at} changed`, turned], [`cut at ${at}`, body.slice(0, at)]);
  }
  return changes;
}

const HOSTILE_TEXTS = [
  '',
  ' ',
  ',',
  ', ',
  '=',
  '\u0000',
  'é',
  '🦀',
  '__proto__',
  'sha256=',
  'x'.repeat(20_000),
];

/** Deliveries with odd values in every header of the valid one, and odd bodies. */
function hostile(valid: RawDelivery): readonly RawDelivery[] {
  const all: RawDelivery[] = [];
  for (const text of HOSTILE_TEXTS) {
    const headers = Object.fromEntries(Object.keys(valid.headers).map((name) => [name, text]));
    const query = Object.fromEntries(Object.keys(valid.query).map((name) => [name, text]));
    const params = Object.fromEntries(Object.keys(valid.params).map((name) => [name, text]));
    all.push(
      { ...valid, headers },
      { ...valid, query },
      { ...valid, params },
      { ...valid, headers, query, params },
    );
    all.push({ ...valid, body: new TextEncoder().encode(text) });
  }
  all.push({ ...valid, body: Uint8Array.from([0xff, 0xfe, 0x00]) }, { ...valid, body: new Uint8Array() });
  return all;
}

function describe({ body, ...rest }: RawDelivery): string {
  return `${JSON.stringify(rest)} ${body.join(' ')}`;
}
