import t from 'tap';
import { durationText, RELEASE_LIMITS } from '../src/domain/release.js';
import { createEngine, type EngineOptions } from '../src/index.js';
import { replay } from '../src/pipeline/evidence/replay.js';
import { PLACE } from '../src/pipeline/rank/reason-wording.js';
import { ReleaseTally } from '../src/pipeline/releases/release-tally.js';
import {
  countCrash,
  countsOf,
  MAX_COUNTED,
  merged,
  NO_TALLY,
  nothingCounted,
} from '../src/pipeline/releases/tally-counts.js';
import type { Values } from '../src/ports/values.js';
import { Runs } from '../src/runs/runs.js';
import { Tasks } from '../src/runs/tasks.js';
import { silentLogger } from '../src/system.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import { memoryCodeHost } from '../src/testing/memory-code-host.js';
import { memoryStorage } from '../src/testing/memory-storage.js';
import { injectionCorpus } from './support/injection-corpus.js';

const ADA = { name: 'ada', via: 'api' } as const;
const MINUTE = 60_000;
const START = '2026-01-10T12:00:00.000Z';
const CART = 'export function total(items) {\n  return items.sum;\n}\n';

/** A shop whose second release brought two commits; one of them broke the cart. */
const host = memoryCodeHost(
  [
    { title: 'Start', at: '2026-01-01T00:00:00Z', write: { 'src/cart.js': CART } },
    { title: 'Tax', at: '2026-01-05T00:00:00Z', write: { 'src/cart.js': CART.replace('.sum', '.sum.tax') } },
    { title: 'Readme', at: '2026-01-06T00:00:00Z', write: { 'README.md': 'shop' } },
    { title: 'Fix', at: '2026-01-10T11:00:00Z', write: { 'src/cart.js': CART } },
    { title: 'Later', at: '2026-01-10T11:30:00Z', write: { 'a.md': 'a' } },
  ],
  { repository: 'acme/shop' },
);
const crashOf = (id: string, release: string | null, environment: string | null = 'production') => ({
  event_id: id,
  message: 'no tax',
  platform: 'node',
  ...(release === null ? {} : { release }),
  ...(environment === null ? {} : { environment }),
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'no tax',
        stacktrace: { frames: [{ filename: 'src/cart.js', function: 'total', lineno: 2, in_app: true }] },
      },
    ],
  },
});

async function bench(t: { teardown(work: () => unknown): unknown }, options: Partial<EngineOptions> = {}) {
  const clock = manualClock(START);
  const storage = memoryStorage();
  const publisher = memoryPublisher({ clock });
  const { firstRelease: _none, ...ancestry } = host.ancestry ?? { contains: async () => null };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(storage),
      { id: 'code', setup: () => ({ codeHost: { ...host, ancestry }, publisher }) },
    ],
    projects: { default: { repository: 'acme/shop' }, shop: {} },
    clock,
    ...options,
  });
  t.teardown(() => engine.close());
  return { engine, clock, releases: engine.releases, publisher, storage };
}

