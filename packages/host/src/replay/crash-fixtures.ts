// Over 300 lines: crashes as data.
import { randomUUID } from 'node:crypto';

/** A test crash: the output of a real program, from the scenario for the same platform. */
export interface CrashFixture {
  readonly name: string;
  readonly summary: string;
  readonly crash: Readonly<Record<string, unknown>>;
}

/** The fixture's crash with the current time and a new id. */
export function fixtureCrash({ crash }: CrashFixture, now: Date): Record<string, unknown> {
  return { event_id: randomUUID().replaceAll('-', ''), timestamp: now.toISOString(), ...crash };
}

export const CRASH_FIXTURES: readonly CrashFixture[] = [
  {
    name: 'node',
    summary: 'a TypeError in Node',
    crash: {
      level: 'fatal',
      platform: 'node',
      release: 'v2.4.0',
      environment: 'production',
      stack: lines(
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
      ),
    },
  },
  {
    name: 'browser',
    summary: 'a TypeError in a browser script',
    crash: {
      level: 'error',
      platform: 'javascript',
      release: 'web-118',
      environment: 'production',
      stack: lines(
        "TypeError: Cannot read properties of null (reading 'classList')",
        '    at HTMLButtonElement.openMenu (https://www.webshop.example/assets/menu.js:3:8)',
      ),
      request: {
        url: 'https://www.webshop.example/?utm=spring',
        headers: {
          'User-Agent':
            'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
        },
      },
    },
  },
  {
    name: 'python',
    summary: 'a Python exception raised from another',
    crash: {
      level: 'fatal',
      platform: 'python',
      release: 'v3.2.0',
      environment: 'production',
      stack: lines(
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
      ),
      transaction: 'billing.run',
      server_name: 'billing-2',
      tags: { region: 'eu-central', tenant: 'north' },
    },
  },
  {
    name: 'python-group',
    summary: 'an asyncio exception group',
    crash: {
      level: 'fatal',
      platform: 'python',
      release: 'weather-1.8',
      environment: 'production',
      stack: lines(
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
        '    |                                            ^^^^^^^^^^^^^^^^^^^^^^^^',
        "    | ValueError: could not convert string to float: '11,5'",
        '    +---------------- 2 ----------------',
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
        '    |                                                  ~~~~~~^^^^^^^^^^^',
        "    | KeyError: 'celsius'",
        '    +------------------------------------',
      ),
    },
  },
  {
    name: 'java',
    summary: 'a Java exception with its cause',
    crash: {
      level: 'fatal',
      platform: 'java',
      release: 'stock-5.1.0',
      environment: 'warehouse-poznan',
      stack: lines(
        'Exception in thread "main" java.lang.IllegalStateException: order A-1002 cannot be picked',
        '\tat shop.stock.Picker.pick(Picker.java:16)',
        '\tat shop.stock.Main.main(Main.java:10)',
        'Caused by: java.lang.NullPointerException: Cannot invoke "java.lang.Integer.intValue()" because the return value of "java.util.Map.get(Object)" is null',
        '\tat shop.stock.Shelf.take(Shelf.java:16)',
        '\tat shop.stock.Picker.pick(Picker.java:14)',
        '\t... 1 more',
      ),
    },
  },
  {
    name: 'go',
    summary: 'a Go panic',
    crash: {
      level: 'fatal',
      platform: 'go',
      release: 'v0.9.3',
      environment: 'production',
      stack: lines(
        'panic: runtime error: slice bounds out of range [:5] with capacity 2',
        '',
        'goroutine 1 [running]:',
        'example.org/worker/queue.(*Queue).Peek(...)',
        '\t/srv/go-panic/queue/queue.go:23',
        'main.report(0x489120?)',
        '\t/srv/go-panic/main.go:17 +0xce',
        'main.main()',
        '\t/srv/go-panic/main.go:13 +0x11b',
      ),
    },
  },
  {
    name: 'ruby',
    summary: 'a NoMethodError in Ruby',
    crash: {
      level: 'fatal',
      platform: 'ruby',
      release: 'mail-2.0',
      environment: 'production',
      stack: lines(
        "/srv/ruby-nomethod/lib/mailer.rb:14:in `greeting': undefined method `capitalize' for nil:NilClass (NoMethodError)",
        '',
        '    order[:customer][:name].split.first.capitalize',
        '                                       ^^^^^^^^^^^',
        "\tfrom /srv/ruby-nomethod/lib/mailer.rb:10:in `subject'",
        "\tfrom /srv/ruby-nomethod/lib/deliver.rb:7:in `block in deliver'",
        "\tfrom /srv/ruby-nomethod/lib/deliver.rb:7:in `map'",
        "\tfrom /srv/ruby-nomethod/lib/deliver.rb:7:in `deliver'",
        "\tfrom /srv/ruby-nomethod/lib/deliver.rb:11:in `<main>'",
      ),
    },
  },
  {
    name: 'php',
    summary: 'an uncaught TypeError in PHP',
    crash: {
      level: 'fatal',
      platform: 'php',
      release: 'shop/2026.9',
      environment: 'production',
      stack: lines(
        'Fatal error: Uncaught TypeError: Shop\\Prices::of(): Return value must be of type int, null returned in /srv/php-typeerror/src/Prices.php:12',
        'Stack trace:',
        '#0 /srv/php-typeerror/src/Cart.php(17): Shop\\Prices->of()',
        '#1 /srv/php-typeerror/checkout.php(6): Shop\\Cart->total()',
        '#2 {main}',
        '  thrown in /srv/php-typeerror/src/Prices.php on line 12',
      ),
    },
  },
  {
    name: 'csharp',
    summary: 'an unhandled .NET exception',
    crash: {
      level: 'fatal',
      platform: 'csharp',
      release: '4.0.1',
      environment: 'production',
      stack: lines(
        'Unhandled Exception:',
        "System.Collections.Generic.KeyNotFoundException: The given key 'US' was not present in the dictionary.",
        '  at System.Collections.Generic.Dictionary`2[TKey,TValue].get_Item (TKey key) [0x00021] in <12b418a7818c4ca0893feeaaf67f1e7f>:0',
        '  at Parcel.Tariff.For (System.String country) [0x0000d] in /srv/csharp-keynotfound/src/Tariff.cs:15',
        '  at Parcel.Label.Print (System.String name, System.String country) [0x00028] in /srv/csharp-keynotfound/src/Label.cs:11',
        '  at Parcel.Label.Main (System.String[] arguments) [0x00027] in /srv/csharp-keynotfound/src/Label.cs:18',
      ),
    },
  },
  {
    name: 'rust',
    summary: 'a Rust panic, as reported by an SDK',
    crash: {
      platform: 'native',
      level: 'fatal',
      release: 'relay@0.3.0',
      environment: 'production',
      server_name: 'relay-7',
      sdk: { name: 'sentry.rust', version: '0.38.1' },
      exception: {
        values: [
          {
            type: 'panic',
            value: 'port must be a number: ParseIntError { kind: InvalidDigit }',
            mechanism: { type: 'panic', handled: false },
            stacktrace: {
              frames: [
                {
                  function: 'main::main',
                  filename: 'src/main.rs',
                  abs_path: '/srv/rust-panic/src/main.rs',
                  lineno: 5,
                  colno: 11,
                  in_app: true,
                },
                {
                  function: 'main::settings::port',
                  filename: 'src/settings.rs',
                  abs_path: '/srv/rust-panic/src/settings.rs',
                  lineno: 11,
                  colno: 18,
                  in_app: true,
                },
              ],
            },
          },
        ],
      },
    },
  },
  {
    name: 'native',
    summary: 'a segmentation fault in C++, as reported by an SDK',
    crash: {
      platform: 'native',
      level: 'fatal',
      release: 'draw-0.7.0',
      environment: 'production',
      sdk: { name: 'sentry.native', version: '0.7.17' },
      exception: {
        values: [
          {
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
                {
                  function: 'main',
                  instruction_addr: '0x56182878a776',
                  package: '/usr/bin/draw',
                  filename: 'src/main.cc',
                  lineno: 10,
                  in_app: true,
                },
                {
                  function: 'report',
                  instruction_addr: '0x56182878a4a7',
                  package: '/usr/bin/draw',
                  filename: 'src/main.cc',
                  lineno: 5,
                  in_app: true,
                },
                {
                  function:
                    'draw::Scene::area(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&) const',
                  instruction_addr: '0x56182878b69c',
                  package: '/usr/bin/draw',
                  filename: 'src/scene.cc',
                  lineno: 16,
                  in_app: true,
                },
              ],
            },
          },
        ],
      },
    },
  },
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

function lines(...texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}
