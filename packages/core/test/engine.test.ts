import t from 'tap';
import type { Publisher } from '../src/connector/index.js';
import type { DeliveryBatch } from '../src/domain/delivery.js';
import {
  type Connector,
  CulpritError,
  createEngine,
  type Engine,
  type EngineOptions,
  isCulpritError,
  type RunState,
} from '../src/index.js';
import { cleanEvidence } from '../src/pipeline/evidence/readable.js';
import { evidenceKey } from '../src/pipeline/evidence-key.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../src/testing/index.js';
import type { MemoryPublisher } from '../src/testing/memory-publisher.js';
import { memoryStorage } from '../src/testing/memory-storage.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;
const CRASH = {
  event_id: 'crash-1',
  message: 'boom',
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'boom',
        stacktrace: { frames: [{ filename: 'src/cart.js', function: 'total', lineno: 12, in_app: true }] },
      },
    ],
  },
};

const bring = (id: string, parts: Awaited<ReturnType<Connector['setup']>>): Connector => ({
  id,
  setup: () => parts,
});

interface Bench {
  readonly engine: Engine;
  readonly publisher: MemoryPublisher;
  readonly runId: string;
}

async function bench(
  options: Partial<EngineOptions> = {},
  publisher = memoryPublisher(),
  stored = memoryStorage(),
): Promise<Bench> {
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(stored),
      bring('memory-publisher', { publisher }),
      ...(options.connectors ?? []),
    ],
    projects: { default: { publishRepository: 'acme/shop' } },
    ...without(options, 'connectors'),
  });
  const { run_id } = await engine.ingest({ crash: CRASH });
  if (run_id === null) throw new Error('no run');
  return { engine, publisher, runId: run_id };
}

function without<T extends object, K extends keyof T>(value: T, key: K): Omit<T, K> {
  const { [key]: _left, ...rest } = value;
  return rest;
}

async function code(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return isCulpritError(error) ? error.code : `bug: ${String(error)}`;
  }
}

t.test('the whole path: a crash, both gates, and one issue that is exactly the signed draft', async (t) => {
  const { engine, publisher, runId } = await bench();
  t.teardown(() => engine.close());
  t.match(await engine.run(runId), { state: 'staged_raw', title: /TypeError/, occurrences: 1 });

  t.same(await engine.approveGateOne(runId, REVIEWER), { status: 'analyzed', state: 'staged_draft' });
  const drafted = await engine.run(runId);
  t.match(drafted, {
    state: 'staged_draft',
    no_suspect: { code: 'no_code_host' },
    draft: { repository: 'acme/shop' },
  });
  const preview = await engine.preview(runId, REVIEWER);

  const signed = await engine.approveGateTwo(runId, REVIEWER, { digest: drafted.draft?.digest });
  t.match(signed, { status: 'published', issue_url: /^https?:/ });
  t.equal(publisher.issues.length, 1);
  t.match(publisher.issues[0], { title: preview.title, body: preview.body }, 'the issue equals the preview');
  t.match(await engine.run(runId), {
    state: 'published',
    publication: { divergence: [], digest: drafted.draft?.digest },
  });

  t.same(await engine.approveGateTwo(runId, REVIEWER), signed, 'approving again returns the same result');
  t.same(await engine.approveGateOne(runId, REVIEWER), { status: 'analyzed', state: 'published' });
  t.equal(await code(engine.approveGateTwo(runId, REVIEWER, { digest: 'f'.repeat(64) })), 'draft_changed');
  t.equal(publisher.issues.length, 1);

  const history = await engine.history(runId);
  t.same(
    history
      .filter(({ kind }) => kind === 'decision')
      .map(({ name, by, via, digest }) => [name, by, via, digest]),
    [
      ['gate1.approve', 'ada', 'api', null],
      ['gate2.approve', 'ada', 'api', drafted.draft?.digest],
    ],
  );
  t.same(
    history.flatMap(({ to }) => to ?? []),
    ['staged_raw', 'analyzing', 'staged_draft', 'publishing', 'published'],
  );
  t.match(await engine.evidence(runId), {
    format: 'culprit.evidence/1',
    draft: { digest: drafted.draft?.digest },
  });
});

