// Evolves crash objects towards cost: pieces that rules look for, repeated, nested and put in every place of a crash.
import { ISSUER_TOKENS } from '@culprit/core/internal/pipeline/sanitise/issuers';
import { KEY_NAMES } from '@culprit/core/internal/pipeline/sanitise/key-kinds';
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
    'Stack trace:\n',
    '#0 \n',
    '#0 a(1): b\n',
    'Exception in thread "\n',
    'at a.b(Unknown Source)\n',
    '... 999 more\n',
    'Suppressed: a\n',
    'Traceback (most recent call last):\n',
    'During handling of the above exception, another exception occurred:\n',
    '  + Exception Group Traceback (most recent call last):\n',
    '+---- 1 ----\n',
    '  |   File "a.py", line 1, in a\n',
    "1: from a.rb:1:in `b'\n",
    ' ---> a\n',
    '--- End of inner exception stack trace ---\n',
    'at a.b() in a:line 1\n',
    '[cause]: a\n',
    '/:1\n',
    '^\n',
    '\tat ',
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
    '<a>',
    '(*a',
    '[a',
    '.func1',
    '$$Lambda',
    '$1',
    '{closure',
    ' [as ',
    '::h',
    '`1',
    '-range1',
    '__1_',
    '?\n',
    '-0a1b2c3d.',
    '```',
    '</',
    '\u202e',
    '\u0301',
    '{{ default }}',
    '{0}',
    '{}',
    '%s',
    'a@a.',
    '1-1:',
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

const PLATFORMS = ['java', 'go', 'csharp', 'php', 'ruby', 'python', 'javascript', 'native'];
/** Where each stage reads most: the sanitiser every text, the others stacks, names, lists and templates. */
export const PLACES = {
  sanitise: ['message', 'stack', 'extra', 'extras', 'names', 'pairs', 'types', 'frames', 'vars', 'tags'],
  read: [
    ...['stack', 'types', 'group', 'template', 'fingerprint', 'threads', 'breadcrumbs', 'lists', 'tags'],
    ...PLATFORMS.flatMap((platform) => [`stack ${platform}`, `names ${platform}`, `chain ${platform}`]),
  ],
};

function newGene(random) {
  const parts = Array.from({ length: 1 + random(3) }, () => ({
    piece: pick(random, PIECES),
    times: pick(random, [1, 1, 1, 2, 5, 30, 120, 600]),
  }));
  return { parts, varied: random(4) === 0 };
}

export const newBody = (random, places) => ({
  place: pick(random, places),
  genes: Array.from({ length: 1 + random(2) }, () => newGene(random)),
  end: random(3) === 0 ? pick(random, PIECES) : '',
});

