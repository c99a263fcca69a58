import fc from 'fast-check';
import t from 'tap';
import { parseStack } from '../../src/pipeline/parse-stack/index.js';
import { stackText } from '../support/deliveries.js';

/** `type: value` of each exception and its frames, oldest first, as `file:line function`; `-` marks frames that are not in-app. */
function shown(text: string, hint?: string) {
  const { platform, exceptions } = parseStack(text, hint);
  return {
    platform,
    exceptions: exceptions.map(({ type, value, frames }) => [
      `${type}: ${value}`,
      ...frames.map(
        (frame) =>
          `${frame.in_app === false ? '- ' : ''}${frame.file}:${frame.line} ${frame.module ? `${frame.module}|` : ''}${frame.function}`,
      ),
    ]),
  };
}

t.test('real output of Node, Python and Java', async (t) => {
  const node = parseStack(stackText('node.txt'));
  t.equal(node.platform, 'node');
  t.match(node.exceptions, [
    { type: 'TypeError', value: "Cannot read properties of undefined (reading 'amount')" },
  ]);
  t.match(node.exceptions[0]?.frames.at(-1), {
    file: '/srv/shop/cart.js',
    line: 9,
    column: 21,
    function: 'priceOf',
    in_app: true,
    context_line: '  return item.price.amount;',
  });
  t.equal(node.exceptions[0]?.frames.filter(({ in_app }) => in_app === false).length, 3);

  const cause = shown(stackText('node-cause.txt'));
  t.same(
    cause.exceptions.map(([head]) => head),
    ["TypeError: Cannot read properties of undefined (reading 'y')", 'Error: checkout failed'],
  );
  t.equal(cause.exceptions[1]?.at(-1), '/srv/shop/main.cjs:6 Object.run');

  const python = parseStack(stackText('python-chained.txt'));
  t.match(python, {
    platform: 'python',
    exceptions: [
      { type: 'TypeError', module: null, value: "'NoneType' object is not subscriptable" },
      { type: 'CheckoutError', module: 'shop.cart', value: 'cannot check out' },
    ],
  });
  t.match(python.exceptions[0]?.frames.at(-1), {
    file: '/srv/shop/shop/cart.py',
    line: 4,
    function: '<genexpr>',
    context_line: 'return sum(i["price"] for i in items)',
  });
  t.same(shown(stackText('python-syntax.txt')).exceptions, [
    ['SyntaxError: invalid syntax', '/srv/shop/t.py:1 <module>', '/srv/shop/s.py:1 null'],
  ]);
  t.match(parseStack(stackText('python-group.txt')).exceptions, [
    { type: 'ValueError', value: '2', mechanism: { exception_id: 2, parent_id: 0 } },
    { type: 'ValueError', value: '1', mechanism: { exception_id: 1, parent_id: 0 } },
    { type: 'ExceptionGroup', value: 'many', mechanism: { exception_id: 0, is_exception_group: true } },
  ]);

  const java = shown(stackText('java.txt'));
  t.same(
    java.exceptions.map(([head]) => head),
    [
      'IllegalStateException: close failed',
      'NullPointerException: Cannot invoke "java.lang.Integer.intValue()" because "<parameter1>" is null',
      'RuntimeException: run failed',
    ],
  );
  t.same(
    java.exceptions[1]?.slice(1, 4),
    ['Main.java:6 Main|main', 'Main.java:5 Main|run', 'Main.java:4 Main|load'],
    'common frames that were omitted are restored',
  );
  t.equal(java.exceptions[1]?.at(-1), 'Main.java:3 Main$Cart|lambda$total$0');
});