t.test('a repeated crash is counted; a repeated event id is not', async (t) => {
  const { engine, runId } = await bench();
  t.teardown(() => engine.close());
  t.match(await engine.ingest({ crash: CRASH }), { outcome: 'duplicate', run_id: runId });
  t.match(await engine.ingest({ crash: { ...CRASH, event_id: 'crash-2' } }), {
    outcome: 'accepted',
    run_id: runId,
  });
  t.equal((await engine.run(runId)).occurrences, 2);
  t.equal(await code(engine.ingest({ crash: { nothing: 1 } })), 'malformed');
  t.equal(await code(engine.ingest({ crash: { ...CRASH, event_id: '../etc' } })), 'malformed');
  t.equal(await code(engine.run('run_unknown')), 'run_not_found');
  t.equal(await code(engine.history('run_unknown')), 'run_not_found');
  t.equal(await code(engine.evidence(runId)), 'not_found');
});

t.test('a hundred simultaneous approvals: one analysis, one issue, the same response', async (t) => {
  const { engine, publisher, runId } = await bench();
  t.teardown(() => engine.close());
  const ones = await Promise.all(Array.from({ length: 100 }, () => engine.approveGateOne(runId, REVIEWER)));
  t.equal(new Set(ones.map((one) => JSON.stringify(one))).size, 1);
  const twos = await Promise.all(Array.from({ length: 100 }, () => engine.approveGateTwo(runId, REVIEWER)));
  t.equal(new Set(twos.map((two) => JSON.stringify(two))).size, 1);
  t.equal(publisher.issues.length, 1);
  const decisions = (await engine.history(runId)).filter(({ kind }) => kind === 'decision');
  const signed = (await engine.run(runId)).publication?.digest;
  t.match(
    decisions,
    [{ name: 'gate1.approve' }, { name: 'gate2.approve', digest: signed, detail: { bound: false } }],
    'an approval without a digest is recorded as unbound, with the digest that was signed',
  );
  t.equal(decisions.length, 2);
});

t.test('two people: who approved Gate 1 cannot sign, on any surface or in any cycle', async (t) => {
  const { engine, publisher, runId } = await bench({ policy: { requireSecondPerson: true } });
  t.teardown(() => engine.close());
  const other = { name: 'grace', via: 'chat' } as const;
  await engine.approveGateOne(runId, REVIEWER);
  for (const via of ['api', 'board', 'chat'] as const) {
    const refused = engine.approveGateTwo(runId, { name: REVIEWER.name, via });
    t.match(await refused.catch((error: unknown) => error), {
      code: 'second_person_required',
      status: 403,
      members: { opened_by: REVIEWER.name },
    });
  }
  t.match(await engine.run(runId), { state: 'staged_draft', approved_by: REVIEWER.name });
  await engine.rejectGateTwo(runId, other, { reason: 'look again', to: 'staged_raw' });
  t.equal((await engine.run(runId)).approved_by, null, 'nobody has approved Gate 1 of the new cycle');
  await engine.approveGateOne(runId, other);
  t.equal(
    await code(engine.approveGateTwo(runId, other)),
    'second_person_required',
    'the latest approval of Gate 1 counts',
  );
  t.match(await engine.approveGateTwo(runId, REVIEWER), { status: 'published' });
  t.match(
    await engine.approveGateTwo(runId, other),
    { status: 'published' },
    'approving a passed gate again returns the same result',
  );
  t.equal(publisher.issues.length, 1);
});

