import t from 'tap';
import type { CrashException } from '../../src/domain/event.js';
import type { Suspect } from '../../src/domain/suspect.js';
import { analyse } from '../../src/pipeline/analyse.js';
import { briefSource } from '../../src/pipeline/brief/brief-source.js';
import { composeBrief } from '../../src/pipeline/brief/compose-brief.js';
import { changedTests, relatedTests } from '../../src/pipeline/brief/related-tests.js';
import { blameSection } from '../../src/pipeline/draft/blame-section.js';
import { causesSection, reportedStack } from '../../src/pipeline/draft/causes-section.js';
import type { DraftText } from '../../src/pipeline/draft/draft-source.js';
import { placeOf, shortFunction } from '../../src/pipeline/draft/frame-place.js';
import { stackSection } from '../../src/pipeline/draft/stack-section.js';
import { suspectSection } from '../../src/pipeline/draft/suspect-section.js';
import { whatHappened } from '../../src/pipeline/draft/what-happened.js';
import { unifiedDiff } from '../../src/pipeline/draft-difference.js';
import { parseStack } from '../../src/pipeline/parse-stack/index.js';
import { nearestHunk } from '../../src/pipeline/rank/hunk.js';
import { scrubText } from '../../src/pipeline/scrub-text.js';
import type { Diff } from '../../src/ports/code-host.js';
import { makeFrame } from '../../src/testing/builders.js';
import { makeEvent, makeRun, manualClock } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { SHOP, shopInput } from './shop-history.js';

function raised(type: string, value: string, frames = [makeFrame()]): CrashException {
  return { type, value, module: null, handled: false, synthetic: false, mechanism: null, frames };
}

function sourceOf(exceptions: readonly CrashException[], more: Partial<DraftText> = {}): DraftText {
  const last = exceptions.at(-1);
  return {
    event: makeEvent({ exceptions }),
    thrown: last === undefined ? null : { index: exceptions.length - 1, exception: last },
    located: [],
    links: { commit: null, line: null },
    revision: null,
    excerpt: null,
    scrub: scrubText,
    labels: [],
    ...more,
  } as DraftText;
}

t.test('shows the causes of a wrapper and the members of a group', async (t) => {
  const frame = makeFrame({ file: '/srv/app/rates.py', line: 14, function: 'rate' });
  const chain = [raised('KeyError', "'`chf`'", [frame]), raised('InvoiceError', 'no rate')];
  const [section] = causesSection(sourceOf(chain));
  t.match(section?.text, '**Caused by:**');
  t.match(section?.text, "- `KeyError`: ``'`chf`'``\n  - at `/srv/app/rates.py:14` in `rate`");
  t.notMatch(section?.text, 'InvoiceError', 'the thrown exception is shown above');
  const group = [raised('ValueError', 'a'), raised('KeyError', 'b'), raised('ExceptionGroup', 'two')];
  t.match(
    causesSection(sourceOf(group))[0]?.text,
    /Exceptions in this group:[\s\S]*KeyError[\s\S]*ValueError/,
  );
  t.strictSame(causesSection(sourceOf([raised('E', 'x')])), []);
  const many = Array.from({ length: 9 }, (_, index) => raised('E', String(index)));
  t.match(causesSection(sourceOf(many))[0]?.text, '2 more not shown.');
});

t.test('follows the wrapped exception, names the wrapper, and strips path prefixes', async (t) => {
  const own = makeFrame({ file: '/srv/shop/src/a.js', line: 3, function: 'a' });
  const inner = raised('KeyError', 'x', [makeFrame({ file: '/srv/shop/src/b.js', line: 4, function: 'b' })]);
  const thrown = { index: 1, exception: raised('Failed', 'y', [own]) };
  const located = [
    { frame: 0, path: 'src/a.js', line: 3, function: 'a', how: 'exact', verified: true },
  ] as const;
  const all = [inner, thrown.exception, raised('Reported', 'z', [makeFrame({ file: 'lib.js', line: 1 })])];
  const [section] = causesSection(sourceOf(all, { thrown, located }));
  t.match(section?.text, '**Caused by:**\n\n- `KeyError`: `x`\n  - at `src/b.js:4` in `b`');
  t.match(section?.text, '**Reported as:**\n\n- `Reported`: `z`');
});

