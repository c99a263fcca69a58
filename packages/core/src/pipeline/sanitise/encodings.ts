/**
 * A way to write characters that hides them from patterns: `%3D` for `=`, `\n` for a line end. Texts are also read decoded
 * (`views.ts`), so that a rule needs to know only the plain form.
 */
export interface Encoding {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  /** The first two characters, as a regular expression without flags. The prefilter (`scan.ts`) is derived from it. */
  readonly lead: string;
  /** What follows them. */
  readonly rest: string;
  /** The decoded character; empty if it is invisible; `null` if the sequence is literal text. */
  readonly decode: (found: string) => string | null;
}

const hex = (digits: string) => {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
};

/** Escapes of C, JavaScript, Python and JSON with a single letter. */
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
};

/** Named references to ASCII characters, and the no-break space. */
const REFERENCES: ReadonlyMap<string, string> = new Map(
  (
    'quot " apos \' amp & lt < gt > nbsp \u00a0 equals = colon : semi ; comma , period . sol / bsol \\ commat @ num # ' +
    'quest ? excl ! dollar $ percnt % lowbar _ hyphen - dash - plus + ast * lpar ( rpar ) lsqb [ lbrack [ rsqb ] rbrack ] ' +
    'lcub { lbrace { rcub } rbrace } grave ` verbar | vert | Hat ^ NewLine \n Tab \t'
  )
    .split(/ (?=[A-Za-z])/)
    .map((entry) => {
      const [name = '', ...char] = entry.split(' ');
      return [name, char.join(' ')] as const;
    }),
);

function referenced(found: string): string | null {
  const name = found.slice(1, -1);
  if (!name.startsWith('#')) return REFERENCES.get(name) ?? null;
  return /^#x/i.test(name) ? hex(name.slice(2)) : hex(Number(name.slice(1)).toString(16));
}

/** One line for each encoding. Characters outside ASCII are in {@link BLANKS}. */
export const ENCODINGS: readonly Encoding[] = [
  {
    id: 'percent',
    what: '`%20`, `%3D`, and encoded twice: `%2520`',
    source: 'RFC 3986 §2.1',
    lead: '%[0-9A-Fa-f]',
    rest: '[0-9A-Fa-f]',
    decode: (found) => hex(found.slice(1)),
  },
  {
    id: 'unicode_escape',
    what: '`\\u003d`, `\\u{3d}`',
    source: 'RFC 8259 §7; ECMA-262',
    lead: '\\\\u',
    rest: '(?:[0-9A-Fa-f]{4}|\\{[0-9A-Fa-f]{1,6}\\})',
    decode: (found) => hex(found.replace(/[^0-9A-Fa-f]/g, '')),
  },
  {
    id: 'hex_escape',
    what: '`\\x3d`, `\\075`',
    source: 'ISO 9899 §6.4.4.4; Python’s repr of bytes',
    lead: '\\\\[x0-3]',
    rest: '(?:(?<=x)[0-9A-Fa-f]{2}|(?<!x)[0-7]{2})',
    decode: (found) =>
      found[1] === 'x' ? hex(found.slice(2)) : String.fromCharCode(Number.parseInt(found.slice(1), 8)),
  },
  {
    id: 'escape',
    what: '`\\n`, `\\t`, `\\"`, `\\/`, `\\\\`: JSON, or a quoted text, within a text',
    source: 'RFC 8259 §7',
    lead: '\\\\[nrtbfve"\'`/\\\\]',
    rest: '',
    decode: (found) => LETTERS[found.charAt(1)] ?? found.charAt(1),
  },
  {
    id: 'html',
    what: '`&quot;`, `&#61;`, `&#x3d;`',
    source: 'HTML §13.5',
    lead: `&[#${[...new Set([...REFERENCES.keys()].map((name) => name.charAt(0)))].join('')}]`,
    rest: '[0-9A-Za-z]{1,8};',
    decode: referenced,
  },
  {
    id: 'terminal',
    what: '`ESC[31m`, `ESC(B`: colours and links of a terminal',
    source: 'ECMA-48 §5.4; ECMA-35 §13.2',
    lead: '\\x1b[ -/0-?@-~]',
    rest:
      '(?:(?<=\\[)[0-?]{0,32}[ -/]{0,4}[@-~]|(?<=\\])[^\\x07\\x1b]{0,256}(?:\\x07|\\x1b\\\\)|' +
      '(?<=[ -/])[ -/]{0,3}[0-~]|(?<=[0-?A-OQ-WYZ\\\\`-~]))',
    decode: () => '',
  },
  {
    id: 'terminal_visible',
    what: '`^[[31m`, `[31m`: colours whose ESC was made visible or removed',
    source: 'cat -v; rsyslog, which writes ESC as #033',
    // Not where ESC stands before it in another encoding, which is decoded first.
    lead: '(?:\\^\\[|(?<!(?:1[bB]|27);?|\\\\033|\\\\e|\\x1b)\\[[0-9])',
    rest: '(?:(?<=\\^\\[)\\[[0-?]{0,32}[@-~]|(?<=\\[[0-9])[\\d;]{0,20}m)',
    decode: () => '',
  },
  {
    id: 'php',
    what: '`s:8:"password";s:2:"pw";`: serialised by PHP',
    source: 'php.net, serialize',
    lead: ';[sid]',
    rest: '(?:(?<=s):\\d{1,9}:(?=\\\\{0,7}["\'])|(?<!s):(?=[-\\d]))',
    decode: () => ':',
  },
];

/** Characters that look like a space, a hyphen, a quote, a separator or nothing, with what they stand for. NUL separates letters where UTF-16 was read as bytes. */
export const BLANKS: ReadonlyMap<string, string> = new Map([
  ...pairs(
    '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
    ' ',
  ),
  ...pairs('\u2028\u2029', '\n'),
  ...pairs('\u2010\u2011', '-'),
  ...pairs(
    '\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064',
    '',
  ),
  ...pairs('\ufeff', ''),
  ...pairs('\uff1a', ':'),
  ...pairs('\uff1d', '='),
  ...pairs('\u201c\u201d\u201e', '"'),
  ...pairs('\u0000', ''),
]);

function pairs(chars: string, plain: string): readonly (readonly [string, string])[] {
  return [...chars].map((char) => [char, plain] as const);
}