t.test('editing: needs the current digest and has limits; the signed draft is published', async (t) => {
  const { engine, publisher, runId } = await bench({ policy: { requireBoundApproval: true } });
  t.teardown(() => engine.close());
  await engine.approveGateOne(runId, REVIEWER);
  const { draft } = await engine.run(runId);
  if (!draft) throw new Error('no draft');
  const edit = { title: 'Cart fails', body: 'It fails.', labels: ['culprit'], assignees: [] };
  t.equal(await code(engine.editDraft(runId, REVIEWER, { ...edit, digest: 'stale' })), 'draft_changed');
  t.equal(
    await code(engine.editDraft(runId, REVIEWER, { ...edit, title: ' ', digest: draft.digest })),
    'malformed',
  );
  t.equal(
    await code(engine.editDraft(runId, REVIEWER, { ...edit, title: 'a\nb', digest: draft.digest })),
    'malformed',
  );
  t.equal(
    await code(
      engine.editDraft(runId, REVIEWER, { ...edit, body: 'x'.repeat(65_536), digest: draft.digest }),
    ),
    'malformed',
  );
  t.equal(
    await code(engine.editDraft(runId, REVIEWER, { ...edit, labels: [''], digest: draft.digest })),
    'malformed',
  );
  const edited = await engine.editDraft(runId, REVIEWER, { ...edit, digest: draft.digest });
  t.match(edited, { ...edit, edited_by: 'ada' });
  t.not(edited.digest, draft.digest);
  t.same(
    await engine.editDraft(runId, REVIEWER, { ...edit, digest: edited.digest }),
    edited,
    'the same text changes nothing',
  );

  t.equal(await code(engine.approveGateTwo(runId, REVIEWER)), 'precondition_required');
  t.equal(await code(engine.approveGateTwo(runId, REVIEWER, { digest: draft.digest })), 'draft_changed');
  t.match(await engine.approveGateTwo(runId, REVIEWER, { digest: edited.digest }), { status: 'published' });
  t.match(publisher.issues[0]?.title, 'Cart fails');
  t.equal(
    await code(engine.editDraft(runId, REVIEWER, { ...edit, digest: edited.digest })),
    'state_conflict',
  );
});

t.test('secrets pasted by a reviewer are redacted', async (t) => {
  const { engine, runId } = await bench();
  t.teardown(() => engine.close());
  await engine.approveGateOne(runId, REVIEWER);
  const { draft } = await engine.run(runId);
  const body = 'Use ghp_0123456789abcdefghijABCDEFGHIJ012345 to see it.';
  const edit = { title: 'Cart fails', body, labels: [], assignees: [] };
  const edited = await engine.editDraft(runId, REVIEWER, { ...edit, digest: draft?.digest ?? '' });
  t.notMatch(edited.body, /ghp_0123/);
});

t.test('scrub rules apply to crashes, to reviewers’ edits and to chat messages', async (t) => {
  const sent: string[] = [];
  const notifier = { notify: async (run: object) => void sent.push(JSON.stringify(run)) };
  const { engine, runId } = await bench({
    connectors: [bring('chat', { notifier })],
    scrub: { email: false, rules: [{ id: 'ticket', pattern: 'TCK-\\d{1,6}' }] },
  });
  await engine.ingest({ crash: { ...CRASH, event_id: 'crash-2', message: 'TCK-1 of bob@example.com' } });
  await engine.ingestBatch(batchOf('TCK-2'));
  await engine.approveGateOne(runId, REVIEWER);
  const { draft, event } = await engine.run(runId);
  const edit = { title: 'TCK-3', body: 'TCK-4 is with bob@example.com', labels: [], assignees: [] };
  const edited = await engine.editDraft(runId, REVIEWER, { ...edit, digest: draft?.digest ?? '' });
  t.strictSame(edited.title, '[redacted:ticket]');
  t.equal(edited.body, '[redacted:ticket] is with bob@example.com', 'the rule for e-mail is off');
  t.match((await engine.evidence(runId)).config, {
    scrub: { email: false, rules: [{ id: 'ticket', pattern: 'TCK-\\d{1,6}' }] },
  });
  t.equal(event.tags.order, 'TCK-2', 'the edge that recorded it did not have this rule');
  await engine.close();
  t.match(sent.join(), '[redacted:ticket]');
  t.notMatch(sent.join(), /TCK-\d/, 'but it is redacted in chat');
  await t.rejects(bench({ scrub: { rules: [{ id: 'slow', pattern: '(a+)+' }] } }), { code: 'configuration' });
});

