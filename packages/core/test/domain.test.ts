import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import { defineConnector, secret } from '../src/connector/index.js';
import { clockDiffers, crashTimeOf } from '../src/domain/crash-time.js';
import { canonicalDraft } from '../src/domain/draft.js';
import { DOORS, type Door, LEVELS } from '../src/domain/event.js';
import { canonicalJson } from '../src/domain/json.js';
import { countOccurrence } from '../src/domain/occurrence.js';
import { addCounts, DEFAULT_QUOTAS, excessOf, hourOf, NO_COUNTS } from '../src/domain/quota.js';
import {
  nextState,
  RUN_STATES,
  type RunRecord,
  summarise,
  TRANSITIONS,
  type Trigger,
} from '../src/domain/run.js';
import { parseSearch, withQualifier } from '../src/domain/search/parse-search.js';
import { trustMix } from '../src/domain/source.js';
import { trustOf } from '../src/domain/trust.js';
import { ERRORS } from '../src/errors/catalogue.js';
import { problem } from '../src/errors/error.js';
import { CulpritError, isCulpritError, type Run } from '../src/index.js';
import { makeOccurrence } from '../src/testing/builders.js';
import { makeEvent, makeRun } from '../src/testing/index.js';

const TRIGGERS = Object.keys(TRANSITIONS) as Trigger[];
const DAY = 86_400_000;

t.test('run states: exactly the contract’s transitions', async (t) => {
  const arrows = [
    'staged_raw gate1.approve analyzing',
    'staged_raw gate1.reject rejected',
    'analyzing analysis.done staged_draft',
    'analyzing analysis.failed staged_raw',
    'staged_draft draft.edit staged_draft',
    'staged_draft gate2.approve publishing',
    'staged_draft gate2.reject rejected',
    'staged_draft gate2.return staged_raw',
    'publishing publish.done published',
    'publishing publish.refused staged_draft',
    'rejected gate1.reopen staged_raw',
    'rejected gate2.reopen staged_draft',
    'staged_raw gate1.snooze snoozed',
    'staged_draft gate2.snooze snoozed',
    'snoozed snooze.change snoozed',
    'snoozed gate1.wake staged_raw',
    'snoozed gate2.wake staged_draft',
    'staged_raw gate1.merge merged',
    'staged_draft gate2.merge merged',
    'merged gate1.split staged_raw',
    'merged gate2.split staged_draft',
  ];
  const found: string[] = [];
  for (const state of RUN_STATES) {
    for (const trigger of TRIGGERS) {
      const to = nextState(state, trigger);
      if (to !== null) found.push(`${state} ${trigger} ${to}`);
    }
  }
  t.same(found.sort(), arrows.sort());
});

t.test('property: run states: published is final, and rejected until a reviewer reopens it', async () => {
  fc.assert(
    fc.property(
      fc.constantFrom('published', 'rejected'),
      fc.array(fc.constantFrom(...TRIGGERS)),
      (start, triggers) =>
        triggers.every(
          (trigger) =>
            nextState(start as 'published' | 'rejected', trigger) === null ||
            (start === 'rejected' && trigger.endsWith('.reopen')),
        ),
    ),
  );
});

t.test('property: canonical JSON', async (t) => {
  t.equal(
    canonicalJson({ b: [1, undefined, { d: null, c: 'ü' }], a: -0, x: undefined }),
    '{"a":0,"b":[1,null,{"c":"ü","d":null}]}',
  );
  t.throws(() => canonicalJson(Number.NaN));
  t.throws(() => canonicalJson(() => 1));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      return canonicalJson(JSON.parse(text)) === text;
    }),
  );
  const draft = { title: 't', body: 'b', labels: ['l'], assignees: [], repository: 'o/n' };
  t.equal(
    canonicalDraft({ ...draft, digest: 'x', edited_by: 'y' } as typeof draft),
    '{"assignees":[],"body":"b","labels":["l"],"repository":"o/n","title":"t"}',
    'the digest covers exactly the five members',
  );
});

