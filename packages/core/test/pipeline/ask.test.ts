import t from 'tap';
import { isFull } from '../../../../bench/faults/lib/random.mjs';
import { QUESTION_LIMITS, QUESTION_NAMES } from '../../src/domain/question.js';
import { replaceUnseen } from '../../src/domain/unseen.js';
import { CulpritError } from '../../src/errors/error.js';
import { analyse } from '../../src/pipeline/analyse.js';
import { type AskParts, ask, availableQuestions } from '../../src/pipeline/investigate/ask.js';
import { scrubText } from '../../src/pipeline/scrub-text.js';
import type { CodeHost, HistoryQuery, RepositoryQuestions } from '../../src/ports/code-host.js';
import { makeEvent, makeFrame } from '../../src/testing/builders.js';
import { manualClock } from '../../src/testing/index.js';
import { makeRun } from '../../src/testing/make-run.js';
import { memoryCodeHost, type ScriptedCommit } from '../../src/testing/memory-code-host.js';
import { injectionCases } from '../support/injection-corpus.js';
import { SHOP, shopInput } from './shop-history.js';

const { signal } = new AbortController();
const KEY = 'AKIAIOSFODNN7EXAMPLE';
const HISTORY: readonly ScriptedCommit[] = [
  ...SHOP.slice(0, -1),
  {
    title: 'Add settings',
    at: '2026-01-04T07:00:00.000Z',
    write: {
      '.env': 'API_KEY=hunter2hunter2\n',
      'src/keys.js': `const key = '${KEY}'\n`,
      'test/cart.test.js': 'check()\n',
    },
  },
  ...SHOP.slice(-1),
  { title: 'Newer than the crash', at: '2026-02-01T07:00:00.000Z', write: { 'src/new.js': 'new\n' } },
];
const host = () => memoryCodeHost(HISTORY, { releases: { 'shop@1.4.0': 'Say more in the README' } });

async function shop(codeHost: CodeHost = host(), input = shopInput()): Promise<AskParts> {
  const found = await analyse(input, {
    ...{ codeHost, explainers: [], explainMs: 60_000, clock: manualClock(), signal },
  });
  const { revision, suspects, evidence: bundle } = found;
  return {
    ...{ codeHost, repository: 'shop/shop', revision: revision?.sha ?? '', bundle },
    suspects: async () => suspects,
    ...{ run: makeRun('staged_draft', { revision }), scrub: scrubText, signal },
  };
}

const titled = (title: string) => host().sha(title);
const textOf = async (parts: AskParts, name: string, input: unknown = {}) =>
  (await ask(parts, { name, input })).text;
const problemOf = async (parts: AskParts, name: string, input: unknown) => {
  const { text, problem } = await ask(parts, { name, input });
  return problem === null ? text : problem;
};

t.test('source and folders are read at the crashed revision, or at the parent of a commit', async (t) => {
  const parts = await shop();
  const source = await textOf(parts, 'read_source', { path: './src//cart.js', from: 10, to: 12 });
  t.equal(
    source,
    [
      `src/cart.js at ${parts.revision.slice(0, 12)}, 21 lines`,
      '10|     for (const item of cart.items) {',
      '11|         sum += item.price.amount * (item.quantity || 1);',
      '12|     }',
    ].join('\n'),
  );
  const before = `${titled('Price items in several currencies').slice(0, 10)}^`;
  t.match(
    await textOf(parts, 'read_source', { path: 'lib/cart.js', at: before }),
    '9|     sum += item.amount',
  );
  t.equal(await problemOf(parts, 'read_source', { path: 'src/cart.js', at: before }), 'not_found');
  t.equal(
    await problemOf(parts, 'read_source', { path: 'lib/cart.js', at: `${titled('Start the shop')}^` }),
    'not_found',
  );
  const top = `/ at ${parts.revision.slice(0, 12)}, 4 entries\nsrc/\ntest/\n.env\nREADME.md`;
  t.equal(await textOf(parts, 'list_folder'), top);
  t.match(await textOf(parts, 'list_folder', { path: 'src/' }), 'cart.js\nkeys.js\nserver.js');
  for (const path of ['nowhere', '../etc', 'src/../..']) {
    t.equal(await problemOf(parts, 'list_folder', { path }), 'not_found');
    t.equal(await problemOf(parts, 'read_source', { path }), 'not_found');
  }
});

