import t from 'tap';
import type { JsonValue } from '../../src/index.js';
import { createSanitiser, standardSanitiser } from '../../src/pipeline/sanitise/sanitise.js';
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
import { figures } from '../support/sanitise-figures.js';

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

t.test('secrets found by an attack: dumps, forms, configurations, visible colours', async (t) => {
  const p = 'Hq7zKw93xV';
  const token = `ghp_${'aB3dE5fG'.repeat(5)}`;
  const texts = [
    ...['\u001b(B', '\u001bM', '^[[31m', '[1;31m', '#033[31m'].map((colour) => `key ${colour}${token}`),
    [...token].join('\u0000'),
    `ghs_123456_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.${p}`,
    `POST https://api.telegram.org/bot123456789:AA${p.repeat(4)}/sendMessage`,
    ...[`^[[36mpassword^[[39m=^[[32m${p}`, `password=[32m${p}[0m`],
    ...[`password\uff1a${p}`, `password: \u201c${p}\u201d`],
    ...[`user[password]=${p}&x=1`, `user%5Bpassword%5D=${p}`, `-----BEGIN+RSA+PRIVATE+KEY-----${p}`],
    `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${p}\r\n--x--`,
    ...[
      `[('Host', 'x'), ('Authorization', 'Token ${p}')]`,
      `[["X-Api-Key","${p}"]]`,
      `["--password","${p}"]`,
    ],
    ...[`{"name":"X-Api-Key","value":"${p}"}`, `- name: DB_PASSWORD\n  value: ${p}\n`],
    ...[`<input name="password" value="${p}">`, `<add key="ApiKey" value="${p}"/>`],
    `<string name="api_key">${p}</string>`,
    ...[`map[X-Api-Key:[${p}] Host:[x]]`, `{"tokens":["${p}","${p}2"]}`],
    ...[`[password:protected] => ${p}`, `["password":protected]=>\n  string(10) "${p}"`],
    `Key (api_token)=(${p}) already exists.`,
    ...[`postgres://u:p/a@${p}@h/db`, `postgres://u:${p}@/db`, `https://u:${'x9'.repeat(200)}${p}@h/db`],
    `password="""${p}"""`,
    ...[`Authorization: Token token="${p}"`, `Authorization: Hawk id="a", mac="${p}"`],
  ];
  const kept = texts.filter((text) => {
    const { value } = standardSanitiser.text(text);
    return value.includes(p) || value.includes('aB3dE5fG') || value.includes('\u0000E');
  });
  t.strictSame(kept, []);
  const ordinary = [
    "fields = ['password', 'email']",
    "add_error('password', 'must have 8 characters')",
    'tokens: ["if", "else"]',
    'items[0] is null at list[1]',
    '{"name":"password","type":"string"}',
    'map[user:[bob] count:[1]]',
    '{"key":"token","value":null}',
  ];
  t.strictSame(
    ordinary.filter((text) => standardSanitiser.text(text).redactions > 0),
    [],
  );
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
  const lines = corpus.flatMap(linesIn);
  t.ok(lines.length >= 10_000, `none in 10,000 lines needs as many: ${lines.length}`);
});

function linesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n');
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(linesIn);
}

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
