import t from 'tap';
import type { Finding } from '../../src/domain/investigation.js';
import type { Run } from '../../src/domain/run.js';
import type { InvestigationPolicy } from '../../src/engine-api.js';
import { CulpritError, createEngine, type Engine, isCulpritError } from '../../src/index.js';
import { replay } from '../../src/pipeline/evidence/replay.js';
import { DEFAULT_POLICY } from '../../src/policy.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Desk, Investigator } from '../../src/ports/investigator.js';
import type { KeyValue } from '../../src/store/key-value.js';
import { memoryKeyValue } from '../../src/store/memory-key-value.js';
import type { Storage } from '../../src/store/open-store.js';
import { openMemoryStore, openStore } from '../../src/store/open-store.js';
import { silentLogger } from '../../src/system.js';
import { manualClock, memoryPublisher, memoryStorageConnector } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;
const CART = `import { price } from './price.js';

export function total(cart) {
  return cart.items.map(price).reduce((sum, one) => sum + one, 0);
}
`;
const HOST = memoryCodeHost(
  [
    {
      title: 'Open the shop',
      at: '2026-01-01T10:00:00Z',
      author: 'Grace',
      write: {
        'src/cart.js': CART,
        'src/price.js': 'export function price(item) {\n  return item.price ?? 0;\n}\n',
        'README.md': 'shop\n',
      },
    },
    {
      title: 'Prices are never absent',
      at: '2026-01-02T10:00:00Z',
      author: 'Linus',
      write: { 'src/price.js': 'export function price(item) {\n  return item.price;\n}\n' },
    },
    {
      title: 'Read the cart from the session',
      at: '2026-01-03T10:00:00Z',
      author: 'Edsger',
      write: { 'src/session.js': 'export function cart(session) {\n  return session.cart ?? null;\n}\n' },
    },
    {
      title: 'Sum in one line',
      at: '2026-01-04T10:00:00Z',
      author: 'Ken',
      write: { 'src/cart.js': CART.replace('(sum, one) => sum + one', '(a, b) => a + b') },
    },
  ],
  { releases: { 'shop@1': 'Sum in one line' }, before: (method) => reading(method) },
);
let reading: (method: string) => void | Promise<void> = () => {};
const CAUSE = HOST.sha('Read the cart from the session');
const CRASH = {
  event_id: 'crash-1',
  timestamp: '2026-01-05T08:00:00Z',
  release: 'shop@1',
  exception: {
    values: [
      {
        type: 'TypeError',
        value: "Cannot read properties of null (reading 'items')",
        stacktrace: { frames: [{ filename: 'src/cart.js', function: 'total', lineno: 4, in_app: true }] },
      },
    ],
  },
};
const FINDING: Finding = {
  commits: [CAUSE.slice(0, 10)],
  mechanism: 'value_changed',
  place: { path: 'src/session.js', line: 2 },
  quote: 'return session.cart ?? null;',
  probability: 0.97,
  none_probability: 0.02,
};
const OTHER: Finding = {
  ...FINDING,
  commits: [HOST.sha('Prices are never absent')],
  place: { path: 'src/price.js', line: 2 },
  quote: 'return item.price;',
};
const SMALL = { input: 1_000, output: 100 };

type Script = (desk: Desk, signal: AbortSignal) => Promise<Finding | null>;
const scripted = (investigate: Script, more: Partial<Investigator> = {}): Investigator => ({
  ...{ name: 'scripted', model: 'scripted-1', promptVersion: 'test', investigate },
  ...more,
});
/** Asks what it has not asked before, calls its model before each question and once more, and then answers. */
const CAREFUL: Script = async (desk) => {
  const wanted = [
    { name: 'read_source', input: { path: 'src/session.js' } },
    { name: 'show_commit', input: { sha: CAUSE } },
  ];
  for (const question of wanted.slice(desk.asked().length)) {
    await desk.call(SMALL, async () => ({ used: { input: 800, output: 50 } }));
    await desk.ask(question);
  }
  await desk.call(SMALL, async () => ({ used: { input: 900, output: 80 } }));
  return FINDING;
};

interface Bench {
  readonly storage?: Storage;
  readonly policy?: Partial<InvestigationPolicy>;
  readonly clock?: Clock;
}