t.test('commits and blame', async (t) => {
  const parts = await shop();
  const sha = titled('Price items in several currencies');
  const commit = await textOf(parts, 'show_commit', { sha });
  t.match(
    commit,
    `commit ${sha} of 2025-12-10\nparents: ${titled('Serve the cart').slice(0, 12)}\n    Price items`,
  );
  t.match(
    commit,
    '    An item now carries price.amount and price.currency.\n+1 -1 lib/cart.js\n--- lib/cart.js\n@@ -6,7',
  );
  t.match(commit, '-    sum += item.amount\n+    sum += item.price.amount');
  t.match(await textOf(parts, 'show_commit', { sha, path: 'src' }), 'It changes no such file.');
  t.match(await textOf(parts, 'show_commit', { sha, text: 'price.amount' }), '+    sum += item.price.amount');
  t.match(
    await textOf(parts, 'show_commit', { sha, text: 'price[.]' }),
    /lib\/cart.js\nNo hunk contains it\.$/,
  );
  t.match(await textOf(parts, 'show_commit', { sha, path: 'src', text: 'price' }), 'No hunk contains it.');
  const moved = await textOf(parts, 'show_commit', { sha: titled('Move the cart to src') });
  t.match(moved, '+0 -0 lib/cart.js → src/cart.js');
  const blame = await textOf(parts, 'blame_lines', { path: 'src/cart.js', from: 11, to: 13 });
  const [formatted, later] = [titled('Format everything'), titled('Round totals and take vouchers off')];
  t.equal(
    blame,
    [
      `src/cart.js at ${parts.revision.slice(0, 12)}`,
      `11 ${formatted.slice(0, 8)} 2025-12-27|         sum += item.price.amount * (item.quantity || 1);`,
      `12 ${formatted.slice(0, 8)} 2025-12-27|     }`,
      `13 ${later.slice(0, 8)} 2026-01-03|     if (cart.voucher) {`,
      `${formatted.slice(0, 8)} Format everything`,
      `${later.slice(0, 8)} Round totals and take vouchers off`,
    ].join('\n'),
  );
  t.equal(await problemOf(parts, 'blame_lines', { path: 'src/none.js', from: 1, to: 2 }), 'not_found');
});

t.test('nothing newer than the crashed revision is visible', async (t) => {
  const parts = await shop();
  const newer = titled('Newer than the crash');
  for (const commit of [newer, newer.slice(0, 12)]) {
    t.equal(await problemOf(parts, 'show_commit', { sha: commit }), 'not_found');
    for (const at of [commit, `${commit}^`]) {
      t.equal(await problemOf(parts, 'read_source', { path: 'src/cart.js', at }), 'not_found');
      t.equal(await problemOf(parts, 'list_folder', { at }), 'not_found');
      t.equal(
        await problemOf(parts, 'blame_lines', { path: 'src/cart.js', from: 1, to: 2, at }),
        'not_found',
      );
    }
  }
});

t.test('files that may hold secrets are never shown, and secrets in others are redacted', async (t) => {
  const parts = await shop();
  const sha = titled('Add settings');
  t.equal(await problemOf(parts, 'read_source', { path: '.env' }), 'denied');
  t.equal(await problemOf(parts, 'blame_lines', { path: '.ENV', from: 1, to: 1 }), 'denied');
  t.equal(await problemOf(parts, 'show_commit', { sha, path: '.env' }), 'denied');
  const commit = await textOf(parts, 'show_commit', { sha });
  t.match(commit, '.env (added, not shown)');
  t.notMatch(commit, 'hunter2');
  const searching = withQuestions({
    search: async () => ({
      found: [
        { path: '.env', line: 1, text: 'API_KEY=hunter2hunter2' },
        { path: 'src/keys.js', line: 1, text: `const key = '${KEY}'` },
        { path: 'src/pem.js', line: 3, text: "  'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaC4', +" },
      ],
      more: false,
    }),
  });
  const found = await textOf(await shop(searching), 'search_source', { text: 'key' });
  t.equal(found, "src/keys.js:1| const key = '[redacted:aws_key]'\nsrc/pem.js:3| [redacted]");
  for (const name of ['read_source', 'blame_lines'])
    t.notMatch(await textOf(parts, name, { path: 'src/keys.js', from: 1, to: 1 }), KEY);
  t.equal(await problemOf(await shop(searching), 'search_source', { text: 'key', path: '.env' }), 'denied');
  t.equal(
    await problemOf(await shop(searching), 'search_history', {
      text: '^API_KEY=h',
      pattern: true,
      path: '.env',
    }),
    'denied',
  );
});

