import t from 'tap';
import type { PublishedIssue, Publisher } from '../src/connector/index.js';
import { canonicalDraft } from '../src/domain/draft.js';
import { CulpritError, createEngine, type Engine, type EnginePolicy } from '../src/index.js';
import { sha256Hex } from '../src/pipeline/hash.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import type { ManualClock } from '../src/testing/manual-clock.js';
import type { MemoryPublisher } from '../src/testing/memory-publisher.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;
const MINUTES = 60_000;
let made = 0;

async function crashOf(engine: Engine): Promise<string> {
  const crash = { event_id: `crash-${++made}`, message: 'boom', fingerprint: ['a'] };
  const { run_id } = await engine.ingest({ crash });
  if (run_id === null) throw new Error('no run');
  return run_id;
}

/** A regression at Gate 2, and its engine, which reopens issues. */
async function regression(over: Partial<Publisher> = {}) {
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const storage = memoryStorage();
  const open = (
    policy: Partial<EnginePolicy> = { regressionIssues: 'reopen' },
    more: Partial<Publisher> = {},
  ) =>
    createEngine({
      connectors: [
        memoryStorageConnector(storage),
        {
          id: 'publisher',
          setup: () => ({ publisher: { ...publisher, listsAtOnce: true, ...over, ...more } }),
        },
      ],
      projects: { default: { publishRepository: 'acme/shop', labels: ['crash'], assignees: ['ada'] } },
      clock,
      policy,
    });
  const engine = await open();
  const first = await crashOf(engine);
  await engine.approveGateOne(first, REVIEWER);
  await engine.approveGateTwo(first, REVIEWER);
  publisher.closeIssue(1);
  const runId = await crashOf(engine);
  return { engine, publisher, clock, runId, open };
}

/** Signs, and lets the time pass until the publication has ended. */
async function sign(engine: Engine, runId: string, clock: ManualClock): Promise<void> {
  const signed = engine.approveGateTwo(runId, REVIEWER).catch(() => null);
  await ended(engine, runId, clock);
  await signed;
}

async function ended(engine: Engine, runId: string, clock: ManualClock): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(MINUTES);
  } while ((await engine.run(runId)).state === 'publishing');
}

const LOST = new CulpritError('code_host_unavailable', 'No response.');

t.test('the reviewer signs a comment, and exactly that reopens the issue', async (t) => {
  const { engine, publisher, clock, runId } = await regression();
  t.teardown(() => engine.close());
  const [old] = publisher.issues;
  await engine.approveGateOne(runId, REVIEWER);
  const { draft } = await engine.run(runId);
  if (!draft || !old) throw new Error('no draft');
  const reopens = { number: 1, url: old.url };
  t.match(draft, { reopens, labels: [], assignees: [] });
  const { reopens: _target, ...asNew } = draft;
  t.equal(sha256Hex(canonicalDraft(draft)), draft.digest);
  t.not(sha256Hex(canonicalDraft(asNew)), draft.digest, 'the signature covers the target');
  const { title, body } = draft;
  const edit = (change: object) =>
    engine.editDraft(runId, REVIEWER, {
      title,
      body,
      labels: [],
      assignees: [],
      ...change,
      digest: draft.digest,
    });
  for (const change of [{ title: 'Other' }, { labels: ['bug'] }, { assignees: ['ada'] }])
    await t.rejects(edit(change), { code: 'malformed', message: /must stay/ });
  const edited = await edit({ body: 'It is back.' });
  t.match(edited, { reopens, body: 'It is back.' });
  await sign(engine, runId, clock);
  const preview = await engine.preview(runId);
  t.match(preview, { reopens, divergence: [] });
  t.equal(publisher.issues.length, 1, 'no new issue');
  t.match(publisher.comments, [{ number: 1, body: preview.body }]);
  t.equal(publisher.comments.length, 1);
  const { title: name, body: text, labels } = old;
  t.match(publisher.issues[0], { title: name, body: text, labels, state: 'open' }, 'all else stays');
  const [comment] = publisher.comments;
  t.match(await engine.run(runId), {
    state: 'published',
    publication: { number: 1, issue_url: old.url, comment_url: comment?.url, divergence: [] },
  });
  const proof = await engine.verify(runId);
  t.match(proof, { verified: true });
  t.same(
    proof.steps.map(({ name }) => name),
    ['evidence', 'edits', 'signature', 'body'],
  );
  t.equal(await engine.issueChanged(old.body), runId, 'a change of the issue concerns the latest run');
  publisher.closeIssue(1);
  await clock.advance(20 * MINUTES);
  const third = await crashOf(engine);
  t.match(await engine.run(third), { regression_of: runId, generation: 3 });
  await engine.approveGateOne(third, REVIEWER);
  await sign(engine, third, clock);
  t.equal(publisher.comments.length, 2, 'and again, on the same issue');
});