async function engineWith(
  investigator: Investigator | null,
  { storage = openMemoryStore(), policy = {}, clock }: Bench = {},
): Promise<Engine> {
  return createEngine({
    ...(clock && { clock }),
    connectors: [
      memoryStorageConnector(storage),
      { id: 'host', setup: () => ({ codeHost: HOST, publisher: memoryPublisher() }) },
      ...(investigator === null ? [] : [{ id: 'scripted', setup: () => ({ investigator }) }]),
    ],
    projects: { default: { repository: 'shop/shop' } },
    policy: { investigation: { ...DEFAULT_POLICY.investigation, ...policy } },
  });
}

async function staged(engine: Engine, crash: Readonly<Record<string, unknown>> = CRASH): Promise<string> {
  const { run_id } = await engine.ingest({ crash });
  if (run_id === null) throw new Error('no run');
  await engine.approveGateOne(run_id, REVIEWER);
  return run_id;
}

async function settled(engine: Engine, runId: string): Promise<Run> {
  for (let tries = 0; tries < 400; tries++) {
    const run = await engine.run(runId);
    if (run.investigation && run.investigation.state !== 'running') return run;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the investigation never ended');
}

async function code(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return isCulpritError(error) ? error.code : `bug: ${String(error)}`;
  }
}

t.test('after Gate 1 it starts by itself, and a checked finding changes suspects and draft', async (t) => {
  const rounds: number[] = [];
  const investigator = scripted((desk, signal) => {
    t.match(desk, { crash: /TypeError/, ranking: /Sum in one line/, questions: [String] });
    t.ok((desk.msLeft?.() ?? 0) > 200_000, 'of 300 s');
    rounds.push(desk.round);
    return CAREFUL(desk, signal);
  });
  const engine = await engineWith(investigator);
  t.teardown(() => engine.close());
  const seen: string[] = [];
  engine.progress.watch(({ steps }) => seen.push(String(steps.at(-1)?.detail.question)));
  const runId = await staged(engine);
  const before = await engine.run(runId);
  t.not(before.suspects[0]?.sha, CAUSE);
  const run = await settled(engine, runId);
  t.match(run, {
    state: 'staged_draft',
    investigation: {
      state: 'used',
      by: { kind: 'model', name: 'scripted-1', person: null },
      questions: 4,
      tokens: 2 * (850 * 2 + 980),
      cost: null,
      reason: null,
      checks: [{ ok: true }, { ok: true }, { ok: true }],
      measured: false,
    },
    suspects: [{ sha: CAUSE, found_by: { measured: false } }],
    draft: { edited_by: null },
  });
  t.same(seen.slice(-2), ['read_source', 'show_commit'], 'progress names what is asked');
  t.same(rounds, [0, 1], 'a finding that is neither nearly certain nor unlikely is looked for twice');
  t.not(run.draft?.digest, before.draft?.digest);
  t.same(
    run.investigation?.ranking.map(({ sha }) => sha),
    before.suspects.map(({ sha }) => sha),
  );
  t.match(await engine.investigation(runId), {
    asked: [
      { number: 1, question: 'read_source', problem: null, text: /session\.cart/ },
      { number: 2, question: 'show_commit', problem: null },
    ],
  });
  const again = await replay(await engine.evidence(runId));
  t.equal(again.draft.body, run.draft?.body, 'the evidence gives the same draft, byte for byte');
  t.equal(again.draft.digest, run.draft?.digest);
  t.match((await engine.history(runId)).at(-1), {
    name: 'investigation.done',
    digest: run.draft?.digest,
    detail: { from: before.suspects[0]?.sha, to: CAUSE, before: before.draft?.digest },
  });
  t.match(await engine.investigationsToday(), { investigations: 1, tokens: 2 * (850 * 2 + 980) });
});

