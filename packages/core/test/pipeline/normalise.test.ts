import fc from 'fast-check';
import t from 'tap';
import type { Event } from '../../src/domain/event.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { isCulpritError } from '../../src/errors/error.js';
import { fingerprintEvent } from '../../src/pipeline/fingerprint/index.js';
import { hmacSha256Hex, sha256Hex } from '../../src/pipeline/hash.js';
import { checkCrashObject, fitShape, normalise, titleOf } from '../../src/pipeline/normalise/index.js';
import { deliveryOf, envelopeEvents, fixtureCrashes, ingestJson, stackText } from '../support/deliveries.js';
import { alike, eventOf } from '../support/incidents.js';

const hashOf = (crash: JsonValue) => fingerprintEvent(eventOf(crash)).hash;
const fixture = (name: string) => eventOf(ingestJson(name) as JsonValue);

t.test('every real payload becomes an event', async (t) => {
  const crashes = fixtureCrashes();
  t.ok(crashes.length >= 20, `${crashes.length} payloads`);
  for (const { name, crash } of crashes) {
    const event = eventOf(crash);
    t.same(JSON.parse(JSON.stringify(event)), event, `${name} is JSON`);
    t.ok(titleOf(event).length <= 200 && !/[\n\r]/.test(titleOf(event)), `${name}: ${titleOf(event)}`);
    t.match(fingerprintEvent(event), { version: 'v2', hash: /^[0-9a-f]{64}$/ });
    t.doesNotThrow(() => checkCrashObject(crash, { strict: false }), name);
    if (/^ev-|hook-event/.test(name)) {
      t.doesNotThrow(() => checkCrashObject(crash, { strict: true }), `${name} passes the strict check`);
    }
  }
});

t.test('known facts of the payloads', async (t) => {
  t.match(fixture('ev-go.json'), {
    platform: 'go',
    exceptions: [
      { frames: [{ file: '/home/jmbenlloch/bugsink/main.go', line: 30, module: 'main', in_app: true }] },
    ],
  });
  t.equal(titleOf(fixture('ev-go.json')), 'error connecting to job database');
  t.match(fixture('ev-null-frames.json').exceptions, [{ type: 'CapturedStacktraceFo', frames: [] }]);
  t.same(fixture('ev-custom-fingerprint-int.json').fingerprint, [
    'celery',
    '123',
    'sentry.tasks.store.process_event',
  ]);
  t.match(fixture('ev-logmessage-params-dict.json'), {
    message: String,
    message_template: String,
    exceptions: [],
  });
  const native = fixture('ev-native-cpp.json');
  t.match(native.exceptions.at(-1), { synthetic: true, handled: false });
  t.equal(titleOf(native), 'Fatal Error: EXCEPTION_ACCESS_VIOLATION_READ');
  t.same(
    fixture('ev-java-chained.json').exceptions.map(({ type }) => type),
    ['BindException', 'LifecycleException', 'LifecycleException'],
  );
  const group = fingerprintEvent(fixture('ev-exception-group.json'));
  t.same(
    group.parts,
    [
      'exception ExceptionGroup',
      'frame dsnrun <module>',
      'frame exceptiongroup.py <module>',
      'line raise ExceptionGroup("nested",',
    ],
    'if members have no stack, the group’s own is used',
  );
  const [captured] = envelopeEvents('env-node11-message.bin');
  t.match(eventOf(captured ?? null), { level: 'warning', message: 'hello from node 11' });
  t.equal(titleOf(eventOf(captured ?? null)), 'hello from node 11');
  const hook = ingestJson('hook-event_alert.json') as { data: { event: JsonObject } };
  t.match(eventOf(hook.data.event), { tags: { 'browser.name': 'Chrome' }, timestamp: /^2019-08-19T/ });
});

