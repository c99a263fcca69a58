import fc from 'fast-check';
import t from 'tap';
import { isFull } from '../../../../bench/faults/lib/random.mjs';
import { composeDraft } from '../../src/pipeline/draft/compose-draft.js';
import { safeTitle } from '../../src/pipeline/draft/safe-markdown.js';
import { namedRun } from '../../src/pipeline/draft/trailer.js';
import { segmentsOf, sentence } from '../../src/pipeline/explain/phrases.js';
import { commentOf, effectOfResolving } from '../../src/pipeline/follow-up-effect.js';
import { memoryPublisher } from '../../src/testing/index.js';
import { issueOfHostileCrash } from '../support/hostile-crash.js';
import { injectionCorpus } from '../support/injection-corpus.js';
import {
  escapes,
  ownWords,
  parse,
  skeleton,
  titleEscapes,
  unlinkedEscapes,
} from '../support/markdown-tree.js';
import { hostileSource, PLACES, type Place } from './hostile-source.js';

const CORPUS = injectionCorpus();
const CASES = CORPUS.flatMap(({ cases }) => cases);
const WORDS = ownWords();
const CONFIG = { publishRepository: 'shop/shop', labels: [], assignees: [], commitLabels: true };

/** Harmless text of the same length with line breaks at the same positions. */
function harmless(text: string): string {
  return text.replace(/[^\n]/g, 'x');
}

/** All violations in a draft that contains the text in the given parts. */
function faults(text: string, places: readonly Place[]): readonly string[] {
  const { body, title } = composeDraft(hostileSource(text, places), CONFIG);
  const tree = parse(body);
  const found = [...escapes(tree, WORDS), ...titleEscapes(title)];
  const plain = composeDraft(hostileSource(harmless(text), places), CONFIG).body;
  const cut = [body, plain].some((one) => one.includes('Omitted for length'));
  if (!cut && skeleton(tree) !== skeleton(parse(plain))) found.push('the tree differs');
  return found;
}

t.test('the corpus has at least 300 cases in 25 classes of at least 4, with unique ids', async (t) => {
  t.ok(CORPUS.length >= 25, `${CORPUS.length} classes`);
  t.ok(CORPUS.some(({ kind }) => kind === 'prompt'));
  for (const { class: name, kind, about, cases } of CORPUS) {
    t.ok(cases.length >= 4, name);
    t.ok(['markdown', 'unicode', 'title', 'prompt'].includes(kind) && about.length > 10, name);
    t.same(
      cases.map(({ id }) => id),
      cases.map((_, index) => `${name}/${index + 1}`),
    );
  }
  t.ok(CASES.length >= 300, `${CASES.length} cases`);
  t.equal(new Set(CASES.map(({ text }) => text)).size, CASES.length, 'no case occurs twice');
});

t.test('no name of a reviewer escapes from a trailer or a comment about a fix', async (t) => {
  const [run_id, marker] = ['run_1', 'a'.repeat(64)];
  const following = { resolvedRuns: 'comment' } as const;
  const reopening = memoryPublisher().reopening;
  const bodyOf = (signer: string) =>
    commentOf({ run_id }, effectOfResolving(following, reopening, {}, signer).comment ?? '', marker, signer);
  const treeOf = (signer: string) => skeleton(parse(bodyOf(signer))).replaceAll(/[0-9a-f]{64}/g, 'sha');
  const plain = treeOf('x');
  for (const { id, text } of CASES) {
    const found = [...escapes(parse(bodyOf(text)), WORDS)];
    if (treeOf(text) !== plain) found.push('the tree differs');
    t.same(found, [], id);
    t.same(namedRun(bodyOf(text)), { run_id, marker }, id);
  }
  t.match(
    bodyOf('ada@example.com (7f3a9c1e)'),
    /signed by `ada \(7f3a9c1e\)` ·/,
    'keeps the subject of a name',
  );
});

t.test('the checks detect escapes', async (t) => {
  const seen = (markdown: string) => escapes(parse(markdown), WORDS).length > 0;
  for (const text of [
    'pwned',
    '**pwned**',
    'The crash [happened](https://evil.example)',
    'The crash ![happened](https://code.example/x)',
    '@ada',
    'the crash #1',
    'www.code.example',
    '<b>the</b>',
    '<!-- the crash -->',
    '~~the~~',
    '- [ ] the\n[^1]\n\n[^1]: crash',
    '```mermaid\nx\n```',
    '`a\u202eb`',
    '$`x`$',
    '> [!NOTE]\n> the',
    '[the]: https://evil.example',
  ]) {
    t.ok(seen(text), JSON.stringify(text));
  }
  t.notOk(seen('The crash happened at [`x`](https://code.example/b/x#L3).\n\n```diff\n+ pwned\n```'));
  const tree = (markdown: string) => skeleton(parse(markdown));
  t.equal(tree('a `x` b'), tree('a `y` b'));
  t.not(tree('a `x` b'), tree('a *x* b'));
  t.not(tree('| `a` |\n|---|'), tree('| `a|b` |\n|---|'));
});

