import t from 'tap';
import type { PublishedIssue, Publisher } from '../src/connector/index.js';
import { CulpritError, createEngine, type Engine } from '../src/index.js';
import { replay } from '../src/pipeline/evidence/replay.js';
import type { Storage } from '../src/store/open-store.js';
import { makeDelivery } from '../src/testing/builders.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import type { ManualClock } from '../src/testing/manual-clock.js';
import { memoryCodeHost } from '../src/testing/memory-code-host.js';
import type { MemoryPublisher } from '../src/testing/memory-publisher.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;
const MINUTES = 60_000;

interface Bench {
  readonly engine: Engine;
  readonly publisher: MemoryPublisher;
  readonly clock: ManualClock;
  readonly storage: Storage;
  /** One more crash with the same fingerprint; resolves with its run. */
  crash(kind?: string): Promise<string>;
  /** Approves both gates. */
  publish(runId: string): Promise<void>;
}

let made = 0;

async function bench(over: Partial<Publisher> = {}, storage = memoryStorage()): Promise<Bench> {
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const engine = await start(storage, { ...publisher, listsAtOnce: true, ...over }, clock);
  return {
    engine,
    publisher,
    clock,
    storage,
    crash: (kind) => crashOf(engine, kind),
    publish: async (runId) => {
      await engine.approveGateOne(runId, REVIEWER);
      await engine.approveGateTwo(runId, REVIEWER);
    },
  };
}

function start(storage: Storage, publisher: Publisher, clock: ManualClock): Promise<Engine> {
  return createEngine({
    connectors: [memoryStorageConnector(storage), { id: 'publisher', setup: () => ({ publisher }) }],
    projects: { default: { publishRepository: 'acme/shop' } },
    clock,
  });
}

async function crashOf(engine: Engine, kind = 'a'): Promise<string> {
  const crash = { event_id: `crash-${++made}`, message: `boom ${kind}`, fingerprint: [kind] };
  const { run_id } = await engine.ingest({ crash });
  if (run_id === null) throw new Error('no run');
  return run_id;
}

t.test('why an issue is closed decides what its next crash does, and the history says it', async (t) => {
  let found: Partial<PublishedIssue> | null = {};
  const issue = { number: 1, url: 'https://example.org/1', created_at: '2026-01-01T00:00:00Z' };
  const read: Publisher['read'] = async () =>
    found && { ...issue, state: 'closed', title: '', body: '', labels: [], assignees: [], ...found };
  const cases: [Partial<PublishedIssue> | null, string, boolean][] = [
    [{ state: 'open' }, '', false],
    [{ closed_as: 'not_planned' }, 'issue.not_planned', false],
    [{ closed_as: 'duplicate' }, 'issue.duplicate', false],
    [{ closed_as: 'completed' }, 'issue.completed', true],
    [{}, 'issue.completed', true],
    [null, 'issue.deleted', true],
  ];
  for (const [state, name, again] of cases) {
    const { engine, clock, crash, publish } = await bench({ read });
    t.teardown(() => engine.close());
    found = state;
    const first = await crash();
    await publish(first);
    const next = await crash();
    t.equal(next !== first, again, `${name}: ${again ? 'starts a run' : 'is counted'}`);
    for (let hour = 0; hour < 3; hour++) {
      await clock.advance(60 * MINUTES);
      await crash();
    }
    const recorded = (await engine.history(first))
      .map((entry) => entry.name)
      .filter((one) => /^issue\./.test(one));
    t.same(recorded, name === '' ? [] : [name], 'once');
  }
});

t.test('an issue about junk that is closed as not planned hides no trusted crash', async (t) => {
  const issue = { number: 1, url: 'https://example.org/1', created_at: '2026-01-01T00:00:00Z' };
  for (const closed_as of ['not_planned', 'duplicate'] as const) {
    const read: Publisher['read'] = async () => ({
      ...issue,
      ...{ state: 'closed', closed_as, title: '', body: '', labels: [], assignees: [] },
    });
    const { engine, clock, crash, publish } = await bench({ read });
    t.teardown(() => engine.close());
    let sequence = 0;
    const junk = async () => {
      const delivery = makeDelivery({
        ...{ sequence: ++sequence, event_id: `junk-${++made}`, door: 'sdk', trust: 'untrusted' },
        received_at: new Date(clock.now()).toISOString(),
        crash: { message: 'boom a', fingerprint: ['a'] },
      });
      const { outcomes } = await engine.ingestBatch({ edge: 'e1', deliveries: [delivery] });
      return outcomes[0]?.run_id ?? '';
    };
    const first = await junk();
    await publish(first);
    t.equal(await junk(), first, `${closed_as}: further junk is counted`);
    const real = await crash();
    t.not(real, first, 'the first trusted crash starts a run');
    t.match(await engine.run(real), { state: 'staged_raw', regression_of: first, occurrences: 1 });
    t.equal(await crash(), real, 'one run, not many');
  }
});