t.test('by command, or never', async (t) => {
  const asked = await engineWith(scripted(CAREFUL), { policy: { when: 'ask' } });
  const runId = await staged(asked);
  t.notOk((await asked.run(runId)).investigation);
  t.match(await asked.startInvestigation(runId, REVIEWER), {
    investigation: { state: 'running', by: { person: 'ada' } },
  });
  t.match(await settled(asked, runId), { investigation: { state: 'used' } });
  t.equal(
    await code(asked.startInvestigation(runId, REVIEWER)),
    'state_conflict',
    'it follows a finding already',
  );
  await asked.close();

  for (const [engine, answer] of [
    [await engineWith(scripted(CAREFUL), { policy: { when: 'off' } }), 'no_investigator'],
    [await engineWith(null), 'ok'],
  ] as const) {
    const one = await staged(engine);
    t.equal(await code(engine.startInvestigation(one, REVIEWER)), 'no_investigator');
    t.equal(await code(engine.showRanking(one, REVIEWER)), answer);
    await engine.close();
  }
  const known = { explainer: 'x', model: 'x', version: null, reason: null, probed_at: null, limits: [] };
  const unable = { ...known, state: 'usable', investigates: 'no' } as const;
  const weak = await engineWith(scripted(CAREFUL, { status: () => unable }));
  t.teardown(() => weak.close());
  const one = await staged(weak);
  t.notOk((await weak.run(one)).investigation, 'a model that is not up to it does not start by itself');
  t.equal(await code(weak.startInvestigation(one, REVIEWER)), 'no_investigator');
});

t.test('a failing check, no finding and no commit change nothing', async (t) => {
  const cases: readonly [Finding | null, object][] = [
    [
      { ...FINDING, quote: 'return nothing;' },
      { reason: 'check_failed', checks: [{ ok: true }, { code: 'quote_in_diff', ok: false }] },
    ],
    [
      { ...FINDING, commits: ['0123456789'] },
      { reason: 'check_failed', checks: [{ code: 'commits_exist', ok: false }] },
    ],
    [{ ...FINDING, place: { path: 'src/none.js', line: 1 } }, { reason: 'check_failed' }],
    [{ ...FINDING, none_probability: 0.6 }, { reason: 'no_commit' }],
    [null, { reason: 'no_finding' }],
  ];
  for (const [finding, expected] of cases) {
    const engine = await engineWith(scripted(async () => finding));
    const runId = await staged(engine);
    const evidence = await engine.evidence(runId);
    const run = await settled(engine, runId);
    t.match(run.investigation, { state: 'ended', probability: null, ...expected });
    t.notOk(run.suspects[0]?.found_by);
    t.same(await engine.evidence(runId), evidence);
    await engine.close();
  }
});

/** Waits at its first question until it is let go. */
function waiting() {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const investigator = scripted(async (desk, signal) => {
    await desk.ask({ name: 'list_folder', input: {} });
    await held;
    return CAREFUL(desk, signal);
  });
  return { investigator, go: () => go() };
}

t.test('an edited draft keeps its text: the finding is offered, and can be chosen', async (t) => {
  const { investigator, go } = waiting();
  const engine = await engineWith(investigator);
  t.teardown(() => engine.close());
  const runId = await staged(engine);
  const { draft } = await engine.run(runId);
  const edited = await engine.editDraft(runId, REVIEWER, {
    title: 'Mine',
    body: draft?.body ?? '',
    digest: draft?.digest,
  });
  go();
  const run = await settled(engine, runId);
  t.match(run, {
    investigation: { state: 'offered', reason: 'edited', finding: { commits: [CAUSE] } },
    draft: { title: 'Mine' },
  });

  t.equal(
    await code(engine.chooseSuspects(runId, REVIEWER, { by: 'investigation' })),
    'precondition_required',
  );
  t.equal(
    await code(engine.chooseSuspects(runId, REVIEWER, { by: 'investigation', digest: draft?.digest })),
    'draft_changed',
  );
  const found = await engine.chooseSuspects(runId, REVIEWER, { by: 'investigation', digest: edited.digest });
  t.match(found, {
    suspects: [{ sha: CAUSE }],
    investigation: { state: 'used', reason: null },
    draft: { edited_by: null },
  });
  const ranked = await engine.chooseSuspects(runId, REVIEWER, { by: 'ranking', digest: found.draft?.digest });
  t.same(ranked.draft, draft, 'the ranking alone gives the draft of Gate 1, byte for byte');
  t.match(ranked.investigation, { state: 'offered', reason: 'preferred' });
  const back = await engine.chooseSuspects(runId, REVIEWER, {
    by: 'investigation',
    digest: ranked.draft?.digest,
  });
  t.same(back.draft, found.draft);
  t.same((await replay(await engine.evidence(runId))).draft, found.draft);
  await engine.approveGateTwo(runId, REVIEWER, { digest: found.draft?.digest });
  t.match(await engine.verify(runId), { verified: true }, 'the published issue follows from the evidence');
});

