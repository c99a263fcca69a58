import t from 'tap';
import type { Publisher } from '../src/connector/index.js';
import {
  CulpritError,
  createEngine,
  type Engine,
  type EnginePolicy,
  type ProjectConfig,
} from '../src/index.js';
import type { Reopening } from '../src/ports/publisher.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import { memoryCodeHost } from '../src/testing/memory-code-host.js';
import type { MemoryPublisher } from '../src/testing/memory-publisher.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;
const MINUTES = 60_000;
const LOST = new CulpritError('code_host_unavailable', 'No response.');
let made = 0;
type Over = Partial<Publisher> | ((publisher: MemoryPublisher) => Partial<Publisher>);

async function crashOf(engine: Engine, release?: string): Promise<string> {
  const crash = { event_id: `crash-${++made}`, message: 'boom', fingerprint: ['a'] };
  const { run_id } = await engine.ingest({
    crash: { ...crash, ...(release === undefined ? {} : { release }) },
  });
  if (run_id === null) throw new Error('no run');
  return run_id;
}

/** A published run, its issue and its engine. `open` starts another engine on the same storage. */
async function published(
  config: { readonly policy?: Partial<EnginePolicy>; readonly project?: ProjectConfig } = {},
  over: Over = {},
) {
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const other = typeof over === 'function' ? over(publisher) : over;
  const storage = memoryStorage();
  const open = (to: Publisher = { ...publisher, listsAtOnce: true, ...other }) =>
    createEngine({
      connectors: [
        memoryStorageConnector(storage),
        { id: 'code', setup: () => ({ codeHost: memoryCodeHost([]) }) },
        { id: 'publisher', setup: () => ({ publisher: to }) },
      ],
      projects: { default: { publishRepository: 'acme/shop', ...config.project } },
      clock,
      policy: config.policy ?? {},
    });
  const engine = await open();
  const runId = await crashOf(engine, '1.0.0');
  await publish(engine, runId);
  const names = async () =>
    (await engine.history(runId)).map(({ name }) => name).filter((name) => /^(issue|resolve)/.test(name));
  return { engine, publisher, clock, runId, open, names };
}

async function publish(engine: Engine, runId: string): Promise<void> {
  await engine.approveGateOne(runId, REVIEWER);
  await engine.approveGateTwo(runId, REVIEWER);
}

/** Lets the time pass until nothing of the issue is pending. */
async function settled(engine: Engine, runId: string, clock: ReturnType<typeof manualClock>): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(MINUTES);
  } while ((await engine.run(runId)).follow_up?.state === 'pending');
}

t.test(
  'a run that is marked as fixed: the issue hears of it as configured, and the next crash is a regression',
  async (t) => {
    const cases: [ProjectConfig['resolvedRuns'], Partial<Publisher>, number, string][] = [
      ['comment', {}, 1, 'open'],
      ['close', {}, 1, 'closed'],
      ['nothing', {}, 0, 'open'],
      ['close', { reopening: undefined } as unknown as Partial<Publisher>, 0, 'open'],
    ];
    for (const [resolvedRuns = 'comment', over, comments, state] of cases) {
      const { engine, publisher, clock, runId } = await published({ project: { resolvedRuns } }, over);
      t.teardown(() => engine.close());
      const effect = await engine.resolutionEffect(runId, {}, REVIEWER);
      t.match(effect, { set: state === 'closed' ? 'closed' : null });
      t.equal(effect.comment === null, comments === 0, 'the reviewer is told before');
      const run = await engine.resolve(runId, REVIEWER);
      t.match(run, { state: 'published', resolution: { as: 'fixed', by: 'ada' } });
      await settled(engine, runId, clock);
      t.equal(publisher.comments.length, comments);
      if (effect.comment !== null)
        t.ok(publisher.comments[0]?.body.startsWith(effect.comment), 'what was shown to that reviewer');
      t.match(publisher.issues, [{ state }]);
      await engine.resolve(runId, REVIEWER);
      await settled(engine, runId, clock);
      t.equal(publisher.comments.length, comments, 'marking it again does nothing');
      t.match((await engine.history(runId)).filter(({ kind }) => kind === 'decision').at(-1), {
        name: 'resolve',
        by: 'ada',
        detail: { effect: state === 'closed' ? 'closed' : comments === 0 ? 'nothing' : 'comment' },
      });
      const next = await crashOf(engine);
      t.match(await engine.run(next), { regression_of: runId, generation: 2 });
      await engine.approveGateOne(next, REVIEWER);
      t.match(
        (await engine.run(next)).draft?.body,
        /Regression\*\* of \[issue 1\].*, which was marked as fixed/,
      );
      await t.rejects(engine.unresolve(runId, REVIEWER), {
        code: 'state_conflict',
        members: { latest: next },
      });
    }
  },
);