t.test('whatever fails and whenever, there is one comment, and the issue is open', async (t) => {
  const faults: Record<string, (publisher: MemoryPublisher) => void> = {
    'the response of the comment is lost': ({ next }) => next('ambiguous-created'),
    'the comment is lost': ({ next }) => next('ambiguous-not-created', 'wait'),
    'comments are listed late': ({ next, lag }) => {
      lag(20 * MINUTES);
      next('ambiguous-created');
    },
    'opening fails': ({ nextOpen }) => nextOpen(LOST, LOST),
    'opening fails, and the comment is listed late': ({ nextOpen, lag }) => {
      lag(20 * MINUTES);
      nextOpen(LOST, new CulpritError('code_host_unavailable', 'Slow.', { retryAfterMs: 1_000 }));
    },
  };
  for (const [name, provoke] of Object.entries(faults)) {
    const { engine, publisher, clock, runId, open } = await regression({ listsAtOnce: false });
    await engine.approveGateOne(runId, REVIEWER);
    provoke(publisher);
    const signed = engine.approveGateTwo(runId, REVIEWER).catch(() => null);
    await clock.untilSleeping(1);
    // A new process takes over in the middle.
    await engine.close();
    await signed;
    const next = await open();
    t.teardown(() => next.close());
    await ended(next, runId, clock);
    t.match(await next.run(runId), { state: 'published', publication: { number: 1, divergence: [] } }, name);
    t.equal(publisher.comments.length, 1, name);
    t.match(publisher.issues, [{ state: 'open' }], name);
    await clock.advance(20 * MINUTES);
    t.equal((await next.verify(runId)).verified, true, name);
  }
});

t.test('an issue that cannot be reopened after all: the reviewer hears of it, and signs anew', async (t) => {
  const changes: Record<string, (publisher: MemoryPublisher) => void> = {
    deleted: ({ removeIssue }) => removeIssue(1),
    locked: ({ lockIssue }) => lockIssue(1),
  };
  for (const [name, change] of Object.entries(changes)) {
    const { engine, publisher, clock, runId } = await regression();
    t.teardown(() => engine.close());
    await engine.approveGateOne(runId, REVIEWER);
    change(publisher);
    const before = publisher.issues.length;
    await t.rejects(engine.approveGateTwo(runId, REVIEWER), { code: 'reopen_refused' }, name);
    t.match(await engine.run(runId), { state: 'staged_draft', last_error: { code: 'reopen_refused' } }, name);
    t.same(
      [publisher.comments.length, publisher.issues.length],
      [0, before],
      `${name}: nothing is published`,
    );
    await engine.rejectGateTwo(runId, REVIEWER, { reason: 'a new issue', to: 'staged_raw' });
    await engine.approveGateOne(runId, REVIEWER);
    t.equal((await engine.run(runId)).draft?.reopens, undefined, name);
    const links = Boolean((await engine.run(runId)).link_back);
    t.equal(links, name === 'locked', `${name}: a comment is announced only if there is an issue for it`);
    await sign(engine, runId, clock);
    t.match(await engine.run(runId), { state: 'published', publication: { number: 2 } }, name);
  }

  const { engine, publisher, clock, runId } = await regression();
  t.teardown(() => engine.close());
  await engine.approveGateOne(runId, REVIEWER);
  publisher.nextOpen(new CulpritError('code_host_forbidden', 'The token lacks a permission.'));
  await sign(engine, runId, clock);
  const divergence = ['the issue was not reopened: The token lacks a permission.'];
  t.match(await engine.run(runId), { state: 'published', publication: { divergence } });
});

t.test('a comment that ends up on a transferred issue is said to', async (t) => {
  const { engine, publisher, clock, runId, open } = await regression();
  await engine.close();
  const { reopening } = publisher;
  if (!reopening) throw new Error('the publisher must reopen issues');
  const url = 'https://issues.example/acme/other/issues/7#issuecomment-1';
  const moved = await open(
    { regressionIssues: 'reopen' },
    {
      reopening: {
        ...reopening,
        comment: async (...asked) => ({ ...(await reopening.comment(...asked)), url }),
      },
    },
  );
  t.teardown(() => moved.close());
  await moved.approveGateOne(runId, REVIEWER);
  await sign(moved, runId, clock);
  const divergence = [`the issue was transferred: the comment is ${url}`];
  t.match(await moved.run(runId), { state: 'published', publication: { comment_url: url, divergence } });
});

t.test('what is not reopened: by default, elsewhere, locked; an outage waits', async (t) => {
  const target = async (engine: Engine, runId: string) => {
    await engine.approveGateOne(runId, REVIEWER);
    return (await engine.run(runId)).draft?.reopens ?? null;
  };
  const { publisher, runId, open, engine } = await regression();
  publisher.failNextLook();
  await t.rejects(engine.approveGateOne(runId, REVIEWER), { code: 'code_host_unavailable' });
  t.match(await engine.run(runId), { state: 'staged_raw' }, 'an outage makes no new issue');
  await engine.close();
  const usual = await open({});
  t.equal(await target(usual, runId), null, 'by default');
  await usual.rejectGateTwo(runId, REVIEWER, { reason: 'again', to: 'staged_raw' });
  await usual.close();
  publisher.lockIssue(1);
  const locked = await open();
  t.teardown(() => locked.close());
  t.equal(await target(locked, runId), null, 'locked');

  const elsewhere = await regression({
    read: async () => ({ ...makeIssue('https://issues.example/acme/other/issues/7'), state: 'closed' }),
  });
  t.teardown(() => elsewhere.engine.close());
  t.equal(await target(elsewhere.engine, elsewhere.runId), null, 'transferred');
});

function makeIssue(url: string): PublishedIssue {
  const texts = { title: '', body: '', labels: [], assignees: [] };
  return { number: 7, url, created_at: '2026-01-01T00:00:00Z', state: 'open', ...texts };
}
