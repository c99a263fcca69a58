import fc from 'fast-check';
import t from 'tap';
import { createEngine } from '../../src/index.js';
import { composeDraft } from '../../src/pipeline/draft/compose-draft.js';
import { safeTitle } from '../../src/pipeline/draft/safe-markdown.js';
import { segmentsOf, sentence } from '../../src/pipeline/explain/phrases.js';
import type { Explainer } from '../../src/ports/explainer.js';
import {
  memoryCodeHost,
  memoryPublisher,
  memoryStorageConnector,
  type ScriptedCommit,
} from '../../src/testing/index.js';
import { hostileSource, PLACES, type Place } from './hostile-source.js';
import { injectionCorpus } from './injection-corpus.js';
import { escapes, ownWords, parse, skeleton } from './markdown-tree.js';

const CORPUS = injectionCorpus();
const CASES = CORPUS.flatMap(({ cases }) => cases);
const WORDS = ownWords();
const CONFIG = { publishRepository: 'shop/shop', labels: [], assignees: [], commitLabels: true };
const REVIEWER = { name: 'ada', via: 'api' } as const;

/** Harmless text of the same length with line breaks at the same positions. */
function harmless(text: string): string {
  return text.replace(/[^\n]/g, 'x');
}

function titleEscapes(title: string): readonly string[] {
  const found: string[] = [];
  if (!/^[\p{L}\p{M}\p{N} .,:;'"()\-_/=+!?%&*…]{1,256}$/u.test(title)) found.push(`title: ${title}`);
  if (/@|#|:\/\/|www\.|\bGH-\d|[`<>[\]|\\~^${}]|\p{M}{4}/iu.test(title)) found.push(`title acts: ${title}`);
  return found;
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

t.test('the corpus has at least 25 classes of at least 4 cases with unique ids', async (t) => {
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
  t.equal(new Set(CASES.map(({ text }) => text)).size, CASES.length, 'no case occurs twice');
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

/** The number of parts in which a case is tried alone; they rotate, so that every part gets cases of every class. */
const ALONE = process.env.INJECTION_ALL === '1' ? PLACES.length : 1;

t.test('nothing escapes: every case in all parts at once, and in single parts', async (t) => {
  let drafts = 0;
  for (const [index, { id, text }] of CASES.entries()) {
    const found = new Set<string>();
    const singles = Array.from({ length: ALONE }, (_, n) => [
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
    { numRuns: Number(process.env.INJECTION_RUNS ?? 200) },
  );
  fc.assert(
    fc.property(TEXTS, (text) => {
      const title = safeTitle(text);
      if (titleEscapes(title).length > 0) throw new Error(title);
    }),
    { numRuns: 2_000 },
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

/** An explainer that follows injected instructions: it returns the text everywhere, with quotes that pass the check. */
const obedient = (text: string): Explainer => ({
  name: `model ${text}`,
  explain: async ({ evidence }) => {
    const cites = evidence.slice(0, 4).map(({ id, text: piece }) => ({
      evidence: id,
      quote: (piece.split('\n').find((line) => line.includes(text.slice(0, 8))) ?? piece).slice(0, 60),
    }));
    const claims = [
      { text, cites },
      { text: 'The crash happened at `x`.', cites },
    ];
    return { source: 'model', model: text, claims, insufficient: false, note: text };
  },
});

t.test('nothing escapes through the whole engine with a hostile crash, history and model', async (t) => {
  const publisher = memoryPublisher();
  let published = 0;
  for (const [index, { id, text }] of CASES.entries()) {
    const short = text.slice(0, 400);
    const line = short.replace(/[\r\n]/g, ' ');
    const history: readonly ScriptedCommit[] = [
      { title: 'Start', at: '2025-12-01T10:00:00.000Z', write: { 'src/cart.js': 'a\nb\nc\n' } },
      {
        title: line,
        body: short,
        author: line,
        at: '2026-01-02T10:00:00.000Z',
        write: { 'src/cart.js': `a\n${line}\ntotal(${line})\n`, [`src/${line}.js`]: `${line}\n` },
      },
    ];
    const codeHost = memoryCodeHost(history, { repository: 'shop/shop' });
    const engine = await createEngine({
      connectors: [
        memoryStorageConnector(),
        { id: 'code', setup: () => ({ codeHost }) },
        { id: 'model', setup: () => ({ explainer: obedient(text) }) },
        { id: 'issues', setup: () => ({ publisher }) },
      ],
      projects: { default: { repository: 'shop/shop' } },
    });
    const frame = { function: text, lineno: 3, in_app: true, module: text, context_line: line };
    const crash = {
      event_id: `crash-${index}`,
      timestamp: '2026-01-05T09:00:00.000Z',
      platform: index % 2 === 0 ? 'node' : text,
      release: text,
      environment: text,
      transaction: text,
      server_name: text,
      tags: { tag: text, [text]: 'x' },
      exception: {
        values: [
          {
            type: text,
            value: text,
            stacktrace: {
              frames: [
                { ...frame, filename: text },
                { ...frame, filename: `src/${line}.js`, lineno: 1 },
                { ...frame, filename: 'src/cart.js' },
              ],
            },
          },
        ],
      },
    };
    const { run_id } = await engine.ingest({ crash });
    await engine.approveGateOne(run_id ?? '', REVIEWER);
    await engine.approveGateTwo(run_id ?? '', REVIEWER);
    const issue = publisher.issues.at(-1);
    published += 1;
    t.equal(publisher.issues.length, published);
    t.same(
      [...escapes(parse(issue?.body ?? ''), WORDS), ...titleEscapes(issue?.title ?? '')].slice(0, 5),
      [],
      id,
    );
    await engine.close();
  }
});