t.test('a release has commits by range, deploys and facts; bad input is refused', async (t) => {
  const { releases, clock } = await bench(t);
  const first = await releases.record('default', '1.0.0');
  t.match(first, { created: true, release: { created_at: START, commits: null, deploys: [] } });
  t.equal((await releases.record('default', '1.0.0', { url: 'https://ci.example/1' })).created, false);
  await releases.setCommits('default', '1.0.0', { commit: host.sha('Start') });
  await clock.advance(MINUTE);
  await releases.record('default', '2.0.0');
  const set = await releases.setCommits('default', '2.0.0', { commit: host.sha('Readme') });
  t.match(set, {
    commit: host.sha('Readme'),
    previous_commit: host.sha('Start'),
    commits: 2,
    more_commits: false,
  });
  t.same(
    (await releases.commits('default', '2.0.0'))?.map(({ title }) => title),
    ['Readme', 'Tax'],
  );
  t.equal((await releases.before('default', '2.0.0'))?.version, '1.0.0');
  const sent = await releases.setCommits('default', '2.0.0', {
    commits: [
      { sha: host.sha('Tax').toUpperCase(), title: 'key AKIAIOSFODNN7EXAMPLE\nmore', committed_at: null },
    ],
  });
  t.equal(sent.commits, 1);
  const [kept] = (await releases.commits('default', '2.0.0')) ?? [];
  t.equal(kept?.sha, host.sha('Tax'));
  t.notMatch(kept?.title, /AKIA|more/, 'one line, without secrets');
  t.match(await releases.setCommits('default', '2.0.0', null), { commit: null, commits: null });
  const deploy = { environment: 'production', finished_at: START };
  await releases.deploy('default', '2.0.0', deploy);
  await releases.deploy('default', '2.0.0', deploy);
  t.equal((await releases.find('default', '2.0.0'))?.deploys.length, 1, 'a repeated deploy is one');
  const page = await releases.page({ projects: ['default', 'shop'], from: 0, limit: 1 });
  t.match(page, { total: 2, releases: [{ version: '2.0.0' }] });

  const malformed = { code: 'malformed' };
  for (const version of ['', ' a', 'a\nb', '..', 'a\ud83d', 'x'.repeat(201)])
    await t.rejects(releases.record('default', version), malformed, JSON.stringify(version));
  await t.rejects(releases.record('nobody', '1'), { code: 'not_found' });
  for (const url of ['javascript:alert(1)', 'https://user:pass@example.org/', 'nothing'])
    await t.rejects(releases.record('default', '1.0.0', { url }), malformed);
  await t.rejects(releases.record('default', '1.0.0', { started_at: 'yesterday' }), malformed);
  await t.rejects(releases.setCommits('default', '1.0.0', { commit: '--output=x' }), malformed);
  await t.rejects(releases.setCommits('default', '1.0.0', { commit: 'abcdef1' }), malformed, 'unknown there');
  for (const commit of ['nosuchtag', '--output=x'])
    await t.rejects(releases.record('default', '9.9.9', {}, { commit }), malformed, commit);
  t.equal(await releases.find('default', '9.9.9'), null, 'nothing is recorded with commits that are refused');
  const both = await releases.record('default', '3.0.0', {}, { commit: host.sha('Readme') });
  t.match(both, { created: true, release: { commit: host.sha('Readme'), commits: 2 } });
  await releases.remove('default', '3.0.0');
  await t.rejects(releases.deploy('default', '1.0.0', { environment: ' ' }), malformed);
  const backwards = {
    environment: 'production',
    started_at: '2026-01-05T09:00:00Z',
    finished_at: '2026-01-05T08:00:00Z',
  };
  await t.rejects(releases.deploy('default', '1.0.0', backwards), malformed, 'ends before it starts');
  await t.rejects(releases.deploy('default', '9', { environment: 'production' }), { code: 'not_found' });
  await releases.remove('default', '2.0.0');
  t.equal(await releases.find('default', '2.0.0'), null);
  await t.rejects(releases.remove('default', '2.0.0'), { code: 'not_found' });
});

t.test('the oldest release of a project is dropped beyond the bound', async (t) => {
  const { releases, clock } = await bench(t);
  for (let number = 0; number <= RELEASE_LIMITS.releases; number++) {
    await releases.record('shop', `1.0.${number}`);
    await clock.advance(1_000);
  }
  const versions = await releases.versions('shop');
  t.equal(versions.length, RELEASE_LIMITS.releases);
  t.equal(versions[0]?.version, `1.0.${RELEASE_LIMITS.releases}`);
  t.equal(await releases.find('shop', '1.0.0'), null);
});