/** A code host with questions of its own. */
function withQuestions(own: Partial<RepositoryQuestions>): CodeHost {
  const one = host();
  const questions: RepositoryQuestions = {
    contained: async (_, revision, commit) => (revision.startsWith(commit) ? revision : null),
    lines: async () => null,
    folder: async () => null,
    history: async () => ({ found: [], more: false }),
    ...own,
  };
  return { ...one, questions };
}

t.test('searches code before tests and documents, each file fairly', async (t) => {
  const match = (path: string, line: number) => ({ path, line, text: `total ${line}` });
  const many = Array.from({ length: 60 }, (_, line) => match('src/a.js', line + 1));
  const found = [match('docs/a.md', 1), ...many, match('src/b.js', 7), match('test/a.test.js', 9)];
  let most = 0;
  const asked: boolean[] = [];
  const parts = await shop(
    withQuestions({
      search: async (_repository, _revision, query) => {
        most = query.most;
        asked.push(query.isAllowed('src/a.js'), query.isAllowed('.env'));
        return { found, more: false };
      },
    }),
  );
  const answer = await ask(parts, { name: 'search_source', input: { text: 'total' } });
  const lines = answer.text.split('\n');
  t.equal(lines.length, QUESTION_LIMITS.matches);
  t.ok(most > QUESTION_LIMITS.matches && answer.more);
  t.match(lines.at(-1), 'src/b.js:7| total 7');
  t.notMatch(answer.text, 'docs/a.md');
  t.same(asked, [true, false]);
});

t.test('history is listed, and impossible questions are refused', async (t) => {
  const commits = [
    { sha: titled('Serve the cart'), title: 'Serve the cart', committed_at: '2025-08-01T10:00:00.000Z' },
  ];
  const queries: unknown[] = [];
  const history: RepositoryQuestions['history'] = async (_repository, _revision, query) => {
    queries.push(query);
    return query.path === 'src' ? null : { found: commits, more: true };
  };
  const parts = await shop(withQuestions({ history }));
  const answer = await ask(parts, {
    name: 'search_history',
    input: { text: 'cart.total', since: '2025-01-01' },
  });
  const [{ sha } = { sha: '' }] = commits;
  t.same(answer, { text: `${sha.slice(0, 12)} 2025-08-01 Serve the cart`, more: true, problem: null });
  t.match(queries[0], {
    text: 'cart.total',
    pattern: false,
    since: '2025-01-01',
    most: QUESTION_LIMITS.commits,
  });
  const { isAllowed } = queries[0] as HistoryQuery;
  t.same(['src/cart.js', '.env', 'deploy/prod.env'].map(isAllowed), [true, false, false]);
  await ask(parts, { name: 'search_history', input: { path: 'src/cart.js', from: 3, to: 9 } });
  t.match(queries[1], { path: 'src/cart.js', lines: { from: 3, to: 9 } });
  t.equal(await problemOf(parts, 'search_history', { path: 'src' }), 'not_available');
  t.equal(await problemOf(parts, 'search_history', { path: '.env', from: 1, to: 2 }), 'denied');
  for (const input of [
    {},
    { from: 1, to: 2, text: 'cart' },
    { path: 'a', from: 2 },
    { path: 'a', from: 5, to: 2 },
  ])
    t.equal(await problemOf(parts, 'search_history', input), 'invalid');
});

t.test('problems are codes, also those of a host that cannot answer', async (t) => {
  const parts = await shop();
  t.equal(await problemOf(parts, 'rm', {}), 'invalid');
  t.equal(await problemOf(parts, 'toString', {}), 'invalid');
  t.equal(await problemOf(parts, 'read_source', { path: 'a', extra: 1 }), 'invalid');
  t.equal(await problemOf(parts, 'read_source', { path: 'src/cart.js', from: 9, to: 3 }), 'invalid');
  t.equal(await problemOf(parts, 'search_source', { text: 'cart' }), 'not_available');
  t.equal(await problemOf(parts, 'search_history', { text: 'cart' }), 'not_available');
  const basic = QUESTION_NAMES.filter((name) => !name.startsWith('search_'));
  t.same(availableQuestions(host()), basic);
  t.same(
    availableQuestions(withQuestions({})),
    [...QUESTION_NAMES].filter((name) => name !== 'search_source'),
  );
  const failing = (error: Error) =>
    shop(
      withQuestions({
        search: async () => {
          throw error;
        },
      }),
    );
  for (const [code, problem] of [
    ['timed_out', 'too_slow'],
    ['malformed', 'invalid'],
    ['code_host_unavailable', 'failed'],
  ] as const)
    t.equal(
      await problemOf(await failing(new CulpritError(code, 'no')), 'search_source', { text: 'cart' }),
      problem,
    );
  const notCopied = async () => {
    throw new CulpritError('code_host_unavailable', 'too large', { reason: 'not_copied' });
  };
  const without = await shop(
    withQuestions({ contained: notCopied, lines: notCopied, folder: notCopied, search: notCopied }),
  );
  t.equal(await problemOf(without, 'search_source', { text: 'cart' }), 'not_available');
  t.match(await problemOf(without, 'read_source', { path: 'src/cart.js' }), /^src\/cart\.js at .*21 lines/);
  t.match(await problemOf(without, 'list_folder', { path: 'src' }), 'cart.js', 'read over the API');
});

