import fc from 'fast-check';
import t from 'tap';
import type { PublishedIssue, Publisher } from '../src/connector/index.js';
import { MERGE_REFUSALS, MERGE_TARGETS, type MergeRefusal, mergeRefusal } from '../src/domain/merge.js';
import { nextState, type Trigger, WAITING_STATES } from '../src/domain/run.js';
import { createEngine, type Engine, isCulpritError, type Run, type RunState } from '../src/index.js';
import { makeDelivery } from '../src/testing/builders.js';
import { makeRun, manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const ADA = { name: 'ada', via: 'api' } as const;
const BOB = { name: 'bob', via: 'board' } as const;

let made = 0;

async function bench() {
  const clock = manualClock();
  const storage = memoryStorage();
  const closed = new Set<number>();
  const own = memoryPublisher({ clock });
  const read: Publisher['read'] = async (...args) => {
    const issue = await own.read(...args);
    const state: PublishedIssue['state'] = closed.has(args[1]) ? 'closed' : 'open';
    return issue && { ...issue, state };
  };
  const publisher: Publisher = { ...own, listsAtOnce: true, read };
  const engine = await createEngine({
    connectors: [memoryStorageConnector(storage), { id: 'publisher', setup: () => ({ publisher }) }],
    projects: { default: { publishRepository: 'acme/shop' } },
    clock,
  });
  const crash = async (kind: string, project = 'default'): Promise<string> => {
    const sent = { event_id: `crash-${++made}`, message: `boom ${kind}`, fingerprint: [kind] };
    return (await engine.ingest({ crash: sent, project })).run_id ?? '';
  };
  const publish = async (runId: string) => {
    await engine.approveGateOne(runId, ADA);
    await engine.approveGateTwo(runId, ADA);
  };
  return { engine, storage, clock, crash, publish, closed, issues: own.issues, next: own.next };
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return null;
  } catch (error) {
    return isCulpritError(error) ? (error.members.reason ?? error.code) : error;
  }
}

t.test('a merge joins two runs until it is undone, and both histories say so', async (t) => {
  const { engine, crash } = await bench();
  const [a, b] = [await crash('a'), await crash('b')];
  await engine.approveGateOne(b, ADA);
  const heard: string[] = [];
  engine.feed.watch(({ run }) => heard.push(`${run.run_id === a ? 'a' : 'b'} ${run.state}`));
  const merged = await engine.merge(a, BOB, { into: b });
  t.match(merged, { run: { run_id: a, state: 'merged', merged_into: b }, into: { occurrences: 2 } });
  t.same(heard, ['a merged', 'b staged_draft']);
  t.same((await engine.merge(a, ADA, { into: b })).run, merged.run, 'merging again changes nothing');
  t.equal(await crash('a'), b);
  t.same((await engine.run(b)).draft, merged.into?.draft, 'the draft stays as it was read');
  t.match(await engine.run(a), { title: 'boom a', occurrences: 1 }, 'the merged run stays readable');
  for (const work of [
    engine.approveGateOne(a, ADA),
    engine.rejectGateOne(a, ADA, { reason: 'no' }),
    engine.approveGateTwo(a, ADA),
    engine.reopen(a, ADA),
    engine.split(b, ADA),
  ])
    t.equal(await refusal(work), 'state_conflict');

  const parted = await engine.split(a, ADA);
  t.match(parted, {
    run: { state: 'staged_raw', merged_into: null, occurrences: 2, cycle: 2 },
    into: { state: 'staged_draft', occurrences: 1, members: undefined },
  });
  t.equal(await crash('a'), a);
  const told = async (id: string) =>
    (await engine.history(id)).flatMap(({ name, by, via, from, to, detail }) =>
      /merge|split/.test(name) ? [{ name, by, via, from, to, detail }] : [],
    );
  const waits = { from: 'staged_raw', to: 'merged' } as const;
  t.match(await told(a), [
    { name: 'gate1.merge', by: 'bob', via: 'board', ...waits, detail: { into: b } },
    { name: 'gate1.split', by: 'ada', via: 'api', from: 'merged', to: 'staged_raw', detail: { from: b } },
  ]);
  t.match(await told(b), [
    { name: 'merge', by: 'bob', from: null, to: null, detail: { run: a, occurrences: 1 } },
    { name: 'split', by: 'ada', from: null, to: null, detail: { run: a, occurrences: 2 } },
  ]);
  await engine.approveGateOne(a, ADA);
  t.match(await engine.merge(a, ADA, { into: b }), { run: { state: 'merged' } }, 'a run at Gate 2, too');
  const back = await engine.split(a, ADA);
  t.match(back.run, { state: 'staged_draft', cycle: 2 });
  t.ok(back.run.draft, 'it returns with its draft');
  await engine.close();
});

