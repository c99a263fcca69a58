import t from 'tap';
import { COMEBACK_WORDS, comebacksOf } from '../src/domain/comeback.js';
import type { RunRecord } from '../src/domain/run.js';
import { chapterText, MAX_CHAPTERS, storyText } from '../src/domain/story.js';
import { CulpritError, createEngine, type Run, type RunStory } from '../src/index.js';
import type { Storage } from '../src/store/open-store.js';
import { makeRun, manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import { memoryCodeHost } from '../src/testing/memory-code-host.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const ADA = { name: 'ada', via: 'api' } as const;
const PULL = { number: 7, url: 'https://example.org/pull/7' };
/** After this the state of an issue is read again. */
const LATER = 20 * 60_000;

let made = 0;

/** A repository whose release 2.3.0 is the first one with the fix, and 2.4.1 has it, too. */
function shop() {
  const history = ['2.2.0', 'the fix', '2.3.0', '2.4.1'].map((title, day) => ({
    ...{ title, at: `2026-01-0${day + 1}T00:00:00Z`, write: { [`${day}.js`]: 'x' } },
  }));
  const releases = { '2.2.0': '2.2.0', '2.3.0': '2.3.0', '2.4.1': '2.4.1' };
  const state: { failing: Error | null; asked: number } = { failing: null, asked: 0 };
  const host = memoryCodeHost(history, { repository: 'acme/shop', releases });
  const firstRelease = async (...question: [string, string, AbortSignal]) => {
    state.asked += 1;
    if (state.failing) throw state.failing;
    return host.ancestry?.firstRelease?.(...question) ?? null;
  };
  const tree: typeof host.tree = async (...question) => {
    if (state.failing) throw state.failing;
    return host.tree(...question);
  };
  const ancestry = { contains: async () => null, ...host.ancestry, firstRelease };
  return {
    codeHost: { ...host, tree, ancestry },
    state,
    fix: { commit: host.sha('the fix'), pull_request: PULL },
  };
}

async function bench(storage: Storage = memoryStorage()) {
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const { codeHost, state, fix } = shop();
  const heard: [Run, RunStory | undefined][] = [];
  const notifier = {
    notify: async (run: Run, _: AbortSignal, story?: RunStory) => void heard.push([run, story]),
  };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(storage),
      { id: 'github', setup: () => ({ codeHost, publisher: { ...publisher, listsAtOnce: true } }) },
      { id: 'chat', setup: () => ({ notifier }) },
    ],
    projects: { default: { repository: 'acme/shop' } },
    policy: { quietAfterRejectMs: 0 },
    clock,
  });
  t.teardown(() => engine.close());
  const crash = async (release: string | null, kind = 'a'): Promise<string> => {
    await clock.advance(LATER);
    const sent = { event_id: `crash-${++made}`, message: `boom ${kind}`, fingerprint: [kind] };
    const { run_id } = await engine.ingest({ crash: { ...sent, ...(release === null ? {} : { release }) } });
    return run_id ?? '';
  };
  const publish = async (runId: string, closedBy: typeof fix | null = fix) => {
    await engine.approveGateOne(runId, ADA);
    await engine.approveGateTwo(runId, ADA);
    const { publication } = await engine.run(runId);
    publisher.closeIssue(publication?.number ?? 0, 'completed', closedBy ?? undefined);
  };
  return { engine, storage, crash, publish, clock, fix, code: state, heard };
}