t.test(
  'a run shows the deploy before its first crash, and its evidence derives the same draft',
  async (t) => {
    const { engine, releases, clock } = await bench(t);
    const without = await engine.ingest({ crash: crashOf('before', null, null) });
    await engine.approveGateOne(without.run_id ?? '', ADA);
    const plain = await engine.run(without.run_id ?? '');
    t.notOk('release_window' in plain && plain.release_window, 'nothing is recorded yet');
    await engine.rejectGateOne(without.run_id ?? '', ADA, { reason: 'again' }).catch(() => {});

    await releases.record('default', 'shop@1.0.0');
    await releases.setCommits('default', 'shop@1.0.0', { commit: host.sha('Start') });
    await clock.advance(MINUTE);
    await releases.record('default', 'shop@2.0.0');
    await releases.setCommits('default', 'shop@2.0.0', { commit: host.sha('Readme') });
    await releases.deploy('default', 'shop@2.0.0', { environment: 'staging' });
    await releases.deploy('default', 'shop@2.0.0', { environment: 'production' });
    await clock.advance(4 * MINUTE);
    const crash = { ...crashOf('after', 'shop@2.0.0'), fingerprint: ['other'] };
    const runId = (await engine.ingest({ crash })).run_id ?? '';
    await engine.approveGateOne(runId, ADA);
    const run = await engine.run(runId);
    t.match(run.release_window, {
      version: 'shop@2.0.0',
      commits: 2,
      deploy: { environment: 'production', after_ms: 4 * MINUTE },
    });
    t.match(
      run.draft?.body,
      /- \*\*First crash\*\* 4 minutes after the deploy of release `shop@2\.0\.0` to `production`, which brought 2 commits\n/,
    );
    t.match(
      run.revision,
      { sha: host.sha('Readme'), how: 'release' },
      'from the record: there is no such tag',
    );
    const [suspect] = run.suspects;
    t.equal(suspect?.sha, host.sha('Tax'));
    t.match(suspect?.reasons[Math.min(PLACE, (suspect?.reasons.length ?? 1) - 1)], {
      code: 'in_release',
      text: 'is one of the 2 commits that release `shop@2.0.0` brought',
    });
    t.match(run.draft?.body, /is one of the 2 commits that release `shop@2\.0\.0` brought/);
    t.match(await engine.brief(runId), /after the deploy of release `shop@2\.0\.0`/);
    const derived = await replay(await engine.evidence(runId));
    t.same(derived.draft, run.draft);
    t.same(derived.suspects, run.suspects);
    const { config, ...rest } = await engine.evidence(runId);
    const { releaseWindow: _window, ...unreleased } = config;
    const ranked = await replay({ ...rest, config: unreleased });
    t.same(
      ranked.suspects.map(({ sha, probability }) => [sha, probability]),
      run.suspects.map(({ sha, probability }) => [sha, probability]),
      'the order and the probabilities are those without deploys',
    );
    const staging = { ...crashOf('staging', 'shop@2.0.0', 'test'), fingerprint: ['third'] };
    const third = (await engine.ingest({ crash: staging })).run_id ?? '';
    await engine.approveGateOne(third, ADA);
    t.match(
      (await engine.run(third)).release_window,
      { version: 'shop@2.0.0', deploy: null },
      'not deployed there',
    );
  },
);

t.test('hostile names of releases and environments stay text', async (t) => {
  const { releases } = await bench(t);
  const cases = injectionCorpus().flatMap((one) => one.cases.map(({ text }) => text));
  let recorded = 0;
  for (const text of cases) {
    const version = text.slice(0, 200).trim();
    const made = await releases.record('default', version).catch(() => null);
    if (made === null) continue;
    recorded += 1;
    t.equal((await releases.find('default', version))?.version, version);
  }
  t.ok(recorded > 100, `${recorded} are versions`);
});

t.test(
  'a fix in the next release is not in any recorded one; the first release with a fix is recorded',
  async (t) => {
    const { engine, releases, clock, publisher } = await bench(t);
    const runId = (await engine.ingest({ crash: crashOf('one', '2.0.0') })).run_id ?? '';
    await engine.approveGateOne(runId, ADA);
    await engine.approveGateTwo(runId, ADA);
    for (const [version, title] of [
      ['2.0.0', 'Readme'],
      ['2.1.0', 'Readme'],
    ] as const) {
      await releases.record('default', version);
      await releases.setCommits('default', version, { commit: host.sha(title) });
      await clock.advance(MINUTE);
    }
    await engine.resolve(runId, ADA, { next_release: true });
    t.same((await engine.run(runId)).resolution?.not_in, ['2.0.0', '2.1.0']);
    await clock.advance(20 * MINUTE);
    const old = await engine.ingest({ crash: crashOf('two', '2.1.0') });
    t.equal(old.run_id, runId, 'counted, though the run never crashed in this release');
    for (const [version, title] of [
      ['2.2.0', 'Fix'],
      ['2.3.0', 'Later'],
    ] as const) {
      await releases.record('default', version);
      await releases.setCommits('default', version, { commit: host.sha(title) });
      await clock.advance(MINUTE);
    }
    t.not((await engine.ingest({ crash: crashOf('three', '2.3.0') })).run_id, runId, 'a regression');
    const other = { ...crashOf('four', '2.0.0'), fingerprint: ['other'] };
    const second = (await engine.ingest({ crash: other })).run_id ?? '';
    await engine.approveGateOne(second, ADA);
    await engine.approveGateTwo(second, ADA);
    const { publication } = await engine.run(second);
    const fix = { commit: host.sha('Fix'), pull_request: null };
    publisher.closeIssue(publication?.number ?? 0, 'completed', fix);
    await clock.advance(20 * MINUTE);
    const again = { ...other, event_id: 'five', release: '2.3.0' };
    const back = (await engine.ingest({ crash: again })).run_id ?? '';
    t.not(back, second, 'a regression');
    t.match((await engine.story(back)).chapters, [{ fix, fixed_in: '2.2.0' }, { run_id: back }]);
    const counts = await releases.counts('default');
    const of = (name: string) => counts.find(({ version }) => version === name);
    t.match(of('2.3.0'), { crashes: 2, new_runs: 0, regressed_runs: 2 });
    t.match(of('2.0.0'), { crashes: 2, new_runs: 2, regressed_runs: 0 });
    t.match(of('2.1.0'), { crashes: 1, new_runs: 0, regressed_runs: 0 });
  },
);