t.test('the next run after a published or rejected one is that of every fingerprint', async (t) => {
  const { engine, crash, publish, closed, issues, clock } = await bench();
  const [a, b] = [await crash('a'), await crash('b')];
  await publish(b);
  await engine.merge(a, ADA, { into: b });
  t.equal(await crash('a'), b, 'while the issue is open, its crashes are counted');
  t.equal(issues.length, 1);
  closed.add(1);
  await clock.advance(10 * 60_000);
  const back = await crash('a');
  t.match(await engine.run(back), { regression_of: b, generation: 2 });
  t.equal(await crash('b'), back);
  t.equal(await refusal(engine.merge(back, ADA, { into: b })), 'later_run');
  t.match(await engine.split(a, ADA), {
    run: { state: 'staged_raw', occurrences: 2 },
    into: { occurrences: 1 },
  });
  t.same([await crash('a'), await crash('b')], [a, back], 'a split holds for later runs, too');
  await engine.close();
});

t.test('every refusal has a code, and changes nothing', async (t) => {
  const { engine, crash, publish } = await bench();
  const [a, b, done, foreign] = [
    ...[await crash('a'), await crash('b'), await crash('done'), await crash('a', 'other')],
  ] as [string, string, string, string];
  await publish(done);
  t.equal(await refusal(engine.merge(a, ADA, { into: a })), 'same_run' satisfies MergeRefusal);
  t.equal(await refusal(engine.merge(a, ADA, { into: foreign })), 'other_project');
  t.equal(await refusal(engine.merge(done, ADA, { into: a })), 'has_issue');
  t.equal(await refusal(engine.merge(a, ADA, { into: 'run_unknown' })), 'run_not_found');
  t.equal(await refusal(engine.merge('run_unknown', ADA, { into: a })), 'run_not_found');
  await engine.rejectGateOne(b, ADA, { reason: 'junk' });
  t.equal(await refusal(engine.merge(a, ADA, { into: b })), 'closed');
  t.equal(await refusal(engine.merge(b, ADA, { into: a })), 'closed');
  await engine.reopen(b, ADA);
  await engine.merge(b, ADA, { into: a });
  t.equal(await refusal(engine.merge(a, ADA, { into: b })), 'merged');
  t.match(await engine.run(a), { state: 'staged_raw', occurrences: 2 });

  const one = (over: Partial<Run>) => makeRun('staged_raw', { run_id: 'run_one', ...over });
  const source = { door: 'sdk', occurrences: 1, first_seen: '', last_seen: '', event_id: null } as const;
  const junk = one({ sources: [{ ...source, trust: 'untrusted' }] });
  t.equal(mergeRefusal(makeRun(), junk), 'less_trusted');
  t.equal(mergeRefusal(junk, makeRun()), null);
  for (const state of ['analyzing', 'publishing'] as const) {
    t.equal(mergeRefusal(one({ state }), makeRun()), 'busy');
    t.equal(mergeRefusal(makeRun(), one({ state })), 'busy');
  }
  const [member] = (await engine.run(a)).members ?? [];
  if (member === undefined) throw new Error('no member');
  const many = Array.from({ length: 20 }, () => member);
  t.equal(mergeRefusal(makeRun(), one({ members: many })), 'too_many');
  t.ok(Object.values(MERGE_REFUSALS).every((text) => text.endsWith('.')));
  await engine.close();
});