t.test('a regression tells what it was published as, what fixed it and where it is back', async (t) => {
  const { engine, crash, publish, fix, code, heard } = await bench();
  const first = await crash('2.2.0');
  await publish(first);
  t.same((await engine.story(first)).chapters.length, 1, 'it did not come back');
  const second = await crash('2.4.1');
  const story = await engine.story(second);
  const short = fix.commit.slice(0, 7);
  t.match(story, {
    whole: true,
    chapters: [
      {
        ...{ run_id: first, state: 'published', release: '2.2.0', merged_into: null },
        issue: { number: 1, reopened: false },
        closed: { as: 'completed' },
        ...{ fix, fixed_in: '2.3.0' },
      },
      {
        run_id: second,
        state: 'staged_raw',
        release: '2.4.1',
        issue: null,
        closed: null,
        fix: null,
        fixed_in: null,
      },
    ],
  });
  t.equal(storyText(story, second), `published as #1, fixed by #7 in ${short} in 2.3.0, back in 2.4.1`);
  t.equal(storyText(story, first), null, 'the first run has no past');
  t.equal((await engine.run(first)).came_back_as, second, 'the earlier run names the later one');
  t.match((await engine.history(first)).at(-1), { name: 'came_back', detail: { run_id: second } });
  t.same(await engine.story(first), story, 'both runs tell the same');
  t.equal(code.asked, 1, 'the code host is asked once');
  const told = (run: string) => heard.findLast(([one]) => one.run_id === run);
  t.same(told(second)?.[1], story, 'chat gets it');
  t.equal(told(first)?.[0].came_back_as, second, 'and the message of the earlier run changes');

  await publish(second);
  t.match(
    (await engine.run(second)).draft?.body,
    `which was closed by \`#7 in ${short}\`, first released in \`2.3.0\``,
  );
  const third = await crash(null);
  t.equal(
    storyText(await engine.story(third), third),
    `published as #1, fixed by #7 in ${short} in 2.3.0, back in 2.4.1, published as #2, fixed by #7 in ${short} in 2.3.0, back`,
  );
  t.equal((await engine.story(first)).chapters.length, 3);
  await t.rejects(engine.story('run_none'), { code: 'run_not_found' });
});

t.test('what nobody knows is not told: no fix, no release, a code host that fails', async (t) => {
  const { engine, crash, publish, code } = await bench();
  const first = await crash(null);
  await publish(first, null);
  const second = await crash('2.4.1');
  t.match((await engine.story(second)).chapters[0], { release: null, fix: null, fixed_in: null });
  t.equal(storyText(await engine.story(second), second), 'published as #1, closed, back in 2.4.1');
  code.failing = new CulpritError('code_host_unavailable', 'The code host is down.');
  const other = await crash('2.2.0', 'b');
  code.failing = null;
  await publish(other);
  code.failing = new CulpritError('code_host_unavailable', 'The code host is down.');
  const back = await crash('2.4.1', 'b');
  const { chapters } = await engine.story(back);
  t.match(chapters[0], { fix: { pull_request: PULL }, fixed_in: null });
  t.equal(chapters[0] && chapterText(chapters[0])?.includes(' in 2.3.0'), false);
});

t.test(
  'the first release of a run is the one that crashed first, not the one that crashed last',
  async (t) => {
    const { engine, crash } = await bench();
    const run = await crash('2.3.0');
    for (const release of ['2.4.1', '2.3.0', '2.2.0']) await crash(release);
    t.same((await engine.run(run)).releases, ['2.4.1', '2.3.0', '2.2.0']);
    t.equal((await engine.story(run)).chapters[0]?.release, '2.3.0');
  },
);

