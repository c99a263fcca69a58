import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { groupingPairs, type PublicCrash } from '../../../../bench/lib/grouping-pairs.mjs';
import type { Frame } from '../../src/domain/event.js';
import { type Group, joinFamily, type Traits } from '../../src/domain/group.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { fingerprintEvent, fingerprintsOf } from '../../src/pipeline/fingerprint/index.js';
import { guessInApp } from '../../src/pipeline/normalise/in-app.js';
import { titleOf } from '../../src/pipeline/normalise/index.js';
import { fixtureCrashes, ingestJson } from '../support/deliveries.js';
import { alike, eventOf } from '../support/incidents.js';

const of = (crash: JsonValue) => fingerprintEvent(eventOf(crash));
const partsOf = (crash: JsonValue) => of(crash).parts;
const version1 = (crash: JsonValue) => fingerprintsOf(eventOf(crash)).aliases[0];

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
    for (const [what, change] of Object.entries(CHANGES)) {
      if (fingerprintsOf(eventOf(crash)).family === undefined) {
        t.equal(of(change(crash)).hash, of(crash).hash, `${name}: ${what}`);
      } else t.ok(alike(change(crash), crash), `${name}: ${what}`);
    }
  }
});

t.test('the error’s text does not matter if there is a stack', async (t) => {
  let tried = 0;
  for (const { name, crash } of fixtureCrashes()) {
    const event = eventOf(crash);
    if (!event.exceptions.some(({ frames }) => frames.length > 0)) continue;
    // Go's errors have nothing else that tells them apart.
    if (event.platform === 'go') continue;
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
    t.ok(alike(crash(one), crash(other)), one);
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
    t.ok(alike(crash(one), crash(other)), `${platform} ${one}`);
  }
});

t.test('one crash in two browsers has one fingerprint', async (t) => {
  t.ok(alike(ingestJson('ev-js-xbrowser-chrome.json'), ingestJson('ev-js-xbrowser-firefox.json')));
});

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

t.test('what distinguishes crashes and what does not', async (t) => {
  const frames = [
    { file: '/srv/a.js', function: 'main', line: 1 },
    { file: '/srv/b.js', function: 'total', line: 2 },
  ];
  const base = { message: 'm', stack_trace: { frames } };
  t.notOk(
    alike({ message: 'm', stack_trace: { frames: [...frames, { file: 'c.js', function: 'x' }] } }, base),
  );
  t.notOk(
    alike(
      { message: 'm', stack_trace: { frames: [frames[0] ?? {}, { file: 'b.js', function: 'sum' }] } },
      base,
    ),
  );
  t.ok(
    alike(
      {
        message: 'other',
        stack_trace: { frames: [...frames, ...frames.slice(1), ...frames.slice(1)] },
      },
      base,
    ),
    'recursion',
  );
  t.ok(
    alike(
      {
        message: 'm',
        stack_trace: { frames: [{ file: 'node_modules/x/y.js', function: 'z' }, ...frames] },
      },
      base,
    ),
  );
  t.ok(
    alike(
      {
        message: 'm',
        stack_trace: { frames: [{ file: 'v/y.js', function: 'z', in_app: false }, ...frames] },
      },
      base,
    ),
  );
  t.equal(partsOf({ message: 'm', stack_trace: { frames } }).join(), 'frame a.js main,frame b.js total');
  t.same(partsOf({ message: 'm', fingerprint: ['{{ default }}', 'eu'] }), ['message m', 'custom eu']);
  t.ok(alike({ message: 'one', fingerprint: ['pay'] }, { message: 'two', fingerprint: ['pay'] }));
  t.ok(alike({ message: 'one', fingerprint: ['{{default}}'] }, { message: 'one' }));
  t.ok(
    alike(
      { stack: 'Error: x\n    at f (https://a.example/main.3f2a1b9c.js:1:1)' },
      { stack: 'Error: x\n    at f (https://a.example/main.99887766.js:1:1)' },
    ),
    'hashes of bundles',
  );
  for (const [text, parameterised] of [
    ['id 6b8b408a-efa4-4d95-9e51-f2b3c9a16888 at 2024-01-02T03:04:05Z', 'id <uuid> at <date>'],
    ['GET https://a.example/x?y=1 took 12.5ms, 3 of 0xdeadbeef', 'GET <url> took <duration>, <int> of <hex>'],
    ["name='bob' from 10.0.0.1 in deadbee1", 'name=<value> from <ip> in <hex>'],
    ['version v2 of utf8 facade', 'version v2 of utf8 facade'],
  ]) {
    t.same(partsOf({ message: text ?? '' }), [`message ${parameterised}`]);
  }
  const member = (id: number, parent: number, name: string) => ({
    type: 'E',
    mechanism: { exception_id: id, parent_id: parent },
    stacktrace: { frames: [{ filename: 'a.py', function: name, abs_path: '/a.py' }] },
  });
  const root = {
    type: 'Group',
    mechanism: { exception_id: 0, is_exception_group: true },
    stacktrace: { frames: [{ filename: 'r.py', function: 'r' }] },
  };
  const grouped = (...values: JsonObject[]) => partsOf({ platform: 'python', exception: { values } });
  t.same(grouped(member(2, 0, 'f'), member(1, 0, 'f'), root), ['frame a.py f'], 'a repeated member');
  t.same(grouped(member(2, 0, 'g'), member(1, 0, 'f'), root), [
    'frame a.py g',
    'then',
    'frame a.py f',
    'then',
    'exception Group',
    'frame r.py r',
  ]);
  t.equal(grouped(member(2, 9, 'f'), member(1, 0, 'f'), root).length, 6, 'a broken tree filters nothing');
});

