import t from 'tap';
import { historyGap } from '../../src/domain/history-gap.js';
import { furtherGaps, readSuspect, remedyOf, type Suspect } from '../../src/domain/suspect.js';
import { createEngine } from '../../src/index.js';
import { analyse } from '../../src/pipeline/analyse.js';
import { rated } from '../../src/pipeline/rank/verdicts.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import type { Explainer } from '../../src/ports/explainer.js';
import { makeFrame } from '../../src/testing/builders.js';
import { manualClock, memoryStorageConnector } from '../../src/testing/index.js';
import { type MemoryCodeHostOptions, memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { CULPRIT_TITLE, LONG_SHOP, SHOP, shopInput } from './shop-history.js';

const RELEASED = { 'shop@1.4.0': 'Say more in the README' };
const shop = (options: MemoryCodeHostOptions = {}) =>
  memoryCodeHost(LONG_SHOP, { releases: RELEASED, ...options });
const partsOf = (codeHost: CodeHost, explainers: readonly Explainer[] = []) => ({
  ...{ codeHost, explainers, explainMs: 60_000, clock: manualClock() },
  signal: new AbortController().signal,
});

t.test('a probability that was not measured is neither shown nor called likely', async (t) => {
  const young = await analyse(shopInput(), partsOf(memoryCodeHost(SHOP, { releases: RELEASED })));
  const [first] = young.suspects;
  const few = { code: 'few_commits', commits: 100 } as const;
  t.match(first, { verdict: 'recent', probability: null, unrated: { ...few, standing: 'clear' } });
  t.notMatch(JSON.stringify(young), /"probability":[\d.]/, 'nor stored: in no step and no evidence');
  const older = readSuspect({ ...(first as Suspect), probability: 0.79, unrated: few });
  t.strictSame(older, first, 'one that an older version stored');
  t.match(
    young.draft.body,
    '**Possible cause** (no probability: Culprit’s accuracy was measured only in repositories with at least 100 commits)',
  );
  t.notMatch(young.draft.body, /\d %/);
  t.strictSame(young.draft.labels, ['culprit', 'suspect:none']);
  const facts = { probability: 0.99, ageDays: 3, commits: 100, unrated: null, native: false };
  const of = (more: Partial<typeof facts>) => rated({ ...facts, ...more });
  t.strictSame(of({}), { verdict: 'auto' });
  t.strictSame(of({ probability: 0.72 }), { verdict: 'likely' });
  t.strictSame(of({ probability: 0.2, ageDays: 4_000 }), { verdict: 'recent' });
  t.match(of({ probability: 0.2, commits: 3 }), { verdict: 'recent', unrated: few }, 'a rival, too');
  t.match(of({ commits: 40 }), { verdict: 'likely', unrated: few }, 'less than very likely');
  t.match(of({ commits: 8 }), { verdict: 'recent', unrated: few });
  t.match(of({ probability: 0.72, ageDays: 3_000 }), { verdict: 'recent', unrated: { code: 'old_change' } });
  t.match(of({ ageDays: 3_000 }), { verdict: 'recent', unrated: { code: 'old_change', days: 180 } });
  t.match(of({ probability: 0.72, commits: 3 }), { unrated: { code: 'few_commits' } });
  t.strictSame(of({ native: true }), { verdict: 'recent' });
});

t.test('the analysis of another commit than the crashed one is not rated', async (t) => {
  const input = shopInput();
  const event = { ...input.event, commit: 'f'.repeat(40) };
  const { suspects, revision, draft } = await analyse({ ...input, event }, partsOf(shop()));
  t.equal(suspects[0]?.title, CULPRIT_TITLE);
  t.match(suspects[0], { verdict: 'recent', unrated: { code: 'revision_missing' } });
  t.match(revision?.gaps, [{ code: 'revision_missing', named: 'f'.repeat(40), command: /^git fetch/ }]);
  t.match(draft.body, /The crash names commit ffffffffffff, which is not in the repository/);
});

t.test('a file that was moved since is named with the commit that moved it', async (t) => {
  const { suspects, draft } = await analyse(shopInput(), partsOf(shop({ ignored: ['Format everything'] })));
  const moved = suspects[0]?.reasons.find(({ code }) => code === 'moved_from');
  const by = shop().sha('Move the cart to src');
  t.match(moved, { from: 'lib/cart.js', to: 'src/cart.js', by });
  t.match(draft.body, `moved from \`lib/cart.js\` to \`src/cart.js\` in \`${by.slice(0, 7)}\``);
  t.match(draft.body, `in \`lib/cart.js\`, moved to \`src/cart.js\` in \`${by.slice(0, 7)}\`:`);
});

t.test('a crash in a submodule says so instead of nothing', async (t) => {
  const host = shop();
  const tree: CodeHost['tree'] = async (...asked) => ({
    ...(await host.tree(...asked)),
    submodules: ['vendor/pay'],
  });
  const input = shopInput();
  const [exception] = input.event.exceptions;
  const inside = makeFrame({ file: '/srv/shop/vendor/pay/src/charge.js', function: 'charge', in_app: true });
  const with_ = (frames: readonly ReturnType<typeof makeFrame>[]) => ({
    ...input,
    event: { ...input.event, exceptions: exception ? [{ ...exception, frames }] : [] },
  });
  const alone = await analyse(with_([inside]), partsOf({ ...host, tree }));
  t.match(alone, { no_suspect: { code: 'in_submodule' }, revision: { gaps: [{ path: 'vendor/pay' }] } });
  t.match(alone.draft.body, /\*\*No suspect\.\*\* The crashed code is in a submodule/);
  t.notMatch(alone.draft.body, /### (?:Blame|Explanation)/);
  for (const code of ['of_a_newer_core', 'constructor']) t.match(remedyOf(code).text, /^Update this program/);
  const called = await analyse(with_([...(exception?.frames ?? []), inside]), partsOf({ ...host, tree }));
  t.match(called.revision?.gaps, [{ code: 'submodule', path: 'vendor/pay' }]);
  t.equal(called.suspects[0]?.title, CULPRIT_TITLE);
});

t.test('a gap that the reason tells of is not shown beside it', async (t) => {
  const gaps = [
    historyGap({ code: 'shallow', since: '2026-01-01T00:00:00Z' }),
    historyGap({ code: 'missing_content' }),
  ];
  const codes = (none: Parameters<typeof furtherGaps>[1]) => furtherGaps(gaps, none).map(({ code }) => code);
  t.strictSame(codes({ code: 'history_ends' }), ['missing_content']);
  t.strictSame(codes({ code: 'no_mapped_frame' }), ['shallow', 'missing_content']);
  t.strictSame(codes(null), ['shallow', 'missing_content']);
  t.strictSame(furtherGaps(undefined, null), []);
});

t.test('the outlook before Gate 1 says what stands in the way of a suspect', async (t) => {
  const host = shop();
  const tree: CodeHost['tree'] = async (...asked) => ({
    ...(await host.tree(...asked)),
    gaps: [{ code: 'shallow', since: '2026-01-01T00:00:00Z' }],
  });
  const engine = await createEngine({
    connectors: [memoryStorageConnector(), { id: 'shallow', setup: () => ({ codeHost: { ...host, tree } }) }],
    projects: { default: { repository: host.repository }, bare: {} },
  });
  t.teardown(() => engine.close());
  const outlook = async (project: string, filename: string) => {
    const frames = [{ filename, function: 'total', lineno: 2, in_app: true }];
    const values = [{ type: 'TypeError', value: filename, stacktrace: { frames } }];
    const { run_id } = await engine.ingest({
      crash: { event_id: `${project}${filename.replaceAll('/', '.')}`, exception: { values } },
      project,
    });
    return (await engine.stack(run_id ?? '')).outlook;
  };
  const gaps = [{ code: 'shallow', command: 'git fetch --unshallow' }];
  t.match(await outlook('default', '/srv/shop/src/cart.js'), { no_suspect: null, gaps });
  t.match(await outlook('default', '/srv/elsewhere.js'), { no_suspect: { code: 'no_mapped_frame' }, gaps });
  t.match(await outlook('bare', '/srv/shop/src/cart.js'), { no_suspect: { code: 'no_code_host' }, gaps: [] });
});