t.test('Gate 2 can be signed meanwhile, and a reviewer can stop it', async (t) => {
  const signed = waiting();
  const engine = await engineWith(signed.investigator);
  t.teardown(() => engine.close());
  const runId = await staged(engine);
  await engine.approveGateTwo(runId, REVIEWER);
  signed.go();
  t.match(await settled(engine, runId), {
    state: 'published',
    investigation: { state: 'ended', reason: 'left' },
  });

  const stopped = waiting();
  const other = await engineWith(stopped.investigator);
  t.teardown(() => other.close());
  const second = await staged(other);
  t.match(await other.stopInvestigation(second, REVIEWER), {
    investigation: { state: 'ended', reason: 'stopped' },
  });
  stopped.go();
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.match(await other.run(second), { investigation: { reason: 'stopped' } });
  t.notOk((await other.run(second)).suspects[0]?.found_by);
});

t.test('every limit ends it, and nothing is used beyond it', async (t) => {
  const greedy: Script = async (desk) => {
    for (let count = 0; count < 50; count++) {
      await desk.call(SMALL, async () => ({ used: null }));
      await desk.ask({ name: 'list_folder', input: {} });
    }
    return FINDING;
  };
  const price = { input: 1, output: 10 };
  const cases: readonly [Partial<InvestigationPolicy>, string][] = [
    [{ questions: 3 }, 'questions'],
    [{ tokens: 3_500 }, 'tokens'],
    [{ price, cost: 0.005 }, 'cost'],
    [{ price, costPerDay: 0.005 }, 'daily_cost'],
  ];
  for (const [policy, reason] of cases) {
    const engine = await engineWith(scripted(greedy), { policy });
    const { investigation } = await settled(engine, await staged(engine));
    t.match(investigation, { state: 'ended', reason, finding: null });
    t.ok((investigation?.questions ?? 0) <= (policy.questions ?? 12));
    t.ok((investigation?.tokens ?? 0) <= (policy.tokens ?? 200_000));
    t.ok((investigation?.cost ?? 0) <= 0.005);
    t.ok(((await engine.investigationsToday()).cost ?? 0) <= 0.005);
    await engine.close();
  }
  const idle: Script = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const deaf: Script = () => new Promise(() => {});
  for (const script of [idle, deaf]) {
    const slow = await engineWith(scripted(script), { policy: { ms: 50 } });
    t.match(await settled(slow, await staged(slow)), { investigation: { reason: 'seconds' } });
    await slow.close();
  }
  const broken = await engineWith(
    scripted(async () => {
      throw new CulpritError('investigator_failed', 'The model answered nonsense.');
    }),
  );
  t.teardown(() => broken.close());
  t.match(await settled(broken, await staged(broken)), {
    investigation: { reason: 'model_failed', detail: 'The model answered nonsense.' },
  });
});

t.test('an agent hands in a finding', async (t) => {
  const engine = await engineWith(null);
  t.teardown(() => engine.close());
  const runId = await staged(engine);
  const agent = { ...REVIEWER, token: 'desk' };
  t.match(await engine.submitFinding(runId, agent, { ...FINDING, quote: 'not there' }), {
    investigation: {
      state: 'ended',
      reason: 'check_failed',
      by: { kind: 'agent', name: 'desk', person: 'ada' },
    },
  });
  const run = await engine.submitFinding(runId, agent, FINDING);
  t.match(run, {
    investigation: { state: 'used' },
    suspects: [{ sha: CAUSE, found_by: { by: { kind: 'agent' } } }],
  });
  t.same((await replay(await engine.evidence(runId))).draft, run.draft);
  t.equal(await code(engine.submitFinding(runId, agent, { ...FINDING, commits: [] })), 'malformed');
});