t.test('undoing takes back what was done, and nothing else', async (t) => {
  const { engine, publisher, clock, runId, names } = await published({ policy: { resolvedRuns: 'close' } });
  t.teardown(() => engine.close());
  await engine.resolve(runId, REVIEWER);
  await settled(engine, runId, clock);
  t.match(await engine.resolutionEffect(runId), { set: 'open', comment: /not fixed/ });
  t.match(await engine.unresolve(runId, REVIEWER), { resolution: null });
  await settled(engine, runId, clock);
  t.match(publisher.issues, [{ state: 'open' }]);
  t.equal(publisher.comments.length, 2);
  t.equal(await crashOf(engine), runId, 'crashes are counted again');
  await engine.resolve(runId, REVIEWER);
  await settled(engine, runId, clock);
  t.equal(publisher.comments.length, 3, 'the next mark has a comment of its own');
  t.match(publisher.issues, [{ state: 'closed' }]);
  t.same(
    (await names()).filter((name) => /^(resolve|issue\.)/.test(name)),
    ['resolve', 'issue.completed', 'resolve.undo', 'issue.open', 'resolve', 'issue.completed'],
  );
});

t.test('our own change comes back as an event, and decides nothing', async (t) => {
  const { engine, publisher, clock, runId, names } = await published({ policy: { resolvedRuns: 'close' } });
  t.teardown(() => engine.close());
  const [issue] = publisher.issues;
  await engine.resolve(runId, REVIEWER);
  await settled(engine, runId, clock);
  const before = await names();
  for (let hour = 0; hour < 3; hour++) {
    t.equal(await engine.issueChanged(issue?.body ?? ''), runId);
    await clock.advance(60 * MINUTES);
  }
  t.same(await names(), before, 'no entry');
  t.match(await engine.run(runId), { resolution: { by: 'ada' }, follow_up: { state: 'done' } });
  t.equal(publisher.comments.length, 1, 'no loop');
  publisher.openIssue(1);
  await engine.issueChanged(issue?.body ?? '');
  await clock.advance(60 * MINUTES);
  t.match(await engine.run(runId), { resolution: null }, 'somebody has opened the issue');
  t.equal(publisher.comments.length, 1);
  t.equal(await crashOf(engine), runId);
});

t.test('an old answer after our own change is no news, and is asked for again', async (t) => {
  let old = false;
  const bench = await published({ policy: { resolvedRuns: 'close' } }, {
    get read() {
      return async (...asked: Parameters<Publisher['read']>) => {
        const issue = await bench.publisher.read(...asked);
        return issue && old ? { ...issue, state: 'open' as const } : issue;
      };
    },
  } as Partial<Publisher>);
  const { engine, publisher, clock, runId, names } = bench;
  t.teardown(() => engine.close());
  const text = publisher.issues[0]?.body ?? '';
  await engine.resolve(runId, REVIEWER);
  while ((await engine.run(runId)).follow_up?.state !== 'done') await new Promise(setImmediate);
  old = true;
  await engine.issueChanged(text);
  await clock.untilSleeping(1);
  t.match(await engine.run(runId), { resolution: { by: 'ada' } }, 'the answer is older than our change');
  await clock.advance(MINUTES);
  for (let turn = 0; (await engine.run(runId)).resolution !== null && turn < 100_000; turn++)
    await new Promise(setImmediate);
  t.match(await engine.run(runId), { resolution: null }, 'it stays so: somebody has opened the issue');
  t.equal((await names()).at(-1), 'issue.open');
});