t.test('a split after the first trusted crash of the fingerprint names that crash’s run', async (t) => {
  const { engine } = await bench();
  let sequence = 0;
  const send = async (kind: string, trust: 'trusted' | 'untrusted') => {
    const crash = { event_id: `sent-${++made}`, message: `boom ${kind}`, fingerprint: [kind] };
    const door = trust === 'trusted' ? 'webhook' : 'sdk';
    const delivery = makeDelivery({
      ...{ sequence: ++sequence, event_id: crash.event_id, door, trust, crash },
    });
    const { outcomes } = await engine.ingestBatch({ edge: 'edge-1', deliveries: [delivery] });
    return outcomes[0]?.run_id ?? '';
  };
  const [a, b] = [await send('a', 'untrusted'), await send('b', 'trusted')];
  await engine.merge(a, ADA, { into: b });
  t.equal(await send('a', 'untrusted'), b);
  const real = await send('a', 'trusted');
  t.notOk([a, b].includes(real));
  t.match(await engine.run(real), { state: 'staged_raw', sources: [{ trust: 'trusted', occurrences: 1 }] });
  const error = await engine.split(a, ADA).catch((thrown: unknown) => thrown);
  t.match(error, { code: 'state_conflict', members: { latest: real } });
  t.match(await engine.merge(real, ADA, { into: b }), { into: { occurrences: 4 } });
  t.equal(await send('a', 'trusted'), b, 'a merge that was decided on a trusted crash holds for all');
  await engine.close();
});

const GATES = {
  'gate1.approve': (engine: Engine, id: string) => engine.approveGateOne(id, ADA),
  'gate1.reject': (engine: Engine, id: string) => engine.rejectGateOne(id, ADA, { reason: 'no' }),
  'gate2.approve': (engine: Engine, id: string) => engine.approveGateTwo(id, ADA),
  'gate2.reject': (engine: Engine, id: string) =>
    engine.rejectGateTwo(id, ADA, { reason: 'no', to: 'rejected' }),
  'gate2.return': (engine: Engine, id: string) =>
    engine.rejectGateTwo(id, ADA, { reason: 'no', to: 'staged_raw' }),
} as const;
const COMMANDS = {
  ...GATES,
  reopen: (engine: Engine, id: string) => engine.reopen(id, ADA),
  snooze: (engine: Engine, id: string) => engine.snooze(id, ADA, { until: { kind: 'crashes', more: 500 } }),
  wake: (engine: Engine, id: string) => engine.wake(id, ADA),
  claim: (engine: Engine, id: string) => engine.claim(id, ADA),
  merge: (engine: Engine, id: string, other: string) => engine.merge(id, ADA, { into: other }),
  split: (engine: Engine, id: string) => engine.split(id, ADA),
} as const;
type Command = keyof typeof COMMANDS;

/** A run of the model. `before`: the state to return to from `rejected`, `snoozed` and `merged`. */
interface Modelled {
  state: RunState;
  before: RunState;
  claimed: boolean;
  /** Crashes with its fingerprint. */
  crashes: number;
}

/** The contract’s result of a command: the next state of the run, and the code of an error. */
function modelled(run: Modelled, other: Modelled, command: Command, refuse: boolean) {
  const { state, before } = run;
  const only = (allowed: boolean, to: RunState) =>
    allowed ? { to, code: 'ok' } : { to: state, code: 'state_conflict' };
  const waits = WAITING_STATES.includes(state);
  switch (command) {
    case 'reopen':
      return only(state === 'rejected', before);
    case 'snooze':
      return only(waits || state === 'snoozed', 'snoozed');
    case 'wake':
      return only(state === 'snoozed', before);
    case 'claim':
      return only(waits, state);
    case 'split':
      return only(state === 'merged', before);
    case 'merge': {
      const possible = state === 'merged' || (waits && MERGE_TARGETS.includes(other.state));
      return possible ? { to: 'merged' as const, code: 'ok' } : { to: state, code: 'merge_refused' };
    }
    default:
      return atGate(state, command, refuse);
  }
}