t.test(
  'shows the suspect in one line with its diff, and no second diff of a new file without the crashed line',
  async (t) => {
    const line = (kind: 'added' | 'removed', crashed = false) => ({ kind, text: 'x', line: 1, crashed });
    const suspect = (probability: number, lines: readonly ReturnType<typeof line>[]): Suspect => ({
      sha: 'c'.repeat(40),
      author: { name: 'Ada' },
      committed_at: '2026-01-01T00:00:00.000Z',
      title: 'Change',
      url: null,
      score: 1,
      components: {},
      probability,
      verdict: 'likely',
      reasons: [{ code: 'text_only', text: 'changed line 1' }],
      frames: [],
      hunk: { path: 'a.js', header: '@@ -1 +1 @@', lines },
      pull_request: null,
    });
    const of = (...suspects: readonly Suspect[]) => suspectSection({ ...sourceOf([]), suspects });
    const first = suspect(0.999, [line('added', true)]);
    t.match(of(first)[0]?.text, '**Likely cause** (99 %): `ccccccc` `Change`, in `a.js`:');
    t.match(of(first)[1]?.text, '+x   ◀ crashed line');
    t.equal(of(first, suspect(0.3, [line('added')])).length, 2);
    t.match(of(first, suspect(0.3, [line('removed')]))[2]?.text, '**Next candidate** (30 %): `ccccccc`');
    t.equal(of(first, suspect(0.1, [line('removed')])).length, 2);
    t.match(
      of({ ...first, verdict: 'recent', hunk: null })[0]?.text,
      'No commit stands out.** Top candidate (99 %): `ccccccc` `Change`.',
    );
    t.strictSame(
      of().map(({ text }) => text),
      [
        '**No suspect.** No commit could be linked to the crashed lines. Check that the release names the code that crashed.',
      ],
    );
  },
);