t.test('an issue that is closed ends its run, if that is wanted', async (t) => {
  const kinds = { completed: 'fixed', not_planned: 'not_planned', duplicate: 'duplicate' } as const;
  for (const closedIssues of ['resolve', 'nothing'] as const) {
    for (const [closed_as, as] of Object.entries(kinds)) {
      const { engine, publisher, clock, runId, names } = await published({ project: { closedIssues } });
      t.teardown(() => engine.close());
      publisher.closeIssue(1, closed_as as keyof typeof kinds);
      const next = await crashOf(engine);
      const name = `${closedIssues} ${closed_as}`;
      t.equal(next === runId, closedIssues === 'nothing' || as !== 'fixed', name);
      const { resolution = null } = await engine.run(runId);
      t.match(resolution, closedIssues === 'nothing' ? null : { as, by: null }, name);
      t.equal((await names()).at(-1), `issue.${closed_as}`, 'the history has it');
      t.equal(publisher.comments.length, 0, 'nothing goes back');
      if (next !== runId || closedIssues === 'nothing') continue;
      await t.rejects(engine.unresolve(runId, REVIEWER), {
        code: 'state_conflict',
        message: /Reopen it there/,
      });
      publisher.openIssue(1);
      await clock.advance(60 * MINUTES);
      t.equal(await crashOf(engine), runId);
      t.match(await engine.run(runId), { resolution: null }, 'opened there');
    }
  }
});

t.test('fixed in the next release, or by a commit: crashes without the fix are counted', async (t) => {
  const { engine, runId, publisher, clock } = await published();
  t.teardown(() => engine.close());
  await engine.resolve(runId, REVIEWER, { next_release: true });
  await settled(engine, runId, clock);
  t.match(publisher.comments, [
    { body: /^`ada` marked this as fixed. The next release has the fix.[\s\S]* · signed by `ada` · / },
  ]);
  t.equal(await crashOf(engine, '1.0.0'), runId, 'the release of the crash does not have it');
  const next = await crashOf(engine, '1.1.0');
  t.match(await engine.run(next), { regression_of: runId });

  const other = await published();
  t.teardown(() => other.engine.close());
  const commit = 'a'.repeat(40);
  for (const [wrong, message] of [
    [{ commit: 'abc' }, /full SHA/],
    [{ commit, next_release: true }, /not both/],
  ] as const)
    await t.rejects(other.engine.resolve(other.runId, REVIEWER, wrong), { code: 'malformed', message });
  const run = await other.engine.resolve(other.runId, REVIEWER, { commit });
  t.match(run, { fix: { commit, missing_in: [], occurrences: 0 } });
  await settled(other.engine, other.runId, other.clock);
  t.match(other.publisher.comments, [{ body: new RegExp(`The fix is commit \`${commit}\``) }]);
  t.match(await other.engine.unresolve(other.runId, REVIEWER), { fix: null });
  t.match(await other.engine.run(await crashOf(other.engine)), { run_id: other.runId });
});