t.test('every answer stays within its limits', async (t) => {
  const long = `${'x'.repeat(900)}\n`.repeat(300);
  const hidden = `\u202e${'\u2066'.repeat(9_000)}`;
  const history = [
    ...SHOP,
    {
      title: 'Long',
      body: `${hidden}\n${long}`,
      at: '2026-01-05T08:00:00.000Z',
      write: { 'src/long.js': long, 'src/short.js': 'a\n'.repeat(300), [`src/${hidden}.js`]: `${hidden}\n` },
    },
  ];
  const codeHost = memoryCodeHost(history, { releases: { 'shop@1.4.0': 'Long' } });
  const parts = await shop(codeHost);
  const cut = await ask(parts, { name: 'read_source', input: { path: 'src/long.js' } });
  t.ok(cut.more && cut.text.length <= QUESTION_LIMITS.chars);
  const some = await ask(parts, { name: 'read_source', input: { path: 'src/short.js', from: 50 } });
  t.equal(some.more, true);
  t.equal(some.text.split('\n').length, QUESTION_LIMITS.lines + 1);
  const rest = await ask(parts, { name: 'read_source', input: { path: 'src/short.js', from: 299 } });
  t.match(rest, { more: false, text: /299\| a\n300\| a$/ });
  for (const [name, input] of [
    ['show_commit', { sha: codeHost.sha('Long') }],
    ['show_commit', { sha: codeHost.sha('Long'), path: 'src/short.js' }],
    ['blame_lines', { path: 'src/long.js', from: 1, to: 900 }],
    ['list_folder', { path: 'src' }],
  ] as const) {
    const answer = await ask(parts, { name, input });
    t.ok(answer.text.length <= QUESTION_LIMITS.chars, name);
    t.notMatch(answer.text, '\u202e');
    if (name !== 'list_folder') t.equal(answer.more, true, name);
  }
});

t.test('the crash: the chain, marks of frames, recursion, the failing test, what came before', async (t) => {
  const test = 'describe()\n\ntest("totals", function totals() {\n  const cart = load()\n  walk(cart)\n})\n';
  const history = [
    ...SHOP,
    {
      title: 'Test',
      at: '2026-01-05T08:00:00.000Z',
      write: { 'test/cart.test.js': test, 'src/walk.js': 'walk\n'.repeat(9) },
    },
  ];
  const codeHost = memoryCodeHost(history, { releases: { 'shop@1.4.0': 'Test' } });
  const cart = makeFrame({ file: '/srv/shop/src/cart.js', function: 'total', line: 11 });
  const frame = (file: string, name: string, line: number) =>
    makeFrame({ file: `/srv/shop/${file}`, function: name, line });
  const base = { module: null, handled: false, synthetic: false };
  const frames = [
    frame('test/cart.test.js', 'totals', 5),
    ...Array.from({ length: 40 }, () => [
      frame('src/walk.js', 'walk', 2),
      frame('src/walk.js', 'step', 4),
    ]).flat(),
    frame('src/cart.js', 'gone', 400),
    makeFrame({ file: 'node_modules/pg/lib/query.js', function: 'run', line: 9, in_app: false }),
    frame('src/server.js', 'throwIfEmpty', 3),
  ];
  const event = makeEvent({
    exceptions: [
      { ...base, type: 'TypeError', value: 'no amount', mechanism: null, frames: [cart] },
      { ...base, type: 'CartError', value: 'cannot total\nsecond line', mechanism: null, frames },
    ],
    release: 'shop@1.4.0',
    tags: { region: 'eu', token: KEY },
    breadcrumbs: Array.from({ length: 14 }, (_, index) => ({
      category: 'http',
      message: `GET /${index}`,
      data: { status: 200 },
    })),
  });
  const crash = await textOf(await shop(codeHost, shopInput({ event })), 'show_crash');
  t.match(
    crash,
    /^crashed revision: [0-9a-f]{12} of 2026-01-05 \(from the release\)\ncrashes: 3, first 2026/,
  );
  t.match(
    crash,
    'exception 1 of 2 (outermost): CartError: cannot total\n    second line\n  src/server.js:3 throwIfEmpty',
  );
  t.match(crash, 'throwIfEmpty (raises for others)');
  t.match(crash, 'query.js:9 run (not in the repository) (raises for others)');
  t.match(crash, 'src/cart.js:400 gone (no such line at this revision)');
  t.match(crash, '  … these 2 frames 40 times\n  test/cart.test.js:5 totals (test)| walk(cart)');
  t.match(
    crash,
    'exception 2 of 2 (root cause): TypeError: no amount\n  src/cart.js:11 total (the ranking starts here)| sum +=',
  );
  t.match(
    crash,
    'the failing test, test/cart.test.js:\n3| test("totals", function totals() {\n4|   const cart',
  );
  t.match(crash, 'breadcrumbs, oldest first:\n  http GET /4 {"status":200}');
  t.notMatch(crash, KEY);
});

