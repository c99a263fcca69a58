import type { JsonObject, JsonValue } from '@culprit/core';
import { checkCrashObject } from '@culprit/core/internal/pipeline/crash-object/check-crash-object';
import { ISSUER_TOKENS, issuerToken } from '@culprit/core/internal/pipeline/sanitise/issuers';
import {
  createSanitiser,
  type Sanitiser,
  sanitiserFor,
  standardSanitiser,
} from '@culprit/core/internal/pipeline/sanitise/sanitise';
import fc from 'fast-check';
import t from 'tap';
import { fixtureCrashes } from '../../core/test/support/deliveries.js';
import {
  CARD_WRITINGS,
  issuedTokens,
  secretOf,
  TOKEN_WRITINGS,
  WRAPPED_WRITINGS,
} from '../../core/test/support/encoded-corpus.js';
import { INNOCENT, PLANTED } from '../../core/test/support/sanitise-corpus.js';
import { createCleanBytesReader } from '../src/edge/clean-bytes/clean-bytes.js';
import { KnownTexts } from '../src/edge/clean-bytes/known-texts.js';

const readStandard = createCleanBytesReader(standardSanitiser);

/** JSON without whitespace, with strings and numbers in their shortest form, for comparison. */
function canonical(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\s+/g, (token) =>
    token.trim() === '' ? '' : JSON.stringify(JSON.parse(token)),
  );
}