t.test('whatever fails and whenever, there is one comment, and the issue is closed', async (t) => {
  const faults: Record<string, (publisher: MemoryPublisher) => void> = {
    'the response is lost': ({ next }) => next('ambiguous-created'),
    'the comment is lost': ({ next }) => next('ambiguous-not-created', 'wait'),
    'comments are listed late': ({ next, lag }) => {
      lag(20 * MINUTES);
      next('ambiguous-created');
    },
    'closing fails': ({ nextOpen }) => nextOpen(LOST, LOST),
    'the comments cannot be listed': ({ failNextLook }) => failNextLook(),
  };
  for (const [name, provoke] of Object.entries(faults)) {
    const before = await published({ policy: { resolvedRuns: 'close' } }, { listsAtOnce: false });
    const { engine, publisher, clock, runId, open } = before;
    provoke(publisher);
    await engine.resolve(runId, REVIEWER);
    await clock.untilSleeping(1);
    // A new process takes over in the middle.
    await engine.close();
    const next = await open();
    t.teardown(() => next.close());
    await settled(next, runId, clock);
    t.match(
      await next.run(runId),
      { resolution: { by: 'ada' }, follow_up: { state: 'done', error: null } },
      name,
    );
    t.equal(publisher.comments.length, 1, name);
    t.match(publisher.issues, [{ state: 'closed' }], name);
  }
});

t.test('a decision that was replaced while its change waited does nothing any more', async (t) => {
  const { engine, publisher, clock, runId } = await published();
  t.teardown(() => engine.close());
  const [wrong, right] = ['a'.repeat(40), 'b'.repeat(40)] as const;
  publisher.failNextLook();
  await engine.resolve(runId, REVIEWER, { commit: wrong });
  await clock.untilSleeping(1);
  await engine.unresolve(runId, REVIEWER);
  await engine.resolve(runId, REVIEWER, { commit: right });
  await settled(engine, runId, clock);
  t.match(publisher.comments, [{ body: new RegExp(right) }]);
  t.equal(publisher.comments.length, 1);
});

t.test('an undone mark whose change failed is tried again', async (t) => {
  const { engine, publisher, clock, runId } = await published({ policy: { resolvedRuns: 'close' } });
  t.teardown(() => engine.close());
  await engine.resolve(runId, REVIEWER);
  await settled(engine, runId, clock);
  publisher.nextOpen(new CulpritError('publish_refused', 'No permission.'));
  await engine.unresolve(runId, REVIEWER);
  await settled(engine, runId, clock);
  t.match(await engine.run(runId), { resolution: null, follow_up: { state: 'failed' } });
  t.match(publisher.issues, [{ state: 'closed' }]);
  await engine.unresolve(runId, REVIEWER);
  await settled(engine, runId, clock);
  t.match(await engine.run(runId), { resolution: null, follow_up: { state: 'done' } });
  t.match(publisher.issues, [{ state: 'open' }]);
});

t.test(
  'an issue that refuses is shown with the reason, and tried again when the reviewer says so',
  async (t) => {
    const { engine, publisher, clock, runId } = await published();
    t.teardown(() => engine.close());
    publisher.lockIssue(1);
    await engine.resolve(runId, REVIEWER);
    await settled(engine, runId, clock);
    t.match(await engine.run(runId), {
      resolution: { as: 'fixed' },
      follow_up: {
        state: 'failed',
        error: { code: 'publish_refused', detail: /cannot be changed: it is locked/ },
      },
    });
    publisher.removeIssue(1);
    await engine.resolve(runId, REVIEWER);
    await settled(engine, runId, clock);
    t.match(await engine.run(runId), { follow_up: { state: 'failed', error: { detail: /it was deleted/ } } });
    t.equal(publisher.comments.length, 0);
    t.match(await engine.unresolve(runId, REVIEWER), { resolution: null, follow_up: { state: 'done' } });
  },
);