t.test('counts: shares of the last hour and day, and names that only crashes invent give way', async (t) => {
  const { engine, releases, clock } = await bench(t);
  const send = (id: string, release: string | null) => engine.ingest({ crash: crashOf(id, release) });
  await send('a1', '1.0.0');
  await clock.advance(3 * 60 * MINUTE);
  await send('b1', '2.0.0');
  await send('b2', '2.0.0');
  await send('c1', null);
  await send('b2', '2.0.0');
  const counts = await releases.counts('default');
  t.match(counts, [
    { version: '2.0.0', crashes: 2, hour_share: 2 / 3, day_share: 0.5 },
    { version: '1.0.0', crashes: 1, hour_share: 0, day_share: 0.25 },
  ]);
  await clock.advance(48 * 60 * MINUTE);
  t.match(await releases.counts('default'), [{ hour_share: null, day_share: null }, {}]);

  const now = Date.parse(START);
  const counted = nothingCounted();
  for (let at = 0; at < 10; at++) countCrash(counted, 'real', now);
  const real = merged(NO_TALLY, counted, now, new Set());
  const junk = nothingCounted();
  for (let at = 0; at < 3 * MAX_COUNTED; at++) countCrash(junk, `junk ${at}`, now + at);
  countCrash(junk, 'recorded', now);
  const flooded = countsOf(merged(real, junk, now, new Set(['recorded'])), now);
  t.equal(flooded.length, MAX_COUNTED);
  t.ok(flooded.some(({ version }) => version === 'real'));
});

t.test('durations are in one unit, rounded down', async (t) => {
  t.same(
    [0, 59_999, MINUTE, 119 * MINUTE, 120 * MINUTE, 47 * 60 * MINUTE, 49 * 60 * MINUTE].map(durationText),
    ['less than a minute', 'less than a minute', '1 minute', '119 minutes', '2 hours', '47 hours', '2 days'],
  );
});

t.test('counts: a project that cannot be stored costs the others nothing', async (t) => {
  const storage = memoryStorage();
  let broken = true;
  const away = () => Promise.reject(new Error('Away.'));
  const values: Values = {
    ...storage.values,
    get: (key) => storage.values.get(key),
    change: (key, decide, ttl) =>
      broken && key.includes('first') ? away() : storage.values.change(key, decide, ttl),
  };
  const clock = manualClock(START);
  const store = { ...storage.runStore, get: away };
  const runs = new Runs(store, storage.statusFeed, clock, new Tasks(silentLogger));
  const tally = new ReleaseTally(runs, values, clock, silentLogger);
  const items = ['first', 'second'].map((project, index) => ({
    sequence: index + 1,
    occurrence: {
      candidate_run_id: `run_${project}`,
      event: { project, release: '1.0.0', received_at: START },
    },
  })) as unknown as Parameters<ReleaseTally['add']>[1];
  const outcomes = ['first', 'second'].map((project) => ({
    outcome: 'accepted',
    run_id: `run_${project}`,
  })) as unknown as Parameters<ReleaseTally['add']>[2];
  tally.add('edge-1', items, outcomes);
  await t.rejects(tally.counts('second'), { message: 'Away.' });
  broken = false;
  t.match(await tally.counts('second'), [{ version: '1.0.0', crashes: 1, new_runs: 1 }]);
  t.same(await tally.counts('first'), []);
  await tally.dispose();
});
