import { readFileSync } from 'node:fs';
import t from 'tap';
import { createSanitiser, standardSanitiser } from '../../src/analysis.js';
import type { JsonValue } from '../../src/index.js';
import {
  CARD_WRITINGS,
  isKeptIn,
  issuedTokens,
  secretOf,
  TOKEN_WRITINGS,
  WRAPPED_WRITINGS,
} from '../support/encoded-corpus.js';
import { ordinaryCorpus, RIGHTLY_REDACTED } from '../support/ordinary-corpus.js';
import { keptOf, type Named } from '../support/planted-run.js';
import { INNOCENT } from '../support/sanitise-corpus.js';

const figures = JSON.parse(
  readFileSync(new URL('../../test/support/sanitise-figures.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, number>>;

t.test('encoded secrets are neither stored nor drafted nor published', async (t) => {
  // Every start of every issuer, in two encodings each; the full test has all of them.
  const tokens = issuedTokens(1).flatMap(({ id, token }, index) =>
    [2 * index, 2 * index + 1].map((turn): Named => {
      const writing = TOKEN_WRITINGS[turn % TOKEN_WRITINGS.length];
      return { id: `${id}, ${writing?.id}`, written: writing?.write(token) ?? { text: '', secret: '' } };
    }),
  );
  const named = WRAPPED_WRITINGS.map(
    ({ id, write }, index): Named => ({ id, written: write(secretOf(index)) }),
  );
  const cards = CARD_WRITINGS.map((written): Named => ({ id: `card ${written.secret}`, written }));
  const { planted, kept } = await keptOf([...tokens, ...named, ...cards], 1);
  t.comment(`${planted} planted, ${kept.length} kept`);
  t.ok(planted > 500, `${planted} planted`);
  t.strictSame(kept, []);
});

t.test('only the secret is redacted, the rest of the text stays encoded', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    [
      '\u001b[31mpassword=hunter2\u001b[0m refused',
      '\u001b[31mpassword=[redacted:password]\u001b[0m refused',
    ],
    ['GET /a?next=%2Fb%3Ftoken%3Dabc%26page%3D2', 'GET /a?next=%2Fb%3Ftoken%3D[redacted:token]%26page%3D2'],
    [
      'q=%257B%2522pin%2522%253A%25224711%2522%257D',
      'q=%257B%2522pin%2522%253A%2522[redacted:code]%2522%257D',
    ],
    ["{b'password': b'pw', b'n': b'1'}", "{b'password': b'[redacted:password]', b'n': b'1'}"],
    ['{"pass\\u0077ord":"pw","n":1}', '{"pass\\u0077ord":"[redacted:password]","n":1}'],
    ['&quot;password&quot;:&quot;p&amp;w&quot;', '&quot;password&quot;:&quot;[redacted:password]&quot;'],
    ['<password><![CDATA[p<w]]></password>', '<password><![CDATA[[redacted:password]]]></password>'],
    ['postgres://u:pa/ss@h/db', 'postgres://u:[redacted:url_password]@h/db'],
    ['s:8:"password";s:2:"pw";s:1:"n"', 's:8:"password";s:2:"[redacted:password]";s:1:"n"'],
    ['db:\n  password:\n    pw1\n  port: 1', 'db:\n  password:\n    [redacted:password]\n  port: 1'],
    [
      "rawHeaders: ['Host', 'x', 'Cookie', 'a=b']",
      "rawHeaders: ['Host', 'x', 'Cookie', '[redacted:cookie]']",
    ],
    ['card 4111.1111.1111.1111 declined', 'card [redacted:card] declined'],
  ];
  for (const [before, after] of cases) {
    t.equal(standardSanitiser.text(before).value, after);
    t.strictSame(standardSanitiser.text(after), { value: after, redactions: 0 });
  }
  const custom = createSanitiser({ rules: [{ id: 'ticket', pattern: '\\bTCK-\\d{1,9}' }] });
  t.equal(custom.text('a%20TCK%2D17').value, 'a%20[redacted:ticket]', 'custom rules, too');
});

t.test('secrets that only their neighbours in the document reveal', async (t) => {
  const { json } = standardSanitiser;
  t.strictSame(json({ rawHeaders: ['Host', 'x', 'X-Api-Key', 'abc', 'Cookie', 'a=b'] }).value, {
    rawHeaders: ['Host', 'x', 'X-Api-Key', '[redacted:api_key]', 'Cookie', '[redacted:cookie]'],
  });
  t.strictSame(json({ note: 4111111111111111, id: 4111111111111112, at: 1732190564427123 }).value, {
    note: '[redacted:card]',
    id: 4111111111111112,
    at: 1732190564427123,
  });
  const key = [
    '-----BEGIN RSA PRIVATE KEY-----',
    'MIIEpAIBAAKCAQEA',
    'aGVsbG8',
    '-----END RSA PRIVATE KEY-----',
  ];
  const redacted = '[redacted:private_key]';
  const frame = (pre: readonly string[], line: string, post: readonly string[]): JsonValue => ({
    ...{ pre_context: pre, context_line: line, post_context: post },
  });
  for (const around of [[], ['const a = 1;']]) {
    const [first = '', second = '', third = '', last = ''] = key;
    t.strictSame(json(frame([...around, first], second, [third, last, ...around])).value, {
      ...{
        pre_context: [...around, redacted],
        context_line: redacted,
        post_context: [redacted, redacted, ...around],
      },
    });
    t.strictSame(json([...around, ...key, ...around]).value, [
      ...around,
      ...key.map(() => redacted),
      ...around,
    ]);
    t.strictSame(json(frame([...around, first, second], third, ['x'])).value, {
      ...{ pre_context: [...around, redacted, redacted], context_line: redacted, post_context: [redacted] },
    });
  }
});

t.test('ordinary texts keep what is not secret', async (t) => {
  const corpus = ordinaryCorpus();
  const found = corpus.flatMap((value) => standardSanitiser.findings(value)).flatMap(({ taken }) => taken);
  const wrong = found.filter((text) => !RIGHTLY_REDACTED.has(text));
  const innocent = INNOCENT.filter((value) => standardSanitiser.json(value).redactions > 0);
  t.strictSame(
    { ordinary: corpus.length, redacted: found.length, wrongly: wrong.length + innocent.length },
    { ordinary: figures.ordinary, redacted: figures.redacted, wrongly: figures.wrongly },
    JSON.stringify([...new Set(wrong)]),
  );
});

t.test('the checks detect what is kept', async (t) => {
  const written = { text: 'a fine text', secret: 'fine%20text' };
  t.ok(
    isKeptIn('see fine%20text', written) &&
      isKeptIn('see fine%20te', written) &&
      isKeptIn('ne%20text', written),
  );
  t.notOk(isKeptIn('see fine text', written));
  const [first] = WRAPPED_WRITINGS;
  const plain: Named = {
    id: 'plain',
    written: { text: 'the word swordfish1 is plain', secret: 'swordfish1' },
  };
  t.equal((await keptOf([plain], 1)).kept.length, 1, 'a text that no rule matches is kept, and seen');
  t.ok(first);
});
