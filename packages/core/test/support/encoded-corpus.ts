import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ISSUER_TOKENS } from '../../src/pipeline/sanitise/issuers.js';

/** A secret as it stands in a text. */
export interface Written {
  readonly text: string;
  /** The secret's characters as the text has them: none of these may be kept. */
  readonly secret: string;
}

export interface Writing {
  readonly id: string;
  readonly write: (secret: string) => Written;
}

const NBSP = '\u00a0';
const percent = (text: string) =>
  [...text]
    .map((char) =>
      /[\w.-]/.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
const everyChar = (text: string, write: (code: string) => string, digits: number) =>
  [...text].map((char) => write(char.charCodeAt(0).toString(16).padStart(digits, '0'))).join('');
const html = (text: string) =>
  text.replace(
    /[&"'<>=]/g,
    (char) => ({ '&': '&amp;', '"': '&quot;', "'": '&#39;', '<': '&lt;', '>': '&gt;' })[char] ?? '&#x3d;',
  );
const json = (text: string) => JSON.stringify(text);
const inside = (text: string) => json(text).slice(1, -1);
const php = (text: string) => `s:${text.length}:"${text}"`;
const around = (before: string, after = '', write = (text: string) => text) => {
  return (secret: string): Written => ({ text: `${before}${write(secret)}${after}`, secret: write(secret) });
};

/** Ways in which everyday programs write a token, each once for every issuer. */
export const TOKEN_WRITINGS: readonly Writing[] = [
  { id: 'colour before', write: around('key \u001b[31m', '\u001b[0m refused') },
  { id: 'colour after a word', write: around('key\u001b[1;31m', '\u001b[0m refused') },
  { id: 'colour, escaped', write: around('key \\u001b[31m', '\\u001b[0m refused') },
  { id: 'colour, octal', write: around('key \\033[31m', '\\033[0m refused') },
  { id: 'space, percent', write: around('GET /find?q=my%20', '%20please', percent) },
  { id: 'equals, percent', write: around('GET /cb?next=%2Fa%3Fvia%3D', '%26page%3D2', percent) },
  {
    id: 'percent twice',
    write: around('GET /cb?next=%252Fa%253Fvia%253D', '%2526page', (s) => percent(percent(s))),
  },
  {
    id: 'percent, every character',
    write: around('GET /find?q=', '&n=1', (s) => everyChar(s, (hex) => `%${hex}`, 2)),
  },
  { id: 'line end, escaped', write: around('refused:\\n', '\\nretrying') },
  { id: 'tab, escaped', write: around('refused:\\t', '\\tretrying') },
  {
    id: 'line end, escaped twice',
    write: around('refused:\\\\n', '\\\\nretrying', (s) => inside(inside(s))),
  },
  {
    id: 'JSON in JSON',
    write: around('{\\"user\\":\\"x\\",\\"via\\":\\"', '\\"}', (s) => inside(inside(s))),
  },
  { id: 'equals, unicode escape', write: around('{"url":"/cb?via\\u003d', '\\u0026n=1"}', inside) },
  { id: 'equals, hex escape', write: around("b'/cb?via\\x3d", "\\x26n'") },
  {
    id: 'unicode escapes, every character',
    write: around('{"via":"', '"}', (s) => everyChar(s, (hex) => `\\u${hex}`, 4)),
  },
  { id: 'HTML quotes', write: around('&quot;via&quot;:&quot;', '&quot;', html) },
  { id: 'HTML number', write: around('via&#61;', '&#38;n', html) },
  {
    id: 'HTML twice',
    write: around('&amp;quot;via&amp;quot;:&amp;quot;x&amp;nbsp;', '&amp;quot;', (s) => html(html(s))),
  },
  { id: 'CDATA', write: around('<via><![CDATA[', ']]></via>') },
  { id: 'no-break space', write: around(`key${NBSP}`, `${NBSP}refused`) },
  { id: 'zero-width space', write: around('key\u200b', '\u200brefused') },
  { id: 'Python bytes', write: around("{b'via': b'", "'}") },
  { id: 'PHP', write: (s) => ({ text: `a:1:{s:3:"via";${php(s)};}`, secret: s }) },
  { id: 'YAML', write: around('via:\n  ', '\nuser: x') },
];

const name = (secret: string, text: string): Written => ({ text, secret });

/** Ways to write a secret of no known issuer, next to a name that tells what it is. */
export const NAMED_WRITINGS: readonly Writing[] = [
  { id: 'Python bytes', write: (s) => name(s, `{b'user': b'x', b'password': b'${s}'}`) },
  { id: 'Rust', write: (s) => name(s, `Config { user: "x", password: Some("${s}") }`) },
  { id: 'CDATA', write: (s) => name(`${s}<&`, `<user>x</user><password><![CDATA[${s}<&]]></password>`) },
  {
    id: 'URL with a slash',
    write: (s) => name(`${s}/ss`, `cannot reach postgres://app:${s}/ss@db.internal:5432/shop`),
  },
  { id: 'URL with a hash', write: (s) => name(`${s}#ss`, `cannot reach postgres://app:${s}#ss@db/shop`) },
  { id: 'URL with a question mark', write: (s) => name(`${s}?ss`, `cannot reach amqp://app:${s}?ss@db`) },
  {
    id: 'token as user',
    write: (s) =>
      name(
        `${s}0a1b2c3d4e5f60718293`,
        `git clone https://${s}0a1b2c3d4e5f60718293@dev.example.com/shop/_git/shop`,
      ),
  },
  {
    id: 'HTML',
    write: (s) => name(s, `&quot;user&quot;:&quot;x&quot;,&quot;password&quot;:&quot;${s}&quot;`),
  },
  { id: 'HTML numbers', write: (s) => name(s, `&#34;password&#34;:&#34;${s}&#34;`) },
  { id: 'SQL', write: (s) => name(s, `near "x": CREATE USER x IDENTIFIED BY '${s}'`) },
  {
    id: 'SQL with a plugin',
    write: (s) => name(s, `ALTER USER x IDENTIFIED WITH mysql_native_password BY "${s}";`),
  },
  { id: 'PostgreSQL', write: (s) => name(s, `CREATE ROLE x WITH LOGIN PASSWORD '${s}'`) },
  { id: 'SQL, quote doubled', write: (s) => name(`${s}''x`, `SET password='${s}''x', user='y'`) },
  { id: 'long and unquoted', write: (s) => name(s, `login with password=1${'x9'.repeat(400)}${s} failed`) },
  {
    id: 'long and quoted',
    write: (s) => name(s, `login with {"password":"${'x9'.repeat(2_500)}${s}"} failed`),
  },
  { id: 'long header', write: (s) => name(s, `Authorization: Bearer ${'x9'.repeat(2_500)}${s} failed`) },
  { id: 'long cookies', write: (s) => name(s, `Cookie: a=${'x9'.repeat(2_500)}; b=${s}`) },
  { id: 'long element', write: (s) => name(s, `<password>${'x9'.repeat(2_500)}${s}</password>`) },
  { id: 'percent', write: (s) => name(s, `GET /cb?next=%2Flogin%3Fuser%3Dx%26password%3D${s}%26page`) },
  { id: 'percent twice', write: (s) => name(s, `GET /cb?next=%252Flogin%253Fpassword%253D${s}%2526page`) },
  { id: 'JSON, percent twice', write: (s) => name(s, `q=%257B%2522password%2522%253A%2522${s}%2522%257D`) },
  {
    id: 'JSON, an ampersand in it',
    write: (s) => name(`${s}%26ss`, `q=%7B%22password%22%3A%22${s}%26ss%22%7D`),
  },
  { id: 'name in unicode escapes', write: (s) => name(s, `{"user":"x","pass\\u0077ord":"${s}"}`) },
  {
    id: 'separator in unicode escapes',
    write: (s) => name(s, `{"url":"/login?password\\u003d${s}\\u0026n=1"}`),
  },
  { id: 'value with escaped quotes', write: (s) => name(`\\"${s}`, `{"user":"x","password":"a\\"${s}"}`) },
  {
    id: 'JSON in JSON, escaped quotes',
    write: (s) => name(`\\\\\\"${s}`, `{\\"password\\":\\"a\\\\\\"${s}\\"}`),
  },
  { id: 'YAML', write: (s) => name(s, `db:\n  user: x\n  password:\n    ${s}\n  port: 5432`) },
  { id: 'YAML, quoted', write: (s) => name(s, `db:\n  password:\n    "${s}"\n`) },
  { id: 'YAML block', write: (s) => name(s, `db:\n  password: |\n    ${s}\n  port: 5432`) },
  { id: 'YAML, escaped', write: (s) => name(s, `config was db:\\n  password:\\n    ${s}\\n  port: 5432`) },
  { id: 'PHP', write: (s) => name(s, `a:2:{s:4:"user";s:1:"x";s:8:"password";${php(s)};}`) },
  { id: 'PHP, escaped', write: (s) => name(s, inside(`a:1:{s:8:"password";${php(s)};}`)) },
  {
    id: 'raw headers',
    write: (s) => name(s, `rawHeaders: [ 'Host', 'x', 'X-Api-Key', '${s}', 'Accept', '*/*' ]`),
  },
  { id: 'raw headers, JSON', write: (s) => name(s, `{"rawHeaders":["Host","x","Authorization","${s}"]}`) },
  { id: 'colour in the name', write: (s) => name(s, `grep: pass\u001b[01;31mword\u001b[m=${s}`) },
  {
    id: 'colour before the value',
    write: (s) => name(s, `\u001b[36mpassword\u001b[39m=\u001b[32m${s}\u001b[39m`),
  },
  { id: 'no-break space', write: (s) => name(s, `password:${NBSP}${s}`) },
  { id: 'Go driver', write: (s) => name(s, `dial: app:${s}@tcp(db.internal:3306)/shop?parseTime=true`) },
  { id: 'comma in it', write: (s) => name(`1a,${s}`, `connect to db with password=1a,${s} failed`) },
  { id: 'mysql', write: (s) => name(s, `mysql -h db -u root -p${s} shop: exit status 1`) },
  { id: 'mysql, list', write: (s) => name(s, `Command '['mysqldump', '-uroot', '-p${s}']' returned 1`) },
  { id: 'sshpass', write: (s) => name(s, `sshpass -p ${s} ssh app@host: exit status 5`) },
  { id: 'docker login', write: (s) => name(s, `docker login -u ci -p ${s} registry.example.com`) },
  {
    id: 'redis-cli, list',
    write: (s) => name(s, `spawn redis-cli ENOENT ["-h", "db"], ["redis-cli","-a","${s}"]`),
  },
  { id: 'option', write: (s) => name(s, `pg_restore --password ${s} --host db`) },
  { id: 'curl, list', write: (s) => name(s, `Command '['curl', '-u', 'app:${s}']' returned 22`) },
  {
    id: 'SQL, bare',
    write: (s) => name(s, `ORA-00988: CREATE USER app IDENTIFIED BY ${s} DEFAULT TABLESPACE`),
  },
  { id: 'name in one word', write: (s) => name(s, `connect host=db dbuser=app dbpass=${s} port=1`) },
  { id: 'short name', write: (s) => name(s, `{"db_user":"app","db_pw":"${s}"}`) },
  { id: 'numbered name', write: (s) => name(s, `passwd2=${s} apikey2=${s}`) },
  { id: 'name with an owner', write: (s) => name(s, `{"googleApikey":"${s}","awssecretkey":"${s}"}`) },
  {
    id: 'key',
    write: (s) => name(s, `-----BEGIN RSA PRIVATE KEY-----\nMIIE${s}\n-----END RSA PRIVATE KEY-----`),
  },
  {
    id: 'key, escaped',
    write: (s) => name(s, `"-----BEGIN PRIVATE KEY-----\\nMIIE${s}\\n-----END PRIVATE KEY-----\\n"`),
  },
  {
    id: 'key, only its end',
    write: (s) => name(s, `MIIE${'x9'.repeat(20)}${s}\n${'y8'.repeat(32)}\n-----END PRIVATE KEY-----`),
  },
];

/** Encodings of a whole text, as when it is put into a URL, a JSON document or a page. */
const WRAPPINGS: readonly { readonly id: string; readonly wrap: (text: string) => string }[] = [
  { id: 'as it is', wrap: (text) => text },
  { id: 'in a URL', wrap: percent },
  { id: 'in a URL in a URL', wrap: (text) => percent(percent(text)) },
  { id: 'in JSON', wrap: inside },
  { id: 'in JSON in JSON', wrap: (text) => inside(inside(text)) },
  { id: 'in JSON in a URL', wrap: (text) => percent(inside(text)) },
  { id: 'in ASCII JSON', wrap: (text) => everyChar(text, (hex) => `\\u${hex}`, 4) },
  { id: 'in HTML', wrap: html },
  { id: 'in JSON in HTML', wrap: (text) => html(inside(text)) },
  { id: 'in Python bytes', wrap: (text) => everyChar(text, (hex) => `\\x${hex}`, 2) },
];

/** Every way to write a named secret, wrapped in every encoding. */
export const WRAPPED_WRITINGS: readonly Writing[] = NAMED_WRITINGS.flatMap(({ id, write }) =>
  WRAPPINGS.map(({ id: wrapping, wrap }) => ({
    id: `${id}, ${wrapping}`,
    write: (secret: string) => {
      const written = write(secret);
      return { text: wrap(written.text), secret: wrap(written.secret) };
    },
  })),
);

const CARDS = ['4111111111111111', '5555555555554444', '378282246310005', '6011111111111117'];
const groups = (digits: string, gap: string) =>
  digits.length === 15
    ? digits.replace(/^(.{4})(.{6})/, `$1${gap}$2${gap}`)
    : digits.replace(/(.{4})(?!$)/g, `$1${gap}`);
export const CARD_WRITINGS: readonly Written[] = CARDS.flatMap((digits) =>
  ['', ' ', '-', '.', NBSP, '\u202f', '%20', '&nbsp;', '\\u00a0', '\u2011'].map((gap) => {
    const card = groups(digits, gap);
    return { text: `card ${card} declined`, secret: card };
  }),
);

/** Texts that match the pattern, without what must not stand beside them. */
export const matching = (pattern: string) =>
  fc.stringMatching(new RegExp(`^${pattern.replace(/\(\?<?[!=][^()]*\)/g, '')}$`), { maxLength: 300 });

/** Tokens of every issuer, at least one for each start that the issuer documents; different for each seed. */
export function issuedTokens(seed: number): readonly { readonly id: string; readonly token: string }[] {
  return ISSUER_TOKENS.flatMap(({ id, forms }) =>
    forms.flatMap(({ starts, rest, before }) =>
      starts.flatMap((start) => {
        const escaped = start.replace(/[.\-/$]/g, '\\$&');
        const token = matching(`${before}${escaped}${rest}`);
        return fc.sample(token, { numRuns: 1, seed }).map((sample) => ({ id, token: sample }));
      }),
    ),
  );
}

/** A secret of no issuer, different for each number: letters and digits, as generators of passwords make them. */
export const secretOf = (number: number) => `pw7${(number * 2_654_435_761 + 977).toString(36)}Zq8xK2mV4t`;

/** Whether the secret, or much of its beginning or end, is in the text. */
export function isKeptIn(text: string, { secret }: Written): boolean {
  const part = Math.max(8, Math.ceil(secret.length / 2));
  return [secret, secret.slice(0, part), secret.slice(-part)].some(
    (piece) => text.includes(piece) || text.includes(inside(piece)),
  );
}

const LISTED = new URL('../../test/fixtures/gitleaks-8.30.tsv', import.meta.url);
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** The characters of made up secrets: `{b36}` is 36 letters and digits. */
const ALPHABETS: Readonly<Record<string, string>> = {
  d: '0123456789',
  h: '0123456789abcdef',
  a: `0123456789${LETTERS}`,
  A: `0123456789${LETTERS.toUpperCase()}`,
  b: `0123456789${LETTERS}${LETTERS.toUpperCase()}`,
  w: `0123456789_-${LETTERS}${LETTERS.toUpperCase()}`,
  m: `0123456789+/${LETTERS}${LETTERS.toUpperCase()}`,
};

/** A sample of each rule of gitleaks, different for each seed; `secret` is `null`, and `text` the reason, if it stays. */
export function listedSecrets(
  seed: number,
): readonly { readonly rule: string; readonly text: string; readonly secret: string | null }[] {
  let state = seed;
  const next = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const made = (kind: string, length: number) => {
    const chars = ALPHABETS[kind] ?? '';
    return Array.from({ length }, (_, at) => chars[next(chars.length - (at === 0 ? 2 : 0))]).join('');
  };
  const filled = (text: string) =>
    text
      .replaceAll('{u}', '{h8}-{h4}-{h4}-{h4}-{h12}')
      .replace(/\{([a-zA-Z])(\d{1,3})\}/g, (_, kind: string, length: string) => made(kind, Number(length)));
  return readFileSync(LISTED, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [rule = '', sample = '', reason = ''] = line.split('\t');
      if (sample === '-') return { rule, text: reason, secret: null };
      const text = filled(sample).replaceAll('\\n', '\n');
      return { rule, text: text.replace(/[«»]/g, ''), secret: /«([^»]*)»/.exec(text)?.[1] ?? '' };
    });
}
