import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import t from 'tap';
import { sanitiseText } from '../../src/connector/index.js';
import type { JsonValue } from '../../src/index.js';
import { isSensitiveNameBefore } from '../../src/pipeline/sanitise/assignments.js';
import { createIssuerPrefilter, type IssuerPrefilter } from '../../src/pipeline/sanitise/issuer-prefilter.js';
import { ISSUER_TOKENS, issuerToken } from '../../src/pipeline/sanitise/issuers.js';
import {
  KEY_NAME_PAIRS,
  KEY_NAMES,
  PASSWORD_WORDS,
  TELLING_PARTS,
} from '../../src/pipeline/sanitise/key-kinds.js';
import { linearPattern } from '../../src/pipeline/sanitise/pattern-rule.js';
import { TEXT_RULES } from '../../src/pipeline/sanitise/rules.js';
import { createSanitiser, sanitiseJson, sanitiserFor } from '../../src/pipeline/sanitise/sanitise.js';
import { NEEDS, scan } from '../../src/pipeline/sanitise/scan.js';
import { scrubFile, scrubText } from '../../src/pipeline/scrub-text.js';
import { isKeptIn, listedSecrets, matching } from '../support/encoded-corpus.js';
import { INNOCENT, JWT, PLANTED } from '../support/sanitise-corpus.js';
import { figures } from '../support/sanitise-figures.js';
import { fragment, unfiltered } from '../support/sanitise-fragments.js';

t.test('a corpus of secrets and of look-alikes', (t) => {
  const kept = PLANTED.filter(({ value, secret }) =>
    JSON.stringify(sanitiseJson(value).value).includes(JSON.stringify(secret).slice(1, -1)),
  );
  const eaten = INNOCENT.filter(
    (value) => JSON.stringify(sanitiseJson(value).value) !== JSON.stringify(value),
  );
  t.comment(`secrets redacted: ${PLANTED.length - kept.length} of ${PLANTED.length}`);
  t.comment(`look-alikes unchanged: ${INNOCENT.length - eaten.length} of ${INNOCENT.length}`);
  t.ok(PLANTED.length >= 120 && INNOCENT.length >= 120);
  t.same(
    kept.map(({ where }) => where),
    [],
    'every planted secret is redacted',
  );
  t.same(
    eaten.map((value) => [value, sanitiseJson(value).value]),
    [],
    'every look-alike is unchanged',
  );
  t.end();
});

t.test(
  'property: every text that matches an issuer’s pattern is redacted, wherever its +, / and dots fall',
  async (t) => {
    const heads = ['', ' ', '"', '/', '=', ':', '+', '.', 'the token is ', 'a/b.c/'];
    const inWords = ['_', '-', 'key_'];
    const after = fc.constantFrom('', ' ', '"', '\n', ', and so on', ')');
    for (const { id, pattern } of ISSUER_TOKENS) {
      // A JWT cannot begin inside a word: searching at each `_` would take quadratic time.
      const before = fc.constantFrom(...heads, ...(id === 'jwt' ? [] : inWords));
      const token = matching(pattern);
      const left = (text: string, secret: string) => sanitiseText(text).value.includes(secret);
      const escapes = fc.check(
        fc.property(before, token, after, (head, secret, tail) => !left(head + secret + tail, secret)),
        { numRuns: 100 },
      );
      t.notOk(escapes.failed, `${id} ${JSON.stringify(escapes.counterexample)}`);
    }
  },
);

t.test(
  'one sample of each rule of gitleaks 8.30 is redacted, and of no other it is said why not',
  async (t) => {
    const samples = [1, 2, 3].flatMap((seed) => listedSecrets(seed));
    const kept = samples.filter(
      ({ text, secret }) => secret !== null && isKeptIn(sanitiseText(text).value, { text, secret }),
    );
    t.same(
      kept.map(({ rule, text }) => `${rule}: ${text}`),
      [],
    );
    t.equal(samples.length, 3 * (figures.listed ?? 0));
    t.equal(samples.filter(({ secret }) => secret === null).length, 3 * (figures.listedPublic ?? 0));
    t.ok(samples.every(({ text }) => text !== ''));
  },
);

t.test('an issuer is one line of the table', (t) => {
  const sanitiser = sanitiserFor([
    ...ISSUER_TOKENS,
    issuerToken('acme_key', 'Acme key', 'docs.acme.example', ['acme_live_ acme_test_', '[A-Za-z0-9/]{12,}']),
  ]);
  for (const token of ['acme_live_0123456789ab', 'acme_test_/0/1/2/3456789']) {
    const body = { message: `rejected: ${token}, retrying`, extra: { list: [token], [token]: 1 } };
    const redacted = '[redacted:acme_key]';
    t.same(sanitiser.json(body), {
      value: { message: `rejected: ${redacted}, retrying`, extra: { list: [redacted], [redacted]: 1 } },
      redactions: 3,
    });
    t.equal(sanitiseJson(body).redactions, 0, 'the standard table does not redact it');
  }
  t.same(sanitiser.text('acme_live_short').redactions, 0);
  t.end();
});