t.test('alternative forms of single fields', async (t) => {
  const read = <K extends keyof Event>(key: K, crash: JsonObject) => eventOf(crash)[key];
  t.equal(read('timestamp', {}), '2026-11-21T10:00:00.000Z');
  t.equal(read('timestamp', { timestamp: 1_726_558_445.1558 }), '2024-09-17T07:34:05.156Z');
  t.equal(read('timestamp', { timestamp: '2024-01-02 03:04:05.678901' }), '2024-01-02T03:04:05.678Z');
  t.equal(read('timestamp', { timestamp: '2024-01-02T03:04:05+0200' }), '2024-01-02T01:04:05.000Z');
  t.equal(read('timestamp', { timestamp: '2031-01-01T00:00:00Z' }), '2026-11-21T10:00:00.000Z', 'future');
  t.equal(read('timestamp', { timestamp: 'soon' }), '2026-11-21T10:00:00.000Z');
  t.equal(read('timestamp', { timestamp: '2024-02-31T00:00:00Z' }), '2026-11-21T10:00:00.000Z');
  t.equal(read('level', { level: 'WARN' }), 'warning');
  const levels = [10, 20, 30, 40, 50, '30', 25, 7].map((level) => read('level', { level }));
  t.same(levels, ['debug', 'info', 'warning', 'error', 'fatal', 'warning', 'info', 'error']);
  t.same(read('tags', { tags: [['a b', true], ['release', 'x'], null, ['n', 3]] }), {
    'a-b': 'True',
    n: '3',
  });
  t.same(read('tags', { tags: { k: 'x'.repeat(300) } }), {});
  t.equal(read('environment', { tags: { environment: 'prod' } }), 'prod');
  t.equal(read('message', { logentry: { message: 'a %s b %s', params: ['x', 2] } }), 'a x b 2');
  t.equal(read('message', { logentry: { message: 'a %(k)s', params: { k: 'x' } } }), 'a x');
  t.equal(
    read('message', { message: false as JsonValue, 'sentry.interfaces.Message': { message: 'm' } }),
    'm',
  );
  t.same(read('fingerprint', { fingerprint: [1.9, true, null, 'x'] }), ['1', 'True', 'x']);
  t.equal(read('fingerprint', { fingerprint: 'x' }), null);
  t.match(read('extra', { extra: { a: 1 }, shard: 'x', b: { c: [] } }), { a: 1, shard: 'x', b: { c: [] } });
  t.match(
    read('request', {
      request: {
        headers: [
          ['A', '1'],
          ['B', ['2', '3']],
        ],
      },
    }),
    { headers: { A: '1', B: '2,3' } },
  );
  t.equal(read('release', { release: { version: '1.2' } }), '1.2');
  const sha = 'A'.repeat(40);
  for (const crash of [
    { commit: sha },
    { tags: { 'git.sha': sha } },
    { tags: [['git_sha', sha]] },
    { contexts: { app: { commit: sha } } },
    { contexts: { git: { commit: { sha } } } },
    { extra: { sha } },
  ] as JsonObject[]) {
    t.equal(read('commit', crash), sha.toLowerCase(), JSON.stringify(crash).slice(0, 40));
  }
  t.equal(read('commit', { tags: { commit: 'not-a-sha' }, release: sha }), null);
  const frames = [{ filename: 'a.py', function: 'f' }];
  t.match(read('exceptions', { exception: { type: 'E', value: { message: 'm' }, stacktrace: { frames } } }), [
    { type: 'E', value: 'm', frames: [{ file: 'a.py' }] },
  ]);
  t.match(
    read('exceptions', {
      platform: 'python',
      message: 'hung',
      threads: { values: [{ id: 1 }, { id: 2, crashed: true, stacktrace: { frames } }] },
    }),
    [{ type: null, value: 'hung', frames: [{ file: 'a.py', in_app: true }] }],
  );
  t.match(read('exceptions', { 'sentry.interfaces.Exception': [{ type: 'Old' }] }), [{ type: 'Old' }]);
  t.match(
    read('exceptions', { exception: [{ type: 'E' }], stack_trace: { frames: [{ file: 'a', line: '7' }] } }),
    [{ type: 'E', frames: [{ file: 'a', line: 7 }] }],
  );
  t.match(eventOf({ stack: 'nothing to see' }), {
    exceptions: [],
    message: 'nothing to see',
    extra: { stack: 'nothing to see' },
  });
});

