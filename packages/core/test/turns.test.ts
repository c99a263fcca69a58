import t, { type Test } from 'tap';
import type { Notifier } from '../src/connector/index.js';
import { claimOf } from '../src/domain/claim.js';
import { placeInInbox } from '../src/domain/search/run-order.js';
import { wokenText } from '../src/domain/snooze.js';
import {
  type Connector,
  createEngine,
  type Engine,
  type EngineOptions,
  isCulpritError,
} from '../src/index.js';
import { checkChain, sealEntry } from '../src/pipeline/history-chain.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import type { ManualClock } from '../src/testing/manual-clock.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const ADA = { name: 'ada', via: 'api' } as const;
const GRACE = { name: 'grace', via: 'board' } as const;
const HOUR = 3_600_000;
/** The engine looks for snoozes that are over in this interval. */
const TICK = 15_000;
const bring = (id: string, parts: Awaited<ReturnType<Connector['setup']>>): Connector => ({
  id,
  setup: () => parts,
});
const crash = (n: number, more: object = {}) => ({
  ...{ event_id: `crash-${n}`, message: 'boom', fingerprint: ['own'] },
  ...more,
});

interface Bench {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly storage: ReturnType<typeof memoryStorage>;
  readonly publisher: ReturnType<typeof memoryPublisher>;
}

async function bench(t: Test, shared: Partial<Bench> = {}, options: Partial<EngineOptions> = {}) {
  const { clock = manualClock(), publisher = memoryPublisher() } = shared;
  const storage = shared.storage ?? memoryStorage({ now: clock.now });
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(storage),
      bring('issues', { publisher }),
      ...(options.connectors ?? []),
    ],
    projects: { default: { publishRepository: 'acme/shop' } },
    clock,
  });
  t.teardown(() => engine.close());
  return { engine, clock, storage, publisher };
}

async function stage(engine: Engine, n = 1, more: object = {}): Promise<string> {
  const { run_id } = await engine.ingest({ crash: crash(n, more) });
  return run_id ?? '';
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error) => (isCulpritError(error) ? error.code : String(error)),
  );
}

t.test('a snooze keeps a run’s place: gate, cycle and draft, and no gate opens meanwhile', async (t) => {
  const { engine, publisher } = await bench(t);
  const runId = await stage(engine);
  await engine.approveGateOne(runId, ADA);
  const before = await engine.run(runId);
  const snoozed = await engine.snooze(runId, ADA, {
    until: { kind: 'crashes', more: 5 },
    reason: 'after the sale',
  });
  t.match(snoozed, {
    state: 'snoozed',
    snooze: { from: 'staged_draft', by: 'ada', until: { kind: 'crashes', more: 5 }, left: 5 },
    draft: { digest: before.draft?.digest },
  });
  const digest = before.draft?.digest ?? '';
  for (const refused of [
    engine.approveGateOne(runId, GRACE),
    engine.rejectGateOne(runId, GRACE, { reason: 'no' }),
    engine.approveGateTwo(runId, GRACE, { digest }),
    engine.rejectGateTwo(runId, GRACE, { reason: 'no', to: 'rejected' }),
    engine.editDraft(runId, GRACE, { title: 'x', body: 'y', labels: [], assignees: [], digest }),
    engine.claim(runId, GRACE),
    engine.reopen(runId, GRACE),
  ])
    t.equal(await codeOf(refused), 'state_conflict');
  const repeated = await engine.snooze(runId, ADA, { until: { kind: 'crashes', more: 5 } });
  t.equal(repeated.version, snoozed.version, 'a repeated request changes nothing');
  await engine.snooze(runId, GRACE, { until: { kind: 'release' } });
  t.match((await engine.run(runId)).snooze, { from: 'staged_draft', by: 'grace', left: undefined });
  const { snooze, version, updated_at, ...awake } = await engine.wake(runId, GRACE);
  const { snooze: none, version: v, updated_at: u, ...same } = before;
  t.equal(snooze, null);
  t.same(awake, same, 'as it was');
  t.equal(await codeOf(engine.wake(runId, GRACE)), 'state_conflict');
  t.match(await engine.approveGateTwo(runId, GRACE, { digest }), { status: 'published' });
  t.equal(publisher.issues.length, 1);
  const history = await engine.history(runId);
  t.match(
    history.flatMap(({ name, by, detail }) => (/snooze|wake/.test(name) ? [{ name, by, detail }] : [])),
    [
      { name: 'gate2.snooze', by: 'ada', detail: { reason: 'after the sale', until: { kind: 'crashes' } } },
      { name: 'snooze.change', by: 'grace', detail: { until: { kind: 'release' } } },
      { name: 'gate2.wake', by: 'grace' },
    ],
  );
  t.equal(
    await codeOf(engine.snooze(runId, ADA, { until: { kind: 'release' } })),
    'state_conflict',
    'published',
  );
});

