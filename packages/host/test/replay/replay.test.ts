import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceBundle } from '@culprit/core';
import t from 'tap';
import { draftFile, draftPage } from '../../src/replay/accepted.js';
import { createReplayer } from '../../src/replay/in-process.js';
import { readItems, timeIn } from '../../src/replay/read-items.js';
import { replayAll } from '../../src/replay/replay-all.js';
import { scenarioCase } from '../../src/replay/scenario.js';
import { setPath } from '../../src/replay/set-path.js';
import { ROOT } from '../support/run-culprit.js';

t.setTimeout(300_000);

const SCENARIOS = join(ROOT, 'bench/scenarios');
const FOLDERS = readdirSync(SCENARIOS).filter((name) => /^\d\d-/.test(name));

t.test('every scenario is complete, and its draft matches draft.md', async (t) => {
  t.ok(FOLDERS.length >= 12);
  const replayCase = await createReplayer({ until: 'published', offline: true });
  for (const folder of FOLDERS) {
    const one = scenarioCase(join(SCENARIOS, folder));
    t.not(one.accepted, null, `${folder} has accepted digests`);
    const { runs, drafts } = await replayCase(one);
    t.ok(runs.length > 0);
    for (const { verdict, state, detail } of runs) {
      t.strictSame([verdict, state, detail], ['same', 'published', null], folder);
    }
    for (const [index, draft] of drafts.entries()) {
      t.equal(readFileSync(join(SCENARIOS, folder, draftFile(index)), 'utf8'), draftPage(draft), folder);
    }
  }
  const doors = await replayCase(scenarioCase(join(SCENARIOS, '16-three-doors')));
  t.match(doors.runs, [{ occurrences: 3 }], 'three doors, one run');
});

/** Evidence of a real analysis, as `culprit record` saves it. */
async function recordedEvidence(): Promise<EvidenceBundle> {
  let found: EvidenceBundle | null = null;
  const replayCase = await createReplayer({
    until: 'gate2',
    offline: true,
    onEvidence: (bundle) => {
      found = bundle;
    },
  });
  await replayCase(scenarioCase(join(SCENARIOS, '01-node-voucher')));
  if (found === null) throw new Error('no evidence');
  return found;
}