t.test('long values are truncated and keep the crashed end', async (t) => {
  const frames = Array.from({ length: 400 }, (_, index) => ({
    filename: 'a.js',
    lineno: index + 1,
    vars: { big: 'x'.repeat(5000) },
  }));
  const deep: JsonValue = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
  const event = eventOf({
    message: 'm'.repeat(9000),
    exception: { values: [{ type: 'E', value: '\ud83d\ude00'.repeat(5000), stacktrace: { frames } }] },
    extra: { deep, wide: Array.from({ length: 9000 }, () => 'wide'), ok: 1 },
  });
  t.equal(event.exceptions[0]?.frames.length, 250);
  t.equal(event.exceptions[0]?.frames.at(-1)?.line, 400);
  t.equal(event.exceptions[0]?.frames[0]?.vars, null);
  t.ok((event.exceptions[0]?.value?.length ?? 0) <= 8192);
  t.notMatch(event.exceptions[0]?.value, /[\ud800-\udfff]/u);
  t.ok(JSON.stringify(event.extra).length < 40_000);
  t.match(event.extra, { ok: 1 });
  t.ok(event.trimmed.some((note) => note.includes('the newest 250 of 400')));
  t.ok(JSON.stringify(event).length < 600_000);
  t.ok(titleOf(event).length <= 200);
});

const NODE_STACK = stackText('node.txt');
const nodeEvent = () => JSON.parse(stackText('node.event.json')) as JsonObject;
type Sent = {
  exception: { values: { stacktrace: { frames: JsonObject[] }; type: string; value: string }[] };
};

/** The short form of a Sentry event's outermost exception. */
function short(event: JsonObject): JsonObject {
  const last = (event as unknown as Sent).exception.values.at(-1);
  const frames = (last?.stacktrace.frames ?? []).map(
    ({ filename, lineno, colno, function: name, in_app }) => ({
      file: filename ?? null,
      line: lineno ?? null,
      column: colno ?? null,
      function: name ?? null,
      in_app: in_app ?? null,
    }),
  );
  return { message: last?.value ?? '', stack_trace: { frames } } as JsonObject;
}

