import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import {
  CulpritError,
  countOccurrence,
  defineConnector,
  isCulpritError,
  memoryValues,
  problem,
  secret,
} from '../src/index.js';
import {
  canonicalDraft,
  canonicalJson,
  ERRORS,
  nextState,
  RUN_STATES,
  summarise,
  TRANSITIONS,
  type Trigger,
} from '../src/model.js';
import { makeOccurrence } from '../src/testing/index.js';

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

t.test('property: run states: published and rejected are final', async () => {
  fc.assert(
    fc.property(
      fc.constantFrom('published', 'rejected'),
      fc.array(fc.constantFrom(...TRIGGERS)),
      (start, triggers) =>
        triggers.every((trigger) => nextState(start as 'published' | 'rejected', trigger) === null),
    ),
  );
});

t.test('values in memory: expired ones are removed, others stay', async (t) => {
  let now = 0;
  const values = memoryValues(() => now);
  await values.set('for good', 'yes');
  for (let n = 0; n < 5_000; n++) {
    now += 1;
    await values.set(`value ${n}`, String(n), 1_000);
  }
  t.equal(await values.get('for good'), 'yes');
  t.same([await values.get('value 3999'), await values.get('value 4001')], [undefined, '4001']);
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
    timestamp: '2026-01-05T11:00:00.000Z',
    release: 'shop@1.0.1',
    door: 'sdk',
  });
  const second = countOccurrence(first.record, later, '2026-01-05T11:00:01.000Z', DAY);
  t.match(second.record.run, {
    occurrences: 2,
    releases: ['shop@1.0.0', 'shop@1.0.1'],
    doors: ['native', 'sdk'],
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
