// Evolves crash objects towards cost: pieces that rules look for, repeated, nested and put in every place of a crash.
import { ISSUER_TOKENS, KEY_NAMES } from '@culprit/core/analysis';
import { hostileTexts } from './hostile-texts.mjs';

/** Rules' openers, separators, endings and near misses. */
const PIECES = [
  ...hostileTexts,
  ...ISSUER_TOKENS.flatMap(({ forms }) => forms.flatMap(({ starts }) => starts.slice(0, 2))),
  ...[...KEY_NAMES.keys()].flatMap((name) => [`${name}=`, `"${name}":`]),
  ...['cookie:', 'cookie:a=b', 'token="', 'pwd=\\"', 'pwd="', "secret='", 'auth: bearer ', 'auth=basic '],
  ...[
    'token%3D',
    '%22token%22%3A%22',
    '%2522',
    '\\u003d',
    '\\n',
    '\\"',
    '\u001b[31m',
    '&quot;',
    '=>',
    '[pwd] => ',
  ],
  ...[
    'basic aaaaaa ',
    'bearer bearer ',
    '--token ',
    '-u a:b ',
    '://:a@b ',
    'pin=123 ',
    '411 ',
    '4111-',
    'AA00 ',
  ],
  ...[
    "a'",
    "'a@a.",
    '@a.',
    'a.a.',
    '<pwd a="',
    '<![CDATA[',
    '</pwd>',
    '<a:pwd>',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    '"',
    "'",
    '`',
    ';',
    ',',
    '&',
    '?',
    '#',
    '/',
    '\\\\',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '|',
    '<',
    '>',
    '$',
    '%',
    '_',
    '.',
  ],
  ...[
    'at a (b.js:1:1)\n',
    'at a.b(C.java:1)\n',
    '  File "a.py", line 1, in a\n',
    'Caused by: a: b\n',
    'a@b:1:1\n',
  ],
  ...[
    '#0 a(1): b\n',
    "from a:1:in `b'\n",
    'goroutine 1 [a]:\n',
    'a.go:1 +0x1\n',
    '--> ',
    '---> ',
    '0x1',
    '1.5 ',
    '1ms ',
  ],
  ...[
    'keya:',
    'tokena:',
    'authx=',
    'xkey1:',
    'passport ',
    'a-key: ',
    'XKeyAB=',
    '::1',
    '1.1.1.1',
    '2001:db8:',
    '00:00:00',
  ],
];

/** A linear congruential generator: the same seed, the same search. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = (random, list) => list[random(list.length)];

const PLACES = ['message', 'stack', 'extra', 'extras', 'names', 'pairs', 'types', 'frames', 'vars', 'tags'];

function newGene(random) {
  const parts = Array.from({ length: 1 + random(3) }, () => ({
    piece: pick(random, PIECES),
    times: pick(random, [1, 1, 1, 2, 5, 30, 120, 600]),
  }));
  return { parts, varied: random(4) === 0 };
}

export const newBody = (random) => ({
  place: pick(random, PLACES),
  genes: Array.from({ length: 1 + random(2) }, () => newGene(random)),
  end: random(3) === 0 ? pick(random, PIECES) : '',
});

/** A body with one thing changed. */
export function mutate(random, body, other) {
  const genes = body.genes.map((gene) => ({ ...gene, parts: gene.parts.map((part) => ({ ...part })) }));
  const gene = pick(random, genes);
  const part = pick(random, gene.parts);
  switch (random(10)) {
    case 0:
      return { ...body, place: pick(random, PLACES) };
    case 1:
      return { ...body, end: pick(random, ['', pick(random, PIECES), '[redacted:x]', '"', '(']) };
    case 2:
      part.times = Math.max(1, Math.round(part.times * pick(random, [0.25, 0.5, 2, 4])));
      break;
    case 3:
      part.piece = pick(random, PIECES);
      break;
    case 4:
      gene.parts.splice(random(gene.parts.length + 1), 0, {
        piece: pick(random, PIECES),
        times: 1 + random(3),
      });
      break;
    case 5:
      if (gene.parts.length > 1) gene.parts.splice(random(gene.parts.length), 1);
      break;
    case 6:
      part.piece += pick(random, PIECES);
      break;
    case 7:
      if (part.piece.length > 1) part.piece = part.piece.slice(random(2), part.piece.length - random(2));
      break;
    case 8:
      gene.varied = !gene.varied;
      break;
    default:
      genes.push(pick(random, other.genes));
      if (genes.length > 4) genes.shift();
  }
  return { ...body, genes };
}