t.test('hostile files are refused with what is wrong, or fail by themselves', async (t) => {
  const bundle = await recordedEvidence();
  const read = (document: unknown) => readItems(Buffer.from(JSON.stringify(document)), 'file');
  t.equal(read(bundle).bundles.length, 1);
  const { draft: _draft, ...noDraft } = bundle;
  for (const [wrong, why] of [
    [{ format: bundle.format }, /not a recorded evidence: "run_id"/],
    [noDraft, /"draft"/],
    [{ ...bundle, run_id: '../../etc/cron.d/x' }, /"run_id" must be the id of a run/],
    [{ ...bundle, run_id: '\u001b[2Jrun' }, /"run_id"/],
    [{ ...bundle, analyzed_at: 'now' }, /"analyzed_at"/],
    [{ ...bundle, calls: { length: 1e9 } }, /"calls"/],
    [{ ...bundle, calls: [null] }, /"calls\.0"/],
    [
      { ...bundle, event: { ...bundle.event, exceptions: [{ frames: 'x' }] } },
      /"event\.exceptions\.0\.frames"/,
    ],
    [{ crash: { message: 'x' }, door: '__proto__', event_id: 'x' }, /not a recorded delivery: "project"/],
  ] as const)
    t.throws(() => read(wrong), { code: 'malformed', message: why });
  const deep = `{"format":"culprit.evidence/1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  t.throws(() => readItems(Buffer.from(deep), 'file'), { code: 'malformed', message: /200 levels deep/ });
  const replayCase = await createReplayer({ until: 'gate2', offline: true });
  const replayed = async (changed: unknown) => {
    const [one] = read(changed).bundles;
    if (one === undefined) throw new Error('no bundle');
    const { runs } = await replayCase({
      kind: 'evidence',
      name: 'x',
      bundle: one,
      accepted: null,
      acceptedFile: null,
    });
    return runs[0];
  };
  t.match(await replayed(bundle), { verdict: 'same' });
  const nothing = { kind: 'deliveries', name: 'x', at: 0, project: {}, folder: null } as const;
  const without = { answers: null, explanation: null, accepted: null, acceptedFile: null };
  const { items } = read({ event_id: 'a', attachments: 'x' });
  t.match(await replayCase({ ...nothing, ...without, items }), { runs: [], outcomes: { malformed: 1 } });
  const text = JSON.stringify(bundle);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const polluted = JSON.parse(
      text.replace('"method":"tree"', `"${name}":{"polluted":1},"method":"${name}"`),
    );
    t.match(await replayed(polluted), { verdict: 'failed' }, name);
  }
  t.equal(({} as Record<string, unknown>).polluted, undefined);
  for (const changed of [
    { ...bundle, incident: { ...bundle.incident, occurrences: {} } },
    { ...bundle, event: { ...bundle.event, exceptions: [{ frames: [{ file: 5, line: 'x' }] }] } },
    { ...bundle, calls: bundle.calls.map((call) => ({ ...call, answer: 'text' })) },
  ])
    t.match(await replayed(changed), { verdict: /failed|different/ });
});

t.test('a scenario reads only files of its folder', (t) => {
  const scenario = {
    ...{
      format: 'culprit.scenario/1',
      title: 'x',
      platform: 'node',
      source: 'x',
      at: '2026-01-01T00:00:00Z',
    },
    deliveries: [{ file: '../secret.json', door: 'native' }],
  };
  const folder = t.testdir({ 'secret.json': '{}', one: { 'scenario.json': JSON.stringify(scenario) } });
  t.throws(() => scenarioCase(join(folder, 'one')), {
    code: 'malformed',
    message: /deliveries\.0\.file must be the name of a file in this folder/,
  });
  t.end();
});

t.test('code spans, cells, titles and links', async (t) => {
  t.equal(timeIn('{"timestamp": 1726558445.1}'), 1726558445100);
  t.equal(
    timeIn('{"timestamp": "2026-03-12T10:00:00"}'),
    Date.parse('2026-03-12T10:00:00Z'),
    'without a time zone UTC is used',
  );
  t.equal(timeIn('{}'), timeIn('{"timestamp":"never"}'));
  t.throws(() => readItems(Buffer.from('[]'), 'x.json'), { code: 'malformed' });
  t.strictSame(setPath({ a: [{ b: 1 }] }, 'a.0.b=2'), { a: [{ b: 2 }] });
  t.strictSame(setPath({}, 'tags.zone=eu'), { tags: { zone: 'eu' } });
  t.strictSame(setPath({}, 'a.0.x={"y":null}'), { a: [{ x: { y: null } }] });
  for (const bad of ['x', '=1', '__proto__.x=1', 'a..b=1', 'a.constructor.x=1']) {
    t.throws(() => setPath({}, bad), { code: 'malformed' }, bad);
  }
  t.throws(() => setPath({ a: [] }, 'a.7=1'), { code: 'malformed' });
  let calls = 0;
  const flaky = await replayAll(
    [scenarioCase(join(SCENARIOS, '14-perl-die'))],
    async (one) => {
      calls += 1;
      const runs = [
        {
          run_id: 'r',
          title: '',
          state: '',
          occurrences: 1,
          expected: null,
          detail: null,
          verdict: 'new',
          digest: calls === 3 ? 'b' : 'a',
        } as const,
      ];
      return { name: one.name, runs, outcomes: {}, drafts: [], deliveries: 1 };
    },
    { times: 5, parallel: 2, signal: new AbortController().signal, onDone() {} },
  );
  t.equal(calls, 5);
  t.match(flaky.results, [{ runs: [{ verdict: 'different', detail: /repetition/ }] }]);
});