t.test('only a release that contains the fix makes a regression', async (t) => {
  const at = (day: number) => `2026-01-0${day}T00:00:00Z`;
  const history = ['1.0.0', 'unrelated', 'the fix', '2.0.0'].map((title, day) => ({
    ...{ title, at: at(day + 1) },
    write: { [`${day}.js`]: 'x' },
  }));
  let failing = false;
  const asked: unknown[] = [];
  const codeHost = memoryCodeHost(history, {
    repository: 'acme/shop',
    releases: { '1.0.0': '1.0.0', '1.1.0': 'unrelated', '2.0.0': '2.0.0' },
    before: (method, request) => {
      if (method === 'ancestry') asked.push(request);
      if (failing) throw new CulpritError('code_host_unavailable', 'down');
    },
  });
  const pull_request = { number: 7, url: 'https://example.org/pull/7' };
  const fix = { commit: codeHost.sha('the fix'), pull_request };
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const read: Publisher['read'] = async (...about) => {
    const issue = await publisher.read(...about);
    return issue && { ...issue, fix: issue.state === 'closed' ? fix : null };
  };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(memoryStorage()),
      { id: 'github', setup: () => ({ codeHost, publisher: { ...publisher, read, listsAtOnce: true } }) },
    ],
    projects: { default: { repository: 'acme/shop' } },
    clock,
  });
  t.teardown(() => engine.close());
  const crash = async (release?: string) => {
    const hint = release === undefined ? {} : { release };
    const { run_id } = await engine.ingest({
      crash: { event_id: `crash-${++made}`, message: 'boom', fingerprint: ['a'], ...hint },
    });
    return run_id ?? '';
  };
  const first = await crash('1.0.0');
  await engine.approveGateOne(first, REVIEWER);
  await engine.approveGateTwo(first, REVIEWER);
  publisher.closeIssue(1);
  failing = true;
  t.equal(await crash('1.0.0'), first, 'while nobody knows, the crash is counted');
  t.match(
    (await engine.run(first)).fix,
    { missing_in: [], occurrences: 0 },
    'and nothing is said of its release',
  );
  t.equal(await crash('1.0.0'), first);
  t.equal(asked.length, 1, 'a code host that is down does not get a request for every crash');
  failing = false;
  await clock.advance(MINUTES);
  for (let n = 0; n < 3; n++) t.equal(await crash('1.0.0'), first, 'the release does not contain the fix');
  t.equal(await crash('1.1.0'), first);
  t.equal(asked.length, 3, 'one question for each release');
  const { fix: shown, occurrences } = await engine.run(first);
  t.same(shown, { ...fix, missing_in: ['1.0.0', '1.1.0'], occurrences: 4 });
  t.equal(occurrences, 7, 'no crash is lost');
  t.match(
    (await engine.history(first)).find(({ name }) => name === 'fix.found'),
    { detail: { commit: fix.commit, pull_request: 7 } },
  );
  const next = await crash('2.0.0');
  t.not(next, first, 'a release with the fix');
  t.match(await engine.run(next), { regression_of: first, occurrences: 1 });
  t.equal(await crash('1.0.0'), next, 'from then on there is one run');

  await engine.approveGateOne(next, REVIEWER);
  t.match((await engine.run(next)).draft?.body, `, which was closed by \`#7 in ${fix.commit.slice(0, 7)}\``);
  const evidence = await engine.evidence(next);
  t.equal((await replay(JSON.parse(JSON.stringify(evidence)))).draft.digest, evidence.draft.digest);
  await engine.approveGateTwo(next, REVIEWER);
  publisher.closeIssue(2);
  t.match(await engine.run(await crash()), { regression_of: next }, 'no release: as without a fix');
});