t.test('questions are answered in turn, and are limited', async (t) => {
  const clock = manualClock();
  const engine = await engineWith(null, { clock });
  t.teardown(() => engine.close());
  const runId = await staged(engine);
  const person = (name: string) => ({ ...REVIEWER, name });
  const read = (name: string) => engine.readSource(runId, person(name), { path: 'src/cart.js' });
  const counts = { now: 0, most: 0 };
  reading = async (method) => {
    if (method !== 'blame') return;
    counts.most = Math.max(counts.most, ++counts.now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    counts.now -= 1;
  };
  t.teardown(() => {
    reading = () => {};
  });
  const own = await Promise.all(Array.from({ length: 12 }, () => read('ada')));
  t.equal(own.filter(({ problem }) => problem === null).length, 10);
  t.equal(own.filter(({ problem }) => problem === 'limit').length, 2);
  t.equal(counts.most, 1, 'one after another of each reviewer');
  await Promise.all(['ben', 'eve', 'joe', 'kim'].map(read));
  t.equal(counts.most, 2, 'two at once of all');
  const rank = async () => (await engine.showRanking(runId, REVIEWER)).problem;
  for (let asked = 10; asked < 100; asked++) t.equal(await rank(), null);
  t.equal(await rank(), 'limit');
  t.equal((await engine.showRanking(runId, person('ben'))).problem, null);
  await clock.advance(3_600_000);
  t.equal(await rank(), null);
});

/** A store that a process loses after some more writes. */
function mortal(inner: KeyValue) {
  let left = Number.POSITIVE_INFINITY;
  let writes = 0;
  const alive = <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      if (left < 0) throw new CulpritError('storage_unavailable', 'The process has ended.');
      return work(...args);
    };
  };
  const store: KeyValue = {
    ...inner,
    getMany: alive(inner.getMany),
    entries: alive(inner.entries),
    commit: alive(async (commit) => {
      writes += 1;
      left -= 1;
      if (left < 0) throw new CulpritError('storage_unavailable', 'The process has ended.');
      return inner.commit(commit);
    }),
  };
  const dieAfter = (count: number) => {
    left = count;
  };
  return { store, dieAfter, writes: () => writes, dead: () => left < 0 };
}

t.test('after the end of core at any write it continues or ends, and nothing is free', async (t) => {
  const price = { input: 1, output: 10 };
  const policy = { price, tokens: 20_000, cost: 0.02, costPerDay: 0.02 };
  const options = { logger: silentLogger, feedEntries: 100 };
  let spent = 0;
  const used = { input: 800, output: 50 };
  const investigator = scripted(async (desk) => {
    for (const question of [
      { name: 'list_folder', input: {} },
      { name: 'show_commit', input: { sha: CAUSE } },
    ]) {
      await desk.call(SMALL, async () => {
        spent += used.input + used.output;
        return { used };
      });
      if (desk.asked().length < 2) await desk.ask(question);
    }
    return FINDING;
  });
  const start = async (process: ReturnType<typeof mortal>) =>
    engineWith(investigator, { storage: await openStore(process.store, options), policy });
  const end = async (engine: Engine) => void (await engine.close().catch(() => {}));

  const whole = mortal(memoryKeyValue());
  const engine = await start(whole);
  const before = whole.writes();
  t.match(await settled(engine, await staged(engine)), { investigation: { state: 'used' } });
  const writes = whole.writes() - before;
  await end(engine);
  t.ok(writes > 15);

  for (let count = 1; count <= writes; count++) {
    const inner = memoryKeyValue();
    spent = 0;
    const first = mortal(inner);
    const dying = await start(first);
    const { run_id } = await dying.ingest({ crash: CRASH });
    const runId = run_id ?? '';
    first.dieAfter(count - 1);
    dying.approveGateOne(runId, REVIEWER).catch(() => {});
    for (let tries = 0; tries < 300 && !first.dead(); tries++)
      await new Promise((resolve) => setTimeout(resolve, 2));
    void end(dying);
    const next = await start(mortal(inner));
    const state = (await next.run(runId)).state;
    if (state === 'staged_raw') await next.approveGateOne(runId, REVIEWER);
    const { investigation } = await settled(next, runId);
    const today = await next.investigationsToday();
    const figures = { count, spent, tokens: investigation?.tokens, today: today.tokens };
    t.equal(investigation?.state, 'used', JSON.stringify(investigation));
    t.ok(
      (investigation?.tokens ?? 0) >= spent && today.tokens >= spent,
      `nothing is free: ${JSON.stringify(figures)}`,
    );
    t.ok((investigation?.tokens ?? 0) <= policy.tokens && (today.cost ?? 1) <= policy.costPerDay);
    t.equal((await replay(await next.evidence(runId))).draft.digest, (await next.run(runId)).draft?.digest);
    await end(next);
  }

  const inner = memoryKeyValue();
  let runId = '';
  for (let process = 0; process < 7; process++) {
    const weak = mortal(inner);
    const dying = await start(weak);
    if (process === 0) runId = (await dying.ingest({ crash: CRASH })).run_id ?? '';
    weak.dieAfter(process === 0 ? 9 : 3);
    if (process === 0) dying.approveGateOne(runId, REVIEWER).catch(() => {});
    for (let tries = 0; tries < 50 && !weak.dead(); tries++)
      await new Promise((resolve) => setTimeout(resolve, 2));
    void end(dying);
  }
  const last = await start(mortal(inner));
  t.teardown(() => last.close());
  if ((await last.run(runId)).state === 'staged_raw') await last.approveGateOne(runId, REVIEWER);
  t.match(await settled(last, runId), { investigation: { state: 'ended', reason: 'interrupted' } });
});

