import type { JsonObject, JsonValue } from '@culprit/core';

/** A test crash: the output of a real program, from the scenario for the same platform. */
export interface CrashFixture {
  readonly name: string;
  readonly summary: string;
  readonly crash: JsonObject;
}

const FATAL = { level: 'fatal', environment: 'production' };

/** The traceback that both exceptions of `python-group` share. */
const PARSE_FRAMES = [
  '    | Traceback (most recent call last):',
  '    |   File "/srv/python-exception-group/ingest/fetch.py", line 8, in fetch',
  '    |     return parse(source["name"], source["payload"])',
  '    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^',
  '    |   File "/srv/python-exception-group/ingest/parse.py", line 4, in parse',
  '    |     return [reading(columns, row) for row in rows]',
  '    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^',
  '    |   File "/srv/python-exception-group/ingest/parse.py", line 4, in <listcomp>',
  '    |     return [reading(columns, row) for row in rows]',
  '    |             ^^^^^^^^^^^^^^^^^^^^^',
  '    |   File "/srv/python-exception-group/ingest/parse.py", line 9, in reading',
  '    |     return {"at": values["at"], "celsius": float(values["celsius"])}',
];

export const CRASH_FIXTURES: readonly CrashFixture[] = [
  printed({ name: 'node', summary: 'a TypeError in Node', release: 'v2.4.0' }, [
    'file:///srv/node-voucher/src/pricing/discounts.js:8',
    '  return Math.round((cents * voucher.percent) / 100);',
    '                                     ^',
    '',
    "TypeError: Cannot read properties of undefined (reading 'percent')",
    '    at voucherDiscount (file:///srv/node-voucher/src/pricing/discounts.js:8:38)',
    '    at quote (file:///srv/node-voucher/src/checkout.js:9:20)',
    '    at main (file:///srv/node-voucher/bin/checkout.js:8:30)',
    '    at file:///srv/node-voucher/bin/checkout.js:11:1',
    '    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)',
    '    at async ModuleLoader.import (node:internal/modules/esm/loader:606:24)',
    '    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:117:5)',
    '',
    'Node.js v20.20.2',
  ]),
  printed(
    {
      name: 'browser',
      summary: 'a TypeError in a browser script',
      platform: 'javascript',
      release: 'web-118',
      level: 'error',
      request: {
        url: 'https://www.webshop.example/?utm=spring',
        headers: {
          'User-Agent':
            'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
        },
      },
    },
    [
      "TypeError: Cannot read properties of null (reading 'classList')",
      '    at HTMLButtonElement.openMenu (https://www.webshop.example/assets/menu.js:3:8)',
    ],
  ),
  printed(
    {
      name: 'python',
      summary: 'a Python exception raised from another',
      release: 'v3.2.0',
      transaction: 'billing.run',
      server_name: 'billing-2',
      tags: { region: 'eu-central', tenant: 'north' },
    },
    [
      'Traceback (most recent call last):',
      '  File "/srv/python-chained/billing/invoice.py", line 12, in total',
      '    return round(amount * rate(invoice["currency"]), 2)',
      '                          ^^^^^^^^^^^^^^^^^^^^^^^^^',
      '  File "/srv/python-chained/billing/rates.py", line 14, in rate',
      '    return rates[currency.lower()]',
      '           ~~~~~^^^^^^^^^^^^^^^^^^',
      "KeyError: 'chf'",
      '',
      'The above exception was the direct cause of the following exception:',
      '',
      'Traceback (most recent call last):',
      '  File "<frozen runpy>", line 198, in _run_module_as_main',
      '  File "<frozen runpy>", line 88, in _run_code',
      '  File "/srv/python-chained/billing/run.py", line 15, in <module>',
      '    main(sys.argv[1])',
      '  File "/srv/python-chained/billing/run.py", line 11, in main',
      '    print(invoice["number"], total(invoice))',
      '                             ^^^^^^^^^^^^^^',
      '  File "/srv/python-chained/billing/invoice.py", line 14, in total',
      '    raise InvoiceError(f"invoice {invoice[\'number\']}: no rate") from error',
      'billing.invoice.InvoiceError: invoice 2026-118: no rate',
    ],
  ),
  printed(
    {
      name: 'python-group',
      summary: 'an asyncio exception group',
      platform: 'python',
      release: 'weather-1.8',
    },
    [
      '+ Exception Group Traceback (most recent call last):',
      '  |   File "<frozen runpy>", line 198, in _run_module_as_main',
      '  |   File "<frozen runpy>", line 88, in _run_code',
      '  |   File "/srv/python-exception-group/ingest/__main__.py", line 12, in <module>',
      '  |     print(asyncio.run(fetch_all(SOURCES)))',
      '  |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^',
      '  |   File "/usr/local/lib/python3.11/asyncio/runners.py", line 190, in run',
      '  |     return runner.run(main)',
      '  |            ^^^^^^^^^^^^^^^^',
      '  |   File "/usr/local/lib/python3.11/asyncio/runners.py", line 118, in run',
      '  |     return self._loop.run_until_complete(task)',
      '  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^',
      '  |   File "/usr/local/lib/python3.11/asyncio/base_events.py", line 653, in run_until_complete',
      '  |     return future.result()',
      '  |            ^^^^^^^^^^^^^^^',
      '  |   File "/srv/python-exception-group/ingest/fetch.py", line 12, in fetch_all',
      '  |     async with asyncio.TaskGroup() as group:',
      '  |   File "/usr/local/lib/python3.11/asyncio/taskgroups.py", line 145, in __aexit__',
      '  |     raise me from None',
      '  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)',
      '  +-+---------------- 1 ----------------',
      ...PARSE_FRAMES,
      '    |                                            ^^^^^^^^^^^^^^^^^^^^^^^^',
      "    | ValueError: could not convert string to float: '11,5'",
      '    +---------------- 2 ----------------',
      ...PARSE_FRAMES,
      '    |                                                  ~~~~~~^^^^^^^^^^^',
      "    | KeyError: 'celsius'",
      '    +------------------------------------',
    ],
  ),
  printed(
    {
      name: 'java',
      summary: 'a Java exception with its cause',
      release: 'stock-5.1.0',
      environment: 'warehouse-poznan',
    },
    [
      'Exception in thread "main" java.lang.IllegalStateException: order A-1002 cannot be picked',
      '\tat shop.stock.Picker.pick(Picker.java:16)',
      '\tat shop.stock.Main.main(Main.java:10)',
      'Caused by: java.lang.NullPointerException: Cannot invoke "java.lang.Integer.intValue()" because the return value of "java.util.Map.get(Object)" is null',
      '\tat shop.stock.Shelf.take(Shelf.java:16)',
      '\tat shop.stock.Picker.pick(Picker.java:14)',
      '\t... 1 more',
    ],
  ),
  printed({ name: 'go', summary: 'a Go panic', release: 'v0.9.3' }, [
    'panic: runtime error: slice bounds out of range [:5] with capacity 2',
    '',
    'goroutine 1 [running]:',
    'example.org/worker/queue.(*Queue).Peek(...)',
    '\t/srv/go-panic/queue/queue.go:23',
    'main.report(0x489120?)',
    '\t/srv/go-panic/main.go:17 +0xce',
    'main.main()',
    '\t/srv/go-panic/main.go:13 +0x11b',
  ]),
  printed({ name: 'ruby', summary: 'a NoMethodError in Ruby', release: 'mail-2.0' }, [
    "/srv/ruby-nomethod/lib/mailer.rb:14:in `greeting': undefined method `capitalize' for nil:NilClass (NoMethodError)",
    '',
    '    order[:customer][:name].split.first.capitalize',
    '                                       ^^^^^^^^^^^',
    "\tfrom /srv/ruby-nomethod/lib/mailer.rb:10:in `subject'",
    "\tfrom /srv/ruby-nomethod/lib/deliver.rb:7:in `block in deliver'",
    "\tfrom /srv/ruby-nomethod/lib/deliver.rb:7:in `map'",
    "\tfrom /srv/ruby-nomethod/lib/deliver.rb:7:in `deliver'",
    "\tfrom /srv/ruby-nomethod/lib/deliver.rb:11:in `<main>'",
  ]),
  printed({ name: 'php', summary: 'an uncaught TypeError in PHP', release: 'shop/2026.9' }, [
    'Fatal error: Uncaught TypeError: Shop\\Prices::of(): Return value must be of type int, null returned in /srv/php-typeerror/src/Prices.php:12',
    'Stack trace:',
    '#0 /srv/php-typeerror/src/Cart.php(17): Shop\\Prices->of()',
    '#1 /srv/php-typeerror/checkout.php(6): Shop\\Cart->total()',
    '#2 {main}',
    '  thrown in /srv/php-typeerror/src/Prices.php on line 12',
  ]),
  printed({ name: 'csharp', summary: 'an unhandled .NET exception', release: '4.0.1' }, [
    'Unhandled Exception:',
    "System.Collections.Generic.KeyNotFoundException: The given key 'US' was not present in the dictionary.",
    '  at System.Collections.Generic.Dictionary`2[TKey,TValue].get_Item (TKey key) [0x00021] in <12b418a7818c4ca0893feeaaf67f1e7f>:0',
    '  at Parcel.Tariff.For (System.String country) [0x0000d] in /srv/csharp-keynotfound/src/Tariff.cs:15',
    '  at Parcel.Label.Print (System.String name, System.String country) [0x00028] in /srv/csharp-keynotfound/src/Label.cs:11',
    '  at Parcel.Label.Main (System.String[] arguments) [0x00027] in /srv/csharp-keynotfound/src/Label.cs:18',
  ]),
  reported({
    name: 'rust',
    summary: 'a Rust panic, as reported by an SDK',
    release: 'relay@0.3.0',
    server_name: 'relay-7',
    sdk: { name: 'sentry.rust', version: '0.38.1' },
    exception: {
      type: 'panic',
      value: 'port must be a number: ParseIntError { kind: InvalidDigit }',
      mechanism: { type: 'panic', handled: false },
      stacktrace: {
        frames: [
          rustFrame('main::main', 'src/main.rs', 5, 11),
          rustFrame('main::settings::port', 'src/settings.rs', 11, 18),
        ],
      },
    },
  }),
  reported({
    name: 'native',
    summary: 'a segmentation fault in C++, as reported by an SDK',
    release: 'draw-0.7.0',
    sdk: { name: 'sentry.native', version: '0.7.17' },
    exception: {
      type: 'SIGSEGV',
      value: 'SEGV on unknown address 0x000000000020',
      mechanism: {
        type: 'signalhandler',
        synthetic: true,
        handled: false,
        meta: { signal: { number: 11, name: 'SIGSEGV' } },
      },
      stacktrace: {
        frames: [
          nativeFrame('main', '0x56182878a776', 'src/main.cc', 10),
          nativeFrame('report', '0x56182878a4a7', 'src/main.cc', 5),
          nativeFrame(
            'draw::Scene::area(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&) const',
            '0x56182878b69c',
            'src/scene.cc',
            16,
          ),
        ],
      },
    },
  }),
  {
    name: 'message',
    summary: 'a message without a stack',
    crash: {
      message: 'The nightly report could not be written.',
      level: 'error',
      platform: 'other',
      release: 'reports-12',
      environment: 'production',
    },
  },
];

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly [member: string]: JsonValue;
}

/** A crash with the text that the runtime printed. */
function printed({ name, summary, ...crash }: Described, lines: readonly string[]): CrashFixture {
  const stack = `${lines.join('\n')}\n`;
  return { name, summary, crash: { ...FATAL, platform: name, ...crash, stack } };
}

/** A crash of a native program with the frames that its SDK collected. */
function reported({ name, summary, exception = null, ...crash }: Described): CrashFixture {
  return {
    name,
    summary,
    crash: { ...FATAL, platform: 'native', ...crash, exception: { values: [exception] } },
  };
}

function rustFrame(name: string, filename: string, lineno: number, colno: number): JsonObject {
  const abs_path = `/srv/rust-panic/${filename}`;
  return { function: name, filename, abs_path, lineno, colno, in_app: true };
}

function nativeFrame(name: string, instruction_addr: string, filename: string, lineno: number): JsonObject {
  return { function: name, instruction_addr, package: '/usr/bin/draw', filename, lineno, in_app: true };
}