function batchOf(order: string): DeliveryBatch {
  const crash = { ...CRASH, event_id: 'crash-3', tags: { order } };
  return {
    edge: 'edge-1',
    deliveries: [
      {
        ...{ sequence: 1, event_id: 'crash-3', project: 'default', door: 'native', tracker: 'native' },
        ...{ received_at: '2027-01-01T00:00:00.000Z', raw_sha256: '', headers: {}, attachments: [] },
        ...{ redactions: 0, crash },
      },
    ],
  } as DeliveryBatch;
}

t.test('back to Gate 1: a new analysis, with its own cycle and evidence', async (t) => {
  const { engine, runId } = await bench();
  t.teardown(() => engine.close());
  await engine.approveGateOne(runId, REVIEWER);
  t.equal(await code(engine.rejectGateTwo(runId, REVIEWER, { reason: '', to: 'staged_raw' })), 'malformed');
  t.match(await engine.rejectGateTwo(runId, REVIEWER, { reason: 'wrong repository', to: 'staged_raw' }), {
    state: 'staged_raw',
  });
  t.match(await engine.run(runId), { state: 'staged_raw', cycle: 2, draft: null, suspects: [] });
  t.equal(await code(engine.approveGateTwo(runId, REVIEWER)), 'state_conflict');
  t.match(
    await engine.evidence(runId),
    { cycle: 1 },
    'the evidence of the first analysis is kept until then',
  );
  await engine.approveGateOne(runId, REVIEWER);
  t.match(await engine.evidence(runId), { cycle: 2 });
  t.match(await engine.rejectGateTwo(runId, REVIEWER, { reason: 'noise', to: 'rejected' }), {
    status: 'rejected',
    state: 'rejected',
  });
  t.match(
    await engine.rejectGateTwo(runId, REVIEWER, { reason: 'noise', to: 'rejected' }),
    { state: 'rejected' },
    'idempotent',
  );
  t.equal(await code(engine.approveGateOne(runId, REVIEWER)), 'state_conflict');
});

t.test(
  'evidence that an older version stored with secrets is read, and exported, without them',
  async (t) => {
    const storage = memoryStorage();
    const { engine, runId } = await bench({}, memoryPublisher(), storage);
    t.teardown(() => engine.close());
    await engine.approveGateOne(runId, REVIEWER);
    const { evidence: _since, ...versions } = (await engine.evidence(runId)).versions;
    const file = { status: 'ok', detail: null, ranges: [], history: [] };
    const hunk = { old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, section: 'key hunter2' };
    const call = (method: string, answer: object) => ({
      ...{ port: 'code_host', method, request: {}, answer, error: null },
    });
    const token = `ghp_${'Zq9x'.repeat(9)}`;
    const calls = [
      call('blame', {
        files: [
          { ...file, path: '.env', lines: ['KEY=hunter2'] },
          { ...file, path: 'src/a.js', lines: [`const token = "${token}";`, 'kept();'] },
        ],
        recent: [],
        ignored: [],
      }),
      call('diff', {
        sha: 'a'.repeat(40),
        files: [
          { path: '.env', old_path: '.env', status: 'modified', hunks: [{ ...hunk, lines: ['+hunter2'] }] },
          {
            path: 'b',
            old_path: 'config/.env',
            status: 'renamed',
            hunks: [{ ...hunk, lines: ['-hunter2'] }],
          },
        ],
        truncated: false,
      }),
    ];
    const old = JSON.stringify({ ...(await engine.evidence(runId)), versions, calls });
    t.match(old, new RegExp(token));
    await storage.values.set(evidenceKey(runId, 1), old);
    for (const text of [JSON.stringify(await engine.evidence(runId)), cleanEvidence(old)]) {
      t.notMatch(text, /hunter2|Zq9x/);
      t.match(text, 'kept();');
    }
    const stored = JSON.parse(cleanEvidence(old));
    t.strictSame(JSON.parse(cleanEvidence(JSON.stringify(stored))), stored, 'reading again changes nothing');
  },
);