t.test('counting occurrences', async (t) => {
  const now = '2026-01-05T10:00:00.000Z';
  const first = countOccurrence(null, makeOccurrence(), now, DAY);
  t.equal(first.created, true);
  t.match(first.record.run, { state: 'staged_raw', occurrences: 1, generation: 1, cycle: 1, version: 1 });
  t.match(first.history, [{ name: 'staged', to: 'staged_raw' }]);

  const later = makeOccurrence('cart', {
    event_id: 'b',
    received_at: '2026-01-05T11:00:00.000Z',
    release: 'shop@1.0.1',
    door: 'webhook',
  });
  const second = countOccurrence(first.record, later, '2026-01-05T11:00:01.000Z', DAY);
  t.match(second.record.run, {
    occurrences: 2,
    releases: ['shop@1.0.0', 'shop@1.0.1'],
    doors: ['native', 'webhook'],
    last_seen: '2026-01-05T11:00:00.000Z',
    version: 1,
  });
  t.equal(second.record.run.event.event_id, 'b', 'a run shows its latest event');

  const rejected = { ...second.record, run: { ...second.record.run, state: 'rejected' as const } };
  const quiet = countOccurrence(rejected, later, '2026-01-05T12:00:00.000Z', DAY);
  t.match(quiet, { created: false, record: { run: { state: 'rejected', occurrences: 3 } } });
  t.equal(
    quiet.record.run.updated_at,
    rejected.run.updated_at,
    'a rejected run that is ignored shows no activity',
  );
  const after = countOccurrence(rejected, later, '2026-01-06T11:00:01.000Z', DAY);
  t.match(after, { created: true, record: { run: { state: 'staged_raw', occurrences: 1, generation: 2 } } });

  const published = { ...second.record, run: { ...second.record.run, state: 'published' as const } };
  t.match(countOccurrence(published, later, now, DAY), {
    created: false,
    record: { run: { state: 'published' } },
  });
  const { run_id } = published.run;
  t.match(countOccurrence(published, later, now, DAY, [run_id]), {
    created: true,
    record: { run: { state: 'staged_raw', generation: 2, occurrences: 1, regression_of: run_id } },
    history: [{ name: 'staged', detail: { regression_of: run_id } }],
  });
  t.equal(
    countOccurrence(second.record, later, now, DAY, [run_id]).created,
    false,
    'open runs count further occurrences',
  );
  t.equal(
    countOccurrence(rejected, later, '2026-01-06T11:00:01.000Z', DAY, [run_id]).record.run.regression_of,
    null,
  );
  t.notOk('event' in summarise(first.record.run), 'lists contain no events');

  let many = first.record;
  for (let release = 0; release < 40; release++) {
    many = countOccurrence(many, makeOccurrence('cart', { release: `r${release}` }), now, DAY).record;
  }
  t.same([many.run.releases.length, many.run.releases.at(-1)], [20, 'r39'], 'lists of a run are bounded');
});

t.test('errors: one catalogue, recognised across copies; bugs reveal no details', async (t) => {
  const error = new CulpritError('malformed', 'Wrong.', { path: 'a.b', members: { state: 'x' } });
  t.ok(isCulpritError(error, 'malformed'));
  t.notOk(isCulpritError(error, 'not_found'));
  t.notOk(isCulpritError(new Error('x')));
  t.ok(isCulpritError({ [Symbol.for('culprit.error/1')]: true, code: 'malformed' }), 'another copy’s error');
  t.match(problem(error), { status: 400, code: 'malformed', detail: 'Wrong.', path: 'a.b', state: 'x' });
  const bug = problem(new Error('secret inside'));
  t.equal(bug.status, 500);
  t.notMatch(JSON.stringify(bug), /secret inside/);
  for (const { status } of Object.values(ERRORS)) t.ok(status >= 400 && status < 600);
});

