import fc from 'fast-check';
import t from 'tap';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { fingerprintEvent } from '../../src/pipeline/fingerprint/index.js';
import {
  boundEvent,
  boundFingerprint,
  MIN_EVENT_BYTES,
  normalise,
} from '../../src/pipeline/normalise/index.js';
import { makeDelivery } from '../../src/testing/builders.js';
import { makeEvent } from '../../src/testing/index.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const eventOf = (crash: unknown) => normalise(makeDelivery({ crash: crash as JsonObject }));

t.test('an ordinary event is the same object', async (t) => {
  const event = makeEvent();
  t.equal(boundEvent(event, MIN_EVENT_BYTES), event);
  const { fingerprint } = { fingerprint: fingerprintEvent(event) };
  t.equal(boundFingerprint(fingerprint), fingerprint);
});

/** Each fills one part of an event to its own limit, with characters that take one to six bytes as JSON. */
const PARTS: Readonly<Record<string, (text: (length: number) => string) => object>> = {
  breadcrumbs: (text) => ({ breadcrumbs: Array.from({ length: 100 }, () => ({ message: text(4_000) })) }),
  extra: (text) => ({ extra: object(30, () => text(16_000)) }),
  contexts: (text) => ({ contexts: object(30, () => text(8_000)) }),
  request: (text) => ({ request: object(30, () => text(8_000)) }),
  modules: (text) => ({ modules: object(300, () => text(200)) }),
  tags: (text) => ({ tags: object(200, () => text(200)) }),
  user: (text) => ({ user: object(30, () => text(8_000)) }),
  fingerprint: (text) => ({ fingerprint: Array.from({ length: 64 }, (_, at) => `${at}${text(8_000)}`) }),
  message: (text) => ({ logentry: { message: text(8_192), formatted: text(8_192) } }),
  stack: (text) => ({
    exception: {
      values: Array.from({ length: 6 }, () => ({
        ...{ type: text(256), value: text(8_192), mechanism: object(10, () => text(400)) },
        stacktrace: {
          frames: Array.from({ length: 12 }, (_, at) => ({
            ...{
              filename: text(1_000),
              abs_path: `/${text(1_000)}`,
              function: text(500),
              package: text(1_000),
            },
            ...{ lineno: at + 1, context_line: text(2_000), vars: object(4, () => text(500)) },
            pre_context: [text(2_000), text(2_000)],
          })),
        },
      })),
    },
  }),
};

function object(members: number, make: () => JsonValue): Record<string, JsonValue> {
  return Object.fromEntries(Array.from({ length: members }, (_, at) => [`name${at}`, make()]));
}

t.test('property: every event fits, and says what was cut', async (t) => {
  const chosen = fc.subarray(Object.keys(PARTS), { minLength: 1 });
  const letter = fc.constantFrom('x', 'é', '漢', '\u0001', '"', '\u{1f600}');
  fc.assert(
    fc.property(chosen, letter, fc.integer({ min: MIN_EVENT_BYTES, max: 300_000 }), (names, char, most) => {
      const text = (length: number) => char.repeat(Math.ceil(length / char.length));
      const event = eventOf(Object.assign({}, ...names.map((name) => PARTS[name]?.(text))));
      const bounded = boundEvent(event, most);
      const cut = bytesOf(event) > most;
      const said = bounded.trimmed.length > event.trimmed.length;
      const kept =
        event.exceptions.length === 0 || bounded.exceptions.at(-1)?.type === event.exceptions.at(-1)?.type;
      return bytesOf(bounded) <= most && cut === said && kept;
    }),
    { numRuns: 15 },
  );
  t.pass();
});

t.test('only as much is cut as necessary', async (t) => {
  const large = eventOf({
    message: 'large',
    breadcrumbs: Array.from({ length: 100 }, (_, at) => ({ message: `${at} ${'b'.repeat(2_000)}` })),
    extra: { order: 'A-17' },
  });
  const bounded = boundEvent(large, MIN_EVENT_BYTES);
  t.same(bounded.trimmed, ['breadcrumbs: only the last 20 are stored']);
  t.match(bounded, { breadcrumbs: { length: 20 }, extra: { order: 'A-17' } });
  t.match(bounded.breadcrumbs.at(-1), { message: /^99 / });
});

t.test('the parts of a fingerprint are cut for display, its hash is not', async (t) => {
  const event = eventOf({
    message: 'x',
    fingerprint: Array.from({ length: 64 }, (_, at) => `${at} ${'f'.repeat(999)}`),
  });
  const whole = fingerprintEvent(event);
  const bounded = boundFingerprint(whole);
  t.equal(bounded.hash, whole.hash);
  t.equal(bounded.parts.at(-1), 'and 56 more parts');
  t.ok(bytesOf(bounded.parts) < 10_000);
});
