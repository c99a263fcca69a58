import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import type { Finding, Investigated } from '../../src/domain/investigation.js';
import { analyse } from '../../src/pipeline/analyse.js';
import type { AnalysisParts } from '../../src/pipeline/analysis.js';
import { replay } from '../../src/pipeline/evidence/replay.js';
import { checkFinding } from '../../src/pipeline/investigate/check-finding.js';
import { derive } from '../../src/pipeline/investigate/derive.js';
import {
  fitProbability,
  type JudgedFinding,
  MIN_FITTED,
  probabilityOf,
  verdictOf,
} from '../../src/pipeline/investigate/probability.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import { manualClock } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { LONG_SHOP, shopInput } from './shop-history.js';

const { signal } = new AbortController();
const host = () => memoryCodeHost(LONG_SHOP, { releases: { 'shop@1.4.0': 'Say more in the README' } });
const partsOf = (codeHost: CodeHost): AnalysisParts => ({
  ...{ codeHost, explainers: [], explainMs: 60_000, clock: manualClock(), signal },
});

async function shop() {
  const codeHost = host();
  const ranked = await analyse(shopInput(), partsOf(codeHost));
  const blame = await codeHost.blame('shop/shop', ranked.revision?.sha ?? '', ['src/server.js'], signal);
  const server = blame.recent.find(({ title }) => title === 'Serve the cart')?.sha ?? '';
  return { codeHost, ranked, server };
}

function investigatedOf(sha: string, more: Partial<Investigated> = {}): Investigated {
  const finding: Finding = {
    commits: [sha],
    mechanism: 'passes a cart without items',
    place: { path: 'src/server.js', line: 3 },
    quote: '  return cart.total(request.cart)',
    probability: 0.9,
    none_probability: 0.05,
  };
  const checks = [{ code: 'commits_exist', ok: true, detail: null } as const];
  return {
    by: { kind: 'model', name: 'test-model', person: null },
    ...{ finding, checks, probability: 0.72, measured: false, questions: 3, prompt: '1', asked: [] },
    ...more,
  };
}

t.test('a finding puts its commit first; the ranking alone gives the former bytes back', async (t) => {
  const { codeHost, ranked, server } = await shop();
  t.not(ranked.suspects[0]?.sha, server);
  const found = await derive(ranked.evidence, investigatedOf(server), partsOf(codeHost));
  const [first, second] = found.suspects;
  t.match(first, { sha: server, probability: 0.72, verdict: 'likely', unrated: undefined });
  t.match(first?.found_by, { by: { name: 'test-model' }, questions: 3, measured: false });
  t.match(first?.reasons[0], { code: 'investigated', place: { path: 'src/server.js', line: 3 } });
  t.ok(first?.hunk?.lines.some(({ text }) => text.includes('cart.total(request.cart)')));
  t.equal(second?.sha, ranked.suspects[0]?.sha, 'then the ranking’s order');
  t.match(second, { probability: null, unrated: { code: 'investigated' }, verdict: 'recent' });
  t.match(found.draft.body, 'The model `test-model` named this commit after 3 questions to the repository.');
  t.match(found.draft.body, '72 %, not measured with this investigator');
  t.match(found.draft.body, '`passes a cart without items`', 'its words only as code');
  t.match(found.draft.body, 'Checked by Culprit');
  t.match(found.draft.labels, ['culprit', 'suspect:likely']);

  const again = await replay(found.evidence);
  t.equal(again.draft.digest, found.draft.digest, 'replay derives the same draft');
  t.same(again.suspects, found.suspects);
  const alone = await derive(found.evidence, null, partsOf(codeHost));
  t.equal(alone.draft.digest, ranked.draft.digest);
  t.same(alone.suspects, ranked.suspects);
  t.equal(JSON.stringify(alone.evidence), JSON.stringify(ranked.evidence));
});

t.test('a suspect of the ranking keeps its reasons behind the finding’s', async (t) => {
  const { codeHost, ranked } = await shop();
  const [, second] = ranked.suspects;
  const found = await derive(ranked.evidence, investigatedOf(second?.sha ?? ''), partsOf(codeHost));
  t.equal(found.suspects[0]?.sha, second?.sha);
  t.same(found.suspects[0]?.reasons.slice(1), second?.reasons);
});