t.test('a pull request is linked only where its page gets no reference from that', async (t) => {
  const suspect: Suspect = {
    sha: 'c'.repeat(40),
    author: { name: 'Ada' },
    committed_at: '2026-01-01T00:00:00.000Z',
    title: 'Change',
    url: null,
    score: 1,
    components: {},
    probability: 0.9,
    verdict: 'likely',
    reasons: [{ code: 'text_only', text: 'changed line 1' }],
    frames: [],
    hunk: null,
    pull_request: { number: 12, url: 'https://github.com/acme/shop/pull/12', title: 'Change' },
  };
  const shown = (pull_request?: string | null) => {
    const links = { commit: null, line: null, ...(pull_request === undefined ? {} : { pull_request }) };
    return blameSection({ ...sourceOf([]), links, suspects: [suspect] })[0]?.text ?? '';
  };
  const quiet = shown('https://redirect.github.com/acme/shop/pull/{number}');
  t.match(quiet, '([pull request 12](https://redirect.github.com/acme/shop/pull/12))');
  t.match(shown(null), '(pull request 12)');
  for (const text of [quiet, shown(null)]) t.notMatch(text, /#12|\/\/github\.com/);
  t.match(shown(), '([pull request 12](https://github.com/acme/shop/pull/12))', 'drafts of older evidence');
  t.notMatch(shown('javascript:alert({number})'), 'javascript:');
});

t.test(
  'the likelihood is a column only where a suspect has one; the label without a verdict is explained',
  async (t) => {
    const commit = 'c'.repeat(40);
    const [one, two] = (
      await analyse(shopInput(), {
        codeHost: memoryCodeHost(SHOP),
        explainers: [],
        explainMs: 60_000,
        clock: manualClock(),
        signal: new AbortController().signal,
      })
    ).suspects;
    if (!one || !two) throw new Error('the shop has two suspects');
    const unrated = { code: 'few_commits', commits: 100 } as const;
    const shown = (suspects: readonly Suspect[], labels: readonly string[] = []) =>
      blameSection({ ...sourceOf([]), suspects, labels })[0]?.text ?? '';
    const [first, second] = [one, two].map(({ unrated: _, ...rest }) => ({
      ...rest,
      sha: commit,
      url: null,
    }));
    if (!first || !second) throw new Error('two');
    t.match(
      shown([
        { ...first, probability: 0.8 },
        { ...second, probability: null, unrated },
      ]),
      /\| Likelihood \| Change \| Why \|\n[^\n]+\n\| \d+ % \|/,
    );
    const none = shown(
      [first, second].map((suspect) => ({ ...suspect, probability: null, unrated })),
      ['suspect:none'],
    );
    t.match(none, '\n\n| Change | Why |\n|---|---|\n| `ccccccc`');
    t.notMatch(none, /Likelihood|no probability/);
    t.match(none, 'The label `suspect:none` means that no suspect is rated likely.');
    t.notMatch(shown([first], []), 'label', 'a comment on a reopened issue has no labels');
    const next = suspectSection({ ...sourceOf([]), suspects: [one, { ...two, probability: null, unrated }] });
    t.notMatch(next.map(({ text }) => text).join(), 'Next candidate** (');
  },
);

t.test('a release that is the commit is shown once, and times of one second as one', async (t) => {
  const input = shopInput();
  const sha = 'c'.repeat(40);
  const links = { commit: 'https://code.example/c/{sha}', line: null };
  const of = (releases: readonly string[]) =>
    whatHappened({
      ...sourceOf([raised('E', 'x')]),
      ...{ links, revision: { sha, how: 'release' } },
      incident: {
        ...{ ...input.incident, releases, occurrences: 2 },
        ...{ first_seen: '2026-01-05T09:00:00.100Z', last_seen: '2026-01-05T09:00:00.900Z' },
      },
    })[0]?.text ?? '';
  const named = `- **Release** [\`shop@${sha}\`](https://code.example/c/${sha})\n`;
  t.match(of([`shop@${sha}`]), named);
  t.notMatch(of([sha]), 'commit `');
  t.match(of(['v1']), `- **Release** \`v1\`, commit [\`cccccccccccc\`](`);
  t.match(of(['v1']), '**Seen** 2 times, all at 2026-01-05 09:00:00 UTC');
});

t.test('a path outside the repository stays absolute', async (t) => {
  const placed = (file: string) => placeOf(makeFrame({ file, line: 1 }), 'srv/shop/');
  for (const [file, shown] of [
    ['/tmp/job/run.js', '/tmp/job/run.js:1'],
    ['file:///tmp/job/run.mjs', '/tmp/job/run.mjs:1'],
    ['C:\\job\\run.cs', 'C:/job/run.cs:1'],
    ['/srv/shop/src/a.js', 'src/a.js:1'],
    ['app:///static/a.js', 'static/a.js:1'],
    ['./src/a.js', 'src/a.js:1'],
  ] as const)
    t.equal(placed(file), shown);
});

t.test('collapses recursive frames into one line', async (t) => {
  const frames = [
    makeFrame({ function: 'main' }),
    ...Array.from({ length: 40 }, () => makeFrame({ function: 'walk' })),
  ];
  const [section] = stackSection(sourceOf([raised('StackOverflow', 'x', frames)]));
  t.match(section?.text, /^1\. .* in `walk`, 40 times in a row\n2\. .* in `main`$/m);
});

t.test('shows an unparsed stack trace as reported', async (t) => {
  const event = makeEvent({
    exceptions: [],
    extra: { stack: 'died\n\tmain::run() called at x.pl line 3 ```' },
  });
  const [section] = reportedStack({ ...sourceOf([]), event });
  t.match(section?.text, '````text\ndied\n');
  t.strictSame(reportedStack(sourceOf([raised('E', 'x')])), []);
});

t.test('shows the last frames if none is the project’s own, and shortens native names', async (t) => {
  const frames = Array.from({ length: 9 }, (_, index) =>
    makeFrame({ file: `lib/vendor${index}.js`, in_app: false, line: 1, function: `f${index}` }),
  );
  const [section] = stackSection(sourceOf([raised('E', 'x', frames)]));
  t.match(
    section?.text,
    /No frame is marked[\s\S]*1\. `lib\/vendor8\.js:1` in `f8`[\s\S]*4 more frames not shown/,
  );
  const long = 'draw::Scene::area(std::__cxx11::basic_string<char, std::char_traits<char> > const&) const';
  t.equal(shortFunction(long), 'draw::Scene::area(…)');
  t.equal(shortFunction('short(int)'), 'short(int)');
});

t.test('marks only the crashed line, not every line in the stack', async (t) => {
  const lines = ['+crash();', '+call();'];
  const hunk = { old_start: 0, old_lines: 0, new_start: 1, new_lines: 2, section: '', lines };
  const file = { path: 'a.js', old_path: 'a.js', status: 'added', hunks: [hunk] } as const;
  const diff = { sha: 'a'.repeat(40), files: [file], truncated: false };
  const view = (line: number, text: string) => ({ path: 'a.js', line, ranges: [], text });
  const [crash, call] = [view(1, 'crash();'), view(2, 'call();')];
  const marked = (views: (typeof crash)[]) =>
    nearestHunk(diff, views, [crash])?.lines.filter(({ crashed }) => crashed).length;
  t.equal(marked([crash, call]), 1);
  t.equal(marked([call, crash]), 0);
});

t.test('Mono’s frames', async (t) => {
  const text = `
Unhandled Exception:
System.Collections.Generic.KeyNotFoundException: The given key 'US' was not present in the dictionary.
  at System.Collections.Generic.Dictionary\`2[TKey,TValue].get_Item (TKey key) [0x00021] in <12b418a7818c4ca0893feeaaf67f1e7f>:0 
  at Parcel.Tariff.For (System.String country) [0x0000d] in /srv/parcel/src/Tariff.cs:15 
  at Parcel.Label.Main (System.String[] arguments) [0x00027] in /srv/parcel/src/Label.cs:18 
`;
  for (const hint of [undefined, 'csharp']) {
    const { platform, exceptions } = parseStack(text, hint);
    t.equal(platform, 'csharp');
    t.match(exceptions[0], { type: 'KeyNotFoundException', value: /^The given key/ });
    t.match(exceptions[0]?.frames, [
      { file: '/srv/parcel/src/Label.cs', line: 18, function: 'Main' },
      { file: '/srv/parcel/src/Tariff.cs', line: 15, function: 'For', module: 'Parcel.Tariff' },
      { file: null, line: null },
    ]);
  }
});

t.test('a unified diff, as diff -u writes it', async (t) => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'];
  const after = [...before.slice(0, 3), 'four', ...before.slice(4), 'more'];
  t.equal(unifiedDiff('same', 'same'), '');
  t.equal(
    unifiedDiff(before.join('\n'), after.join('\n')),
    [
      '@@ -1,7 +1,7 @@',
      ...[' 1', ' 2', ' 3', '-4', '+four', ' 5', ' 6', ' 7'],
      '@@ -10,3 +10,4 @@',
      ...[' 10', ' 11', ' 12', '+more'],
    ].join('\n'),
  );
  const long = Array.from({ length: 5_000 }, (_, index) => String(index)).join('\n');
  const started = process.cpuUsage();
  t.match(unifiedDiff(long, long.replaceAll('1', 'one')), /^@@ -1,/);
  t.ok(process.cpuUsage(started).user < 2_000_000, 'less than two seconds of processor time');
});

