import type { JsonValue } from '@culprit/core';

/** Text that looks like key material, different for each number; none of it was ever valid. */
function stuff(number: number, length: number, alphabet = 'aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8'): string {
  let state = number * 2_654_435_761 + 97;
  let out = '';
  for (let index = 0; index < length; index++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    out += alphabet[Math.floor(state / 65_536) % alphabet.length];
  }
  return out;
}
const hex = (number: number, length: number) => stuff(number, length, '0123456789abcdef');
const base64 = (text: string) => Buffer.from(text).toString('base64url');

/** A card number with a valid check digit, different for each number. */
function card(number: number): string {
  const body = `4${String(number * 7_919 + 13).padStart(14, '0')}`;
  const digit = [...Array(10).keys()].find((last) => luhn(`${body}${last}`)) ?? 0;
  return `${body}${digit}`;
}
function luhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, char, index) => {
    const double = Number(char) * (index % 2 === 1 ? 2 : 1);
    return total + (double > 9 ? double - 9 : double);
  }, 0);
  return sum % 10 === 0;
}

interface Kind {
  readonly secret: (number: number) => string;
  /** The text that contains it. */
  readonly text: (secret: string) => string;
}
const bare = (text: string) => text;
const KINDS: readonly Kind[] = [
  { secret: (n) => `AKIA${stuff(n, 16, 'ABCDEFGHJKLMNPQR2345')}`, text: bare },
  { secret: (n) => `ghp_${stuff(n, 36)}`, text: (s) => `with ${s}.` },
  { secret: (n) => `xoxb-2345678901-${stuff(n, 24)}`, text: bare },
  { secret: (n) => `sk_live_${stuff(n, 24)}`, text: (s) => `"${s}"` },
  { secret: (n) => `glpat-${stuff(n, 20)}`, text: bare },
  {
    secret: (n) => `${base64(`{"alg":"HS256","n":${n}}`)}.${base64(`{"sub":"${n}"}`)}.${stuff(n, 43)}`,
    text: bare,
  },
  { secret: (n) => `hunter${hex(n, 8)}`, text: (s) => `password=${s}` },
  { secret: (n) => `pw-${hex(n, 10)}`, text: (s) => `{"user":"x","password":"${s}"}` },
  { secret: (n) => `opaque${hex(n, 12)}`, text: (s) => `GET /cb?page=2&access_token=${s}` },
  { secret: (n) => `s3cr3t${hex(n, 8)}`, text: (s) => `postgres://app:${s}@db.internal:5432/app` },
  { secret: (n) => `abc.${stuff(n, 30)}1`, text: (s) => `Authorization: Bearer ${s}` },
  { secret: (n) => `sess${hex(n, 10)}`, text: (s) => `Cookie: sid=${s}; theme=dark` },
  { secret: card, text: (s) => `card ${s} declined` },
  { secret: (n) => `person${n}@mail${n}.example.org`, text: (s) => `for ${s}` },
  {
    secret: (n) => `MIIE${stuff(n, 60)}`,
    text: (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`,
  },
  { secret: (n) => `anna${hex(n, 6)}`, text: (s) => `open /home/${s}/app/x.js` },
  { secret: (n) => `SG.${stuff(n, 22)}.${stuff(n + 1, 43)}`, text: bare },
  { secret: (n) => `AIza${stuff(n, 35)}`, text: (s) => `key ${s} ` },
];

export interface Planting {
  readonly value: JsonValue;
  readonly secrets: readonly { readonly path: string; readonly secret: string }[];
}

/** The event with a secret in every text, including member names that the sender chooses. */
export function plant(event: JsonValue, first: number, keep: ReadonlySet<string>): Planting {
  const secrets: { path: string; secret: string }[] = [];
  const next = (path: string): string => {
    const number = first + secrets.length;
    const kind = KINDS[number % KINDS.length];
    if (kind === undefined) throw new Error('no kind');
    const secret = kind.secret(number);
    secrets.push({ path, secret });
    return kind.text(secret);
  };
  const visit = (value: JsonValue | undefined, path: string): JsonValue => {
    if (typeof value === 'string') return keep.has(path) ? value : `${next(path)} ${value}`.slice(0, 4_000);
    if (Array.isArray(value))
      return value.slice(0, 40).map((item: JsonValue, index) => visit(item, `${path}[${index}]`));
    if (typeof value !== 'object' || value === null) return value ?? null;
    const members = Object.entries(value).slice(0, 60);
    const visited = members.map(
      ([name, item]) => [name, visit(item, path === '' ? name : `${path}.${name}`)] as const,
    );
    if (/^(?:tags|extra|contexts)$/.test(path))
      visited.push([next(`${path} (a name)`), 'as a name'] as const);
    return Object.fromEntries(visited);
  };
  return { value: visit(event, ''), secrets };
}

/** At least `count` different values that only look like secrets. */
export function lookAlikes(count: number): readonly (readonly [string, string])[] {
  const makers: readonly (readonly [string, (number: number) => string])[] = [
    [
      'order_id',
      (n) =>
        `order ${4_111_111_111_111_110 + n * 10 + (luhn(String(4_111_111_111_111_110 + n * 10)) ? 1 : 0)} not found`,
    ],
    ['sha', (n) => hex(n, 40)],
    ['digest', (n) => `sha256:${hex(n, 64)}`],
    ['author', (n) => `author: Ada ${n}`],
    ['version', (n) => `v${n}.2.3-beta.${n}`],
    ['uuid', (n) => `${hex(n, 8)}-${hex(n + 1, 4)}-4${hex(n + 2, 3)}-a${hex(n + 3, 3)}-${hex(n + 4, 12)}`],
    ['trace', (n) => `00-${hex(n, 32)}-${hex(n, 16)}-01`],
    ['when', (n) => `2026-11-${String((n % 28) + 1).padStart(2, '0')}T06:02:44.${100 + n}Z`],
    ['package', (n) => `node_modules/.pnpm/react-dom@18.2.${n}/node_modules/react-dom/index.js`],
    ['frame', (n) => `at getToken${n} (src/auth/token.js:${n}:5)`],
    ['sentence', (n) => `Invalid password for user number ${n}`],
    ['code', (n) => `const token${n} = await getToken(${n});`],
    ['sql', (n) => `SELECT password FROM users WHERE token = :token LIMIT ${n}`],
    ['epoch', (n) => String(1_732_190_564_427 + n)],
    ['address', (n) => `0x00007fff6c2b${hex(n, 4)}`],
    ['url', (n) => `https://example.com/home/dashboard?page=${n}&key=name`],
    ['phone', (n) => `phone +49 30 9018${n}`],
    ['cache_key', (n) => `user/${n}`],
    ['token_count', (n) => String(500 + n)],
    ['path', (n) => `/home/node/app/src/x${n}.js`],
    ['image', (n) => `icon${n}@2x.png`],
    ['repository', (n) => `git@github.com:owner/repo${n}.git`],
    ['json_error', (n) => `Unexpected token < in JSON at position ${n}`],
    ['release', (n) => `io.shop@1.0.${n}+123`],
  ];
  return Array.from({ length: count }, (_, number) => {
    const maker = makers[number % makers.length];
    if (maker === undefined) throw new Error('no maker');
    return [`n${number}_${maker[0]}`, maker[1](number)] as const;
  });
}