t.test('the ranking: suspects with plain reasons, then other commits of these lines and files', async (t) => {
  const ranking = await textOf(await shop(), 'show_ranking');
  t.match(
    ranking,
    'no probability: Culprit’s accuracy was measured only in repositories with at least 100 commits\n1. ',
  );
  t.match(
    ranking,
    '2025-12-10 no probability: Price items in several currencies\n   - last changed line 11 of src/cart.js',
  );
  t.notMatch(ranking, '`');
  t.match(ranking, `- ${titled('Format everything').slice(0, 12)} 2025-12-27 Format everything`);
});

t.test('hostile texts in messages, names, sources and crashes stay data within the limits', async (t) => {
  const cases = injectionCases().map(({ id, text }, index) => {
    const path = `src/${index}/${text.replace(/[/\0]/g, '-').slice(0, 100)}.js`;
    return { id, text, path, folder: `src/${index}` };
  });
  const history = cases.map(({ text, path }, index) => ({
    title: `${index} ${text.split('\n')[0]}`,
    body: text,
    at: '2026-01-01T00:00:00.000Z',
    write: { [path]: `${text}\n` },
  }));
  const last = history.at(-1)?.title ?? '';
  const codeHost = memoryCodeHost([...history, ...SHOP], {
    releases: { 'shop@1.4.0': 'Say more in the README' },
  });
  const parts = await shop(codeHost);
  t.ok(cases.length >= 300 && last !== '');
  for (const [index, { id, text, path, folder }] of cases.entries()) {
    if (!isFull && index % 12 !== 0) continue;
    const frame = makeFrame({ file: text, function: text, module: text, line: 1, context_line: text });
    const exception = {
      ...{ type: text, value: text, module: text, mechanism: null, handled: false, synthetic: false },
      frames: [frame, frame],
    };
    const event = makeEvent({
      exceptions: [exception, exception],
      tags: { [text]: text },
      breadcrumbs: [{ category: text, message: text, data: { [text]: text } }],
    });
    const [first] = await parts.suspects();
    const hostile = {
      ...parts,
      bundle: { ...parts.bundle, event },
      suspects: async () => (first === undefined ? [] : [{ ...first, title: text }]),
    };
    const asked: readonly (readonly [string, object])[] = [
      ['show_crash', {}],
      ['show_ranking', {}],
      ['show_commit', { sha: codeHost.sha(history[index]?.title ?? '') }],
      ['read_source', { path }],
      ['list_folder', { path: folder }],
      ['blame_lines', { path, from: 1, to: 200 }],
      ['search_history', { text: text.slice(0, 200).padEnd(2), path }],
    ];
    const answers = await Promise.all(asked.map(([name, input]) => ask(hostile, { name, input })));
    const wrong = answers.filter(
      (answer) =>
        answer.text.length > QUESTION_LIMITS.chars ||
        replaceUnseen(answer.text, () => '') !== answer.text ||
        (answer.problem !== null && answer.text !== ''),
    );
    t.same(wrong, [], id);
  }
});