t.test('defineConnector', async (t) => {
  const pager = defineConnector({
    id: 'pager',
    config: v.object({ routingKey: secret(), nested: v.object({ port: v.number() }) }),
    setup: () => ({}),
  });
  t.equal(pager({ routingKey: 'k', nested: { port: 1 } }).id, 'pager');
  t.throws(() => pager({ nested: { port: 1 } } as never), {
    code: 'configuration',
    path: 'routingKey',
  } as never);
  t.throws(() => pager({ routingKey: 'k', nested: { port: 'hunter2' } } as never), {
    path: 'nested.port',
  } as never);
  t.throws(
    () => pager({ routingKey: '', nested: { port: 1 } }),
    { path: 'routingKey' } as never,
    'an empty secret is not a secret',
  );
  try {
    pager({ routingKey: 'k', nested: { port: 'hunter2' } } as never);
  } catch (error) {
    t.notMatch(String(error), /hunter2/, 'values are never repeated');
  }
  t.throws(() => defineConnector({ id: 'Bad Id', config: v.object({}), setup: () => ({}) }), {
    code: 'configuration',
  });
});

t.test('trust: runs of older versions, without sources and without the trust of their event', async (t) => {
  const now = '2026-02-01T10:00:00.000Z';
  const { sources: _, first_crash_at: __, ...old } = makeRun('staged_raw', { occurrences: 7 });
  const { trust: ___, ...oldEvent } = makeEvent({ door: 'sdk' });
  const record = (run: Partial<Run>): RunRecord => ({ run: { ...old, ...run }, intent: null, lease: null });
  const from = (door: Door) =>
    makeOccurrence('cart', { door, event_id: door, timestamp: now, received_at: now, release: 'new' });

  t.match(trustMix({ ...old, doors: ['webhook'] }), {
    trusted: 7,
    untrusted: 0,
    unknown: 0,
    kind: 'trusted',
  });
  t.match(trustMix({ ...old, doors: ['sdk'] }), {
    trusted: 0,
    untrusted: 7,
    unknown: 0,
    kind: 'untrusted',
  });
  const mixed = record({ doors: ['sdk', 'webhook'], event: oldEvent });
  t.match(trustMix(mixed.run), { trusted: 0, untrusted: 0, unknown: 7, kind: 'mixed' });

  const again = countOccurrence(mixed, from('sdk'), now, DAY);
  t.equal(again.shown, false, 'some of the crashes were trusted: another untrusted one changes nothing');
  t.match(trustMix(again.record.run), { untrusted: 1, unknown: 7, kind: 'mixed' });
  const real = countOccurrence(again.record, from('webhook'), now, DAY);
  t.match(real, { shown: true, record: { run: { last_seen: now, event: { event_id: 'webhook' } } } });
  t.match(
    real.record.run,
    { first_seen: now, first_crash_at: now, releases: ['new'] },
    'the run says only what trusted crashes said',
  );

  const sdkOnly = countOccurrence(record({ doors: ['sdk'], event: oldEvent }), from('webhook'), now, DAY);
  t.match(sdkOnly.record.run, {
    first_seen: now,
    releases: ['new'],
    sources: [{ occurrences: 7 }, { occurrences: 1 }],
  });

  const rejected = (doors: readonly Door[]) => record({ state: 'rejected', doors, updated_at: now });
  const fresh = (doors: readonly Door[], door: Door) =>
    countOccurrence(rejected(doors), from(door), now, DAY).created;
  t.same(
    [fresh(['sdk'], 'webhook'), fresh(['sdk', 'webhook'], 'webhook'), fresh(['webhook'], 'webhook')],
    [true, true, false],
    'without a count by door a trusted crash is not kept quiet',
  );
  t.same([fresh(['sdk'], 'sdk'), fresh(['webhook'], 'sdk')], [false, false]);
  const swallowed = countOccurrence(rejected(['sdk', 'webhook']), from('sdk'), now, DAY);
  t.equal(countOccurrence(swallowed.record, from('native'), now, DAY).created, true);
});

