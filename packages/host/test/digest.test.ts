import type { HistoryEntry } from '@culprit/core';
import { summarise } from '@culprit/core/internal/domain/run';
import { makeRun, manualClock } from '@culprit/core/testing';
import t from 'tap';
import { main } from '../src/cli/main.js';
import { digestOf } from '../src/server/digest/digest.js';
import type { Digest } from '../src/server/schema/digest.js';
import { coreBench, TOKEN } from './support/core-bench.js';

const MINUTE = 60_000;
const ADA = { name: 'ada', via: 'board' } as const;
const GRACE = { name: 'grace', via: 'api' } as const;

t.test('the digest of a shift: over the API and on the command line', async (t) => {
  const clock = manualClock('2026-11-22T07:00:00.000Z');
  const { api, core, engine, stage, close } = await coreBench({ clock });
  t.teardown(close);
  const before = await stage('before the shift');
  await clock.advance(60 * MINUTE);
  const [published, rejected, undone, oldest] = [await stage(), await stage(), await stage(), await stage()];
  await clock.advance(10 * MINUTE);
  await engine.rejectGateOne(before, ADA, { reason: 'a load test' });
  await clock.advance(20 * MINUTE);
  await engine.approveGateOne(published, ADA);
  await engine.rejectGateOne(undone, ADA, { reason: 'by mistake' });
  await engine.reopen(undone, ADA);
  await clock.advance(5 * MINUTE);
  const draft = (await engine.run(published)).draft;
  await engine.approveGateTwo(published, GRACE, { digest: draft?.digest });
  await clock.advance(25 * MINUTE);
  const until = new Date(clock.now()).toISOString();
  await engine.rejectGateOne(rejected, GRACE, { reason: 'after the shift' });

  const shift = `since=2026-11-22T08:00:00Z&until=${until}`;
  const { status, json } = await api({ path: `/api/v1/digest?${shift}` });
  t.equal(status, 200);
  const digest = json as Digest;
  t.match(digest, {
    since: '2026-11-22T08:00:00.000Z',
    until,
    waiting: { at: until, gate1: 2, gate2: 0, oldest: [{ first_seen: '2026-11-22T08:00:00.000Z' }, {}] },
    gates: {
      // 70, 30, 30 minutes.
      gate1: { decisions: 3, median_wait_ms: 30 * MINUTE },
      gate2: { decisions: 1, median_wait_ms: 5 * MINUTE },
    },
    reviewers: [
      { name: 'ada', decisions: { 'gate1.approve': 1, 'gate1.reject': 2, 'gate1.reopen': 1 } },
      { name: 'grace', decisions: { 'gate2.approve': 1 } },
    ],
    new_runs: 4,
    failed_analyses: 0,
    published: { count: 1, runs: [{ run_id: published, number: 1, reopened: false }] },
    rejected: { count: 1, runs: [{ run_id: before, by: 'ada', reason: 'a load test' }] },
    regressions: { count: 0, runs: [] },
    complete: true,
  });
  t.same(digest.waiting.oldest.map(({ run_id }) => run_id).sort(), [undone, oldest].sort());
  t.match((await api({ path: '/api/v1/digest' })).json, {
    since: new Date(clock.now() - 720 * MINUTE).toISOString(),
    rejected: { count: 1 },
  });
  for (const [query, path] of [
    ['since=yesterday', 'since'],
    ['since=2026-11-22', 'since'],
    ['until=2026-11-22T08:00', 'until'],
    ['until=2026-13-22T08:00:00Z', 'until'],
    ['since=2026-11-22T08:00:00Z&until=2026-11-22T08:00:00Z', 'since'],
    ['since=2026-10-01T00:00:00Z&until=2026-11-22T00:00:00Z', 'since'],
  ] as const) {
    t.match(
      await api({ path: `/api/v1/digest?${query}` }),
      { status: 400, json: { code: 'malformed', path } },
      query,
    );
  }

  const flags = ['--url', core.url, '--token', TOKEN, '--since', '2026-11-22T08:00:00Z', '--until', until];
  const printed = await output(() => main(['digest', ...flags]));
  t.match(printed, /waiting now +0 at Gate 2, 2 at Gate 1\n/);
  t.match(printed, /Gate 1 +3 decided, median wait 30 min\n/);
  t.match(printed, /grace +gate2\.approve × 1\n/);
  t.match(printed, new RegExp(`Rejected \\(1\\)\\n2026-11-22 08:10 +ada +${before} +`));
  t.same(JSON.parse(await output(() => main(['digest', '--json', ...flags]))), digest);
  t.equal(await main(['digest', '--since', 'noon']), 2);
});

t.test('regressions, names that are hostile, and the bound of a digest', async (t) => {
  const period = { since: '2026-11-22T08:00:00.000Z', until: '2026-11-22T20:00:00.000Z' };
  const at = '2026-11-22T09:00:00.000Z';
  const runs = Array.from({ length: 450 }, (_, n) =>
    summarise(
      makeRun('staged_raw', {
        run_id: `run_${n}`,
        regression_of: n === 0 ? 'run_earlier' : null,
        updated_at: n < 400 ? at : '2026-11-22T07:00:00.000Z',
      }),
    ),
  );
  const entry = (name: string, by: string | null): HistoryEntry => ({
    sequence: 1,
    at,
    kind: by === null ? 'step' : 'decision',
    name,
    by,
    via: 'api',
    from: null,
    to: 'staged_raw',
    digest: null,
    ms: null,
    error: null,
    detail: {},
  });
  let reads = 0;
  const engine = {
    runs: async ({ cursor = '0', limit }: { cursor?: string; limit: number }) => {
      const from = Number(cursor);
      const next = from + limit < runs.length ? String(from + limit) : null;
      return { runs: runs.slice(from, from + limit), next };
    },
    history: async () => {
      reads += 1;
      return [entry('staged', null), entry('__proto__', 'constructor')];
    },
  };
  const digest = await digestOf(engine, period, at);
  t.match(digest, { new_runs: 400, complete: true, waiting: { gate1: 450 } });
  t.match(digest.regressions, { count: 1, runs: [{ run_id: 'run_0', regression_of: 'run_earlier' }] });
  t.equal(digest.reviewers[0]?.name, 'constructor');
  t.same(Object.entries(digest.reviewers[0]?.decisions ?? {}), [['__proto__', 400]]);
  t.equal(reads, 400, 'runs that have not changed since are not read');
  reads = 0;
  t.match(await digestOf(engine, period, at, 100), {
    new_runs: 100,
    complete: false,
    waiting: { gate1: 100 },
  });
  t.equal(reads, 100);
});

/** What the work prints to standard output. */
async function output(work: () => Promise<unknown>): Promise<string> {
  const { write } = process.stdout;
  let text = '';
  process.stdout.write = (chunk: unknown) => {
    text += String(chunk);
    return true;
  };
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }
  return text;
}