const publicCrashes = JSON.parse(
  readFileSync(new URL('../../test/fixtures/public-crashes.json', import.meta.url), 'utf8'),
) as readonly PublicCrash[];

t.test('143 public crashes have distinct, stable fingerprints', async (t) => {
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
  t.equal(publicCrashes.length, 143);
  const seen = new Map<string, string>();
  for (const crash of publicCrashes) {
    const { fingerprint, family } = fingerprintsOf(eventOf(crashOf(crash, 0)));
    for (const hash of [fingerprint.hash, family?.name ?? '']) {
      t.notOk(seen.has(hash), `${crash.from} differs from ${seen.get(hash)}`);
      seen.set(hash, crash.from);
    }
    t.equal(of(crashOf(crash, 9)).hash, fingerprint.hash, `${crash.from} on other lines`);
  }
});

const express = (type: string, line: string | null = null): JsonValue => ({
  platform: 'node',
  exception: {
    values: [
      {
        type,
        value: 'boom',
        stacktrace: {
          frames: [
            { filename: '/app/node_modules/express/lib/router/layer.js', function: 'handle', in_app: false },
            {
              filename: '/app/app.js',
              function: '<anonymous>',
              lineno: 12,
              context_line: line,
              in_app: true,
            },
          ],
        },
      },
    ],
  },
});

t.test('crashes that version 1 mixed are incidents of their own', async (t) => {
  const route = (folder: string) => ({
    stack: `TypeError: boom\n    at GET (/srv/shop/app/${folder}/route.js:3:9)`,
  });
  const report = (value: string, type = '*errors.errorString') => ({
    platform: 'go',
    exception: {
      values: [
        {
          type,
          value,
          stacktrace: { frames: [{ abs_path: '/app/main.go', module: 'main', function: 'report' }] },
        },
      ],
    },
  });
  const apart: readonly (readonly [string, readonly JsonValue[]])[] = [
    ['three anonymous handlers', ['TypeError', 'RangeError', 'SyntaxError'].map((type) => express(type))],
    ['one type on two lines', [express('TypeError', '  a.b.c();'), express('TypeError', '  next(x.y);')]],
    ['two routes', [route('orders'), route('users'), route('users/[id]/notes')]],
    [
      'one report(err)',
      [report('open cart 12: no rows'), report('mail to bob: timeout'), report('x', '*a.Full')],
    ],
  ];
  for (const [name, crashes] of apart) {
    const groups = crashes.reduce<readonly Group[]>((known, crash) => {
      const event = eventOf(crash);
      return joinFamily(known, { event, ...fingerprintsOf(event) }).groups;
    }, []);
    t.equal(new Set(groups.map(({ hash }) => hash)).size, crashes.length, name);
    t.equal(new Set(crashes.map(version1)).size, 1, `${name}: one in version 1`);
  }
  t.ok(alike(report('open cart 12: no rows'), report('open cart 7: no rows')), 'what varies does not count');
  t.ok(alike(report('open "/a/b": no rows'), report('open "c d": no rows')));
  t.match(of(express('TypeError', ' x ( ) ')).parts, ['exception TypeError', 'frame app.js', 'line x ( )']);
  const synthetic = (type: string) => {
    const [thrown] = (express(type) as { exception: { values: JsonObject[] } }).exception.values;
    return { platform: 'node', exception: { values: [{ ...thrown, mechanism: { synthetic: true } }] } };
  };
  t.ok(alike(synthetic('Error'), synthetic('Segfault')), 'a type that a client made up does not count');
});