t.test('another core takes over once the first has shown no sign of life', async (t) => {
  const memory = openMemoryStore();
  const storage = { ...memory, runStore: { ...memory.runStore, shared: true } };
  const clock = manualClock('2026-01-05T09:00:00.000Z');
  let dead = false;
  const held = scripted(async (desk) => {
    await desk.ask({ name: 'list_folder', input: {} });
    return new Promise(() => {});
  });
  const gone = () => {
    if (dead) throw new CulpritError('storage_unavailable', 'The process has ended.');
  };
  const values = new Proxy(storage.values, {
    get:
      (target, name: keyof typeof storage.values) =>
      (...args: never[]) => {
        gone();
        return (target[name] as (...args: never[]) => unknown)(...args);
      },
  });
  const first = await engineWith(held, { storage: { ...storage, values }, clock });
  const runId = await staged(first);
  while ((await first.run(runId)).investigation?.questions !== 1) await clock.advance(1);
  const second = await engineWith(scripted(CAREFUL), { storage, clock });
  t.teardown(() => second.close());
  for (let ms = 0; ms < 60_000; ms += 1_000) await clock.advance(1_000);
  t.match(
    (await second.run(runId)).investigation,
    { state: 'running', questions: 1 },
    'the first renews its lease',
  );
  dead = true;
  for (let ms = 0; ms < 60_000; ms += 1_000) await clock.advance(1_000);
  const run = await settled(second, runId);
  t.match(run, { investigation: { state: 'used' }, suspects: [{ sha: CAUSE }] });
  t.match(
    (await second.investigation(runId)).asked.map(({ question }) => question).slice(0, 2),
    ['list_folder', 'show_commit'],
    'it continues with what was asked',
  );
  await first.close().catch(() => {});
});

t.test('a finding without effect leaves an earlier one as it is', async (t) => {
  const engine = await engineWith(null);
  t.teardown(() => engine.close());
  const runId = await staged(engine);
  const ranked = await engine.run(runId);
  t.match(await engine.submitFinding(runId, REVIEWER, { ...OTHER, probability: 0.05 }), {
    investigation: { state: 'offered', reason: 'unsure' },
    draft: { digest: ranked.draft?.digest },
  });
  const used = await engine.submitFinding(runId, REVIEWER, FINDING);
  t.equal(used.investigation?.state, 'used');
  const bad = { ...FINDING, quote: 'nonsense line' };
  const members = { state: 'staged_draft', reason: 'check_failed', checks: [{}, { ok: false }, {}] };
  await t.rejects(engine.submitFinding(runId, REVIEWER, bad), { code: 'state_conflict', members });
  const none = { ...OTHER, none_probability: 0.9 };
  await t.rejects(engine.submitFinding(runId, REVIEWER, none), {
    code: 'state_conflict',
    members: { reason: 'no_commit' },
  });
  const weaker = { ...OTHER, probability: 0.3 };
  await t.rejects(engine.submitFinding(runId, REVIEWER, weaker), {
    code: 'state_conflict',
    members: { reason: 'unsure' },
  });
  t.same((await engine.run(runId)).investigation, used.investigation);
  t.equal((await engine.history(runId)).filter(({ name }) => name === 'finding.submit').length, 5);
  const digest = used.draft?.digest;
  const back = await engine.chooseSuspects(runId, REVIEWER, { by: 'ranking', digest });
  t.same(back.draft, ranked.draft);
  const again = { by: 'investigation', digest: back.draft?.digest } as const;
  t.equal((await engine.chooseSuspects(runId, REVIEWER, again)).draft?.digest, digest);
});