/** The text of a body: its genes, over and over. A varied gene has a number in it, so that no cache knows it. */
export function textOf(body, size) {
  const unit = body.genes.map(({ parts, varied }) => ({
    varied,
    text: parts.map(({ piece, times }) => piece.repeat(Math.min(times, 4096 / piece.length + 1))).join(''),
  }));
  let text = '';
  for (let round = 0; text.length < size; round++) {
    const before = text.length;
    for (const { varied, text: piece } of unit)
      text += varied ? piece.replace(/[a-z]/, (a) => a + lettersOf(round)) : piece;
    if (text.length === before) text += ' ';
  }
  return text.slice(0, Math.max(0, size - body.end.length)) + body.end;
}

const lettersOf = (number) => number.toString(36);

const chunks = (text, size, most) => {
  const list = [];
  for (let at = 0; at < text.length && list.length < most; at += size) list.push(text.slice(at, at + size));
  return list;
};

/** A crash of about `size` characters. */
export function crashOf(body, size) {
  const text = textOf(body, size);
  const crash = { message: 'm', exception: { values: [{ type: 'E', value: 'v' }] } };
  const named = (list) => Object.fromEntries(list.map((item, index) => [`${item}${lettersOf(index)}`, 'a1']));
  switch (body.place) {
    case 'message':
      return { ...crash, message: text };
    case 'stack':
      return { message: 'm', stack: `Error: x\n${text}` };
    case 'extra':
      return { ...crash, extra: { text } };
    case 'extras':
      return { ...crash, extra: { texts: chunks(text, 40, 9_000) } };
    case 'names':
      return {
        ...crash,
        extra: Object.fromEntries(
          chunks(text, 40 * 90, 90).map((part, index) => [`m${index}`, named(chunks(part, 32, 200))]),
        ),
      };
    case 'pairs':
      return {
        ...crash,
        request: { headers: chunks(text, 60, 9_000).map((part) => [part.slice(0, 12), part.slice(12)]) },
      };
    case 'types':
      return {
        message: 'm',
        exception: {
          values: chunks(text, 2_000, 40).map((part) => ({ type: part.slice(0, 200), value: part })),
        },
      };
    case 'frames':
      return {
        message: 'm',
        exception: {
          values: [
            {
              type: 'E',
              value: 'v',
              stacktrace: {
                frames: chunks(text, 200, 9_000).map((part) => ({
                  filename: part.slice(0, 100),
                  function: part.slice(100),
                  lineno: 1,
                })),
              },
            },
          ],
        },
      };
    case 'vars':
      return {
        message: 'm',
        exception: {
          values: [
            {
              type: 'E',
              value: 'v',
              stacktrace: {
                frames: chunks(text, 900, 9_000).map((part) => ({
                  filename: 'a.js',
                  function: 'f',
                  lineno: 1,
                  context_line: part.slice(0, 300),
                  vars: { a: part.slice(300, 600), [part.slice(600, 640)]: part.slice(640) },
                })),
              },
            },
          ],
        },
      };
    default:
      return {
        ...crash,
        tags: Object.fromEntries(chunks(text, 100, 9_000).map((part, index) => [`t${index}`, part])),
      };
  }
}

/**
 * Evolves bodies of `size` characters towards the highest `costOf(crash)` for `rounds` generations. Returns the best, the
 * costliest first.
 */
export function searchWorst({ seed, rounds, size, costOf, population = 24, kept = 8 }) {
  const random = randomOf(seed);
  const judged = (body) => ({ body, cost: costOf(crashOf(body, size)) });
  let best = Array.from({ length: population }, () => judged(newBody(random)));
  const order = () => {
    best.sort((one, other) => other.cost - one.cost);
    // One of each place, so that no early winner takes all.
    const places = new Map();
    best = best.filter(({ body }) => {
      const seen = (places.get(body.place) ?? 0) + 1;
      places.set(body.place, seen);
      return seen <= 3;
    });
    best.length = Math.min(best.length, kept);
  };
  order();
  for (let round = 0; round < rounds; round++) {
    const next = best.flatMap(({ body }) => [
      judged(mutate(random, body, pick(random, best).body)),
      judged(mutate(random, mutate(random, body, body), pick(random, best).body)),
    ]);
    best.push(...next, judged(newBody(random)), judged(newBody(random)));
    order();
  }
  return best;
}