t.test('property: the prefilter of the issuers’ rule never skips a token', async () => {
  const prefilter = createIssuerPrefilter(ISSUER_TOKENS);
  const rule = TEXT_RULES.find(({ id }) => id === 'issuer_token');
  const heads = ['', ' ', '/', '=', ':', '.', '%', '_', '-', 'a/b.c/', 'hooks.slack.com/', 'MNO-SK_', 'é'];
  const tokens = ISSUER_TOKENS.map(({ id, pattern }) => matching(pattern).map((token) => ({ id, token })));
  const cut = fc.nat(3);
  fc.assert(
    fc.property(
      fc.constantFrom(...heads),
      fc.oneof(...tokens),
      cut,
      fc.constantFrom('', ' ', '"', '\n', '+', '.'),
      (head, { token }, less, tail) => {
        // A truncated token may or may not match; the rule decides.
        const text = head + token.slice(0, token.length - less) + tail;
        const found = (rule?.find(text).length ?? 0) > 0;
        return !found || isHeld(prefilter, text);
      },
    ),
    { numRuns: 5_000 },
  );
});

/** Whether the rule is tried on the text. */
function isHeld(prefilter: IssuerPrefilter, text: string): boolean {
  return (featuresOf(prefilter, text) & NEEDS.run) !== 0;
}

function featuresOf(prefilter: IssuerPrefilter, text: string): number {
  const units = Uint16Array.from(`${text}\0`, (char) => char.charCodeAt(0));
  return scan(units, 0, text, prefilter);
}

t.test('property: a value after a sensitive name is never skipped', async () => {
  const prefilter = createIssuerPrefilter([]);
  const word = fc.constantFrom(
    ...KEY_NAMES.keys(),
    ...[...KEY_NAME_PAIRS.keys()].map((pair) => pair.replace(' ', '_')),
    ...[
      ...PASSWORD_WORDS,
      ...TELLING_PARTS,
      'dbpw',
      'name',
      'key',
      'kty',
      'kind',
      'passe',
      'rawHeaders',
      'trailers',
    ],
  );
  const casing = fc.constantFrom<(word: string) => string>(
    (word) => word,
    (word) => word.toUpperCase(),
    (word) => word.slice(0, 1).toUpperCase() + word.slice(1),
  );
  const before = fc.constantFrom('', ' ', 'x_', 'my', '--', '$', '"', 'GET /?', 'a.b-', 'é ', 'x'.repeat(60));
  const after = fc.constantFrom('=', ': ', ' = ', '":', '\\":', ' :=', '2=', 's:', '_x=');
  fc.assert(
    fc.property(before, word, casing, after, (head, word, casing, tail) => {
      const text = `${head}${casing(word)}${tail}x`;
      const separator = text.length - 1 - (/[:=]+ ?$/.exec(tail)?.[0].length ?? 0);
      return !isSensitiveNameBefore(text, separator) || (featuresOf(prefilter, text) & NEEDS.assign) !== 0;
    }),
    { numRuns: 5_000 },
  );
});

t.test('only the match is redacted, not the sentence', (t) => {
  const cases: readonly [string, string][] = [
    ['card 4111 1111 1111 1111 for bob@example.com', 'card [redacted:card] for [redacted:email]'],
    ['tried 4242 4242 4242 4242 2 times', 'tried [redacted:card] 2 times'],
    ['postgres://app:s3cr3t@db:5432/app', 'postgres://app:[redacted:url_password]@db:5432/app'],
    ['GET /a?token=abc&page=2', 'GET /a?token=[redacted:token]&page=2'],
    ['{"user":"x","password":"hunter2","n":1}', '{"user":"x","password":"[redacted:password]","n":1}'],
    ['Authorization: Bearer abc123.def', 'Authorization: Bearer [redacted:auth]'],
    ['at /home/alice/app/src/cart.js:10:5', 'at /home/[redacted:user]/app/src/cart.js:10:5'],
    ['C:\\Users\\alice\\src\\a.cs:line 3', 'C:\\Users\\[redacted:user]\\src\\a.cs:line 3'],
    [`jwt ${JWT}, refused`, 'jwt [redacted:jwt], refused'],
  ];
  for (const [before, after] of cases) t.equal(sanitiseText(before).value, after);
  t.same(sanitiseText('nothing here'), { value: 'nothing here', redactions: 0 });
  t.same(sanitiseText('bob@example.com, ann@example.com').redactions, 2);
  t.end();
});

