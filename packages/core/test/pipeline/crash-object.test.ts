import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { checkCrashObject } from '../../src/pipeline/crash-object/check-crash-object.js';
import { checkShape } from '../../src/pipeline/crash-object/check-shape.js';
import { crashObject } from '../../src/pipeline/crash-object/crash-object.js';
import { isFastValid } from '../../src/pipeline/crash-object/fast-validate.js';
import { KnownTexts } from '../../src/pipeline/plain/known-texts.js';
import { createSanitiser, type Sanitiser, standardSanitiser } from '../../src/pipeline/sanitise/index.js';
import { fixtureCrashes } from './deliveries.js';
import { INNOCENT, PLANTED } from './sanitise-corpus.js';

t.test('property: what is plainly valid is valid by the schema', async (t) => {
  const crashes = fixtureCrashes().map(({ crash }) => crash as JsonObject);
  const plain = crashes.filter(isFastValid);
  t.ok(plain.length > crashes.length / 3, `${plain.length} of ${crashes.length} payloads are plain`);
  const frame = fc.record({ lineno: fc.jsonValue(), vars: fc.jsonValue() }, { requiredKeys: [] });
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.record({ frames: fc.array(fc.oneof(frame, fc.jsonValue())) }),
    fc.record({
      values: fc.array(fc.oneof(fc.record({ stacktrace: fc.record({ frames: fc.array(frame) }) }))),
    }),
    fc.record({ values: fc.array(fc.record({ value: fc.jsonValue(), mechanism: fc.jsonValue() })) }),
  );
  let kept = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...crashes),
      fc.constantFrom(...Object.keys(crashObject.entries)),
      odd,
      (crash, name, value) => {
        const changed = { ...crash, [name]: value } as JsonObject;
        const plainly = isFastValid(changed);
        kept += plainly ? 1 : 0;
        return !plainly || v.safeParse(crashObject, changed).success;
      },
    ),
    { numRuns: 3_000 },
  );
  t.ok(kept > 100, `${kept} of 3,000 changed ones were plain`);
});

t.test('depth and width, at the bound and beyond', async (t) => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);
  t.doesNotThrow(() => checkShape(nested(64)));
  t.throws(() => checkShape(nested(65)), { code: 'malformed', message: /deeper than 64/ });
  t.doesNotThrow(() => checkShape({ list: Array(10_000).fill(0) }));
  t.throws(() => checkShape({ list: Array(10_001).fill(0) }), { code: 'malformed', path: 'list' });
  const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, index]));
  t.throws(() => checkShape({ extra: wide }), { code: 'malformed', message: /10000 members/ });
});

/** What comes back from parsing, to compare: without blanks, texts and numbers in their shortest form. */
function canonical(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\s+/g, (token) =>
    token.trim() === '' ? '' : JSON.stringify(JSON.parse(token)),
  );
}