t.test('a fix brief: from the crash alone, and after the analysis', async (t) => {
  const history = [
    ...SHOP.map((commit) =>
      commit.title === 'Price items in several currencies'
        ? { ...commit, write: { ...commit.write, 'test/amounts.test.js': 'x\n' } }
        : commit,
    ),
    {
      title: 'Test the shop',
      at: '2026-01-05T08:00:00.000Z',
      write: {
        'test/cart.test.js': 'x\n',
        'test/fixtures/cart.test.js': 'x\n',
        'test/router.test.js': 'x\n',
      },
    },
  ];
  const input = shopInput();
  const [exception] = input.event.exceptions;
  const frames = exception?.frames.map((frame) => ({
    ...frame,
    vars: { item: { sku: 'A-1', price: null } },
  }));
  const event = {
    ...input.event,
    exceptions: exception ? [{ ...exception, frames: frames ?? [] }] : [],
    request: {
      method: 'POST',
      url: '/cart/total',
      data: { sku: 'A-1' },
      headers: { Cookie: 's=1', Accept: '*/*' },
    },
    contexts: { runtime: { name: 'node', version: '20.19.4' } },
    breadcrumbs: [{ category: 'http', message: 'GET /cart' }],
    redactions: 1,
  };
  const early = composeBrief(briefSource(makeRun('staged_raw', { event }), null, scrubText));
  t.match(early, 'in state `staged_raw`');
  t.match(early, '- The run has not passed Gate 1:');
  t.notMatch(early, /### (?:Explanation|Suspect change|Blame|Files|Tests)/);

  const { revision, suspects, no_suspect, explanation, evidence } = await analyse(
    { ...input, event },
    {
      codeHost: memoryCodeHost(history, { releases: { 'shop@1.4.0': 'Test the shop' } }),
      explainers: [],
      explainMs: 60_000,
      clock: manualClock(),
      signal: new AbortController().signal,
    },
  );
  const run = makeRun('staged_draft', { event, revision, suspects, no_suspect, explanation });
  const brief = composeBrief(briefSource(run, evidence, scrubText));
  t.equal(
    brief,
    composeBrief(briefSource(run, JSON.parse(JSON.stringify(evidence)), scrubText)),
    'deterministic',
  );
  for (const part of [
    '## Fix brief: `TypeError: Cannot read properties of undefined',
    'Crashed in `total` at `src/cart.js:11`.',
    '> 11 |         sum += item.price.amount',
    '### Suspect change',
    '`Price items in several currencies`',
    /- `src\/cart\.js`: line 11; crashed here; changed by `[0-9a-f]{7}`/,
    '- `src/server.js`: line 3',
    `- Commit: \`${revision?.sha}\``,
    '- Platform: `node`, `node 20.19.4`',
    '"url": "/cart/total"',
    '**Variables** in `total`\n\n```text\n{\n  "item": {\n    "sku": "A-1",',
    '- `http: GET /cart`',
    '- `test/cart.test.js`\n- `test/fixtures/cart.test.js`\n\n',
    /Changed by a commit that also changed these files\. None was run\.\n\n- `test\/amounts\.test\.js`, by `[0-9a-f]{7}`\n\n/,
    '- 1 value was redacted.',
    '- Whether these steps reproduce the crash: nothing was run.',
  ])
    t.match(brief, part);
  t.notMatch(brief, 'Cookie', 'headers that may identify a person are left out');
  t.notMatch(brief, /\]\(|https?:\/\//, 'nothing is a link');
  t.ok(brief.length <= 12_001 && brief.split('\n').length < 160, 'one page');
  t.match(
    composeBrief(briefSource({ ...run, event: makeEvent({ event_id: 'later' }) }, evidence, scrubText)),
    'an earlier one was',
  );
});

t.test('tests are found by the names of files', async (t) => {
  const paths = [
    'src/cart.js',
    'src/cart/index.ts',
    'src/cart/cart.spec.ts',
    'spec/models/user_cart_spec.rb',
    'app/models/user_cart.rb',
    'tests/unit/test_user-cart.py',
    'src/test/java/shop/CartTest.java',
    'src/main/java/shop/Cart.java',
    'pkg/total/total_test.go',
    'docs/cart.md',
    'test/cartographer.test.js',
  ];
  t.strictSame(relatedTests(paths, ['src/main/java/shop/Cart.java']), [
    'src/test/java/shop/CartTest.java',
    'src/cart/cart.spec.ts',
  ]);
  t.strictSame(relatedTests(paths, ['src/cart/index.ts']), [
    'src/cart/cart.spec.ts',
    'src/test/java/shop/CartTest.java',
  ]);
  t.strictSame(relatedTests(paths, ['app/models/user_cart.rb']), [
    'spec/models/user_cart_spec.rb',
    'tests/unit/test_user-cart.py',
  ]);
  t.strictSame(relatedTests(paths, ['pkg/total/total.go', 'pkg/other.go', 'x']), ['pkg/total/total_test.go']);
  t.strictSame(relatedTests(paths, ['src/index.js']), []);
  const many = Array.from({ length: 9 }, (_, index) => `test/${index}/cart.test.js`);
  t.equal(relatedTests(many, ['src/cart.js']).length, 3);
});

t.test('tests are found by the commits that changed them with the files', async (t) => {
  const diff = (sha: string, ...changed: readonly string[]): Diff => ({
    sha,
    truncated: false,
    files: changed.map((text) => {
      const [path = '', status = 'modified'] = text.split(' ');
      return { path, old_path: path, status: status as 'modified', hunks: [] };
    }),
  });
  const of = (...diffs: readonly Diff[]) =>
    changedTests(diffs, ['src/cart.js'], [{ sha: 'suspect' }]).map(({ path, sha }) => `${path} by ${sha}`);
  const near = diff('near', 'src/cart.js', 'test/sum.test.js');
  t.strictSame(
    of(near, diff('suspect', 'src/cart.js', 'test/amounts.test.js', 'test/sum.test.js')),
    ['test/amounts.test.js by suspect', 'test/sum.test.js by suspect'],
    'those of suspects first, each once',
  );
  const data = ['test/fixtures/a.txt', 'test/__snapshots__/a.js.snap', 'docs/test.md', 'src/sum.js'];
  t.strictSame(of(diff('a', 'src/cart.js', 'test/gone.test.js removed', ...data)), []);
  t.strictSame(of(diff('elsewhere', 'src/other.js', 'test/sum.test.js')), []);
  const sweep = Array.from({ length: 30 }, (_, index) => `test/${index}.test.js`);
  t.strictSame(of(diff('sweep', 'src/cart.js', ...sweep)), [], 'a commit about everything says nothing');
  t.strictSame(of({ ...near, truncated: true }), []);
  t.equal(of(diff('many', 'src/cart.js', ...sweep.slice(0, 9))).length, 3);
});