t.test('code host down: Gate 1 fails, the run returns to it and keeps the reason', async (t) => {
  let down = true;
  const fail = async () => {
    if (down) throw new CulpritError('code_host_unavailable', 'git took too long.');
    throw new CulpritError('revision_not_found', 'No such revision.');
  };
  const codeHost = { tree: fail, blame: fail, commits: fail, diff: fail };
  const { engine, runId } = await bench({
    connectors: [bring('down', { codeHost })],
    projects: { default: { repository: 'acme/shop' } },
  });
  t.teardown(() => engine.close());
  t.equal(await code(engine.approveGateOne(runId, REVIEWER)), 'code_host_unavailable');
  const last_error = { code: 'code_host_unavailable', detail: 'git took too long.', retryable: true };
  t.match(await engine.run(runId), { state: 'staged_raw', cycle: 2, last_error });
  down = false;
  t.match(await engine.approveGateOne(runId, REVIEWER), { status: 'analyzed' });
  t.match(await engine.run(runId), { last_error: null, no_suspect: { code: 'no_revision' } });
});

t.test('Gate 1 approved again before the first approval returns: the first fails', async (t) => {
  const storage = memoryStorage();
  const { runStore } = storage;
  const analysing = { owner: 'another', token: 99, expires_at: '2100-01-01T00:00:00.000Z' };
  let between: Promise<unknown> = Promise.resolve();
  let reportSeen = () => {};
  const store: typeof runStore = {
    ...runStore,
    // Another process starts its analysis, and later fails, before the first approval reads the run.
    async get(id) {
      await between;
      const record = await runStore.get(id);
      if (record?.lease?.owner === 'another') reportSeen();
      return record;
    },
    async change(change) {
      if (change.patch.state !== 'staged_raw') return runStore.change(change);
      let open = () => {};
      between = new Promise<void>((resolve) => {
        open = resolve;
      });
      const record = await runStore.change(change);
      const { run_id, now } = change;
      const again = (version: number, patch: typeof change.patch, lease: typeof analysing | null) =>
        runStore.change({ run_id, version, now, patch, lease, history: [] });
      const seen = new Promise<void>((resolve) => {
        reportSeen = resolve;
      });
      const opened = again(record.run.version, { state: 'analyzing', last_error: null }, analysing);
      opened.then(open);
      const last_error = {
        code: 'code_host_forbidden',
        detail: 'The token has expired.',
        retryable: false,
      };
      seen.then(async () => {
        const { run } = await opened;
        await again(run.version, { state: 'staged_raw', cycle: run.cycle + 1, last_error }, null);
      });
      return record;
    },
  };
  const fail = async () => {
    throw new CulpritError('code_host_unavailable', 'git took too long.');
  };
  const codeHost = { tree: fail, blame: fail, commits: fail, diff: fail };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector({ ...storage, runStore: store }),
      bring('down', { codeHost, publisher: memoryPublisher() }),
    ],
    projects: { default: { repository: 'acme/shop' } },
  });
  t.teardown(() => engine.close());
  const { run_id } = await engine.ingest({ crash: CRASH });
  t.equal(await code(engine.approveGateOne(run_id ?? '', REVIEWER)), 'code_host_forbidden');
});