function atGate(state: RunState, command: keyof typeof GATES, refuse: boolean) {
  const passed =
    (command === 'gate1.approve' && ['staged_draft', 'published'].includes(state)) ||
    (command === 'gate2.approve' && state === 'published') ||
    (command.endsWith('.reject') && state === 'rejected');
  if (passed) return { to: state, code: 'ok' };
  const to = nextState(state, command satisfies Trigger);
  if (to === null) return { to: state, code: 'state_conflict' };
  if (to === 'analyzing') return { to: 'staged_draft' as const, code: 'ok' };
  if (to !== 'publishing') return { to, code: 'ok' };
  return refuse
    ? { to: 'staged_draft' as const, code: 'publish_refused' }
    : { to: 'published' as const, code: 'ok' };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return isCulpritError(error) ? error.code : `bug: ${String(error)}`;
  }
}

t.test(
  'property: decisions on two runs, in any order, give the contract’s states; crashes count once',
  async () => {
    const command = fc.record({
      name: fc.constantFrom('crash' as const, ...(Object.keys(COMMANDS) as Command[])),
      on: fc.constantFrom(0, 1),
      refuse: fc.boolean(),
    });
    const newRun = (): Modelled => ({
      state: 'staged_raw',
      before: 'staged_raw',
      claimed: false,
      crashes: 1,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 20, size: 'max' }), async (commands) => {
        const { engine, crash, issues, next } = await bench();
        try {
          const ids = [await crash('a'), await crash('b')] as const;
          const runs = [newRun(), newRun()] as const;
          for (const { name, on, refuse } of commands) {
            const [id = '', other = ''] = on === 0 ? ids : [...ids].reverse();
            const [run, otherRun] = on === 0 ? runs : ([runs[1], runs[0]] as const);
            if (name === 'crash') {
              const counts = await crash(on === 0 ? 'a' : 'b');
              run.crashes += 1;
              if (counts !== (run.state === 'merged' ? other : id))
                throw new Error(`${id} counted on ${counts}`);
            } else {
              if (name === 'gate2.approve' && run.state === 'staged_draft' && refuse) next('refuse');
              const { state } = run;
              const expected = modelled(run, otherRun, name, refuse);
              const answered = await codeOf(COMMANDS[name](engine, id, other));
              if (answered !== expected.code)
                throw new Error(`${state} ${name}: ${answered}, not ${expected.code}`);
              // A refused publication has left the gate and come back.
              const decided = expected.to !== state || expected.code === 'publish_refused';
              run.claimed =
                name === 'claim' ? run.claimed || expected.code === 'ok' : run.claimed && !decided;
              if (expected.to !== state) Object.assign(run, { state: expected.to, before: state });
            }
            for (const [at, wanted] of runs.entries()) {
              const { state, occurrences, claim } = await engine.run(ids[at] ?? '');
              const joined = runs[1 - at]?.state === 'merged';
              const crashes = wanted.crashes + (joined ? (runs[1 - at]?.crashes ?? 0) : 0);
              const found = [state, Boolean(claim), state === 'merged' ? crashes : occurrences];
              if (found.join() !== [wanted.state, wanted.claimed, crashes].join())
                throw new Error(
                  `after ${name} on ${on}, run ${at} is ${found}, not ${wanted.state} ${wanted.claimed} ${crashes}`,
                );
            }
          }
          if (issues.length !== runs.filter(({ state }) => state === 'published').length)
            throw new Error('the number of issues does not match the states');
        } finally {
          await engine.close();
        }
      }),
      { numRuns: 100 },
    );
  },
);