/** A body with one thing changed. */
export function mutate(random, body, other, places) {
  const genes = body.genes.map((gene) => ({ ...gene, parts: gene.parts.map((part) => ({ ...part })) }));
  const gene = pick(random, genes);
  const part = pick(random, gene.parts);
  switch (random(10)) {
    case 0:
      return { ...body, place: pick(random, places) };
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

const named = (list) => Object.fromEntries(list.map((item, index) => [`${item}${lettersOf(index)}`, 'a1']));
const thrown = (values) => ({ message: 'm', exception: { values } });
const framed = (frames) => thrown([{ type: 'E', value: 'v', stacktrace: { frames } }]);

/** By place: a crash that holds the text there. */
const CRASHES = {
  message: (text) => ({ message: text }),
  stack: (text) => ({ message: 'm', stack: `Error: x\n${text}` }),
  extra: (text) => ({ extra: { text } }),
  extras: (text) => ({ extra: { texts: chunks(text, 40, 9_000) } }),
  names: (text) => ({
    extra: Object.fromEntries(
      chunks(text, 40 * 90, 90).map((part, index) => [`m${index}`, named(chunks(part, 32, 200))]),
    ),
  }),
  pairs: (text) => ({
    request: { headers: chunks(text, 60, 9_000).map((part) => [part.slice(0, 12), part.slice(12)]) },
  }),
  types: (text) => thrown(chunks(text, 2_000, 50).map((part) => ({ type: part.slice(0, 200), value: part }))),
  group: (text) =>
    thrown(
      chunks(text, 1_000, 50).map((value, index) => ({
        ...{ type: 'E', value },
        mechanism: {
          exception_id: index,
          ...(index === 0 ? { is_exception_group: true } : { parent_id: 0 }),
        },
      })),
    ),
  frames: (text) =>
    framed(
      chunks(text, 200, 9_000).map((part) => ({
        ...{ filename: part.slice(0, 100), function: part.slice(100), lineno: 1 },
      })),
    ),
  vars: (text) =>
    framed(
      chunks(text, 900, 9_000).map((part) => ({
        ...{ filename: 'a.js', function: 'f', lineno: 1, context_line: part.slice(0, 300) },
        vars: { a: part.slice(300, 600), [part.slice(600, 640)]: part.slice(640) },
      })),
    ),
  tags: (text) => ({
    tags: Object.fromEntries(chunks(text, 100, 9_000).map((part, index) => [`t${index}`, part])),
  }),
  template: (text) => ({
    logentry: { message: text.slice(0, 8_192), params: chunks(text.slice(8_192), 1_024, 9_000) },
  }),
  fingerprint: (text) => ({
    ...thrown([{ stacktrace: { frames: chunks(text, 16, 9_000).map((part) => ({ function: part })) } }]),
    fingerprint: new Array(64).fill('{{ default }}'),
  }),
  threads: (text) => ({
    threads: chunks(text, 40, 9_000).map((part) => ({
      ...{ crashed: true, stacktrace: { frames: [{ function: part }] } },
    })),
  }),
  breadcrumbs: (text) => ({ breadcrumbs: chunks(text, 40, 9_000).map((message) => ({ message })) }),
  lists: (text) => ({ extra: { lists: chunks(text, 300, 9_000).map(() => new Array(100).fill([])) } }),
};

/** The same, for a place with a platform: `names go`. */
const CRASHES_OF_A_PLATFORM = {
  stack: CRASHES.stack,
  /** Long names: patterns read them again and again. */
  names: (text) => framed(chunks(text, 1_500, 250).map(longFrame)),
  /** As many frames as are kept, as short as possible. */
  chain: (text) =>
    thrown(
      chunks(text, 250 * 4, 50).map((part) => ({
        stacktrace: { frames: chunks(part, 4, 250).map((name) => ({ function: name })) },
      })),
    ),
};

const longFrame = (part) => ({
  filename: part.slice(0, 1_000),
  function: part.slice(1_000),
  module: part.slice(1_250),
});

/** A crash of about `size` characters. */
export function crashOf(body, size) {
  const text = textOf(body, size);
  const [place, platform] = body.place.split(' ');
  const crash = { message: 'm', exception: { values: [{ type: 'E', value: 'v' }] } };
  if (platform !== undefined) return { ...crash, ...CRASHES_OF_A_PLATFORM[place](text), platform };
  const made = CRASHES[place](text);
  return 'stack' in made ? made : { ...crash, ...made };
}

/**
 * Evolves bodies of `size` characters towards the highest `costOf(crash)` for `rounds` generations. Returns the best, the
 * costliest first.
 */
export function searchWorst(options) {
  const { seed, rounds, size, costOf, places = PLACES.sanitise, population = 24, kept = 8 } = options;
  const random = randomOf(seed);
  const judged = (body) => ({ body, cost: costOf(crashOf(body, size)) });
  let best = Array.from({ length: population }, () => judged(newBody(random, places)));
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
      judged(mutate(random, body, pick(random, best).body, places)),
      judged(mutate(random, mutate(random, body, body, places), pick(random, best).body, places)),
    ]);
    best.push(...next, judged(newBody(random, places)), judged(newBody(random, places)));
    order();
  }
  return best;
}