t.test('the same crash has the same fingerprint in every form', async (t) => {
  t.ok(alike({ stack: NODE_STACK }, nodeEvent()), 'what Node prints');
  const err = NODE_STACK.split('\n').slice(4, 13).join('\n');
  t.ok(alike({ message: 'Cannot read properties', stack: err }, nodeEvent()), 'err.stack');
  t.ok(alike({ platform: 'node', stack: err }, nodeEvent()));
  t.ok(alike(short(nodeEvent()), nodeEvent()), 'the short form, without a type or a platform');
  t.equal(titleOf(eventOf({ stack: NODE_STACK })), titleOf(eventOf(nodeEvent())));

  const cause = JSON.parse(stackText('node-cause.event.json')) as JsonObject;
  t.ok(alike({ stack: stackText('node-cause.txt') }, cause));
  const alone = stackText('node-cause.txt').split('\n').slice(4, 12).join('\n').replace(/ \{$/, '');
  t.ok(alike({ stack: alone }, cause), 'err.stack has no cause');
  t.ok(alike(short(cause), cause));

  const raised = 'raise CheckoutError("cannot check out") from e';
  const frame = (filename: string, name: string, lineno: number, in_app?: boolean) => ({
    filename,
    abs_path: `/srv/shop/${filename}`,
    module: filename.replace('.py', '').replace('/', '.'),
    function: name,
    lineno,
    context_line: lineno === 9 ? `        ${raised}` : 'x',
    ...(in_app === undefined ? {} : { in_app }),
  });
  const python = {
    platform: 'python',
    exception: {
      values: [
        {
          type: 'TypeError',
          value: 'x',
          stacktrace: {
            frames: [
              frame('shop/cart.py', 'checkout', 7, true),
              frame('shop/cart.py', 'total', 4, true),
              frame('shop/cart.py', 'total.<locals>.<genexpr>', 4, true),
            ],
          },
        },
        {
          type: 'CheckoutError',
          module: 'shop.cart',
          value: 'cannot check out',
          stacktrace: {
            frames: [
              frame('app.py', '<module>', 6),
              frame('app.py', 'main', 4),
              frame('shop/cart.py', 'checkout', 9),
            ],
          },
        },
      ],
    },
  };
  t.ok(alike({ stack: stackText('python-chained.txt') }, python));

  const java = (module: string, name: string) => ({
    module,
    function: name,
    filename: 'Main.java',
    in_app: true,
  });
  const library = { module: 'java.util.stream.AbstractPipeline', function: 'evaluate', filename: 'X.java' };
  const chained = {
    platform: 'java',
    exception: {
      values: [
        {
          type: 'NullPointerException',
          stacktrace: {
            frames: [
              ...[
                java('Main', 'main'),
                java('Main', 'run'),
                java('Main', 'load'),
                java('Main$Cart', 'total'),
              ],
              ...[library, java('Main$Cart', 'lambda$total$7')],
            ],
          },
        },
        { type: 'RuntimeException', stacktrace: { frames: [java('Main', 'main'), java('Main', 'run')] } },
      ],
    },
  };
  t.ok(alike({ stack: stackText('java.txt') }, chained));
  t.ok(
    alike(
      { stack_trace: { frames: [{ file: 'Cart.java', function: 'total', line: 3 }] } },
      { stack: 'a.B: x\n\tat com.acme.Cart.total(Cart.java:9)' },
    ),
  );

  const go = {
    platform: 'go',
    exception: [
      {
        type: '*errors.errorString',
        stacktrace: {
          frames: [
            { function: 'main', module: 'main', abs_path: '/b/main.go' },
            { function: '(*Cart).Total', module: 'github.com/acme/shop/cart', abs_path: '/b/cart/cart.go' },
          ],
        },
      },
    ],
  };
  t.ok(
    alike(
      {
        stack:
          'panic: x\n\ngoroutine 1 [running]:\ngithub.com/acme/shop/cart.(*Cart).Total(0x1)\n\t/srv/cart/cart.go:1 +0x1\nmain.main()\n\t/srv/main.go:2 +0x2\n',
      },
      go as JsonObject,
    ),
  );
  t.ok(
    alike(
      { stack: "app.rb:5:in 'Cart#total': m (E)\n\tfrom app.rb:9:in 'block in Cart#run'" },
      {
        platform: 'ruby',
        stack_trace: {
          frames: [
            { file: 'app.rb', function: 'block in run' },
            { file: '/x/app.rb', function: 'total' },
          ],
        },
      },
    ),
  );
  t.ok(
    alike(
      {
        stack: 'E: m in /a/Cart.php:3\nStack trace:\n#0 /a/index.php(2): App\\Cart->total(1)\n#1 {main}',
      },
      {
        platform: 'php',
        stack_trace: {
          frames: [{ file: '/index.php' }, { file: '/Cart.php', function: 'App\\Cart::total' }],
        },
      },
    ),
  );
  t.ok(
    alike(
      {
        stack:
          'System.Exception: m\n   at Acme.Cart.<Total>d__3.MoveNext() in C:\\a\\Cart.cs:line 3\n   at Acme.P.Main()',
      },
      {
        platform: 'csharp',
        exception: [
          {
            stacktrace: {
              frames: [
                { module: 'Acme.P', function: 'Main' },
                { module: 'Acme.Cart, Acme', function: 'Total(Order o)', filename: 'Cart.cs' },
              ],
            },
          },
        ],
      } as JsonObject,
    ),
  );

  const chrome = ingestJson('ev-js-xbrowser-chrome.json') as JsonValue;
  t.ok(alike(ingestJson('ev-js-xbrowser-firefox.json') as JsonValue, chrome));
  const raw = {
    chrome:
      'Error: bad\n    at Object.total (https://a.example/1.2.0/app.js:1:2)\n    at Array.map (<anonymous>)\n    at new Cart (https://a.example/app.js:3:4)',
    firefox: 'total@https://a.example/1.3.0/app.js?v=3:7:8\nCart@https://a.example/app.js:9:9\n',
  };
  t.ok(alike({ stack: raw.chrome }, { message: 'bad', stack: raw.firefox }));

  t.ok(
    alike(
      { message: 'TypeError: order 17 of bob@example.com' },
      { exception: { values: [{ type: 'TypeError', value: 'order 2 of eve@example.org' }] } },
    ),
    'without a stack',
  );
});

t.test('property: line numbers do not change the fingerprint, and nothing throws', async (t) => {
  const name = fc.constantFrom('a', 'Cart.total', 'new Foo', '<anonymous>', 'x [as y]', '?', 'm.<locals>.f');
  const file = fc.constantFrom('/srv/a.js', 'b.py', 'https://x.example/c.js', 'node_modules/d.js', null);
  const frame = fc.record({ file, function: fc.option(name), in_app: fc.option(fc.boolean()) });
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 40 }), fc.nat(), (frames, shift) => {
      const at = (line: number) => ({
        message: 'm',
        platform: 'node',
        stack_trace: { frames: frames.map((item, index) => ({ ...item, line: line + index, column: line })) },
      });
      return hashOf(at(1)) === hashOf(at(shift + 2));
    }),
  );
  const members = [
    'exception',
    'stack',
    'stack_trace',
    'stacktrace',
    'threads',
    'tags',
    'timestamp',
    'level',
    'message',
    'logentry',
    'contexts',
    'extra',
    'request',
    'user',
    'breadcrumbs',
    'fingerprint',
    'sdk',
    'modules',
    'platform',
    'release',
    '__proto__',
    'constructor',
    'commit',
  ];
  const known = fc.dictionary(
    fc.constantFrom(...members, 'values', 'frames', 'function', 'filename', 'mechanism', 'type', 'value'),
    fc.jsonValue({ maxDepth: 4 }),
  );
  const anything = fc.dictionary(
    fc.constantFrom(...members),
    fc.oneof(fc.jsonValue(), known, fc.array(known)),
    { noNullPrototype: false },
  );
  fc.assert(
    fc.property(anything, (value) => {
      const crash = JSON.parse(JSON.stringify(value)) as JsonObject;
      checkCrashObject(crash, { strict: false });
      const event = eventOf(crash);
      fingerprintEvent(event);
      return (
        titleOf(event).length <= 200 &&
        JSON.stringify(JSON.parse(JSON.stringify(event))) === JSON.stringify(event)
      );
    }),
    { numRuns: 1000 },
  );
  const paths = (value: JsonValue, at: (string | number)[] = []): (string | number)[][] =>
    typeof value !== 'object' || value === null
      ? [at]
      : [at, ...Object.entries(value).flatMap(([key, inner]) => paths(inner as JsonValue, [...at, key]))];
  const whole = {
    ...nodeEvent(),
    tags: { a: 'b' },
    stack: NODE_STACK,
    logentry: { message: 'x %s', params: [1] },
  } as JsonObject;
  fc.assert(
    fc.property(fc.constantFrom(...paths(whole).slice(1)), fc.jsonValue(), (path, value) => {
      const crash = structuredClone(whole) as Record<string, unknown>;
      let target = crash;
      for (const key of path.slice(0, -1)) target = target[key] as Record<string, unknown>;
      target[path.at(-1) ?? ''] = value;
      fingerprintEvent(eventOf(crash as JsonValue));
      try {
        checkCrashObject(crash as JsonValue, { strict: true });
      } catch (error) {
        if (!isCulpritError(error, 'malformed')) throw error;
      }
    }),
    { numRuns: 500 },
  );
  t.pass();
});