const TABLE: readonly {
  name: string;
  text: string;
  platform: string;
  exceptions: string[][];
  hint?: string;
}[] = [
  {
    name: 'Node: err.stack with ESM, async, getters, native frames and an error code',
    platform: 'node',
    text: [
      'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument',
      'must be a string',
      '    at new Foo (file:///srv/a.mjs:3:7)',
      '    at async Promise.all (index 0)',
      '    at async Foo.run [as go] (/srv/my app/(x)/b.js:9:1)',
      '    at file:///srv/a.mjs:20:1',
      '    at eval (eval at <anonymous> (/srv/c.js:1:1), <anonymous>:1:7)',
    ].join('\n'),
    exceptions: [
      [
        'TypeError: The "path" argument\nmust be a string',
        '- <anonymous>:null eval',
        '/srv/a.mjs:20 null',
        '/srv/my app/(x)/b.js:9 Foo.run [as go]',
        '- <anonymous>:null Promise.all',
        '/srv/a.mjs:3 new Foo',
      ],
    ],
  },
  {
    name: 'Node: an uncaught error below a log, with properties and a version line',
    platform: 'node',
    text: [
      'listening on 3000',
      'Error: handled',
      '    at old (/srv/old.js:1:1)',
      '/srv/a.js:3',
      "  throw new Error('boom');",
      '  ^',
      '',
      'Error: boom',
      '    at f (/srv/a.js:3:9) {',
      "  code: 'E_X'",
      '}',
      '',
      'Node.js v22.1.0',
      '',
    ].join('\n'),
    exceptions: [['Error: boom', '/srv/a.js:3 f']],
  },
  {
    name: 'Node: a syntax error has its location only in the excerpt',
    platform: 'node',
    text: '/srv/a.js:3\nconst x = ;\n          ^\n\nSyntaxError: Unexpected token\n    at wrapSafe (node:internal/modules/cjs/loader:1281:20)\n\nNode.js v20.20.2\n',
    exceptions: [
      [
        'SyntaxError: Unexpected token',
        '- node:internal/modules/cjs/loader:1281 wrapSafe',
        '/srv/a.js:3 null',
      ],
    ],
  },
  {
    name: 'Node: a thrown value that is not an error has no frames',
    platform: 'node',
    text: "/srv/a.js:3\nthrow 'boom';\n^\nboom\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\nNode.js v20.20.2\n",
    exceptions: [['null: boom', '/srv/a.js:3 null']],
  },
  {
    name: 'Chrome',
    platform: 'javascript',
    text: 'Uncaught TypeError: x is not a function\n    at HTMLButtonElement.<anonymous> (https://shop.example/app.js?v=2:10:5)\n    at https://shop.example/app.js:1:1\n    at Array.map (<anonymous>)',
    exceptions: [
      [
        'TypeError: x is not a function',
        '- <anonymous>:null Array.map',
        'https://shop.example/app.js:1 null',
        'https://shop.example/app.js?v=2:10 HTMLButtonElement.<anonymous>',
      ],
    ],
  },
  {
    name: 'Firefox',
    platform: 'javascript',
    text: 'total@https://shop.example/app.js:10:5\nasync*run/<@https://shop.example/app.js:4:2\n@https://shop.example/app.js:1:1\n',
    exceptions: [
      [
        'null: null',
        'https://shop.example/app.js:1 null',
        'https://shop.example/app.js:4 run/<',
        'https://shop.example/app.js:10 total',
      ],
    ],
  },
  {
    name: 'Safari',
    platform: 'javascript',
    text: 'total@https://shop.example/app.js:10:5\nmap@[native code]\nglobal code@https://shop.example/app.js:1:1',
    exceptions: [
      [
        'null: null',
        'https://shop.example/app.js:1 null',
        '- [native code]:null map',
        'https://shop.example/app.js:10 total',
      ],
    ],
  },
  {
    name: 'Python: the last of several unrelated tracebacks; repeated lines; libraries',
    platform: 'python',
    text: [
      'Traceback (most recent call last):',
      '  File "/a.py", line 1, in old',
      '    x',
      'KeyError: 1',
      '',
      'INFO going on',
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3.11/threading.py", line 9, in run',
      '    self.go()',
      '  File "/srv/v/lib/python3.11/site-packages/lib/x.py", line 2, in call',
      '  File "/srv/app.py", line 3, in f',
      '    f()',
      '  [Previous line repeated 986 more times]',
      'RecursionError: maximum depth',
      'second line',
    ].join('\r\n'),
    exceptions: [
      [
        'RecursionError: maximum depth\nsecond line',
        '- /usr/lib/python3.11/threading.py:9 run',
        '- /srv/v/lib/python3.11/site-packages/lib/x.py:2 call',
        '/srv/app.py:3 f',
      ],
    ],
  },
  {
    name: 'Java: modules, native frames, loggers’ jars, a cause in Kotlin',
    platform: 'java',
    text: [
      '2026-01-01 ERROR failed',
      'com.acme.ShopException: outer',
      '\tat com.acme.Shop.run(Shop.java:5) ~[shop.jar:1.0]',
      '\tat java.base/java.lang.Thread.run(Thread.java:833) [?:?]',
      'Caused by: java.lang.IllegalStateException',
      '\tat com.acme.CartKt.total(Cart.kt:7)',
      '\tat sun.misc.Unsafe.park(Native Method)',
      '\t... 1 common frames omitted',
    ].join('\n'),
    exceptions: [
      [
        'IllegalStateException: null',
        '- Thread.java:833 java.lang.Thread|run',
        '- null:null sun.misc.Unsafe|park',
        'Cart.kt:7 com.acme.CartKt|total',
      ],
      ['ShopException: outer', '- Thread.java:833 java.lang.Thread|run', 'Shop.java:5 com.acme.Shop|run'],
    ],
  },
  {
    name: 'Go: a panic, only the first goroutine',
    platform: 'go',
    text: [
      'panic: runtime error: invalid memory address or nil pointer dereference',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]',
      '',
      'goroutine 1 [running]:',
      'panic({0x1, 0x2})',
      '\t/usr/local/go/src/runtime/panic.go:884 +0x212',
      'github.com/acme/shop/cart.(*Cart).Total(0xc000, {0x1, 0x2})',
      '\t/srv/shop/cart/cart.go:12 +0x1d',
      'main.main.func1(...)',
      '\t/srv/shop/main.go:8',
      'created by main.start in goroutine 1',
      '\t/srv/shop/main.go:1 +0x1',
      '',
      'goroutine 7 [select]:',
      'main.other()',
      '\t/srv/shop/other.go:1 +0x1',
      'exit status 2',
    ].join('\n'),
    exceptions: [
      [
        'panic: runtime error: invalid memory address or nil pointer dereference',
        '/srv/shop/main.go:8 main|main.func1',
        '/srv/shop/cart/cart.go:12 github.com/acme/shop/cart|(*Cart).Total',
        '- /usr/local/go/src/runtime/panic.go:884 panic',
      ],
    ],
  },
  {
    name: 'Ruby 3.4 with a cause',
    platform: 'ruby',
    text: [
      "/srv/app.rb:5:in 'Cart#total': cannot total (CartError)",
      "\tfrom /usr/lib/ruby/gems/3.4.0/gems/rack-3.0/lib/rack.rb:9:in 'Rack#call'",
      "\tfrom /srv/app.rb:12:in '<main>'",
      "/srv/app.rb:3:in 'Cart#price': undefined method 'price' for nil (NoMethodError)",
      "\tfrom /srv/app.rb:12:in '<main>'",
    ].join('\n'),
    exceptions: [
      [
        "NoMethodError: undefined method 'price' for nil",
        '/srv/app.rb:12 <main>',
        '/srv/app.rb:3 Cart#price',
      ],
      [
        'CartError: cannot total',
        '/srv/app.rb:12 <main>',
        '- /usr/lib/ruby/gems/3.4.0/gems/rack-3.0/lib/rack.rb:9 Rack#call',
        '/srv/app.rb:5 Cart#total',
      ],
    ],
  },
  {
    name: 'Ruby 2.6 in a terminal',
    platform: 'ruby',
    text: [
      'Traceback (most recent call last):',
      "\t2: from app.rb:12:in `<main>'",
      "\t1: from app.rb:9:in `block in run'",
      "app.rb:5:in `total': undefined method `price' for nil:NilClass (NoMethodError)",
    ].join('\n'),
    exceptions: [
      [
        "NoMethodError: undefined method `price' for nil:NilClass",
        'app.rb:12 <main>',
        'app.rb:9 block in run',
        'app.rb:5 total',
      ],
    ],
  },
  {
    name: 'PHP: uncaught, with the previous exception',
    platform: 'php',
    text: [
      'PHP Fatal error:  Uncaught TypeError: bad amount in /srv/src/Cart.php:12',
      'Stack trace:',
      '#0 /srv/index.php(8): App\\Cart->total(NULL)',
      '#1 {main}',
      '',
      'Next App\\CheckoutException: failed in /srv/src/Shop.php:9',
      'Stack trace:',
      '#0 [internal function]: App\\Shop->run()',
      '#1 /srv/vendor/x/y.php(3): array_map(Object(Closure), Array)',
      '#2 {main}',
      '  thrown in /srv/src/Shop.php on line 9',
    ].join('\n'),
    exceptions: [
      ['TypeError: bad amount', '/srv/index.php:8 null', '/srv/src/Cart.php:12 App\\Cart::total'],
      [
        'CheckoutException: failed',
        '- /srv/vendor/x/y.php:3 null',
        '- [internal]:null array_map',
        '/srv/src/Shop.php:9 App\\Shop::run',
      ],
    ],
  },
  {
    name: '.NET: an inner exception',
    platform: 'csharp',
    text: [
      'Unhandled exception. System.InvalidOperationException: outer',
      ' ---> System.NullReferenceException: Object reference not set',
      '   at Acme.Cart.Total(Order o) in C:\\src\\Cart.cs:line 12',
      '   --- End of inner exception stack trace ---',
      '   at Acme.Shop.Run(String s)',
      '   at System.Threading.Tasks.Task.Execute()',
      '   at Acme.Program.Main() in /src/Program.cs:line 3',
    ].join('\n'),
    exceptions: [
      ['NullReferenceException: Object reference not set', 'C:\\src\\Cart.cs:12 Acme.Cart|Total'],
      [
        'InvalidOperationException: outer',
        '/src/Program.cs:3 Acme.Program|Main',
        '- null:null System.Threading.Tasks.Task|Execute',
        'null:null Acme.Shop|Run',
      ],
    ],
  },
  { name: 'prose', platform: 'other', text: 'we met at 10:30 (as usual)\nand left at noon', exceptions: [] },
];