t.test(
  'trust: after junk that looks like a regression, a trusted crash still gets its run and its earlier issue',
  async (t) => {
    const now = '2026-02-01T10:00:00.000Z';
    const published = countOccurrence(null, makeOccurrence(), now, DAY);
    const run_id = published.record.run.run_id;
    const closed: RunRecord = { ...published.record, run: { ...published.record.run, state: 'published' } };
    const junk = makeOccurrence('cart', { door: 'sdk', event_id: 'j' });
    const reopened = countOccurrence(closed, junk, now, DAY, [run_id]);
    t.match(reopened, { created: true, record: { run: { regression_of: run_id, generation: 2 } } });
    const rejected: RunRecord = { ...reopened.record, run: { ...reopened.record.run, state: 'rejected' } };
    const real = countOccurrence(rejected, makeOccurrence('cart', { event_id: 'r' }), now, DAY);
    t.match(real, { created: true, record: { run: { regression_of: run_id, generation: 3 } } });
    const late = countOccurrence(rejected, makeOccurrence(), '2026-03-01T10:00:00.000Z', DAY);
    t.match(late.record.run, { regression_of: run_id }, 'also after the quiet time');
  },
);

t.test('times: receipt counts; a trusted clock is accepted up to 30 days before it', async (t) => {
  const received_at = '2026-02-01T10:00:00.000Z';
  const at = (door: Door, timestamp: string) => crashTimeOf({ door, timestamp, received_at });
  const week = '2026-01-25T10:00:00.000Z';
  t.equal(at('native', week), week);
  t.equal(at('sdk', week), received_at, 'an untrusted clock');
  t.equal(at('native', '2025-12-01T00:00:00.000Z'), received_at, 'a clock that has stopped');
  t.equal(at('native', '2026-02-01T10:00:50.000Z'), received_at, 'a clock that is ahead');
  t.same(
    [week, '2026-02-01T09:56:00.000Z', '2026-02-01T10:04:00.000Z'].map((timestamp) =>
      clockDiffers({ timestamp, received_at }),
    ),
    [true, false, false],
  );
  const old = makeOccurrence('cart', {
    door: 'native',
    timestamp: '2001-01-01T00:00:00.000Z',
    received_at,
  });
  const { run } = countOccurrence(null, old, '2026-02-01T10:00:01.000Z', DAY).record;
  t.same([run.first_seen, run.last_seen, run.first_crash_at], [received_at, received_at, received_at]);
  const ahead = makeOccurrence('cart', { door: 'native', received_at: '2026-02-01T12:00:00.000Z' });
  const now = '2026-02-01T10:00:05.000Z';
  t.equal(
    countOccurrence(null, ahead, now, DAY).record.run.last_seen,
    now,
    'an edge’s clock that is ahead of core’s is not used',
  );
});

t.test(
  'property: a run’s data comes from its trusted crashes, whatever untrusted ones come between',
  async (t) => {
    const start = Date.parse('2026-02-01T10:00:00.000Z');
    const minutes = (n: number) => new Date(start + n * 60_000).toISOString();
    const crash = fc.record({
      door: fc.constantFrom(...DOORS),
      trust: fc.constantFrom(undefined, 'trusted' as const, 'untrusted' as const),
      level: fc.constantFrom(...LEVELS),
      release: fc.option(fc.constantFrom('r1', 'r2', 'r3')),
      timestamp: fc.integer({ min: -600_000, max: 20 }).map(minutes),
      received_at: fc.integer({ min: -100, max: 20 }).map(minutes),
    });
    const said = ({ title, level, platform, releases, environments, event, ...run }: Run) => {
      const { first_seen, last_seen, first_crash_at } = run;
      return { title, level, platform, releases, environments, event, first_seen, last_seen, first_crash_at };
    };
    fc.assert(
      fc.property(fc.array(crash, { minLength: 1, maxLength: 12 }), (crashes) => {
        const count = (record: RunRecord | null, one: (typeof crashes)[number], at: number) => {
          const event = { ...one, event_id: `e${at}`, environment: one.release };
          const occurrence = makeOccurrence('cart', event, { title: `title ${at}` });
          return countOccurrence(record, occurrence, minutes(at), DAY).record;
        };
        let all: RunRecord | null = null;
        let real: RunRecord | null = null;
        for (const [at, one] of crashes.entries()) {
          all = count(all, one, at);
          if (trustOf(one) === 'trusted') real = count(real, one, at);
        }
        if (all === null) return;
        const { trusted, untrusted } = trustMix(all.run);
        t.equal(trusted + untrusted, crashes.length);
        t.equal(trusted, real?.run.occurrences ?? 0);
        if (real !== null) t.strictSame(said(all.run), said(real.run), JSON.stringify(crashes));
      }),
    );
  },
);