t.test('once the project has moved, a mark changes no issue of the new system', async (t) => {
  type Bench = Awaited<ReturnType<typeof published>>;
  const before: Record<string, (bench: Bench) => Promise<unknown>> = {
    'marked after the move': async () => {},
    'commented on before the move, and not closed': async ({ engine, publisher, clock, runId }) => {
      publisher.nextOpen(LOST);
      await engine.resolve(runId, REVIEWER);
      await clock.untilSleeping(1);
    },
    'undone after the move': async ({ engine, clock, runId }) => {
      await engine.resolve(runId, REVIEWER);
      await settled(engine, runId, clock);
    },
  };
  for (const [name, act] of Object.entries(before)) {
    const bench = await published({ policy: { resolvedRuns: 'close' } });
    const { engine, clock, runId, open } = bench;
    await act(bench);
    await engine.close();
    const there = memoryPublisher({ clock });
    const other = { title: 'Another', body: '', labels: [], assignees: [], marker: 'x' };
    await there.create({ repository: 'acme/shop', ...other }, new AbortController().signal);
    const undone = name === 'undone after the move';
    if (undone) there.closeIssue(1);
    const url = 'https://elsewhere.example/acme/shop/issues/1';
    const read = async () => there.issues.map((issue) => ({ ...issue, url }))[0] ?? null;
    const moved = await open({ ...there, read });
    t.teardown(() => moved.close());
    await moved[undone ? 'unresolve' : 'resolve'](runId, REVIEWER);
    await settled(moved, runId, clock);
    const detail = /was https:\/\/issues\.example\/.*has moved since\. Change the issue manually/;
    const error = { code: 'publish_refused', detail };
    t.match(await moved.run(runId), { follow_up: { state: 'failed', error } }, name);
    t.match(there.issues, [{ title: 'Another', state: undone ? 'closed' : 'open' }], name);
    t.equal(there.comments.length, 0, name);
  }
});

t.test('a regression as a comment alone leaves the issue closed, and is no endless regression', async (t) => {
  const { engine, publisher, clock, runId } = await published({ project: { regressionIssues: 'comment' } });
  t.teardown(() => engine.close());
  publisher.closeIssue(1);
  const second = await crashOf(engine);
  await engine.approveGateOne(second, REVIEWER);
  t.match(await engine.run(second), { draft: { reopens: { number: 1, only_comment: true } } });
  t.match(await engine.preview(second), { reopens: { only_comment: true } });
  await clock.advance(MINUTES);
  await engine.approveGateTwo(second, REVIEWER);
  t.match(publisher.issues, [{ state: 'closed' }]);
  t.equal(publisher.comments.length, 1);
  t.equal((await engine.verify(second)).verified, true);
  for (let hour = 0; hour < 3; hour++) {
    await clock.advance(60 * MINUTES);
    t.equal(await crashOf(engine), second, 'it is closed since before the comment');
  }
  publisher.openIssue(1);
  await clock.advance(60 * MINUTES);
  publisher.closeIssue(1);
  const third = await crashOf(engine);
  t.match(await engine.run(third), { regression_of: second }, 'closed again: a regression again');
  t.match(await engine.run(runId), { resolution: { as: 'fixed', by: null } });
});

/** A run that is published, over, and back as a run that waits at Gate 2. */
async function comeback(config: Parameters<typeof published>[0] = {}, over: Over = {}) {
  const bench = await published(config, over);
  bench.publisher.closeIssue(1);
  const back = await crashOf(bench.engine);
  await bench.engine.approveGateOne(back, REVIEWER);
  return { ...bench, back };
}

/** Lets the time pass until no change of an issue is pending. */
async function linked(engine: Engine, runId: string, clock: ReturnType<typeof manualClock>): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(MINUTES);
  } while ((await engine.run(runId)).link_back?.change?.state === 'pending');
}