t.test('the formats of each platform', async (t) => {
  for (const { name, text, platform, exceptions, hint } of TABLE)
    t.same(shown(text, hint), { platform, exceptions }, name);
  t.equal(parseStack(TABLE[0]?.text ?? '', 'javascript').platform, 'javascript', 'a matching hint is used');
  t.equal(parseStack(stackText('java.txt'), 'node').platform, 'java', 'a wrong hint is ignored');
});

t.test('property: any text is parsed without an error', async () => {
  const pieces = fc.constantFrom(
    ...TABLE.flatMap(({ text }) => text.split('\n')),
    '\u0000',
    '    at ',
    '((((',
    'x@',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 80 })), { maxLength: 60 }),
      (lines) => {
        JSON.stringify(parseStack(lines.join('\n')));
      },
    ),
    { numRuns: 500 },
  );
});

t.test('time grows linearly with the text', async (t) => {
  const hostile = [
    ' '.repeat(1999),
    `    at ${'a'.repeat(1990)}`,
    `at ${'('.repeat(1990)}`,
    `  File "${'", line '.repeat(240)}`,
    `${'a:'.repeat(990)}1`,
    `#1 ${'(1): '.repeat(380)}`,
    `x@${'http://a '.repeat(200)}`,
    `${'^'.repeat(1000)}x`,
    `panic: ${'a.'.repeat(900)}`,
    `${'A'.repeat(1900)}: ${' ('.repeat(40)}`,
    `[cause]: ${' '.repeat(1900)}`,
    `at a.b(${'x.java:'.repeat(250)})`,
    '\t... 9999 more',
    'Caused by: a.b: c',
    'goroutine 1 [running]:',
    'Traceback (most recent call last):',
    `${'a.rb:1:in `'.repeat(160)}`,
    ' ---> a.B: c',
  ];
  const time = (text: string, hint: string) => {
    const start = process.cpuUsage();
    parseStack(text, hint);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  for (const hint of ['node', 'python', 'java', 'go', 'ruby', 'php', 'csharp']) {
    let worst = 0;
    for (const line of hostile) {
      const once = `${line}\n`.repeat(Math.ceil(250_000 / (line.length + 1)));
      const [single, double] = [time(once, hint), time(once + once, hint)];
      worst = Math.max(worst, double);
      if (double > Math.max(3.5 * single, 250)) t.fail(`${hint}: ${line.slice(0, 24)}`, { single, double });
    }
    t.ok(worst < 2000, `${hint}: half a megabyte takes at most ${Math.round(worst)} ms`);
  }
});