t.test('publishing: at most one issue, whatever the code host responds', async (t) => {
  const clock = manualClock();
  const publisher = memoryPublisher({ clock });
  const { engine, runId } = await bench({ clock, policy: { publishWaitMs: 1_000 } }, publisher);
  t.teardown(() => engine.close());
  const first = engine.approveGateOne(runId, REVIEWER);
  await clock.advance(0);
  await first;

  publisher.next('refuse');
  t.equal(await code(engine.approveGateTwo(runId, REVIEWER)), 'publish_refused');
  t.match(await engine.run(runId), { state: 'staged_draft', last_error: { code: 'publish_refused' } });

  publisher.next('wait');
  publisher.next('ambiguous-not-created');
  publisher.next('ambiguous-created');
  publisher.lag(90_000);
  const slow = engine.approveGateTwo(runId, REVIEWER);
  const answer = async () => {
    for (let seconds = 0; seconds < 3; seconds++) await clock.advance(1_000);
    return slow;
  };
  t.same(await answer(), { status: 'publishing', state: 'publishing' });
  for (let minute = 0; minute < 120 && (await engine.run(runId)).state === 'publishing'; minute++)
    await clock.advance(60_000);
  t.match(await engine.run(runId), { state: 'published', last_error: null });
  t.equal(publisher.issues.length, 1);
  const steps = (await engine.history(runId)).map(({ name }) => name);
  for (const name of [
    'publish.refused',
    'publish.wait',
    'publish.ambiguous',
    'publish.look',
    'publish.found',
  ]) {
    t.ok(steps.includes(name), name);
  }
});

t.test('publishing: waits are bounded, and a refusal after one returns the run to Gate 2', async (t) => {
  const clock = manualClock();
  const memory = memoryPublisher({ clock, retryAfterMs: 1e17 });
  let gone = false;
  const publisher: MemoryPublisher = {
    ...memory,
    find: async (...asked) => {
      if (gone) throw new CulpritError('repository_not_found', 'It is gone.');
      return memory.find(...asked);
    },
  };
  const { engine, runId } = await bench({ clock, policy: { publishWaitMs: 1_000 } }, publisher);
  t.teardown(() => engine.close());
  const first = engine.approveGateOne(runId, REVIEWER);
  await clock.advance(0);
  await first;
  memory.next('wait');
  const signed = engine.approveGateTwo(runId, REVIEWER);
  for (let seconds = 0; seconds < 3; seconds++) await clock.advance(1_000);
  t.match(await signed, { status: 'publishing' });
  gone = true;
  for (let hour = 0; hour < 3; hour++) await clock.advance(60 * 60_000);
  t.match(await engine.run(runId), { state: 'staged_draft', last_error: { code: 'repository_not_found' } });
});

t.test('publishing: dozens can wait at once without a leak warning, and closing ends them', async (t) => {
  const warnings: string[] = [];
  const warned = ({ message }: Error) => void warnings.push(message);
  process.on('warning', warned);
  t.teardown(() => process.off('warning', warned));
  const publisher = memoryPublisher({ retryAfterMs: 3_600_000 });
  const { engine } = await bench({ policy: { publishWaitMs: 20 } }, publisher);
  const publish = async (at: number) => {
    const crash = { ...CRASH, event_id: `wait-${at}`, fingerprint: [`wait-${at}`] };
    const { run_id } = await engine.ingest({ crash });
    await engine.approveGateOne(run_id ?? '', REVIEWER);
    publisher.next('wait');
    return engine.approveGateTwo(run_id ?? '', REVIEWER);
  };
  const answers = await Promise.all(Array.from({ length: 24 }, (_, at) => publish(at)));
  t.same([...new Set(answers.map(({ status }) => status))], ['publishing']);
  await engine.close();
  t.same(warnings, []);
});