t.test('a sender that invents releases costs a bounded number of questions', async (t) => {
  const codeHost = memoryCodeHost([{ title: 'a', at: '2026-01-01T00:00:00Z', write: { a: 'x' } }], {
    repository: 'acme/shop',
  });
  let asked = 0;
  const contains = async () => {
    asked += 1;
    return false;
  };
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const fix = { commit: codeHost.sha('a'), pull_request: null };
  const read: Publisher['read'] = async (...about) => {
    const issue = await publisher.read(...about);
    return issue && { ...issue, fix };
  };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(memoryStorage()),
      {
        id: 'github',
        setup: () => ({
          codeHost: { ...codeHost, ancestry: { contains } },
          publisher: { ...publisher, read, listsAtOnce: true },
        }),
      },
    ],
    projects: { default: { repository: 'acme/shop' } },
    clock,
  });
  t.teardown(() => engine.close());
  const first = await crashOf(engine);
  await engine.approveGateOne(first, REVIEWER);
  await engine.approveGateTwo(first, REVIEWER);
  publisher.closeIssue(1);
  const runs = new Set<string | null>();
  for (let n = 0; n < 40; n++) {
    const crash = { event_id: `crash-${++made}`, message: 'boom a', fingerprint: ['a'], release: `1.0.${n}` };
    runs.add((await engine.ingest({ crash })).run_id);
  }
  t.equal(asked, 30);
  t.equal(runs.size, 2, 'beyond them it is a regression, as without a fix');
  t.equal((await engine.run(first)).fix?.missing_in.length, 20, 'the latest 20 are shown');
  const [second = ''] = [...runs].flatMap((runId) => (runId === null || runId === first ? [] : runId));
  await engine.approveGateOne(second, REVIEWER);
  await engine.approveGateTwo(second, REVIEWER);
  publisher.closeIssue(2);
  await clock.advance(20 * MINUTES);
  const crash = { event_id: `crash-${++made}`, message: 'boom a', fingerprint: ['a'], release: '1.0.39' };
  t.equal((await engine.ingest({ crash })).run_id, second, 'later a refused release is asked about');
  t.equal(asked, 31);
});

t.test('a reported change is known at once; reports of other issues are ignored', async (t) => {
  const { engine, publisher, crash, publish } = await bench();
  t.teardown(() => engine.close());
  const first = await crash();
  await publish(first);
  t.equal(await crash(), first, 'the open issue was read, and is believed for seconds');
  const { body } = await engine.preview(first);
  publisher.closeIssue(1);
  t.equal(await engine.issueChanged(body), first);
  const second = await crash();
  t.not(second, first, 'the next crash waits for the answer');
  t.match(
    (await engine.history(first)).map(({ name }) => name),
    /issue\.completed/,
  );
  t.equal(await engine.issueChanged({ repository: 'acme/shop', number: 1 }), first, 'given by its number');
  t.equal(await engine.issueChanged({ repository: 'acme/shop', number: 9 }), null);
  const reads = publisher.calls.read;
  const forged = body.replace(/marker=\w+/, `marker=${'0'.repeat(64)}`);
  for (const other of ['', 'no trailer', forged, body.replace(/run=[\w.:]+/, 'run=none')])
    t.equal(await engine.issueChanged(other), null);
  t.equal(publisher.calls.read, reads, 'and nothing is asked');
});

t.test(
  'a crash whose issue is closed starts a new run that links to it; otherwise it is counted',
  async (t) => {
    const { engine, publisher, clock, crash, publish } = await bench();
    t.teardown(() => engine.close());
    const first = await crash();
    await publish(first);
    for (let n = 0; n < 50; n++) t.equal(await crash(), first);
    t.equal(publisher.calls.read, 1, 'read at the first crash after publication, not at every crash');
    publisher.closeIssue(1);
    t.equal(await crash(), first, 'a recent result is reused');
    await clock.advance(5_000);
    const second = await crash();
    t.not(second, first);
    t.equal(publisher.calls.read, 2);
    t.match(await engine.run(second), {
      state: 'staged_raw',
      regression_of: first,
      generation: 2,
      occurrences: 1,
    });
    t.match(await engine.run(first), { state: 'published', occurrences: 52 }, 'no crash is counted twice');
    t.match((await engine.history(second))[0], { name: 'staged', detail: { regression_of: first } });
    for (let n = 0; n < 20; n++) t.equal(await crash(), second);
    await clock.advance(60 * MINUTES);
    t.equal(await crash(), second);
    t.equal(publisher.calls.read, 2, 'the old issue is not read again');

    await publish(second);
    const [old, fresh] = publisher.issues;
    t.equal(publisher.issues.length, 2, 'its own issue: the marker includes the generation');
    t.match(fresh?.body, `**Regression** of [issue 1](${old?.url}) (run \`${first}\`), which was closed`);
    const evidence = await engine.evidence(second);
    t.equal((await replay(JSON.parse(JSON.stringify(evidence)))).draft.digest, evidence.draft.digest);
    publisher.closeIssue(2);
    t.match(await engine.run(await crash()), { regression_of: second, generation: 3 }, 'and again');
  },
);

