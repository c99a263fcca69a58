import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Frame } from '../../src/domain/event.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import {
  type FingerprintAlgorithm,
  fingerprintEvent,
  fingerprintsOf,
} from '../../src/pipeline/fingerprint/index.js';
import { sha256Hex } from '../../src/pipeline/hash.js';
import { guessInApp } from '../../src/pipeline/normalise/in-app.js';
import { normalise, titleOf } from '../../src/pipeline/normalise/index.js';
import { memoryStorage } from '../../src/testing/index.js';
import { deliveryOf, fixtureCrashes, ingestJson, stackText } from '../support/deliveries.js';

const eventOf = (crash: JsonValue) => normalise(deliveryOf(crash));
const of = (crash: JsonValue) => fingerprintEvent(eventOf(crash));

/** A JSON value with `change` applied to every object in it, given the name of its parent member. */
function mapFrames(value: JsonValue, change: (frame: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => mapFrames(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  const members = Object.entries(object).map(([key, member]) => {
    const frames = key === 'frames' && Array.isArray(member);
    const mapped = frames
      ? member.map((frame) =>
          typeof frame === 'object' && frame !== null ? change(frame as JsonObject) : frame,
        )
      : mapFrames(member as JsonValue, change);
    return [key, mapped] as const;
  });
  return Object.fromEntries(members);
}
const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');
const shifted = (value: JsonValue | undefined, by: number) =>
  value === undefined ? {} : { lineno: typeof value === 'number' ? value + by : value };

/** Differences that are possible between two reports of one crash. */
const CHANGES: Readonly<Record<string, (crash: JsonValue) => JsonValue>> = {
  'line and column numbers': (crash) =>
    mapFrames(crash, (frame) => ({
      ...frame,
      ...shifted(frame.lineno, 137),
      ...(frame.colno === undefined ? {} : { colno: 41 }),
    })),
  addresses: (crash) =>
    mapFrames(crash, (frame) => ({
      ...frame,
      ...(frame.instruction_addr === undefined ? {} : { instruction_addr: '0x7ffe12345678' }),
      ...(frame.symbol_addr === undefined ? {} : { symbol_addr: '0x7ffe12340000' }),
      ...(frame.image_addr === undefined ? {} : { image_addr: '0x7ffe00000000' }),
    })),
  'source lines and variables': (crash) =>
    mapFrames(crash, ({ context_line, pre_context, post_context, vars, ...frame }) => frame),
  directories: (crash) =>
    mapFrames(crash, (frame) => {
      const path = text(frame.abs_path);
      return path.startsWith('/') ? { ...frame, abs_path: `/mnt/other${path}` } : frame;
    }),
  'chunk hashes': (crash) =>
    mapFrames(crash, (frame) => {
      const hashed = (name: string) => name.replace(/([^/]+)\.js(?=$|\?)/, '$1.4f9d2c81ab.js');
      const { filename, abs_path } = frame;
      return {
        ...frame,
        ...(typeof filename === 'string' ? { filename: hashed(filename) } : {}),
        ...(typeof abs_path === 'string' ? { abs_path: hashed(abs_path) } : {}),
      };
    }),
  'the query of a script': (crash) =>
    mapFrames(crash, (frame) =>
      /^https?:.*\.js$/.test(text(frame.abs_path))
        ? { ...frame, abs_path: `${text(frame.abs_path)}?v=88` }
        : frame,
    ),
};

t.test('differences between reports of one crash do not matter, in every real payload', async (t) => {
  for (const { name, crash } of fixtureCrashes()) {
    const before = of(crash).hash;
    for (const [what, change] of Object.entries(CHANGES)) {
      t.equal(of(change(crash)).hash, before, `${name}: ${what}`);
    }
  }
});

t.test('the error’s text does not matter if there is a stack', async (t) => {
  let tried = 0;
  for (const { name, crash } of fixtureCrashes()) {
    const event = eventOf(crash);
    if (!event.exceptions.some(({ frames }) => frames.length > 0)) continue;
    const translated = {
      ...event,
      message: 'Eigenschaften von undefined können nicht gelesen werden',
      message_template: null,
      exceptions: event.exceptions.map((item) => ({ ...item, value: 'nicht gefunden: „Warenkorb“' })),
    };
    tried++;
    t.equal(fingerprintEvent(translated).hash, fingerprintEvent(event).hash, name);
  }
  t.ok(tried >= 10, `${tried} payloads have a stack`);
});

t.test('changes outside in-app frames do not matter', async (t) => {
  let tried = 0;
  for (const { name, crash } of fixtureCrashes()) {
    const event = eventOf(crash);
    const isOwn = (frame: Frame) => frame.in_app === true && guessInApp(frame, event.platform) !== false;
    if (!event.exceptions.every(({ frames }) => frames.some(isOwn))) continue;
    if (event.platform === 'javascript' || event.platform === 'node') continue;
    const changed = {
      ...event,
      exceptions: event.exceptions.map((item) => ({
        ...item,
        frames: item.frames.flatMap((frame) =>
          frame.in_app === false
            ? [{ ...frame, function: `${frame.function ?? 'f'}_v2`, file: 'lib/other.x' }, { ...frame }]
            : [frame],
        ),
      })),
    };
    tried++;
    t.equal(fingerprintEvent(changed).hash, fingerprintEvent(event).hash, name);
  }
  t.ok(tried >= 3, `${tried} payloads have in-app frames`);
});

t.test('names generated by compilers do not matter', async (t) => {
  const same: readonly (readonly [string, string, string])[] = [
    ['java', 'com.shop.Cart$$Lambda$14/0x0000000800c8', 'com.shop.Cart$$Lambda$77/0x0000000900aa'],
    ['java', 'com.shop.Cart$3', 'com.shop.Cart$4'],
    [
      'java',
      'jdk.internal.reflect.GeneratedMethodAccessor12',
      'jdk.internal.reflect.GeneratedMethodAccessor99',
    ],
    ['java', 'com.shop.Cart_javassist_12', 'com.shop.Cart_javassist_13'],
  ];
  for (const [platform, one, other] of same) {
    const crash = (module: string) => ({
      platform,
      stack_trace: { frames: [{ module, function: 'run', file: 'Cart.java', in_app: true }] },
    });
    t.equal(of(crash(one)).hash, of(crash(other)).hash, one);
  }
  const named: readonly (readonly [string, string, string])[] = [
    ['java', 'lambda$total$7', 'lambda$total$12'],
    ['go', 'main.run.func1', 'main.run.func3.2'],
    ['ruby', '_app_views_cart_html_erb__123456_78', '_app_views_cart_html_erb__99_1'],
    ['php', '{closure:/srv/a.php:12}', '{closure:/srv/a.php:44}'],
    ['rust', 'shop::cart::total::h0123456789abcdef', 'shop::cart::total::hfedcba9876543210'],
    ['native', 'handler_0x7ffe1234', 'handler_0x55aa9876'],
    ['csharp', 'Acme.Cart.<Total>b__3_0(Int32 x)', 'Acme.Cart.<Total>b__7_1(Int32 x)'],
  ];
  for (const [platform, one, other] of named) {
    const crash = (name: string) => ({
      platform,
      stack_trace: { frames: [{ file: 'cart.x', function: name, in_app: true }] },
    });
    t.equal(of(crash(one)).hash, of(crash(other)).hash, `${platform} ${one}`);
  }
});

t.test('one crash in two browsers has one fingerprint', async (t) => {
  const chrome = of(ingestJson('ev-js-xbrowser-chrome.json') as JsonValue);
  t.equal(of(ingestJson('ev-js-xbrowser-firefox.json') as JsonValue).hash, chrome.hash);
});

interface PublicCrash {
  readonly from: string;
  readonly language: string;
  readonly error: string;
  readonly frames: readonly (readonly [string, number, string])[];
}
/** Pairs that may share a fingerprint, each with the reason. */
const ALIKE: readonly (readonly [string, string, string])[] = [];

t.test('text of unknown format', async (t) => {
  const titled = (stack: string) => ({ hash: of({ stack }).hash, title: titleOf(eventOf({ stack })) });
  const missing = titled("python3: can't open file '/srv/main.py': [Errno 2] No such file or directory");
  const killed = titled('starting up\n\nlibshop: fatal: out of memory after 1204 ms\nbye');
  t.equal(killed.title, 'libshop: fatal: out of memory after 1204 ms', 'the line that mentions a failure');
  t.equal(titled('\n nothing to see\nhere').title, 'nothing to see', 'otherwise the first line');
  t.not(missing.hash, killed.hash, 'two different texts are two incidents');
  t.equal(
    titled('starting up\nlibshop: fatal: out of memory after 7 ms').hash,
    killed.hash,
    'numbers do not matter',
  );
});

t.test('143 public crashes have distinct, stable fingerprints', async (t) => {
  const file = new URL('../../test/fixtures/public-crashes.json', import.meta.url);
  const crashes = JSON.parse(readFileSync(file, 'utf8')) as readonly PublicCrash[];
  const crashOf = ({ language, error, frames }: PublicCrash, lines: number): JsonObject => ({
    platform: language,
    exception: {
      values: [
        {
          type: /^([A-Za-z_$][\w$.]{0,200}): /.exec(error)?.[1] ?? 'Error',
          value: error,
          stacktrace: {
            frames: [...frames].reverse().map(([filename, lineno, name]) => ({
              filename,
              lineno: lineno + lines,
              function: name,
              in_app: true,
            })),
          },
        },
      ],
    },
  });
  t.equal(crashes.length, 143);
  const seen = new Map<string, string>();
  for (const crash of crashes) {
    const { hash } = of(crashOf(crash, 0));
    const other = seen.get(hash);
    const listed = ALIKE.some(([one, two]) => one === other && two === crash.from);
    t.ok(other === undefined || listed, `${crash.from} differs from ${other ?? 'all others'}`);
    t.equal(of(crashOf(crash, 9)).hash, hash, `${crash.from} on other lines`);
    seen.set(hash, crash.from);
  }
});

t.test('a new version continues the runs of the old one', async (t) => {
  const crash = { stack: stackText('java.txt') };
  const event = eventOf(crash);
  const old: FingerprintAlgorithm = (one) => ({
    version: 'v0',
    hash: sha256Hex(`v0 ${one.exceptions.at(-1)?.type}`),
    parts: ['old'],
  });
  t.same(fingerprintsOf(event).aliases, [], 'one version, no aliases');
  const now = fingerprintsOf(event, [old, old]);
  t.same(now.aliases, [old(event).hash], 'each once');
  t.same(fingerprintsOf(event, [fingerprintEvent]).aliases, [], 'its own hash is not an alias');

  const { runStore } = memoryStorage();
  const record = async (
    sequence: number,
    fingerprint: typeof now.fingerprint,
    aliases: readonly string[],
  ) => {
    const { outcomes } = await runStore.record({
      edge: 'e',
      now: `2026-11-21T10:00:0${sequence}.000Z`,
      policy: { quietAfterRejectMs: 1_000 },
      items: [
        {
          sequence,
          event_id: `e${sequence}`,
          refusal: null,
          occurrence: {
            event: { ...event, event_id: `e${sequence}` },
            fingerprint,
            aliases,
            key: null,
            title: 't',
            candidate_run_id: `run_${sequence}`,
          },
        },
      ],
    });
    return outcomes[0]?.run_id;
  };
  t.equal(await record(1, old(event), []), 'run_1', 'with the old version');
  t.equal(await record(2, now.fingerprint, now.aliases), 'run_1', 'the new version finds it');
  t.equal(await record(3, old(event), []), 'run_1', 'so does an older core that is still running');
  t.equal(await record(4, now.fingerprint, []), 'run_1', 'also after the transition');
});