t.test('runs of an engine that died while analysing or publishing are resumed by the next one', async (t) => {
  const storage = memoryStorage();
  const kept = bring('kept', storage);
  const publisher = memoryPublisher();
  const connectors = [kept, bring('publisher', { publisher })];
  const hang: Publisher = {
    ...publisher,
    find: () => new Promise(() => {}),
    create: () => new Promise(() => {}),
  };
  const dead = await createEngine({
    connectors: [kept, bring('publisher', { publisher: hang })],
    policy: { publishWaitMs: 5 },
  });
  const { run_id: runId } = await dead.ingest({ crash: CRASH });
  if (runId === null) throw new Error('no run');
  await dead.approveGateOne(runId, REVIEWER);
  t.match(await dead.approveGateTwo(runId, REVIEWER), { status: 'publishing' });

  const next = await createEngine({ connectors });
  t.teardown(() => next.close());
  t.match(await next.approveGateTwo(runId, REVIEWER), { status: 'published' });
  t.equal(publisher.issues.length, 1);
  const names = (await next.history(runId)).map(({ name }) => name);
  t.ok(names.includes('publish.resumed'));
});

t.test('two engines in one process share nothing', async (t) => {
  const one = await bench();
  const two = await bench();
  await one.engine.approveGateOne(one.runId, REVIEWER);
  t.match(await two.engine.run(two.runId), { state: 'staged_raw' });
  await one.engine.close();
  t.equal(await code(one.engine.run(one.runId)), 'closed');
  t.match(await two.engine.approveGateOne(two.runId, REVIEWER), { status: 'analyzed' });
  await two.engine.close();
  await two.engine.close();
});

t.test('override: a port, a list and a class are replaced, in one engine alone', async (t) => {
  const dry: string[] = [];
  const asked: string[] = [];
  const told: string[] = [];
  const { engine, publisher, runId } = await bench({
    override: {
      publisher: (unchanged) =>
        unchanged && {
          ...unchanged,
          create: (issue, signal) => {
            dry.push(issue.title);
            return unchanged.create({ ...issue, labels: [] }, signal);
          },
          find: (...rest) => unchanged.find(...rest),
          read: (...rest) => unchanged.read(...rest),
        },
      explainers: (unchanged) => [
        ...unchanged,
        {
          name: 'own',
          explain: async () => {
            asked.push('own');
            throw new CulpritError('explainer_failed', 'no');
          },
        },
      ],
      notifications: (unchanged) => ({
        start: () => unchanged.start(),
        failed: () => unchanged.failed(),
        retry: (...which) => unchanged.retry(...which),
        changed: (changed) => {
          told.push(changed);
          unchanged.changed(changed);
        },
      }),
    },
  });
  const other = await bench();
  t.teardown(() => Promise.all([engine.close(), other.engine.close()]));
  await engine.approveGateOne(runId, REVIEWER);
  await other.engine.approveGateOne(other.runId, REVIEWER);
  t.match(await engine.approveGateTwo(runId, REVIEWER), { status: 'published' });
  t.match(await other.engine.approveGateTwo(other.runId, REVIEWER), { status: 'published' });
  t.equal(dry.length, 1);
  t.equal(publisher.issues.length, 1);
  t.same(asked, ['own']);
  t.ok(told.length >= 3 && told.every((id) => id === runId), 'ingest, both gates and the issue');
});

t.test(
  'override: a port can be taken away, and an unknown name is refused before anything starts',
  async (t) => {
    const { engine, runId } = await bench({ override: { publisher: () => null } });
    t.teardown(() => engine.close());
    await engine.approveGateOne(runId, REVIEWER);
    t.equal(await code(engine.approveGateTwo(runId, REVIEWER)), 'no_publisher');
    let started = 0;
    const late: Connector = { id: 'late', setup: () => ({ close: async () => void started++ }) };
    const override = { gateOne: () => null } as unknown as NonNullable<EngineOptions['override']>;
    await t.rejects(createEngine({ connectors: [late], override }), {
      code: 'configuration',
      path: 'override',
      message: /^"override" cannot change "gateOne". It can change: codeHost, .*, notifications\.$/,
    });
    t.equal(started, 0);
  },
);