/** Why an accepted body must not be stored unchanged; `null` if it may be. */
function wronglyKept(
  body: Uint8Array,
  sanitiser: Sanitiser = standardSanitiser,
  read = readStandard,
): string | null {
  const clean = read(body);
  if (clean === null) return null;
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  const crash = JSON.parse(text) as JsonObject;
  checkCrashObject(crash, { strict: true });
  const { value, redactions } = sanitiser.json(crash);
  if (redactions > 0 || value !== crash) return 'the sanitiser redacts something';
  if (clean.event_id !== (crash.event_id ?? null)) return 'another event_id';
  // Parsing sorts numeric names, so only the lengths can be compared.
  return canonical(text).length === JSON.stringify(crash).length ? null : 'parsing changes it';
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

t.test('an accepted body is valid, clean and has no duplicate members', async (t) => {
  const crashes = fixtureCrashes().map(({ crash }) => crash as JsonObject);
  const clean = crashes.map((crash) => standardSanitiser.json({ message: 'x', ...crash }).value);
  const forms = (crash: JsonValue) =>
    [
      JSON.stringify(crash),
      JSON.stringify(crash, null, 2),
      JSON.stringify(crash).replace(
        /[^\x20-\x7e]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    ].map(bytesOf);
  const bodies = [...crashes, ...clean].flatMap(forms);
  const wrong = (all: readonly Uint8Array[]) => all.filter((body) => wronglyKept(body) !== null).map(textOf);
  t.strictSame(wrong(bodies), []);
  const kept = clean.flatMap(forms).filter((body) => readStandard(body) !== null);
  t.ok(kept.length > clean.length, `${kept.length} of ${clean.length * 3} clean bodies are accepted`);

  const places = (value: JsonValue): JsonValue[] => [
    { message: 'x', extra: { value } },
    { message: 'x', extra: { name: 'note', value }, contexts: { a: { b: [value, [value, value]] } } },
    { message: 'x', extra: { list: ['a', value, 1] }, user: value },
    { message: typeof value === 'string' ? value : 'x', tags: { tag: value } },
    { exception: { values: [{ type: 'E', value }] }, breadcrumbs: { values: [{ data: value }] } },
  ];
  for (const { value, where } of PLANTED) {
    t.strictSame(wrong(places(value).flatMap(forms)), [], where);
  }
  t.strictSame(wrong(INNOCENT.flatMap(places).flatMap(forms)), []);
  const encoded = [
    ...issuedTokens(3).map(({ token }, index) => TOKEN_WRITINGS[index % TOKEN_WRITINGS.length]?.write(token)),
    ...WRAPPED_WRITINGS.map(({ write }, index) => write(secretOf(index))),
    ...CARD_WRITINGS,
  ].map((written) => written?.text ?? '');
  t.strictSame(wrong(encoded.flatMap(places).flatMap(forms)), []);
});

t.test('property: accepted bodies among slightly changed ones may be stored unchanged', async (t) => {
  const bodies = fixtureCrashes()
    .map(({ crash }) => standardSanitiser.json({ message: 'x', ...(crash as JsonObject) }).value)
    .map((crash) => JSON.stringify(crash))
    .filter((text) => text.length < 8_000 && readStandard(bytesOf(text)) !== null);
  const secrets = PLANTED.map(({ value }) => JSON.stringify(value)).filter((text) => text.length < 200);
  const pieces = fc.oneof(
    fc.constantFrom(...'"\\{}[]:,-.0123456789eE+ \n\t\u0000/u@%=<'),
    fc.constantFrom(
      '"a":1,',
      '"message":"m",',
      '"value":',
      '"name":"password",',
      'null',
      'true',
      '-0',
      '1e9',
    ),
    fc.constantFrom(
      '\\u0070',
      '\\ud800',
      '\\/',
      '\\x',
      'ä',
      '\ufeff',
      '💥',
      '"password":',
      '--token ',
      'passwd=',
    ),
    fc.constantFrom(...secrets),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );
  const change = fc.record({ at: fc.nat(), cut: fc.nat(3), piece: fc.option(pieces) });
  let kept = 0;
  const mangled = (text: string, changes: readonly { at: number; cut: number; piece: string | null }[]) =>
    changes.reduce((now, { at, cut, piece }) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + (piece ?? '') + now.slice(place + cut);
    }, text);
  const ours = createSanitiser({ ip: 'all', rules: [{ id: 'ticket', pattern: 'TCK-\\d{1,9}' }] });
  const readOurs = createCleanBytesReader(ours);
  fc.assert(
    fc.property(
      fc.constantFrom(...bodies),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (text, changes) => {
        const body = bytesOf(mangled(text, changes));
        if (readStandard(body) !== null) kept++;
        return wronglyKept(body) === null && wronglyKept(body, ours, readOurs) === null;
      },
    ),
    { numRuns: 4_000 },
  );
  t.ok(kept > 100, `${kept} of 4,000 changed bodies were accepted`);

  const refused: readonly [string, string][] = [
    ['a duplicate name', '{"message":"x","extra":{"a":"hunter2","b":{"a":1},"a":2}}'],
    ['a duplicate name, once escaped', '{"message":"x","extra":{"a":1,"\\u0061":2}}'],
    ['a duplicate numeric name', '{"message":"x","extra":{"7":1,"8":1,"7":2}}'],
    ['a duplicate numeric name, not in order', '{"message":"x","extra":{"8":1,"7":2,"9":{"8":1},"8":3}}'],
    ['a fraction as a name', '{"message":"x","extra":{"1.0":1}}'],
    ['a card number as a name', '{"message":"x","extra":{"4111111111111111":1}}'],
    ['an extra digit', '{"message":"x","extra":{"n":0.12345678901234567890}}'],
    ['no end', '{"message":"x"'],
    ['content after the end', '{"message":"x"}}'],
    ['an extra comma', '{"message":"x",}'],
    ['a blank message', '{"message":" "}'],
    ['a value named by its sibling', '{"message":"x","extra":[{"value":"hunter2","name":"password"}]}'],
    ['an option’s value', '{"message":"x","extra":{"argv":["--password","hunter2"]}}'],
    ['a pair', '{"message":"x","extra":{"headers":[["Cookie","a=b"]]}}'],
    ['a flat list of headers', '{"message":"x","extra":{"rawHeaders":["Cookie","a=b"]}}'],
    ['a card number', '{"message":"x","extra":{"note":4111111111111111}}'],
    ['a sensitive name', '{"message":"x","extra":{"password":"hunter2"}}'],
    ['below a sensitive name', '{"message":"x","extra":{"secret":{"a":["hunter2"]}}}'],
    ['a secret in a name', '{"message":"x","extra":{"bob@example.com":1}}'],
    ['an escaped secret', '{"message":"x","extra":{"a":"bob\\u0040example.com"}}'],
    ['an address', '{"message":"x","extra":{"ip_address":"10.0.0.1"}}'],
    [
      'a member of the wrong type',
      '{"message":"x","exception":{"values":[{"stacktrace":{"frames":[{"lineno":"1"}]}}]}}',
    ],
    ['too deep', `{"message":"x","extra":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['too wide', `{"message":"x","extra":{"a":[${Array.from({ length: 10_001 }, () => 1)}]}}`],
    ['a byte order mark', '\ufeff{"message":"x"}'],
  ];
  for (const [what, text] of refused) t.equal(readStandard(bytesOf(text)), null, what);
  t.equal(readStandard(Buffer.from('{"message":"\xff"}', 'latin1')), null, 'invalid UTF-8');
  for (const numbers of [
    '{"8":1,"7":{"7":0,"8":{"8":1},"6":0},"9":1,"1":[{"8":1},{"8":2}]}',
    '{"2":1,"0":1,"1":1}',
  ]) {
    t.ok(readStandard(bytesOf(`{"message":"x","extra":${numbers}}`)), 'no duplicates');
  }
  const fine =
    '{"message":"x","extra":{"0":{"0":1},"12":[],"9000":"y","a":{"a":1},"b":[{"a":0.5},[]],"n":-12.25,"ä":"ok"}}';
  t.equal(readStandard(bytesOf(fine)), null, 'a non-ASCII name');
  t.same(readStandard(bytesOf(fine.replace('"ä"', '"c"'))), {
    event_id: null,
    shape: { depth: 4, width: 7 },
  });
});

t.test('an issuer is one line of the table, on the fast path too', async (t) => {
  const acme = issuerToken('acme_key', 'Acme key', 'docs.acme.example', ['acme_', '[A-Za-z0-9]{12,}']);
  const read = createCleanBytesReader(sanitiserFor([...ISSUER_TOKENS, acme]));
  const body = bytesOf('{"message":"key acme_0123456789ab rejected"}');
  t.ok(readStandard(body));
  t.equal(read(body), null);
  t.ok(read(bytesOf('{"message":"key acme_short rejected"}')));
});

t.test('known texts are accepted only where the sanitiser accepts them', async (t) => {
  const sanitiser = createSanitiser();
  const read = createCleanBytesReader(sanitiser);
  const answers = (text: string) => read(bytesOf(text));
  const crash = (extra: string, message = 'x') => `{"message":"${message}","extra":${extra}}`;
  const learnt = ['/srv/shop/app.js', 'a \\"quoted\\" line', 'line\\nline', 'correct horse', '10.0.0.1', 'x'];
  const list = `[${learnt.map((text) => `"${text}"`)}]`;
  const learn = () => {
    for (let turn = 0; turn < 3; turn++) t.ok(answers(crash(`{"list":${list}}`)));
  };
  learn();
  for (const text of learnt) {
    t.ok(answers(crash(`{"a":"${text}"}`)), `${text} in another member`);
    const there = sanitiser.json({ message: 'x', extra: { password: JSON.parse(`"${text}"`) } });
    t.equal(answers(crash(`{"password":"${text}"}`)) === null, there.redactions > 0, `${text} as a password`);
    for (const more of [' password=hunter2', '\\u0040example.com bob@example.com', ' AKIAIOSFODNN7EXAMPLE']) {
      t.equal(answers(crash(`{"a":"${text}${more}"}`)), null, `${text}, then a secret`);
      t.equal(answers(crash(`{"a":"${more} ${text}"}`)), null, `${text} after a secret`);
    }
    t.equal(answers(crash(`{"a":"${text}`)), null, `${text} without an end`);
    t.equal(answers(crash(`{"a":"${text}\\`)), null, `${text} ends in an escape`);
  }
  t.equal(answers(crash('{"ip_address":"10.0.0.1"}')), null, 'an address by its name');
  t.equal(answers(crash(`{"list":${list}}`, ' ')), null, 'still no message');
  const when = (text: string) => answers(`{"timestamp":"${text}","message":"x","extra":{"t":"${text}"}}`);
  for (let turn = 0; turn < 3; turn++) {
    t.ok(when('2026-11-22T05:31:27Z'));
    t.ok(answers(crash('{"t":"2026\\u002d11-22T05:31:27Z","u":"yesterday"}')));
    t.equal(when('2026\\u002d11-22T05:31:27Z'), null, 'a timestamp with an escape');
    t.equal(when('yesterday'), null, 'not a timestamp');
    const listed = '{"message":"x","extra":{"argv":["--password","correct horse"]}}';
    t.equal(answers(listed), null, 'named by the option before it');
    const twin = '{"message":"x","extra":{"name":"password","value":"correct horse"}}';
    t.equal(answers(twin), null, 'named by its sibling');
  }

  // More than the cache holds, with a secret in every tenth body.
  const fill = (n: number) => `${n} ${'lorem ipsum '.repeat(30)}`;
  for (let n = 0; n < 6_000; n++) {
    const secret = n % 10 === 9;
    const body = crash(
      `{"a":"${fill(n)}","b":"${secret ? `bob@example.com ${n}` : `bob ${n}`}","c":${list}}`,
    );
    if ((answers(body) === null) !== secret) t.fail(`the answer to body ${n} changed`);
  }
  learn();
});

t.test('an evicted text is not recognised by what replaced it', async (t) => {
  const texts = new KnownTexts();
  const unitsOf = (text: string) => Uint16Array.from(`${text}" `, (char) => char.charCodeAt(0));
  const early = 'a'.repeat(100);
  const later = 'c'.repeat(1_000);
  // Documents with mostly known texts are searched.
  const ballast = 'z'.repeat(2_000);
  const all = (last: string) => [later, ...Array<string>(5).fill(ballast), early, last];
  const isKnown = (text: string) => {
    texts.begin();
    const units = unitsOf(all(text).join('"'));
    let at = 0;
    let end = -1;
    for (const { length } of all(text)) {
      end = texts.endOf(units, at);
      if (end !== -1 && end !== at + length) t.fail(`a text of ${length} ended after ${end - at}`);
      at += length + 1;
    }
    return end !== -1;
  };
  const learn = (text: string) => {
    const was = isKnown(text);
    texts.keep(unitsOf(all(text).join('"')));
    return was;
  };
  for (let turn = 0; turn < 40; turn++) learn(later);
  let fillers = 0;
  for (; fillers < 1_000 && isKnown(later); fillers++) {
    t.notOk(learn(`${fillers} `.padEnd(8_000, '.')));
  }
  t.equal(fillers, 508, 'as many as fit, less the room for one document');
  // Its slot still holds the end of an older text.
  const first = unitsOf('b'.repeat(20));
  texts.begin();
  t.equal(texts.endOf(first, 0), -1);
  texts.keep(first);
  texts.begin();
  t.equal(texts.endOf(first, 0), 20);
  texts.begin();
  t.equal(texts.endOf(unitsOf(`${'b'.repeat(20)}${'c'.repeat(980)}`), 0), -1);
});