t.test('what a snooze may wait for', async (t) => {
  const { engine, clock } = await bench(t);
  const runId = await stage(engine);
  const at = (ms: number) => ({ kind: 'time', at: new Date(clock.now() + ms).toISOString() }) as const;
  for (const bad of [
    at(0),
    at(-1),
    at(91 * 24 * HOUR),
    { kind: 'time', at: 'soon' },
    { kind: 'crashes', more: 0 },
    { kind: 'crashes', more: 1.5 },
    { kind: 'crashes', more: 1e9 },
    { kind: 'never' },
    undefined,
  ])
    t.equal(
      await codeOf(engine.snooze(runId, ADA, { until: bad as never })),
      'malformed',
      JSON.stringify(bad),
    );
  t.equal(
    await codeOf(engine.snooze(runId, ADA, { until: at(1), reason: ' ' })),
    'malformed',
    'an empty reason',
  );
  t.equal((await engine.run(runId)).state, 'staged_raw');
});

t.test('a time ends a snooze by itself: once on two engines, and after a restart', async (t) => {
  const first = await bench(t);
  const { engine, clock, storage } = first;
  const second = await bench(t, first);
  const [one, two] = [await stage(engine), await stage(engine, 2, { fingerprint: ['other'] })];
  const until = (hours: number) =>
    ({ kind: 'time', at: new Date(clock.now() + hours * HOUR).toISOString() }) as const;
  await engine.snooze(one, ADA, { until: until(1) });
  await second.engine.snooze(two, ADA, { until: until(2) });
  await clock.advance(HOUR - TICK);
  t.equal((await engine.run(one)).state, 'snoozed', 'not before its time');
  await clock.advance(2 * TICK);
  const { state, woken, snooze } = await engine.run(one);
  t.match({ state, woken, snooze }, { state: 'staged_raw', woken: { why: 'time' }, snooze: null });
  t.equal(woken && wokenText(woken), 'The snooze is over.');
  await engine.close();
  await second.engine.close();
  await clock.advance(HOUR);
  t.equal((await storage.runStore.get(two))?.run.state, 'snoozed', 'nobody runs');
  const restarted = await bench(t, first);
  await clock.advance(TICK);
  t.equal((await restarted.engine.run(two)).state, 'staged_raw');
  for (const runId of [one, two]) {
    const wakes = (await restarted.engine.history(runId)).filter(({ name }) => name === 'gate1.wake');
    t.match(wakes, [{ kind: 'step', by: null, via: 'engine', from: 'snoozed', to: 'staged_raw' }]);
  }
  await restarted.engine.rejectGateOne(two, ADA, { reason: 'noise' });
  t.notOk((await restarted.engine.run(two)).woken, 'until the next decision');
});