t.test('override: its own errors keep their code, and it may supply what no connector has', async (t) => {
  const refused = new CulpritError('configuration', 'Not today.');
  for (const name of ['publisher', 'firstReleases', 'notifications'] as const) {
    const override = {
      [name]: () => {
        throw refused;
      },
    };
    const failed = createEngine({ connectors: [memoryStorageConnector()], override });
    t.equal(await failed.catch((error: unknown) => error), refused, name);
  }
  const { runStore, runHistory, statusFeed, values } = await memoryStorageConnector().setup({} as never);
  if (!runStore || !runHistory || !statusFeed || !values) throw new Error('no storage');
  const engine = await createEngine({
    connectors: [],
    override: {
      runStore: () => runStore,
      runHistory: () => runHistory,
      statusFeed: () => statusFeed,
      values: () => values,
    },
  });
  t.match(await engine.ingest({ crash: CRASH }), { outcome: 'accepted' });
  await engine.close();
  const taken = createEngine({
    connectors: [memoryStorageConnector()],
    override: { values: () => null as never },
  });
  t.equal(await code(taken), 'connector_missing', 'an engine needs it');
});

t.test('a start that fails: connectors close after what has begun', async (t) => {
  const events: string[] = [];
  let signal: AbortSignal | undefined;
  const watched: Connector = {
    id: 'watched',
    setup: (context) => {
      ({ signal } = context);
      return { close: async () => void events.push('closed') };
    },
  };
  const failing: Connector = {
    id: 'failing',
    setup: () => Promise.reject(new CulpritError('configuration', 'no')),
  };
  t.equal(await code(createEngine({ connectors: [watched, failing] })), 'configuration');
  t.ok(signal?.aborted, 'what a connector has begun ends');
  t.same(events, ['closed']);
  const failed = createEngine({
    connectors: [memoryStorageConnector(), watched],
    override: {
      runStore: (unchanged) => ({
        ...unchanged,
        page: async (query) => {
          events.push('begun');
          await new Promise((resolve) => setTimeout(resolve, 20));
          events.push('read');
          return unchanged.page(query);
        },
      }),
      notifications: (unchanged) => ({
        ...unchanged,
        start() {
          throw new CulpritError('configuration', 'no');
        },
      }),
    },
  });
  t.equal(await code(failed), 'configuration');
  t.same([events.indexOf('begun') > 0, events.at(-1)], [true, 'closed']);
});

t.test('start: missing and duplicate parts are named', async (t) => {
  t.equal(await code(createEngine({ connectors: [] })), 'connector_missing');
  const twice = [memoryStorageConnector(), memoryStorageConnector()];
  t.equal(await code(createEngine({ connectors: twice })), 'configuration');
  let closed = 0;
  const closing: Connector = { id: 'closing', setup: () => ({ close: async () => void closed++ }) };
  const failing: Connector = {
    id: 'failing',
    setup: () => Promise.reject(new CulpritError('configuration', 'no')),
  };
  t.equal(await code(createEngine({ connectors: [closing, failing] })), 'configuration');
  t.equal(closed, 1, 'parts that had started are closed');
});

t.test('checks: one that throws counts as failed', async (t) => {
  const check = (): never => {
    throw new Error('the disk is gone');
  };
  const { engine } = await bench({ connectors: [bring('bad', { check })] });
  t.teardown(() => engine.close());
  t.match(await engine.check(), [{ name: 'bad', ok: false, detail: 'the disk is gone' }]);
});

t.test('notifiers get waiting runs and never delay a gate', async (t) => {
  const heard: string[] = [];
  const notifier = {
    notify: async (run: { state: RunState }) => {
      heard.push(run.state);
      throw new Error('chat is down');
    },
  };
  const { engine, runId } = await bench({ connectors: [bring('chat', { notifier })] });
  await engine.approveGateOne(runId, REVIEWER);
  await engine.approveGateTwo(runId, REVIEWER);
  await engine.close();
  t.ok(heard.includes('published') || heard.includes('staged_draft') || heard.includes('staged_raw'));
});