t.test('the new issue of a regression is linked from the earlier one, once, whatever fails', async (t) => {
  const faults: Record<string, (publisher: MemoryPublisher) => void> = {
    nothing: () => {},
    'the response is lost': ({ next }) => next('ambiguous-created'),
    'the comment is lost': ({ next }) => next('ambiguous-not-created', 'wait'),
    'comments are listed late': ({ next, lag }) => {
      lag(20 * MINUTES);
      next('ambiguous-created');
    },
  };
  for (const [name, provoke] of Object.entries(faults)) {
    let issueMade = () => {};
    const { engine, publisher, clock, runId, back, open } = await comeback({}, (all) => ({
      listsAtOnce: false,
      create: async (...asked) => {
        const issue = await all.create(...asked);
        issueMade();
        return issue;
      },
    }));
    const issue = { repository: 'acme/shop', number: 1 };
    t.match(await engine.preview(back), { link_back: issue }, 'shown before it happens');
    t.strictSame((await engine.run(back)).link_back?.change, undefined);
    issueMade = () => provoke(publisher);
    await engine.approveGateTwo(back, REVIEWER);
    if (name === 'nothing') await linked(engine, back, clock);
    else await clock.untilSleeping(1);
    // A new process takes over in the middle.
    await engine.close();
    const next = await open();
    t.teardown(() => next.close());
    await linked(next, back, clock);
    const run = await next.run(back);
    t.match(run, { state: 'published', link_back: { issue, change: { state: 'done', error: null } } }, name);
    t.equal(publisher.issues.length, 2, name);
    t.equal(publisher.comments.length, 1, name);
    t.match(publisher.comments, [{ number: 1 }], 'on the earlier issue');
    const text = `This came back as [issue 2](${run.publication?.issue_url}).`;
    t.ok(publisher.comments[0]?.body.startsWith(`${text}\n`), String(publisher.comments[0]?.body));
    t.match(publisher.comments[0]?.body, / · signed by `ada` · /);
    t.match(publisher.issues, [{ state: 'closed' }, { state: 'open' }], 'the earlier one stays as it is');
    const entry = (await next.history(back)).find((one) => one.name === 'issue_change.done');
    t.match(entry, { detail: { issue: publisher.issues[0]?.url } }, 'in the history');
    t.equal((await next.verify(back)).verified, true);
    // No loop: what the earlier issue tells about the comment changes nothing.
    await next.issueChanged(publisher.issues[0]?.body ?? '');
    await clock.advance(60 * MINUTES);
    t.equal(await crashOf(next), back);
    t.equal(publisher.comments.length, 1);
    t.equal((await next.run(runId)).came_back_as, back);
  }
});

t.test('no comment links a regression where none is needed, or none is possible', async (t) => {
  const none: [Parameters<typeof published>[0], Partial<Publisher>, number][] = [
    [{}, { crossReferences: true }, 2],
    [{}, { reopening: undefined } as unknown as Partial<Publisher>, 2],
    [{ project: { regressionIssues: 'comment' } }, {}, 1],
  ];
  for (const [config, over, issues] of none) {
    const { engine, publisher, clock, back } = await comeback(config, over);
    t.teardown(() => engine.close());
    t.notOk((await engine.preview(back)).link_back);
    await engine.approveGateTwo(back, REVIEWER);
    await clock.advance(MINUTES);
    t.equal(publisher.issues.length, issues);
    t.equal(publisher.comments.length, 2 - issues);
    t.notOk((await engine.run(back)).link_back);
  }
  const moved = 'https://elsewhere.example/acme/shop/issues/1';
  const refusals: [RegExp, (bench: Awaited<ReturnType<typeof comeback>>) => void, Partial<Publisher>][] = [
    [/it is locked/, ({ publisher }) => publisher.lockIssue(1), {}],
    [/it was deleted/, ({ publisher }) => publisher.removeIssue(1), {}],
    [
      /the publisher of this repository has moved/,
      () => {},
      {
        read: async () => ({
          ...{ number: 1, url: moved, created_at: '2026-01-01T00:00:00Z', state: 'closed' as const },
          ...{ title: '', body: '', labels: [], assignees: [] },
        }),
      },
    ],
  ];
  for (const [why, change, over] of refusals) {
    const bench = await comeback({}, over);
    const { engine, publisher, clock, back } = bench;
    t.teardown(() => engine.close());
    change(bench);
    await engine.approveGateTwo(back, REVIEWER);
    await linked(engine, back, clock);
    t.match(await engine.run(back), {
      state: 'published',
      link_back: { change: { state: 'failed', error: { code: 'publish_refused', detail: why } } },
    });
    t.equal(publisher.comments.length, 0);
  }
});