/** Why the body must not be kept byte for byte, though the answer was that it may; `null`: all is well. */
function wronglyKept(body: Uint8Array, sanitiser: Sanitiser = standardSanitiser): string | null {
  const plain = sanitiser.plain(body);
  if (plain === null) return null;
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  const crash = JSON.parse(text) as JsonObject;
  checkCrashObject(crash, { strict: true });
  const { value, redactions } = sanitiser.json(crash);
  if (redactions > 0 || value !== crash) return 'the sanitiser takes something out';
  if (plain.event_id !== (crash.event_id ?? null)) return 'another event_id';
  // Parsing sorts numeric names, so only the lengths are comparable.
  return canonical(text).length === JSON.stringify(crash).length ? null : 'parsing gives something else';
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

t.test('what is kept byte for byte is sound, clean and says nothing twice', async (t) => {
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
  for (const body of bodies) t.equal(wronglyKept(body), null);
  const kept = clean.flatMap(forms).filter((body) => standardSanitiser.plain(body) !== null);
  t.ok(kept.length > clean.length, `${kept.length} of ${clean.length * 3} clean ones are kept`);

  const places = (value: JsonValue): JsonValue[] => [
    { message: 'x', extra: { value } },
    { message: 'x', extra: { name: 'note', value }, contexts: { a: { b: [value, [value, value]] } } },
    { message: 'x', extra: { list: ['a', value, 1] }, user: value },
    { message: typeof value === 'string' ? value : 'x', tags: { tag: value } },
    { exception: { values: [{ type: 'E', value }] }, breadcrumbs: { values: [{ data: value }] } },
  ];
  for (const { value, where } of PLANTED) {
    for (const body of places(value).flatMap(forms)) t.equal(wronglyKept(body), null, where);
  }
  for (const body of INNOCENT.flatMap(places).flatMap(forms)) t.equal(wronglyKept(body), null);
});

t.test('property: bodies that are nearly plain', async (t) => {
  const bodies = fixtureCrashes()
    .map(({ crash }) => standardSanitiser.json({ message: 'x', ...(crash as JsonObject) }).value)
    .map((crash) => JSON.stringify(crash))
    .filter((text) => text.length < 8_000 && standardSanitiser.plain(bytesOf(text)) !== null);
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
  fc.assert(
    fc.property(
      fc.constantFrom(...bodies),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (text, changes) => {
        const body = bytesOf(mangled(text, changes));
        if (standardSanitiser.plain(body) !== null) kept++;
        return wronglyKept(body) === null && wronglyKept(body, ours) === null;
      },
    ),
    { numRuns: 4_000 },
  );
  t.ok(kept > 100, `${kept} of 4,000 changed ones were kept`);

  const refused: readonly [string, string][] = [
    ['the same name twice', '{"message":"x","extra":{"a":"hunter2","b":{"a":1},"a":2}}'],
    ['the same name twice, once escaped', '{"message":"x","extra":{"a":1,"\\u0061":2}}'],
    ['the same number twice', '{"message":"x","extra":{"7":1,"8":1,"7":2}}'],
    ['the same number twice, not in order', '{"message":"x","extra":{"8":1,"7":2,"9":{"8":1},"8":3}}'],
    ['a number in another spelling', '{"message":"x","extra":{"1.0":1}}'],
    ['a card for a name', '{"message":"x","extra":{"4111111111111111":1}}'],
    ['a digit too many', '{"message":"x","extra":{"n":0.12345678901234567890}}'],
    ['no end', '{"message":"x"'],
    ['more after the end', '{"message":"x"}}'],
    ['a comma too many', '{"message":"x",}'],
    ['nothing said', '{"message":" "}'],
    ['a name for a value', '{"message":"x","extra":[{"value":"hunter2","name":"password"}]}'],
    ['an option’s value', '{"message":"x","extra":{"argv":["--password","hunter2"]}}'],
    ['a pair', '{"message":"x","extra":{"headers":[["Cookie","a=b"]]}}'],
    ['a telling name', '{"message":"x","extra":{"password":"hunter2"}}'],
    ['below a telling name', '{"message":"x","extra":{"secret":{"a":["hunter2"]}}}'],
    ['a secret in a name', '{"message":"x","extra":{"bob@example.com":1}}'],
    ['an escaped secret', '{"message":"x","extra":{"a":"bob\\u0040example.com"}}'],
    ['an address', '{"message":"x","extra":{"ip_address":"10.0.0.1"}}'],
    ['the wrong kind', '{"message":"x","exception":{"values":[{"stacktrace":{"frames":[{"lineno":"1"}]}}]}}'],
    ['too deep', `{"message":"x","extra":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['too wide', `{"message":"x","extra":{"a":[${Array.from({ length: 10_001 }, () => 1)}]}}`],
    ['a byte order mark', '\ufeff{"message":"x"}'],
  ];
  for (const [what, text] of refused) t.equal(standardSanitiser.plain(bytesOf(text)), null, what);
  t.equal(standardSanitiser.plain(Buffer.from('{"message":"\xff"}', 'latin1')), null, 'no UTF-8');
  for (const numbers of [
    '{"8":1,"7":{"7":0,"8":{"8":1},"6":0},"9":1,"1":[{"8":1},{"8":2}]}',
    '{"2":1,"0":1,"1":1}',
  ]) {
    t.ok(standardSanitiser.plain(bytesOf(`{"message":"x","extra":${numbers}}`)), 'each once');
  }
  const fine =
    '{"message":"x","extra":{"0":{"0":1},"12":[],"9000":"y","a":{"a":1},"b":[{"a":0.5},[]],"n":-12.25,"ä":"ok"}}';
  t.equal(standardSanitiser.plain(bytesOf(fine)), null, 'a name that is not ASCII');
  t.same(standardSanitiser.plain(bytesOf(fine.replace('"ä"', '"c"'))), {
    event_id: null,
    shape: { depth: 4, width: 7 },
  });
});

t.test('texts that were found clean before are not looked at again', async (t) => {
  const reader = createSanitiser();
  const answers = (text: string) => reader.plain(bytesOf(text));
  const crash = (extra: string, message = 'x') => `{"message":"${message}","extra":${extra}}`;
  const learnt = ['/srv/shop/app.js', 'a \\"quoted\\" line', 'line\\nline', 'correct horse', '10.0.0.1', 'x'];
  const list = `[${learnt.map((text) => `"${text}"`)}]`;
  const learn = () => {
    for (let turn = 0; turn < 3; turn++) t.ok(answers(crash(`{"list":${list}}`)));
  };
  learn();
  for (const text of learnt) {
    t.ok(answers(crash(`{"a":"${text}"}`)), `${text} elsewhere`);
    const there = reader.json({ message: 'x', extra: { password: JSON.parse(`"${text}"`) } });
    t.equal(
      answers(crash(`{"password":"${text}"}`)) === null,
      there.redactions > 0,
      `${text} for a password`,
    );
    for (const more of [' password=hunter2', '\\u0040example.com bob@example.com', ' AKIAIOSFODNN7EXAMPLE']) {
      t.equal(answers(crash(`{"a":"${text}${more}"}`)), null, `${text} goes on`);
      t.equal(answers(crash(`{"a":"${more} ${text}"}`)), null, `${text} ends`);
    }
    t.equal(answers(crash(`{"a":"${text}`)), null, `${text} has no end`);
    t.equal(answers(crash(`{"a":"${text}\\`)), null, `${text} ends in an escape`);
  }
  t.equal(answers(crash('{"ip_address":"10.0.0.1"}')), null, 'an address by its name');
  t.equal(answers(crash(`{"list":${list}}`, ' ')), null, 'still nothing said');
  const when = (text: string) => answers(`{"timestamp":"${text}","message":"x","extra":{"t":"${text}"}}`);
  for (let turn = 0; turn < 3; turn++) {
    t.ok(when('2026-11-22T05:31:27Z'));
    t.ok(answers(crash('{"t":"2026\\u002d11-22T05:31:27Z","u":"yesterday"}')));
    t.equal(when('2026\\u002d11-22T05:31:27Z'), null, 'a time with an escape');
    t.equal(when('yesterday'), null, 'no time');
    const listed = '{"message":"x","extra":{"argv":["--password","correct horse"]}}';
    t.equal(answers(listed), null, 'named by what stands before');
    const twin = '{"message":"x","extra":{"name":"password","value":"correct horse"}}';
    t.equal(answers(twin), null, 'named by what stands beside');
  }

  // More than is remembered, with a secret in every tenth: what is known goes and comes back.
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

t.test('a text that was forgotten is not known by what lies in its place', async (t) => {
  const texts = new KnownTexts();
  const unitsOf = (text: string) => Uint16Array.from(`${text}" `, (char) => char.charCodeAt(0));
  const early = 'a'.repeat(100);
  const later = 'c'.repeat(1_000);
  // Documents of which most is known are looked at closely.
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
  t.equal(fillers, 508, 'as many as there is room for, less that of one document');
  // Reaches into what lay there before.
  const first = unitsOf('b'.repeat(20));
  texts.begin();
  t.equal(texts.endOf(first, 0), -1);
  texts.keep(first);
  texts.begin();
  t.equal(texts.endOf(first, 0), 20);
  texts.begin();
  t.equal(texts.endOf(unitsOf(`${'b'.repeat(20)}${'c'.repeat(980)}`), 0), -1);
});