t.test('merges are followed, to both sides', async (t) => {
  const { engine, crash, publish } = await bench();
  const first = await crash('2.2.0');
  await publish(first);
  const back = await crash('2.4.1');
  const other = await crash('2.4.1', 'b');
  await engine.merge(back, ADA, { into: other });
  const ids = async (run: string) => (await engine.story(run)).chapters.map(({ run_id }) => run_id);
  for (const run of [first, back, other]) t.same(await ids(run), [first, back, other]);
  t.match(storyText(await engine.story(other), other), /^published as #1, fixed by [^,]+, back in 2\.4\.1$/);
  await publish(other);
  const third = await crash('2.4.1');
  for (const run of [first, back, other, third]) t.same(await ids(run), [first, back, other, third]);
});

t.test('runs of an older version, deleted runs and a long story', async (t) => {
  const storage = memoryStorage();
  const gone = new Set<string>();
  const many = new Map<string, RunRecord>();
  let old = true;
  const get: Storage['runStore']['get'] = async (runId) => {
    const found = gone.has(runId) ? null : (many.get(runId) ?? (await storage.runStore.get(runId)));
    if (found === null || !old) return found;
    const { came_back_as: _, ...run } = found.run;
    return { ...found, run };
  };
  const { engine, crash, publish } = await bench({ ...storage, runStore: { ...storage.runStore, get } });
  const runs = [await crash('2.2.0')];
  for (let n = 0; n < 2; n++) {
    await publish(runs.at(-1) ?? '', null);
    runs.push(await crash('2.4.1'));
  }
  const ids = async (run: string) => (await engine.story(run)).chapters.map(({ run_id }) => run_id);
  for (const run of runs) t.same(await ids(run), runs, 'found from the latest run of the fingerprint');
  old = false;
  for (const run of runs) t.same(await ids(run), runs, 'found from one run to the next');
  const [first = '', second = '', third = ''] = runs;
  gone.add(second);
  t.match(await engine.story(first), { chapters: [{ run_id: first }], whole: false });
  t.match(await engine.story(third), { chapters: [{ run_id: third }], whole: false });

  const name = (n: number) => `run_${n}`;
  for (let n = 0; n < 50; n++) {
    const earlier = n === 0 ? null : name(n - 1);
    const run = makeRun('published', {
      run_id: name(n),
      regression_of: earlier,
      came_back_as: name((n + 1) % 50),
    });
    many.set(run.run_id, { run, intent: null, lease: null });
  }
  const told = async (n: number) => {
    const { chapters, whole } = await engine.story(name(n));
    return [chapters[0]?.run_id, chapters.at(-1)?.run_id, chapters.length, whole];
  };
  t.same(await told(49), [name(30), name(49), MAX_CHAPTERS, false]);
  t.same(await told(30), [name(11), name(30), MAX_CHAPTERS, false]);
  t.same(await told(10), [name(0), name(19), MAX_CHAPTERS, false]);
});

t.test('a regression that was rejected, and the next run, which is none', async (t) => {
  const { engine, crash, publish } = await bench();
  const first = await crash('2.2.0');
  await publish(first);
  const back = await crash('2.4.1');
  await engine.rejectGateOne(back, ADA, { reason: 'known' });
  const next = await crash('2.4.1');
  t.match(await engine.run(next), { regression_of: null, generation: 3 });
  t.same((await engine.story(first)).chapters.length, 2, 'the run after a rejection is no regression');
  t.same((await engine.story(next)).chapters.length, 1);
});

t.test('came back has three words: regression, analysis failed, returned by a reviewer', async (t) => {
  const { engine, crash, publish, code } = await bench();
  const first = await crash('2.2.0');
  await publish(first);
  const run = await crash('2.4.1');
  const codes = async () => comebacksOf(await engine.run(run)).map(({ code: one }) => one);
  t.same(await codes(), ['regression']);
  code.failing = new CulpritError('code_host_forbidden', 'The token may not read.');
  await t.rejects(engine.approveGateOne(run, ADA), { code: 'code_host_forbidden' });
  t.same(await codes(), ['regression', 'analysis_failed']);
  code.failing = null;
  await engine.approveGateOne(run, ADA);
  t.same(await codes(), ['regression']);
  await engine.rejectGateTwo(
    run,
    { name: 'grace', via: 'board' },
    { reason: 'The wrong commit.', to: 'staged_raw' },
  );
  t.match(comebacksOf(await engine.run(run)), [
    { code: 'regression', run_id: first },
    { code: 'returned', by: 'grace', reason: 'The wrong commit.' },
  ]);
  const { runs } = await engine.runs({ states: ['staged_raw'], limit: 1 });
  t.match(runs[0]?.returned, { reason: 'The wrong commit.' }, 'lists have the reason');
  await engine.snooze(run, ADA, { until: { kind: 'release' } });
  await engine.wake(run, ADA);
  t.same(await codes(), ['regression', 'returned'], 'a snooze does not forget it');
  await engine.approveGateOne(run, ADA);
  t.same(await codes(), ['regression'], 'until Gate 1 is approved again');
  await engine.rejectGateTwo(run, ADA, { reason: 'no', to: 'rejected' });
  t.same(await codes(), ['regression']);
  t.same(Object.keys(COMEBACK_WORDS), ['regression', 'analysis_failed', 'returned']);
});