/** Whether the evidence gives the run's draft. */
async function agrees(engine: Engine, runId: string): Promise<boolean> {
  const { draft } = await replay(await engine.evidence(runId));
  return draft.digest === (await engine.run(runId)).draft?.digest;
}

/** A storage whose changes of evidence wait for `before`. */
function heldBack(before: (key: string, values: Storage['values']) => Promise<unknown>): Storage {
  const storage = openMemoryStore();
  const { values } = storage;
  const change: typeof values.change = async (key, ...rest) => {
    if (key.startsWith('evidence:')) await before(key, values);
    return values.change(key, ...rest);
  };
  return { ...storage, values: { ...values, change } };
}

t.test('evidence and draft stay together, whatever happens in between', async (t) => {
  let count = 0;
  const slow = heldBack(async () => {
    if (++count === 2) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  const racing = await engineWith(null, { storage: slow });
  t.teardown(() => racing.close());
  const raced = await staged(racing);
  await Promise.all([FINDING, OTHER].map((one) => racing.submitFinding(raced, REVIEWER, one)));
  t.ok(await agrees(racing, raced), 'two findings at once');

  let engine: Engine | null = null;
  let runId = '';
  let edits = false;
  const editing = await engineWith(null, {
    storage: heldBack(async () => {
      const { draft } = (await engine?.run(runId)) ?? {};
      if (!edits || !draft) return;
      edits = false;
      await engine?.editDraft(runId, REVIEWER, { title: 'Mine', body: draft.body, digest: draft.digest });
    }),
  });
  t.teardown(() => editing.close());
  engine = editing;
  runId = await staged(editing);
  const { draft } = await editing.submitFinding(runId, REVIEWER, FINDING);
  const evidence = await editing.evidence(runId);
  edits = true;
  const choice = { by: 'ranking', digest: draft?.digest } as const;
  t.equal(await code(editing.chooseSuspects(runId, REVIEWER, choice)), 'draft_changed');
  t.same(await editing.evidence(runId), evidence, 'an edit while the draft is derived');

  let erases = true;
  const erasing = await engineWith(null, {
    storage: heldBack(async (key, values) => {
      if (!erases) return;
      erases = false;
      await values.change(key, (kept) => kept?.replaceAll('Ken', '[erased]'));
    }),
  });
  t.teardown(() => erasing.close());
  const erased = await staged(erasing);
  t.match(JSON.stringify(await erasing.evidence(erased)), /Ken/);
  await erasing.submitFinding(erased, REVIEWER, FINDING);
  t.notMatch(JSON.stringify(await erasing.evidence(erased)), /Ken/, 'an erasure is not undone');
  t.ok(await agrees(erasing, erased));
});

t.test('after the end of core at any write of a finding, evidence and draft agree', async (t) => {
  const options = { logger: silentLogger, feedEntries: 100 };
  for (let count = 0; count < 8; count++) {
    const inner = memoryKeyValue();
    const first = mortal(inner);
    const dying = await engineWith(null, { storage: await openStore(first.store, options) });
    const runId = await staged(dying);
    first.dieAfter(count);
    await code(dying.submitFinding(runId, REVIEWER, FINDING));
    void dying.close().catch(() => {});
    const next = await engineWith(null, { storage: await openStore(inner, options) });
    for (let tries = 0; tries < 50 && !(await agrees(next, runId)); tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    t.ok(await agrees(next, runId), String(count));
    await next.close();
  }
});

t.test('without an investigator it ends, and outside Gate 2 no model is called', async (t) => {
  const options = { logger: silentLogger, feedEntries: 100 };
  for (const leaves of [false, true]) {
    const inner = memoryKeyValue();
    const first = await engineWith(waiting().investigator, { storage: await openStore(inner, options) });
    const runId = await staged(first);
    while ((await first.run(runId)).investigation?.questions !== 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    if (leaves) await first.approveGateTwo(runId, REVIEWER);
    await first.close();
    const unused = scripted(async () => {
      t.fail('called');
      return null;
    });
    const storage = await openStore(inner, options);
    const next = await engineWith(leaves ? unused : null, { storage });
    t.match(await settled(next, runId), { investigation: { reason: leaves ? 'left' : 'interrupted' } });
    await next.close();
  }
});

t.test(
  'one that was stopped can be started again at once, and one that waits its turn blocks nobody',
  async (t) => {
    let starts = 0;
    const engine = await engineWith(
      scripted((desk, signal) => (++starts < 3 ? new Promise(() => {}) : CAREFUL(desk, signal))),
    );
    t.teardown(() => engine.close());
    const crashes = ['One', 'Two', 'Three'].map((type) => {
      const [exception] = CRASH.exception.values;
      return { ...CRASH, event_id: type, exception: { values: [{ ...exception, type }] } };
    });
    const ids: string[] = [];
    for (const crash of crashes) ids.push(await staged(engine, crash));
    const [first = '', , third = ''] = ids;
    while (starts < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    t.equal(await code(engine.submitFinding(first, REVIEWER, FINDING)), 'state_conflict');
    const bad = { ...FINDING, quote: 'nonsense line' };
    t.equal(await code(engine.submitFinding(third, REVIEWER, bad)), 'state_conflict');
    t.match(await engine.run(third), { investigation: { state: 'running' } });
    t.match(await engine.submitFinding(third, REVIEWER, FINDING), { investigation: { state: 'used' } });
    await engine.stopInvestigation(first, REVIEWER);
    await engine.startInvestigation(first, REVIEWER);
    t.match(await settled(engine, first), { investigation: { state: 'used', by: { person: 'ada' } } });
  },
);

t.test('a finding waits for a code host that is away', async (t) => {
  const clock = manualClock('2026-01-05T09:00:00.000Z');
  let calls = 0;
  const engine = await engineWith(
    scripted(async () => {
      calls += 1;
      reading = (method) => {
        if (method === 'diff') throw new CulpritError('code_host_unavailable', 'Too many requests.');
      };
      return { ...FINDING, probability: 0.2 };
    }),
    { clock },
  );
  t.teardown(() => engine.close());
  const runId = await staged(engine);
  for (let ms = 0; ms < 120_000; ms += 5_000) await clock.advance(5_000);
  t.match(await engine.run(runId), { investigation: { state: 'running' } });
  reading = () => {};
  for (let ms = 0; ms < 30_000; ms += 5_000) await clock.advance(5_000);
  t.match(await settled(engine, runId), { investigation: { state: 'used' } });
  t.equal(calls, 1);
});

t.test(
  'findings are few, cost few explanations, hold no secrets, and are not signed by their authors',
  async (t) => {
    let calls = 0;
    const explain = async () => {
      calls += 1;
      throw new CulpritError('explainer_failed', 'No.');
    };
    const engine = await createEngine({
      connectors: [
        memoryStorageConnector(openMemoryStore()),
        { id: 'host', setup: () => ({ codeHost: HOST, publisher: memoryPublisher() }) },
        { id: 'explains', setup: () => ({ explainer: { name: 'explains', explain } }) },
      ],
      projects: { default: { repository: 'shop/shop' } },
      policy: { requireSecondPerson: true },
    });
    t.teardown(() => engine.close());
    const runId = await staged(engine);
    const bob = { ...REVIEWER, name: 'bob' };
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const first = { ...FINDING, mechanism: `It wrote ${secret}.` };
    await engine.submitFinding(runId, bob, first);
    t.notMatch(JSON.stringify([await engine.run(runId), await engine.evidence(runId)]), secret);
    const before = calls;
    for (let count = 0; count < 18; count++) await engine.submitFinding(runId, bob, FINDING);
    t.equal(calls, before, 'about the same commit nothing is explained again');
    t.equal(await code(engine.approveGateTwo(runId, bob)), 'second_person_required', 'whose finding is used');
    const { draft } = await engine.submitFinding(runId, { ...REVIEWER, name: 'cy' }, FINDING);
    t.equal(await code(engine.submitFinding(runId, bob, FINDING)), 'investigation_limit');
    const eve = { ...REVIEWER, name: 'eve' };
    await engine.chooseSuspects(runId, eve, { by: 'ranking', digest: draft?.digest });
    t.equal(
      await code(engine.approveGateTwo(runId, eve)),
      'second_person_required',
      'who chose the suspects',
    );
    t.equal(await code(engine.approveGateTwo(runId, bob)), 'ok');
  },
);