t.test('checks what a finding claims', async (t) => {
  const { codeHost, ranked, server } = await shop();
  const revision = ranked.revision?.sha ?? '';
  const files: Readonly<Record<string, readonly string[]>> = {
    'src/server.js': ['a', 'b', 'c', 'd'],
    '.env': ['K=1'],
  };
  const questions = {
    contained: async (_repository: string, _revision: string, commit: string) =>
      server.startsWith(commit) ? server : null,
    lines: async (_repository: string, _revision: string, path: string) => files[path] ?? null,
  };
  const { finding } = investigatedOf(server.slice(0, 10));
  const scrub = (text: string) => text;
  const check = (change: Partial<Finding>) =>
    checkFinding(
      { ...finding, ...change },
      { codeHost, questions, repository: 'shop/shop', revision, scrub, signal },
    );
  const good = await check({});
  t.same(
    good.checks.map(({ ok }) => ok),
    [true, true, true],
  );
  t.same(good.finding.commits, [server], 'abbreviated commits become whole');
  t.match(
    (await check({ quote: 'return cart.total( request.cart );' })).checks[1],
    { ok: true },
    'white space does not count',
  );
  t.match(
    (await check({ quote: '+  return cart.total(request.cart)' })).checks[1],
    { ok: true },
    'nor the sign of a diff',
  );
  const signed = await check({ quote: '+return cart.total( request.cart )' });
  t.equal(signed.finding.quote, 'return cart.total(request.cart)', 'the quote becomes the line of the diff');
  for (const quote of ['  } ;', '   ', '});'])
    t.match(
      (await check({ quote })).checks[1],
      { code: 'quote_in_diff', ok: false },
      'a line that is in every diff',
    );
  const wrong = await check({ quote: 'return nothing()', place: { path: 'src/server.js', line: 5 } });
  t.match(wrong.checks, [
    { ok: true },
    { code: 'quote_in_diff', ok: false },
    { code: 'place_exists', ok: false },
  ]);
  const unknown = await check({ commits: [server, 'abcdef123456'] });
  t.match(unknown.checks, [
    { code: 'commits_exist', ok: false, detail: 'abcdef123456' },
    { code: 'place_exists' },
  ]);
  t.match(
    (await check({ place: { path: '.env', line: 1 } })).checks[2],
    { ok: false },
    'denied files are no place',
  );
});

t.test('a probability comes from a fit of the same model; without one it is shrunk', async (t) => {
  const facts = { stated: 0.99, ranking: 0.6, agreement: true, questions: 5 };
  const unknown = probabilityOf(facts, null);
  t.equal(unknown.measured, false);
  t.equal(
    probabilityOf({ ...facts, questions: 0 }, null).probability,
    unknown.probability,
    'asking nothing gains nothing',
  );
  t.ok(unknown.probability <= 0.8 && unknown.probability > 0.5);
  t.not(verdictOf(unknown.probability), 'auto', 'an unmeasured model is never nearly certain');
  const judged = (right: (index: number) => boolean): JudgedFinding[] =>
    Array.from({ length: 80 }, (_, index) => ({
      stated: index % 2 === 0 ? 0.9 : 0.4,
      ranking: 0,
      agreement: null,
      questions: 7,
      right: right(index),
    }));
  t.equal(fitProbability(judged(() => true).slice(0, MIN_FITTED - 1)), null, 'too few findings');
  const honest = fitProbability(judged((index) => (index % 2 === 0 ? index % 20 !== 0 : index % 5 === 0)));
  const of = (stated: number) => probabilityOf({ stated, ranking: 0, agreement: null, questions: 7 }, honest);
  t.ok(Math.abs(of(0.9).probability - 0.9) < 0.08, `${of(0.9).probability}`);
  t.ok(of(0.4).probability < 0.4);
  t.equal(of(0.9).measured, true);
  const boaster = fitProbability(judged((index) => index % 4 === 0));
  t.ok(probabilityOf({ stated: 0.9, ranking: 0, agreement: null, questions: 7 }, boaster).probability < 0.65);
});

interface Transcript {
  readonly sample: number;
  readonly repository: string;
  readonly culprits: readonly string[];
  readonly leak?: true;
  readonly ranking: {
    readonly suspects: readonly { readonly sha: string; readonly probability: number | null }[];
  };
  readonly finding?: Finding | null;
  readonly checks?: readonly { readonly ok: boolean }[];
  readonly agreement: boolean | null;
  readonly rounds: readonly { readonly asked: number }[];
}

t.test('the findings at the desk, recorded: a fit of one sample holds for the other', async (t) => {
  const file = new URL('../../../../bench/data/investigations.jsonl.gz', import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const transcripts = lines.map((line) => JSON.parse(line) as Transcript).filter(({ leak }) => leak !== true);
  t.equal(transcripts.length, 107);
  const judgedOf = (sample: number): JudgedFinding[] =>
    transcripts.flatMap((one) => {
      const { finding, checks = [], ranking, culprits, agreement, rounds } = one;
      if (one.sample !== sample || !finding || checks.length === 0 || checks.some(({ ok }) => !ok)) return [];
      const [first = ''] = finding.commits;
      const own = ranking.suspects.find(({ sha }) => sha.startsWith(first.slice(0, 10)));
      const right = culprits.some((sha) => sha.startsWith(first.slice(0, 10)));
      const questions = rounds[0]?.asked ?? 0;
      return { stated: finding.probability, ranking: own?.probability ?? 0, agreement, questions, right };
    });
  const [first, second] = [judgedOf(1), judgedOf(2)];
  t.same([first.length, second.length], [63, 37]);
  const fit = fitProbability(first);
  const rated = second.map((one) => ({ ...one, ...probabilityOf(one, fit) }));
  const share = (list: readonly { readonly right: boolean }[]) =>
    list.filter(({ right }) => right).length / list.length;
  t.equal(share(rated.filter(({ probability }) => probability >= 0.9)), 1);
  t.ok(share(rated.filter(({ probability }) => probability >= 0.7)) >= 0.8);
  t.ok(share(rated.filter(({ probability }) => probability < 0.5)) <= 0.6);
  const unmeasured = [...first, ...second].map((one) => ({ ...one, ...probabilityOf(one, null) }));
  t.notOk(unmeasured.some(({ probability }) => verdictOf(probability) === 'auto'));
  t.ok(
    share(unmeasured.filter(({ probability }) => verdictOf(probability) === 'likely')) >= 0.85,
    'shrunk, it is too modest',
  );
});