t.test('the first crash after the issue was closed is enough, and a burst becomes one run', async (t) => {
  const { engine, publisher, crash, publish } = await bench();
  t.teardown(() => engine.close());
  const first = await crash();
  await publish(first);
  publisher.closeIssue(1);
  const runs = new Set(await Promise.all(Array.from({ length: 200 }, () => crash())));
  t.equal(runs.size, 1);
  t.notOk(runs.has(first));
  t.equal(publisher.calls.read, 1);
  t.match(await engine.run([...runs][0] ?? ''), { occurrences: 200, regression_of: first });
});

t.test('the issue of a continuous crash is read less and less often', async (t) => {
  const { engine, publisher, clock, crash, publish } = await bench();
  t.teardown(() => engine.close());
  const first = await crash();
  await publish(first);
  const reads: number[] = [];
  for (let second = 0; second < 3_600; second++) {
    const before = publisher.calls.read;
    await crash();
    if (publisher.calls.read > before) reads.push(second);
    await clock.advance(1_000);
  }
  t.match(await engine.run(first), { occurrences: 3_601 });
  t.same(reads, [0, 5, 15, 35, 75, 155, 315, 635, 1_235, 1_835, 2_435, 3_035]);
});

t.test('an issue that cannot be read counts as open, a deleted one as closed', async (t) => {
  const { engine, publisher, clock, crash, publish } = await bench();
  t.teardown(() => engine.close());
  const first = await crash();
  await publish(first);
  publisher.closeIssue(1);
  publisher.failNextLook();
  t.equal(await crash(), first);
  t.equal(await crash(), first);
  t.equal(publisher.calls.read, 1, 'a code host that is down does not get a request for every crash');
  await clock.advance(10 * MINUTES);
  publisher.removeIssue(1);
  t.not(await crash(), first);
  t.equal(publisher.calls.read, 2);
});

t.test(
  'a slow code host delays crashes by at most two seconds; its response is used for the next',
  async (t) => {
    let answer = (_: null) => {};
    const hung: Pick<Publisher, 'read'> = {
      read: (repository, number, signal) =>
        new Promise((resolve, reject) => {
          answer = () => publisher.read(repository, number, signal).then(resolve, reject);
        }),
    };
    const { engine, publisher, clock, crash, publish } = await bench(hung);
    t.teardown(() => engine.close());
    const first = await crash();
    await publish(first);
    publisher.closeIssue(1);
    const sleeping = clock.sleeping();
    const waiting = crash();
    await clock.untilSleeping(sleeping + 1);
    await clock.advance(2_000);
    t.equal(await waiting, first);
    answer(null);
    await clock.advance(0);
    t.not(await crash(), first);
  },
);

t.test(
  'results are shared after a restart and between processes; many fingerprints are read a few at a time',
  async (t) => {
    const { engine, publisher, clock, storage, crash, publish } = await bench();
    const kinds = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const runs = [];
    for (const kind of kinds) runs.push(await crash(kind));
    for (const runId of runs) await publish(runId);
    t.equal(await crash('k0'), runs[0]);
    t.equal(publisher.calls.read, 1);
    await engine.close();

    const next = await start(storage, { ...publisher, listsAtOnce: true }, clock);
    t.teardown(() => next.close());
    t.equal(await crashOf(next, 'k0'), runs[0]);
    t.equal(publisher.calls.read, 1, 'not read again until it expires');
    const deliveries = kinds.map((kind, index) => ({
      sequence: index + 1,
      event_id: `batch-${kind}`,
      project: 'default',
      door: 'native' as const,
      tracker: 'native',
      received_at: '2026-01-05T09:00:00.000Z',
      raw_sha256: '',
      headers: {},
      attachments: [],
      redactions: 0,
      crash: { message: `boom ${kind}`, fingerprint: [kind] },
    }));
    const { outcomes } = await next.ingestBatch({ edge: 'edge', deliveries });
    t.same(
      outcomes.map(({ run_id }) => run_id),
      runs,
    );
    t.equal(publisher.calls.read, 1 + 8);
  },
);