t.test('shape: keys, numbers, depth, prototypes', (t) => {
  const input = JSON.parse('{"__proto__":{"password":"hunter2"},"constructor":{"a":1},"list":[1,[null]]}');
  const out = sanitiseJson(input as JsonValue);
  t.equal(
    JSON.stringify(out.value),
    '{"__proto__":{"password":"[redacted:password]"},"constructor":{"a":1},"list":[1,[null]]}',
  );
  t.equal(({} as Record<string, unknown>).password, undefined);
  t.equal(JSON.stringify(input).includes('hunter2'), true, 'the input is not modified');
  const keys = sanitiseJson({ 'a@example.com': 1, 'b@example.com': 2, 'c@example.com': 3 });
  t.same(Object.values(keys.value), [1, 2, 3], 'members whose names become equal keep their values');
  t.equal(keys.redactions, 3);

  const depth = 50_000;
  const deep = JSON.parse(`${'['.repeat(depth)}{"password":"hunter2"}${']'.repeat(depth)}`) as JsonValue;
  t.equal(sanitiseJson(deep).redactions, 1, 'any depth');
  t.same(sanitiseJson('card 4111111111111111').value, 'card [redacted:card]', 'a bare string');
  t.same(sanitiseJson(null), { value: null, redactions: 0 });
  t.end();
});

t.test('options', (t) => {
  const all = createSanitiser({
    ip: 'all',
    email: false,
    rules: [{ id: 'ticket', what: 'Ticket numbers', pattern: '\\bTCK-\\d{1,12}\\b' }],
  });
  t.equal(
    all.text('from 203.0.113.7 and 2001:db8::1 at 10:20:30').value,
    'from [redacted:ip] and [redacted:ip] at 10:20:30',
  );
  t.equal(
    all.text('bob@example.com TCK-1 TCK-2').value,
    'bob@example.com [redacted:ticket] [redacted:ticket]',
  );
  const off = createSanitiser({ ip: 'off' });
  t.same(off.json({ ip_address: '203.0.113.7' }).value, { ip_address: '203.0.113.7' });
  t.same(sanitiseJson({ ip_address: '{{auto}}' }).redactions, 0);
  for (const { id, what, source } of all.rules) t.ok(id !== '' && what !== '' && source !== '', id);
  t.end();
});

t.test('property: sanitising is idempotent and removes every secret', (t) => {
  const texts = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join(''));
  const all = createSanitiser({ ip: 'all' });
  for (const sanitiser of [createSanitiser(), all]) {
    fc.assert(
      fc.property(texts, (text) => {
        const once = sanitiser.text(text);
        const twice = sanitiser.text(once.value);
        return (
          twice.value === once.value &&
          twice.redactions === 0 &&
          once.redactions > 0 === (once.value !== text)
        );
      }),
      { numRuns: 5000 },
    );
  }
  const json = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(texts, fc.constantFrom('password', 'name', 'value', '__proto__')),
        tie('value'),
        {
          maxKeys: 4,
        },
      ),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      const before = JSON.stringify(value);
      const once = sanitiseJson(value);
      const twice = sanitiseJson(once.value);
      return JSON.stringify(value) === before && JSON.stringify(twice.value) === JSON.stringify(once.value);
    }),
    { numRuns: 2000, examples: [[{ password: '4111.1111.1111.1111-hunter2' }]] },
  );
  t.end();
});

t.test('property: prefilters never skip a text that a rule would redact', (t) => {
  const texts = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => unfiltered(text) === 0 || sanitiseText(text).redactions > 0),
    {
      numRuns: 10_000,
      examples: [["a'@a.bpassword"], ['x://u:pw\u0001@host'], ['://u:p/@a'], ['://u:///@a']],
    },
  );
  for (const { value } of PLANTED) {
    if (typeof value === 'string') t.equal(unfiltered(value) > 0, sanitiseText(value).redactions > 0, value);
  }
  t.end();
});

t.test('cached names do not keep their texts in memory', (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = heap();
  for (let index = 0; index < 200; index++) {
    sanitiseText(Buffer.from(`${'x '.repeat(200_000)}a_name_of_some_length_${index}=1`).toString());
  }
  const grown = heap() - before;
  t.ok(grown < 40, `${grown.toFixed(1)} MiB of 76 are retained`);
  t.end();
});