t.test('crashes and a new release end a snooze', async (t) => {
  const { engine } = await bench(t);
  const runId = await stage(engine, 1, { release: '1.0.0' });
  await engine.snooze(runId, ADA, { until: { kind: 'crashes', more: 2 } });
  await stage(engine, 2);
  t.match(await engine.run(runId), { state: 'snoozed', snooze: { left: 1 }, occurrences: 2 });
  await stage(engine, 3);
  const { woken } = await engine.run(runId);
  t.equal(woken && wokenText(woken), 'It crashed 2 more times.');
  await engine.approveGateOne(runId, ADA);
  await engine.snooze(runId, ADA, { until: { kind: 'release' } });
  await stage(engine, 4, { release: '1.0.0' });
  t.match(await engine.run(runId), { state: 'snoozed' });
  await stage(engine, 5, { release: '1.1.0' });
  const back = await engine.run(runId);
  t.equal(back.state, 'staged_draft');
  t.equal(back.woken && wokenText(back.woken), 'It crashed in the new release 1.1.0.');
});

t.test(
  'a claim is seen by others, ends with a decision, a release or its age, and can be taken over',
  async (t) => {
    const { engine, clock } = await bench(t);
    const runId = await stage(engine);
    const before = await engine.run(runId);
    const claimed = await engine.claim(runId, ADA);
    t.match(claimOf(claimed, clock.now()), { by: 'ada', until: new Date(clock.now() + HOUR).toISOString() });
    t.equal(claimed.updated_at, before.updated_at, 'the run stays at its place in the list');
    const refused = await engine.claim(runId, GRACE).catch((error: unknown) => error);
    t.match(refused, { code: 'claimed', message: /^ada has claimed/, members: { claim: { by: 'ada' } } });
    t.equal(await codeOf(engine.releaseClaim(runId, GRACE)), 'claimed');
    t.match((await engine.claim(runId, GRACE, { take_over: true })).claim, { by: 'grace' });
    t.notOk((await engine.releaseClaim(runId, GRACE)).claim);
    t.notOk((await engine.releaseClaim(runId, GRACE)).claim, 'nothing to release');

    const both = await Promise.all([engine.claim(runId, ADA), engine.claim(runId, GRACE)].map(codeOf));
    t.same(both.sort(), ['claimed', 'ok'], 'one of two at once wins');
    await clock.advance(HOUR);
    t.equal(claimOf(await engine.run(runId), clock.now()), null, 'it ends by itself');
    await engine.claim(runId, ADA);
    await engine.approveGateOne(runId, GRACE);
    t.notOk((await engine.run(runId)).claim, 'it keeps nobody from deciding, and ends with the decision');
    await engine.claim(runId, GRACE);
    t.notOk((await engine.snooze(runId, ADA, { until: { kind: 'release' } })).claim);
    const names = (await engine.history(runId)).flatMap(({ name, detail }) =>
      name.startsWith('claim') ? [`${name}${detail.taken_over ? ' taken over' : ''}`] : [],
    );
    t.same(names, ['claim', 'claim taken over', 'claim.release', 'claim', 'claim', 'claim']);
  },
);

t.test('a pinned run stands first in the inbox, for all reviewers, until it is unpinned', async (t) => {
  const { engine, clock } = await bench(t);
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    ids.push(await stage(engine, ids.length + 1, { fingerprint: [name] }));
    await clock.advance(TICK);
  }
  const [one = '', two = '', three = ''] = ids;
  const inbox = async () => {
    const { runs } = await engine.runs({ limit: 10 });
    const places = new Map(runs.map((run) => [placeInInbox(run, 'newest'), run.run_id]));
    return [...places.keys()].sort().map((place) => places.get(place));
  };
  const before = await engine.run(two);
  const pinned = await engine.pin(two, ADA);
  t.match(pinned, { pinned: { by: 'ada' }, updated_at: before.updated_at });
  t.same(await engine.pin(two, GRACE), pinned, 'it is pinned once');
  t.same(await inbox(), [two, three, one]);
  await engine.pin(one, GRACE);
  t.same(await inbox(), [two, one, three]);
  const { runs } = await engine.runs({ limit: 10 });
  t.same(
    runs.map(({ run_id }) => run_id),
    [three, two, one],
    'lists that programs walk do not move',
  );
  t.notOk((await engine.unpin(one, ADA)).pinned);
  t.equal((await engine.unpin(one, ADA)).version, (await engine.run(one)).version, 'nothing to unpin');
  t.same(await inbox(), [two, three, one]);
  const names = (await engine.history(one)).map(({ name, by }) => `${name} ${by}`);
  t.match(names.slice(-2), ['pinned grace', 'unpinned ada']);
});