t.test('a mark on the new issue does not wait for the link on the earlier one', async (t) => {
  let limited = true;
  const { engine, publisher, clock, back } = await comeback(
    { policy: { resolvedRuns: 'close' } },
    ({ reopening }) => ({
      reopening: {
        ...(reopening as Reopening),
        comment: async (repository, number, ...rest) => {
          if (number === 1 && limited)
            throw new CulpritError('publish_wait', 'Later.', { retryAfterMs: 60 * MINUTES });
          return (reopening as Reopening).comment(repository, number, ...rest);
        },
      },
    }),
  );
  t.teardown(() => engine.close());
  await engine.approveGateTwo(back, REVIEWER);
  await clock.untilSleeping(1);
  await engine.resolve(back, REVIEWER);
  await settled(engine, back, clock);
  t.match(await engine.run(back), {
    follow_up: { state: 'done', set: 'closed' },
    link_back: { change: { state: 'pending', error: { code: 'publish_wait' } } },
  });
  limited = false;
  await linked(engine, back, clock);
  t.match(await engine.run(back), { link_back: { change: { state: 'done', error: null } } });
  t.same(publisher.comments.map(({ number }) => number).sort(), [1, 2]);
  t.match(publisher.issues, [{ state: 'closed' }, { state: 'closed' }]);
});

t.test('a published run is handed over once for each target, bound to the signed digest', async (t) => {
  const assigned: number[] = [];
  let failures: Error[] = [];
  const assign = async (_repository: string, number: number) => {
    const failure = failures.shift();
    // A timeout may have assigned the agent.
    assigned.push(number);
    if (failure !== undefined) throw failure;
  };
  const { engine, runId, open } = await published({}, { agent: { assign } });
  t.teardown(() => engine.close());
  const digest = (await engine.run(runId)).publication?.digest ?? '';
  const waiting = await crashOf(engine, '2.0.0').then((id) => engine.run(id));
  t.equal(waiting.run_id, runId, 'counted on the published run');
  const fresh = await engine.ingest({ crash: { event_id: 'other', message: 'x', fingerprint: ['b'] } });
  const handOff = (to: 'github' | 'webhook', by = digest) =>
    engine.handOff(runId, REVIEWER, { to, digest: by });
  await t.rejects(engine.handOff(fresh.run_id ?? '', REVIEWER, { to: 'webhook', digest }), {
    code: 'state_conflict',
    message: /staged_raw/,
  });
  await t.rejects(handOff('webhook', '0'.repeat(64)), { code: 'draft_changed', members: { digest } });
  t.equal((await engine.run(runId)).hand_offs, undefined);

  failures = [LOST];
  await t.rejects(handOff('github'), { code: 'code_host_unavailable' });
  t.match((await engine.run(runId)).hand_offs, [
    { to: 'github', state: 'failed', error: { code: LOST.code } },
  ]);
  const results = await Promise.all([handOff('github'), handOff('github'), handOff('webhook')]);
  t.equal(results.length, 3);
  const before = assigned.length;
  await Promise.all([handOff('github'), handOff('webhook')]);
  const again = await open();
  t.teardown(() => again.close());
  const { hand_offs } = await again.handOff(runId, { name: 'grace', via: 'api' }, { to: 'github', digest });
  t.equal(assigned.length, before, 'what is done is not repeated');
  t.same([...new Set(assigned)], [1]);
  const done = { by: 'ada', digest, state: 'done', error: null } as const;
  t.match(
    hand_offs?.toSorted((a, b) => (a.to < b.to ? -1 : 1)),
    [
      { ...done, to: 'github' },
      { ...done, to: 'webhook' },
    ],
  );
  const entries = (await engine.history(runId)).filter(({ name }) => name.startsWith('hand_off'));
  const count = (name: string) => entries.filter((entry) => entry.name === name).length;
  t.same(
    ['hand_off.github', 'hand_off.failed', 'hand_off.done', 'hand_off.webhook'].map(count),
    [2, 1, 1, 1],
    'each decision once, and a repeated one after the failure',
  );
  for (const entry of entries) t.equal(entry.digest, digest, entry.name);
  const { engine: without, runId: other } = await published();
  t.teardown(() => without.close());
  const signed = (await without.run(other)).publication?.digest ?? '';
  await t.rejects(without.handOff(other, REVIEWER, { to: 'github', digest: signed }), {
    code: 'hand_off_refused',
  });
  t.equal((await without.run(other)).hand_offs, undefined, 'off unless it is configured');
});