t.test('findings report what is redacted, where and why', (t) => {
  const { findings, json } = createSanitiser();
  const value = {
    message: 'card 4111 1111 1111 1111 for bob@example.com',
    vars: { password: 'hunter2' },
    'x@example.com': 1,
  };
  const found = findings(value);
  t.match(
    found.find(({ path }) => path === 'message'),
    {
      because: 'match',
      rules: ['card', 'email'],
      taken: ['4111 1111 1111 1111', 'bob@example.com'],
      after: 'card [redacted:card] for [redacted:email]',
    },
  );
  t.match(
    found.find(({ path }) => path === 'vars.password'),
    {
      because: 'name',
      name: 'password',
      rules: ['password'],
      taken: ['hunter2'],
    },
  );
  t.ok(found.some(({ in_name, taken }) => in_name && taken[0] === 'x@example.com'));
  t.equal(
    found.reduce((count, { rules }) => count + rules.length, 0),
    json(value).redactions,
  );
  t.same(findings({ message: 'nothing here' }), []);
  t.equal(json(value.vars).value === value.vars, false);
  const clean = { message: 'nothing here' };
  t.equal(json(clean).value, clean, 'clean values are not copied');
  t.end();
});

t.test('configured patterns cannot be slow', (t) => {
  t.equal(
    createSanitiser({
      rules: [{ id: 'ticket', pattern: '\\bTCK-\\d{1,12}\\b' }],
    }).text('x TCK-17').value,
    'x [redacted:ticket]',
  );
  for (const bad of [
    '',
    'a*',
    '(a+)+',
    'a{2,}',
    '(a)\\1',
    '(a{1,9}b){1,9}',
    '(',
    'a?',
    `${'a{0,99}'.repeat(4)}`,
    'x'.repeat(501),
    '(a?){50}b',
    '(?:a|a){30}b',
    '(?:(?:a|b)|(?:a|c)){9}d',
    '((a{1,9})){1,9}',
    '(?<n>a)\\k<n>',
    `${'a?'.repeat(60)}b`,
    'a{1,999999999}',
  ]) {
    t.throws(() => linearPattern(bad), { code: 'configuration' }, bad);
  }
  for (const good of [
    '(?:\\d{1,3}\\.){3}\\d{1,3}',
    '(?:cust|acct)[-_]?\\d{6,12}',
    '[A-Z]{2}\\{x\\}',
    'a{0}b{x',
  ]) {
    t.type(linearPattern(good), RegExp, good);
  }
  t.throws(() => createSanitiser({ rules: [{ id: 'No good', pattern: 'x' }] }), { code: 'configuration' });
  t.end();
});

t.test('a million hostile characters of any kind take linear time', (t) => {
  const hostile = [
    'a',
    '1',
    '1 ',
    '4111 ',
    '@',
    'a@',
    'a@b.',
    'eyJ',
    'eyJ-',
    'eyJa.',
    'AKIA',
    'SG.',
    '=',
    ': ',
    'password=',
    'password="',
    "token: '",
    '--a ',
    'Bearer ',
    '://a:',
    '/home/',
    'C:\\Users\\',
    '\\',
    '-----BEGIN PRIVATE KEY',
    '-----BEGIN PRIVATE KEY-----',
    'AB12',
    'xoxb-',
    '[redacted:',
    '::',
    '1.',
    'cookie: a=',
    'aA',
    '-',
  ];
  const text = createSanitiser({ ip: 'all' }).text;
  for (const piece of hostile) {
    const long = piece.repeat(Math.ceil(200_000 / piece.length));
    t.type(text(long).value, 'string', JSON.stringify(piece));
    t.type(sanitiseJson({ [long]: long }).redactions, 'number');
  }
  t.end();
});

t.test('a file that is too large for the budget is scrubbed in windows, and keeps its lines', async (t) => {
  // Which files are too large depends on what they contain, so the budget is made smaller here.
  const withSmallBudget = (text: string) => {
    const clean = scrubText(text);
    return text.length <= 20_000 ? clean : `${clean.slice(0, 10_000)}[redacted:unchecked]`;
  };
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const lines = Array.from({ length: 6_000 }, (_, index) => `  total_${index} = sum(value[${index}])`);
  lines[4_000] = `  key = "${token}"`;
  const clean = scrubFile(lines.join('\n'), withSmallBudget).split('\n');
  t.equal(clean.length, lines.length);
  t.notMatch(clean[4_000], token);
  t.same(clean.toSpliced(4_000, 1), lines.toSpliced(4_000, 1), 'every other line is read');
});

t.test('decorators and labels in source are no addresses', async (t) => {
  for (const line of [
    '+@app.route("/")',
    '-@cmdutils.register()',
    'alias.getOwner { this@RsAlias.context }',
    "+@pytest.mark.parametrize('n', [1])",
  ])
    t.equal(scrubText(line), line);
  t.match(scrubText('+ada.lovelace@example.com'), '[redacted:email]');
});