t.test('the strict check names the first invalid field', async (t) => {
  const path = (crash: JsonValue, strict = true) => {
    try {
      checkCrashObject(crash, { strict });
      return null;
    } catch (error) {
      t.ok(isCulpritError(error, 'malformed'), String(error));
      return isCulpritError(error) ? error.path : undefined;
    }
  };
  const framed = (frame: JsonValue) => ({
    exception: { values: [{ type: 'E', stacktrace: { frames: [{}, frame] } }] },
  });
  t.equal(path(framed({ lineno: 'seven' })), 'exception.values[0].stacktrace.frames[1].lineno');
  t.equal(path(framed(7)), 'exception.values[0].stacktrace.frames[1]');
  t.equal(path({ exception: { values: 'x' } }), 'exception.values');
  t.equal(path({ exception: [{ type: 7 }] }), 'exception[0].type');
  t.equal(path({ exception: 'x' }), 'exception');
  t.equal(path({ message: 'm', stack_trace: { frames: [{ line: 1.5 }] } }), 'stack_trace.frames[0].line');
  t.equal(path({ message: 7 }), 'message');
  t.equal(path({ message: 'm', stack: ['x'] }), 'stack');
  t.equal(path({ message: 'm', timestamp: 'soon' }), 'timestamp');
  t.equal(path({ message: 'm', timestamp: -1 }), 'timestamp');
  t.equal(path({ message: 'm', timestamp: 1e20 }), 'timestamp');
  for (const timestamp of [0, '1970-01-01T00:00:12Z', '1999-12-31T23:59:59Z']) {
    t.equal(path({ message: 'm', timestamp }), null, 'a crash from a device with an unset clock is accepted');
  }
  t.equal(path({ message: 'm', event_id: '../x' }), 'event_id');
  t.equal(path({ message: 'm', tags: [['a']] }), 'tags[0][1]');
  t.equal(path({ event_id: 'x' }), 'message');
  t.equal(path({ message: ' ' }), 'message');
  for (const wrong of ['x', 1, null, []] as JsonValue[]) t.equal(path(wrong, false), '');
  t.equal(path({ message: 'm' }), null);
  t.equal(path({ stack: 'x' }), null);
  t.equal(path({ stack_trace: { frames: [] }, exception: { values: [] } }), 'message');
  t.equal(path({ stack_trace: { frames: [{ file: 'a.js', line: 1 }] } }), null);
  t.equal(path({ exception: { type: 'E' }, message: null, level: null, anything: { else: 1 } }), null);
  t.equal(path({}, false), null);
});