/**
 * The number of parts in which a case is tried alone; they rotate, so that every part gets cases of every class. In `npm test` that is
 * every third case.
 */
const ALONE = process.env.INJECTION_ALL === '1' ? PLACES.length : 1;
const EVERY = process.env.INJECTION_ALL === '1' || isFull ? 1 : 3;

t.test('nothing escapes: every case in all parts at once, and in single parts', async (t) => {
  let drafts = 0;
  for (const [index, { id, text }] of CASES.entries()) {
    const found = new Set<string>();
    const singles = Array.from({ length: index % EVERY === 0 ? ALONE : 0 }, (_, n) => [
      PLACES[(index * ALONE + n) % PLACES.length] ?? 'title',
    ]);
    for (const places of [PLACES, ...singles]) {
      for (const fault of faults(text, places))
        found.add(`${places.length > 1 ? 'all' : places[0]}: ${fault}`);
      drafts += 1;
    }
    t.same([...found].slice(0, 5), [], id);
  }
  t.comment(`${CORPUS.length} classes, ${CASES.length} cases, ${drafts} drafts`);
});

/** Random concatenations of Markdown syntax and cases of the corpus. */
const PIECES = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...'`|\\<>[]()!*_~#@$&:-=+.\n\r\t \u202e\u200b\u0000\u2028'.split('')),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '``',
      '```',
      '~~~',
      '\n\n',
      '\r\n',
      '    ',
      '](https://evil.example)',
      '![x](',
      '<!--',
      '-->',
      '</details>',
      '<img ',
      '&#64;',
      '@octocat',
      '#1',
      'GH-1',
      'www.evil.example',
      'https://evil.example',
      '[^1]:',
      '> [!NOTE]',
      '- [x] ',
      '1. ',
      '---',
      '\n===\n',
      '$`',
      '`$',
      'pwned',
      '\ud800',
      '\u{e0041}',
      '\u0301',
      '{sha}',
      '$&',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...CASES.map(({ text }) => text).filter((text) => text.length < 200)),
  },
);
const TEXTS = fc.array(PIECES, { maxLength: 24 }).map((pieces) => pieces.join(''));

t.test('property: nothing escapes with random texts', async (t) => {
  const places = fc.oneof(fc.constant(PLACES), fc.subarray([...PLACES], { minLength: 1 }));
  fc.assert(
    fc.property(TEXTS, places, (text, where) => {
      const found = faults(text, where);
      if (found.length > 0) throw new Error(found.slice(0, 3).join('\n'));
    }),
    { numRuns: Number(process.env.INJECTION_RUNS ?? 80) },
  );
  fc.assert(
    fc.property(TEXTS, (text) => {
      const title = safeTitle(text);
      if (titleEscapes(title).length > 0) throw new Error(title);
    }),
    { numRuns: 1_000 },
  );
  t.pass();
});

t.test('property: segmentsOf parses the sentences of PHRASES and rejects all other text', async (t) => {
  t.same(segmentsOf(sentence`${'a`b'} was raised at ${'`c'}.`), [
    { kind: 'code', text: 'a`b' },
    { kind: 'words', text: ' was raised at ' },
    { kind: 'code', text: '`c' },
    { kind: 'words', text: '.' },
  ]);
  t.same(segmentsOf(sentence`It is set on line ${12}: ${'x = 1'}.`)?.length, 3);
  t.ok(
    segmentsOf(
      sentence`Commit ${'abc'} (${'Fix'}) is very likely the cause. It last changed line 3 of ${'a.js'}, the crashed line.`,
    ),
  );
  for (const text of [
    '',
    'It broke.',
    'The crash happened at {}.',
    'It is set on line #: `x = 1`.',
    'The crash happened at `a.js`',
    'The crash happened at `a.js`. And @octocat.',
    'The crash happened at `a.js`.The crash happened at `a.js`.',
    'The crash happened at `a` `b`.',
    'The crash happened at `a.',
    '**The crash happened** at `a`.',
  ]) {
    t.equal(segmentsOf(text), null, text);
  }
  fc.assert(
    fc.property(TEXTS, (text) => {
      const said = segmentsOf(sentence`${text} was raised at ${text}.`);
      const words = said?.flatMap((one) => (one.kind === 'words' ? one.text : []));
      return words?.join('{}') === ' was raised at {}.' && said?.[0]?.kind === 'code';
    }),
  );
});

t.test('nothing escapes through the whole engine: one case of every other class', async (t) => {
  for (const { cases } of CORPUS.filter((_, index) => index % 2 === 0)) {
    for (const one of cases.slice(0, 1)) {
      const { title, body, briefs } = await issueOfHostileCrash(one.text);
      t.not(title, '');
      t.same([...escapes(parse(body), WORDS), ...titleEscapes(title)].slice(0, 5), [], one.id);
      t.same(briefs.flatMap((brief) => unlinkedEscapes(brief, WORDS)).slice(0, 5), [], `brief of ${one.id}`);
    }
  }
});