t.test(
  'an edited line of the next release is the same incident, and two lines of one release are two',
  async (t) => {
    const of = (line: string, release: string) => {
      const event = eventOf({ ...(express('TypeError', line) as JsonObject), release });
      return { event, ...fingerprintsOf(event) };
    };
    const sent = [
      of('a()', 'r1'),
      of('b()', 'r1'),
      of('a(1)', 'r2'),
      of('b()', 'r2'),
      of('a()', 'r3'),
      of('a(2)', 'r2'),
    ];
    let groups: readonly Group[] = [];
    const placed = sent.map((crash) => {
      const next = joinFamily(groups, crash);
      groups = next.groups;
      return groups.findIndex(({ hash }) => hash === next.crash.fingerprint.hash);
    });
    t.same(placed, [0, 1, 0, 1, 0, 2]);
  },
);

t.test('pairs of crashes whose cause is known', async (t) => {
  const wrong = new Map<string, number>();
  let old = 0;
  for (const { kind, same, pair } of groupingPairs(publicCrashes.filter((_, at) => at % 12 === 0))) {
    if (alike(...pair) !== same) wrong.set(kind, (wrong.get(kind) ?? 0) + 1);
    if ((version1(pair[0]) === version1(pair[1])) !== same) old += 1;
  }
  const allowed = new Set(['deeper recursion', 'deeper recursion of two functions']);
  t.same(
    [...wrong.keys()].filter((kind) => !allowed.has(kind)),
    [],
  );
  const splits = [...wrong.values()].reduce((sum, count) => sum + count, 0);
  t.ok(splits <= 40, `${splits}: ten frames of JavaScript may hold no caller of a recursion`);
  t.ok(old > 100, `${old} were wrong in version 1`);
});

t.test(
  'property: one crash in all its forms is one group, in any order and whatever came between',
  async () => {
    const trait = fc.constantFrom('', 'a', 'b');
    const sent = fc.record({
      fixed: fc.tuple(trait, trait, trait),
      line: trait,
      build: fc.constantFrom('', 'r1', 'r2'),
    });
    const event = eventOf({ message: 'x' });
    const crashOf = (traits: Traits) => ({
      event,
      fingerprint: { version: 'v2', hash: JSON.stringify([traits.fixed, traits.line]), parts: [] },
      family: { name: 'f', traits },
    });
    const placed = (all: readonly Traits[]) => {
      let groups: readonly Group[] = [];
      return all.map((one) => {
        const next = joinFamily(groups, crashOf(one));
        groups = next.groups;
        return next.crash.fingerprint.hash;
      });
    };
    fc.assert(
      fc.property(fc.array(sent, { minLength: 1, maxLength: 12 }), (all) => {
        const groups = placed(all);
        for (const [at, one] of all.entries()) {
          for (const [index, other] of all.entries()) {
            if (groups[at] !== groups[index]) continue;
            const differ = one.fixed.some((value, n) => value && other.fixed[n] && value !== other.fixed[n]);
            if (differ) throw new Error(`different crashes in one group: ${JSON.stringify([one, other])}`);
          }
          if (
            one.line !== '' &&
            one.fixed.every((value) => value !== '') &&
            placed([...all, one]).at(-1) !== groups[at]
          )
            throw new Error(`placed elsewhere: ${JSON.stringify(one)}`);
        }
      }),
      { numRuns: 300 },
    );
    const full = { fixed: ['a', 'b', 'c'], line: 'l', build: 'r' };
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), { minLength: 1 }),
        (masks) => {
          const forms = masks.map((mask) => ({
            ...full,
            fixed: full.fixed.map((value, at) => (mask[at] ? value : '')),
            line: mask[3] ? full.line : '',
          }));
          return new Set(placed(forms)).size === 1;
        },
      ),
      { numRuns: 200 },
    );
  },
);