t.test('quota counts: a new hour starts at nothing, a clock that is behind does not', async (t) => {
  const run = (hour: number) => ({ ...NO_COUNTS, new_runs: 1, hour });
  const at = (...hours: number[]) => hours.reduce((counts, hour) => addCounts(counts, run(hour)), NO_COUNTS);
  t.match(at(7, 7, 7), { new_runs: 3, hour: 7 });
  t.match(at(7, 7, 8), { new_runs: 1, hour: 8 });
  t.match(at(7, 8, 7, 8), { new_runs: 3, hour: 8 }, 'another process is a little behind');
  t.match(at(99, 7), { new_runs: 1, hour: 7 }, 'a clock that was far ahead');
  t.match(addCounts(at(7, 7), { ...NO_COUNTS, bytes: 5, refused: 1 }), {
    new_runs: 2,
    hour: 7,
    bytes: 5,
    refused: 1,
  });
  const owner = { project: 'shop', door: 'sdk', key: 'k' } as const;
  const excess = (counts: Partial<typeof NO_COUNTS>) =>
    excessOf(owner, { now: '2026-11-22T10:30:00.000Z', eventBytes: 1 }, DEFAULT_QUOTAS, ({ scope }) =>
      scope === 'key' ? { ...NO_COUNTS, ...counts } : NO_COUNTS,
    );
  const hour = hourOf(Date.parse('2026-11-22T10:00:00.000Z'));
  t.equal(excess({ new_runs: 999, hour }), null);
  t.same(excess({ new_runs: 1_000, hour }), { scope: 'key', limit: 'new_runs' });
  t.equal(excess({ new_runs: 1_000, hour: hour - 1 }), null);
  t.same(excess({ open_runs: 25_000 }), { scope: 'key', limit: 'open_runs' });
  t.same(excess({ bytes: 1024 ** 3 }), { scope: 'key', limit: 'bytes' });
});

t.test('searches: what is a qualifier, and what is only text', async (t) => {
  const read = (text: string) => {
    const parsed = parseSearch(text);
    if ('problem' in parsed) return parsed.problem.code;
    return parsed.terms.map(({ field, text: value, exact }) => [field, value, exact]);
  };
  t.same(read(' level:FATAL  "Exact Words" cart '), [
    ['level', 'fatal', false],
    [null, 'exact words', true],
    [null, 'cart', false],
  ]);
  t.same(read('TypeError: x Cart::total http://x/y src/a.js:12 12:30'), [
    ...['typeerror:', 'x', 'cart::total', 'http://x/y', 'src/a.js:12', '12:30'].map((text) => [
      null,
      text,
      false,
    ]),
  ]);
  t.same(read('env:"a \\"b\\\\"'), [['env', 'a "b\\', true]]);
  t.same(
    ['env:', 'nope:x', '"open', 'env:"open', 'level:urgent', 'a '.repeat(17), 'a'.repeat(301)].map(read),
    [
      ...['empty_value', 'unknown_qualifier', 'open_quote', 'open_quote', 'unknown_value'],
      ...['too_many_terms', 'too_long'],
    ],
  );
  t.equal(withQualifier('cart level:error  env:prod', 'level', 'fa"tal'), 'cart env:prod level:"fa\\"tal"');
  t.equal(withQualifier('level:error', 'level', null), '');
});

t.test('property: any text is a search or has a problem, and its values can be replaced', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 310 }),
    fc
      .array(fc.constantFrom('level:', 'env:', '"', '\\', ' ', 'a', 'é', ':', 'prod'))
      .map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.property(text, fc.string({ maxLength: 20 }), (search, value) => {
      const parsed = parseSearch(search);
      if ('problem' in parsed) return parsed.problem.word.length <= 60;
      const next = parseSearch(withQualifier(search, 'env', value));
      if (value.trim() === '' || 'problem' in next) return true;
      const own = next.terms.filter(({ field }) => field === 'env');
      return own.length === 1 && own[0]?.text === value.trim().toLowerCase();
    }),
    { numRuns: 300 },
  );
});