t.test(
  'a hand-off that the end of an engine interrupts goes on, unless the issue has comments',
  async (t) => {
    const comment = {
      url: 'https://issues.example/1#a',
      by: 'linus',
      at: '2026-01-05T10:00:00.000Z',
      body: 'Look.',
    };
    for (const comments of [[], [comment]]) {
      let hangs = true;
      let assigned = 0;
      let begun = () => {};
      const beginning = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const assign = async (_repository: string, _number: number, signal?: AbortSignal) => {
        begun();
        if (hangs)
          await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        assigned += 1;
      };
      const agent = { assign, comments: async () => (hangs ? [] : comments) };
      const { engine, runId, open, clock } = await published({}, { agent });
      const digest = (await engine.run(runId)).publication?.digest ?? '';
      const asked = engine.handOff(runId, REVIEWER, { to: 'github', digest });
      await Promise.all([t.rejects(asked), beginning.then(() => engine.close())]);
      hangs = false;
      const next = await open();
      t.teardown(() => next.close());
      const state = async () => (await next.run(runId)).hand_offs?.[0];
      t.match(await state(), { state: 'pending' });
      while ((await state())?.state === 'pending') {
        await new Promise((resolve) => setImmediate(resolve));
        await clock.advance(MINUTES / 4);
      }
      const refused = { state: 'failed', error: { code: 'comments_unconfirmed' } } as const;
      t.match(await state(), comments.length === 0 ? { state: 'done', error: null } : refused);
      t.equal(assigned, comments.length === 0 ? 1 : 0);
    }
  },
);

t.test(
  'an interrupted hand-off is tried again while the code host does not answer, for an hour',
  async (t) => {
    for (const outage of [3, Number.POSITIVE_INFINITY]) {
      let begun = () => {};
      const beginning = new Promise<void>((resolve) => {
        begun = resolve;
      });
      let tries = 0;
      const assign = async (_repository: string, _number: number, signal?: AbortSignal) => {
        tries += 1;
        begun();
        if (tries === 1)
          await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        if (tries <= outage) throw LOST;
      };
      const { engine, runId, open, clock } = await published({}, { agent: { assign } });
      const digest = (await engine.run(runId)).publication?.digest ?? '';
      const asked = engine.handOff(runId, REVIEWER, { to: 'github', digest });
      await Promise.all([t.rejects(asked), beginning.then(() => engine.close())]);
      const next = await open();
      t.teardown(() => next.close());
      const from = clock.now();
      const state = async () => (await next.run(runId)).hand_offs?.[0];
      while ((await state())?.state === 'pending') {
        await new Promise((resolve) => setImmediate(resolve));
        await clock.advance(MINUTES / 4);
      }
      const lost = { state: 'failed', error: { code: LOST.code } } as const;
      t.match(await state(), outage === 3 ? { state: 'done', error: null } : lost);
      t.ok(outage === 3 ? tries === 4 : tries > 10 && clock.now() - from >= 59 * MINUTES, `${tries} tries`);
      const failures = (await next.history(runId)).filter(({ name }) => name === 'hand_off.failed');
      t.equal(failures.length, outage === 3 ? 0 : 1);
    }
  },
);