t.test('what is too deep or too wide is cut, and the event says where', async (t) => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as JsonValue;
  t.match(fitShape(deep), { shape: { depth: 64, width: 1 }, cut: { depth: 1, width: 0 } });
  const frames = Array.from({ length: 10_001 }, (_, index) => ({ file: 'a.js', line: index + 1 }));
  const { value, notes, shape } = fitShape({ message: 'm', a: [{ 'b c': frames }] });
  t.same(notes, ['a[0]["b c"] was cut to the last 10000 of 10001 items']);
  t.equal(shape.width, 10_000);
  const event = normalise({ ...deliveryOf(value), trimmed: notes });
  t.same(event.trimmed.slice(0, 1), notes, 'the mark is first');
});

t.test('titles', async (t) => {
  const title = (crash: JsonObject) => titleOf(eventOf(crash));
  t.equal(title({ exception: { values: [{ type: 'TypeError', value: 'x\ny' }] } }), 'TypeError: x');
  t.equal(title({ message: '\n  first \u202e line\nsecond' }), 'first line');
  t.equal(title({ exception: { values: [{ type: 'E' }] }, message: 'm' }), 'E: m');
  t.equal(
    title({ exception: { values: [{ type: 'E', mechanism: { synthetic: true } }] }, transaction: '/x' }),
    'E',
  );
  t.equal(title({ transaction: '/checkout' }), '/checkout');
  const frames = [{ function: 'Player::update' }, { instruction_addr: '0x9' }];
  t.equal(
    title({ platform: 'native', threads: [{ id: 1, crashed: true, stacktrace: { frames } }] }),
    'Crash in Player::update',
  );
  t.equal(title({}), 'Unknown crash');
  t.ok(title({ message: '\ud83d\ude00'.repeat(300) }).length <= 200);
  t.equal(sha256Hex('abc').slice(0, 8), 'ba7816bf');
  t.equal(hmacSha256Hex('key', 'The quick brown fox jumps over the lazy dog').slice(0, 8), 'f7bc83f4');
});