t.test('comments: sanitised, bounded, in the history, sent to chat, and never published', async (t) => {
  const sent: string[] = [];
  const states: Record<'chat' | 'pager', string[]> = { chat: [], pager: [] };
  let fail = true;
  const chat: Notifier = {
    notify: async ({ state }) => void states.chat.push(state),
    comment: async (_run, { by, text }) => {
      if (fail) throw new Error('chat is down');
      sent.push(`${by}: ${text}`);
    },
  };
  const pager: Notifier = { notify: async ({ state }) => void states.pager.push(state) };
  const connectors = [bring('chat', { notifier: chat }), bring('pager', { notifier: pager })];
  const { engine, clock, publisher } = await bench(t, {}, { connectors });
  const runId = await stage(engine);
  const before = await engine.run(runId);
  for (const bad of ['', '  ', 'x'.repeat(2_001), 7, undefined])
    t.equal(await codeOf(engine.comment(runId, ADA, { comment: bad as never })), 'malformed');
  await engine.comment(runId, ADA, { comment: 'seen in staging\r\npassword=hunter2hunter2' });
  const run = await engine.comment(runId, GRACE, {
    comment: '</script><img src=x onerror=alert(1)> @team #1',
  });
  t.match(run, { comments: 2, remarks: 2, state: 'staged_raw', updated_at: before.updated_at });
  const comments = (await engine.history(runId)).flatMap(({ name, detail }) =>
    name === 'comment' ? [String(detail.comment)] : [],
  );
  t.match(comments, [/^seen in staging\n(?!.*hunter2)/, '</script><img src=x onerror=alert(1)> @team #1']);
  await clock.advance(1_000);
  t.same(sent, []);
  fail = false;
  while (sent.length < 2) await clock.advance(1_000);
  t.same(
    sent,
    comments.map((text, at) => `${at === 0 ? 'ada' : 'grace'}: ${text}`),
    'each once, in order',
  );
  t.same(new Set(states.pager), new Set(['staged_raw']));
  t.equal(states.pager.length, 1, 'a notifier without comments is not called for them');

  await engine.approveGateOne(runId, ADA);
  await engine.approveGateTwo(runId, ADA);
  t.match(await engine.comment(runId, ADA, { comment: 'fixed by the revert' }), {
    state: 'published',
    comments: 3,
  });
  const issue = JSON.stringify(publisher.issues);
  t.notMatch(issue, /seen in staging|onerror|revert/);
  const proof = await engine.verify(runId);
  t.ok(proof.verified, 'and the issue still verifies');
});

t.test('the audit chain covers a comment, and survives its erasure', async (t) => {
  const key = 'k'.repeat(32);
  const { engine } = await bench(t);
  const runId = await stage(engine);
  await engine.comment(runId, ADA, { comment: 'looks like the cache' });
  let before = '';
  const entries = (await engine.history(runId)).map((entry) => {
    const sealed = { ...entry, seal: sealEntry(key, { run_id: runId, before, entry, salt: 'salt' }) };
    before = sealed.seal.mac;
    return sealed;
  });
  const head = { entries: entries.length, mac: before };
  const check = (changed: typeof entries) =>
    checkChain(key, { run_id: runId, entries: changed, head, published: null, sealedSince: null });
  t.same(check(entries).findings, []);
  const last = entries.at(-1);
  if (last === undefined) throw new Error('no entry');
  const forged = [...entries.slice(0, -1), { ...last, detail: { comment: 'looks fine' } }];
  t.match(check(forged).findings, [{ kind: 'personal', sequence: entries.length }]);
  const erased = { ...last, by: null, detail: {}, seal: { ...last.seal, salt: '' } };
  t.match(check([...entries.slice(0, -1), erased]), { findings: [], erased: 1 });
});
