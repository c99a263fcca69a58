import { createHash } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryEntry, RunState } from '@culprit/core';
import type { NewHistoryEntry } from '@culprit/core/internal/domain/history';
import { evidenceKey } from '@culprit/core/internal/pipeline/evidence-key';
import { checkChain } from '@culprit/core/internal/pipeline/history-chain';
import { countRuns } from '@culprit/core/internal/store/background';
import { erasePersonFrom } from '@culprit/core/internal/store/erase/walk';
import { sweepEventIds, sweepRuns } from '@culprit/core/internal/store/retention';
import { encode } from '@culprit/core/internal/store/run-parts';
import { checkExport, exportLines, readKept } from '@culprit/core/internal/store/transfer/export-file';
import { checkEmpty, countRunIds, importAll } from '@culprit/core/internal/store/transfer/transfer';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { type OpenStore, openStore } from '../../src/storage/index.js';
import { redisVersion, startRedis } from '../support/redis-server.js';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const KEY = 'an audit key of thirty-two chars';
const NOW = '2026-03-01T00:00:00.000Z';
const root = temporaryFolder(t, 'keeping');
let made = 0;
const freshFile = () => `file:${join(root, `dir${++made}`)}`;
const open = (url: string, reading = false) => openStore({ url, logger, auditKey: KEY, reading });

const decision = (name: string, to: RunState, by: string, reason?: string): NewHistoryEntry => ({
  ...{ at: NOW, kind: 'decision', name, by, via: 'api', from: null, to, digest: null, ms: null, error: null },
  detail: reason === undefined ? {} : { reason },
});

/** A run with a history of four entries. */
async function reviewed({ runStore }: OpenStore): Promise<string> {
  const user = { id: 'u-7731', email: 'kim@example.com' };
  const title = 'cart of kim@example.com';
  const item = makeItem(0, 'a', { event_id: 'e1', user, message: title } as never, { title });
  const { outcomes } = await runStore.record(makeBatch([item], { edge: 'embedded' }));
  const run_id = outcomes[0]?.run_id ?? '';
  const change = { run_id, now: NOW };
  const steps: readonly (readonly [RunState, NewHistoryEntry])[] = [
    ['rejected', decision('gate1.reject', 'rejected', 'kim@example.com', 'as kim@example.com said')],
    ['staged_raw', decision('returned', 'staged_raw', 'alex')],
    ['analyzing', decision('gate1.approve', 'analyzing', 'alex')],
  ];
  for (const [at, [state, entry]] of steps.entries()) {
    const returned = { at: NOW, by: 'alex', reason: 'kim@example.com had another idea' };
    const patch = { state, returned, approved_by: state === 'analyzing' ? 'kim@example.com' : null };
    await runStore.change({ ...change, version: at + 1, patch, history: [entry] });
  }
  return run_id;
}

async function chainOf(store: OpenStore, run_id: string) {
  const entries = await store.runHistory.history(run_id);
  const record = await store.runStore.get(run_id);
  return checkChain(KEY, {
    run_id,
    entries,
    head: record?.sealed ?? null,
    published: null,
    sealedSince: null,
  });
}

t.test(
  'the chain detects edited, removed, reordered and truncated entries, and shows erased ones',
  async (t) => {
    const store = await open(freshFile());
    const run_id = await reviewed(store);
    const entries = await store.runHistory.history(run_id);
    const head = (await store.runStore.get(run_id))?.sealed ?? null;
    const kinds = (changed: readonly HistoryEntry[], published: string | null = null) =>
      checkChain(KEY, { run_id, entries: changed, head, published, sealedSince: null }).findings.map(
        ({ kind }) => kind,
      );
    t.equal(head?.entries, 4);
    t.same(kinds(entries), []);
    const edited = (at: number, change: Partial<HistoryEntry>) =>
      entries.map((entry, index) => (index === at ? { ...entry, ...change } : entry));
    t.same(kinds(edited(2, { to: 'published' })), ['edited']);
    t.same(kinds(edited(1, { by: 'robin' })), ['personal']);
    t.same(kinds(edited(1, { detail: { reason: 'another' } })), ['personal']);
    t.same(kinds(entries.filter((_, at) => at !== 1)), ['removed']);
    t.same(kinds([0, 2, 1, 3].map((at) => entries[at] as HistoryEntry)), ['reordered']);
    t.same(kinds(entries.slice(0, 3)), ['truncated']);
    t.same(kinds(entries.slice(0, 3).map((entry, at) => ({ ...entry, sequence: at + 1 }))), ['truncated']);
    const renumbered = entries
      .filter((_, at) => at !== 1)
      .map((entry, at) => ({ ...entry, sequence: at + 1 }));
    t.ok(kinds(renumbered).includes('edited'), 'renumbering the entries does not hide it');
    t.same(
      kinds(entries, entries[1]?.seal?.mac ?? ''),
      ['truncated'],
      'the seal in an issue must be followed by its decision',
    );
    const unheaded = (changed: readonly HistoryEntry[], sealedSince: string | null = null) =>
      checkChain(KEY, { run_id, entries: changed, head: null, published: null, sealedSince });
    t.match(
      unheaded(entries.slice(0, 2)).findings,
      [{ kind: 'truncated' }],
      'a missing head does not hide truncation',
    );
    t.match(
      unheaded([], '2100-01-01T00:00:00.000Z').findings,
      [{ kind: 'removed', sequence: 1 }],
      'nor does a missing head hide that the whole history was removed',
    );
    const bare = (upTo: number) =>
      entries.map((entry, at) => (at < upTo ? { ...entry, seal: undefined } : entry));
    t.same(
      kinds(bare(2) as HistoryEntry[]),
      ['unsealed', 'unsealed', 'edited'],
      'removed seals are detected in the next entry, too',
    );
    t.match(kinds(entries.map((entry, at) => (at === 3 ? { ...entry, seal: undefined } : entry)) as never), [
      'unsealed',
    ]);
    const stripped = bare(4) as HistoryEntry[];
    const four = Array.from({ length: 4 }, () => 'unsealed');
    t.same(
      unheaded(stripped).findings.map(({ kind }) => kind),
      four,
      'a history with every seal stripped',
    );
    t.same(unheaded(stripped, '2020-01-01').findings.length, 4);
    t.match(unheaded(stripped, '2100-01-01'), { findings: [], unsealed: 4 }, 'from before the key was set');
    const other = checkChain(`${KEY}!`, { run_id, entries, head, published: null, sealedSince: null });
    t.equal(other.findings.length > 0, true, 'another key gives another chain');

    await store.values.set(evidenceKey(run_id, 1), JSON.stringify({ event: { user: { id: 'u-7731' } } }));
    await store.values.set(
      'views:of-a-reviewer',
      '[{"name":"kim@example.com","query":[["search","kim@example.com"]]}]',
    );
    await store.values.set('connector:github:answers:1', '{"author":"Kim <kim@example.com>"}');
    await store.values.set('release-commits:shop/1', '[{"title":"Thank kim@example.com"}]');
    const feed = async () =>
      JSON.stringify(await store.statusFeed.since({ ...(await store.statusFeed.head()), sequence: 0 }, 99));
    t.match(await feed(), /kim@example\.com/);
    const said = { kind: 'decision', via: 'api', from: null, to: null, digest: null, ms: null } as const;
    const { version = 0 } = (await store.runStore.get(run_id))?.run ?? {};
    const claim = { by: 'kim@example.com', at: NOW, until: NOW };
    const resolution = { as: 'fixed', by: 'kim@example.com', at: NOW } as const;
    await store.runStore.change({
      ...{ run_id, version, now: NOW, patch: { comments: 1, claim, resolution } },
      history: [
        {
          ...{ ...said, at: NOW, name: 'comment', by: 'alex', error: null },
          detail: { comment: 'kim@example.com has seen it, too' },
        },
      ],
    });
    t.same((await chainOf(store, run_id)).findings, [], 'with a comment');
    const erased = await erasePersonFrom(store, { person: 'kim@example.com' }, () => {});
    t.match(erased, { runs: 1, events: 1, history: 2, evidence: 0, issues: [] });
    t.match(await erasePersonFrom(store, { person: 'u-7731' }, () => {}), {
      events: 1,
      evidence: 1,
    });
    const everything: string[] = [];
    for await (const line of exportLines(store.reads, { exported_at: NOW, installKey: null }))
      everything.push(line);
    t.notMatch(everything.join('\n'), /kim@example\.com|u-7731/);
    t.notMatch(await feed(), /kim@example\.com/);
    t.match(
      await chainOf(store, run_id),
      { findings: [], erased: 2, entries: 7 },
      'the chain is still valid',
    );
    await store.close();
  },
);

t.test('retention leaves tombstones: nothing is published again, and open runs start over', async (t) => {
  const store = await open(freshFile());
  const { runStore, reads, writer, values } = store;
  const parts = { reads, writer, values, logger, now: () => Date.parse(NOW) };
  const ids: string[] = [];
  for (const [at, seed] of ['published', 'open', 'fresh', 'many1', 'many2', 'many3'].entries()) {
    const now = seed === 'fresh' ? NOW : `2026-01-0${at + 1}T00:00:00.000Z`;
    const batch = makeBatch([makeItem(0, seed, { event_id: seed })], { edge: 'embedded', now });
    ids.push((await runStore.record(batch)).outcomes[0]?.run_id ?? '');
  }
  const [published = '', opened = ''] = ids;
  const publication = { issue_url: 'https://x/1', number: 1, published_at: NOW, digest: 'd', divergence: [] };
  const patch = { state: 'published', publication } as const;
  await runStore.change({
    run_id: published,
    version: 1,
    patch,
    now: '2026-01-01T00:00:00.000Z',
    history: [],
  });
  await values.set(evidenceKey(published, 1), 'kept');
  const day = 86_400_000;
  const pause = async () => {};
  const old = { published: { ageMs: 30 * day, count: 9 }, staged_raw: { ageMs: 57 * day, count: 9 } };
  t.equal(await sweepRuns(parts, old, pause), 2);
  t.equal(
    await sweepRuns(parts, { staged_raw: { ageMs: 999 * day, count: 2 } }, pause),
    2,
    'by number, oldest first',
  );
  t.same((await runStore.page({ limit: 9 })).runs.map(({ title }) => title).sort(), [
    'TypeError in fresh',
    'TypeError in many3',
  ]);
  t.equal(await runStore.get(published), null);
  t.equal(await values.get(evidenceKey(published, 1)), undefined);
  t.equal(await countRunIds(reads), 6, 'tombstones stay');

  const again = (seed: string, policy = {}) =>
    runStore.record(
      makeBatch([makeItem(0, seed, { event_id: `${seed} again` })], {
        edge: 'embedded',
        policy: { quietAfterRejectMs: 7 * day, ...policy },
      }),
    );
  t.equal((await again('published')).outcomes[0]?.run_id, published, 'counted on the tombstone');
  const next = (await again('open')).outcomes[0]?.run_id ?? '';
  t.not(next, opened);
  t.match((await runStore.get(next))?.run, { state: 'staged_raw', generation: 2, occurrences: 1 });
  const page = await runStore.page({
    limit: 1,
    project: 'default',
    fingerprint: (await runStore.get(next))?.run.fingerprint.hash ?? '',
  });
  t.equal(page.runs[0]?.run_id, next);

  t.equal(await sweepEventIds(parts, 'k/', 30 * day), 'k/');
  const repeated = await runStore.record(
    makeBatch([makeItem(0, 'fresh', { event_id: 'fresh' })], { edge: 'embedded', now: NOW }),
  );
  t.equal(repeated.outcomes[0]?.outcome, 'duplicate', 'a recent event id is still known');
  const forgotten = await runStore.record(
    makeBatch([makeItem(0, 'many3', { event_id: 'many3' })], { edge: 'embedded', now: NOW }),
  );
  t.equal(forgotten.outcomes[0]?.outcome, 'accepted', 'an event id past retention is not');
  await store.close();
});

/** Records runs of a project in one batch; returns their ids. */
async function flood(
  store: OpenStore,
  count: number,
  event: { project: string; door: 'sdk' | 'webhook' },
  at: string,
) {
  const items = Array.from({ length: count }, (_, n) =>
    makeItem(
      0,
      `${event.project}${event.door}${n}${at}`,
      { ...event, event_id: `${event.project}${n}${at}` },
      { key: 'k' },
    ),
  );
  const { outcomes } = await store.runStore.record(makeBatch(items, { edge: 'embedded', now: at }));
  return outcomes.map(({ run_id }) => run_id ?? '');
}

const countsOf = async ({ runUsage }: OpenStore) =>
  (await runUsage.usage())
    .map(({ scope, project, door, key, counts: { open_runs, bytes, new_runs } }) => ({
      of: [scope, project, door, key].filter((part) => part !== null).join(' '),
      ...{ open_runs, blocks: bytes / 16_384, new_runs },
    }))
    .sort((a, b) => (a.of < b.of ? -1 : 1));

t.test('retention by number never deletes a run for the flood of another project or door', async (t) => {
  const url = freshFile();
  const store = await open(url);
  const { runStore, reads, writer, values } = store;
  const parts = { reads, writer, values, logger, now: () => Date.parse(NOW) };
  const first = '2026-02-01T00:00:00.000Z';
  const [ofBank = ''] = await flood(store, 1, { project: 'bank', door: 'webhook' }, first);
  const [signed = ''] = await flood(store, 1, { project: 'shop', door: 'webhook' }, first);
  await flood(store, 30, { project: 'shop', door: 'sdk' }, '2026-02-02T00:00:00.000Z');
  const sweep = { staged_raw: { ageMs: 999 * 86_400_000, count: 10 } };
  t.equal(await sweepRuns(parts, sweep, async () => {}), 20, 'the oldest of the flood');
  t.ok(await runStore.get(ofBank), 'another project’s');
  t.ok(await runStore.get(signed), 'a signed run of the same project');
  const expected = [
    { of: 'door bank webhook', open_runs: 1, blocks: 1, new_runs: 1 },
    { of: 'door shop sdk', open_runs: 10, blocks: 10, new_runs: 30 },
    { of: 'door shop webhook', open_runs: 1, blocks: 1, new_runs: 1 },
    { of: 'key bank webhook k', open_runs: 1, blocks: 1, new_runs: 1 },
    { of: 'key shop sdk k', open_runs: 10, blocks: 10, new_runs: 30 },
    { of: 'key shop webhook k', open_runs: 1, blocks: 1, new_runs: 1 },
    { of: 'project bank', open_runs: 1, blocks: 1, new_runs: 1 },
    { of: 'project shop', open_runs: 11, blocks: 11, new_runs: 30 },
  ];
  t.same(await countsOf(store), expected);
  await store.compact();
  await store.close();
  const again = await open(url);
  t.same(await countsOf(again), expected, 'after compacting and a restart');
  const copy = await open(freshFile());
  await copyOf(t, again, copy);
  const hours = (await countsOf(copy)).map(({ of, open_runs, blocks }) => ({ of, open_runs, blocks }));
  t.same(
    hours,
    expected.map(({ new_runs: _, ...rest }) => rest),
    'an import counts what it imports',
  );
  await again.close();
  await copy.close();
});

t.test('quota counts: runs of an older version, larger events, an erased person', async (t) => {
  const url = freshFile();
  const store = await open(url);
  const user = { id: 'u-7731', note: 'n'.repeat(20_000) };
  const { outcomes } = await store.runStore.record(
    makeBatch(
      ['a', 'b', 'c'].map((seed) => makeItem(0, seed, { event_id: seed, user })),
      { edge: 'embedded' },
    ),
  );
  const [a = '', b = '', c = ''] = outcomes.map(({ run_id }) => run_id ?? '');
  const counted = [
    { of: 'door default native', open_runs: 3, blocks: 6, new_runs: 3 },
    { of: 'project default', open_runs: 3, blocks: 6, new_runs: 3 },
  ];
  t.same(await countsOf(store), counted, 'two blocks each');
  await store.writer.write(async (tx) => {
    const keys = [a, b, c].map((id) => `h/${id}`);
    const heads = await tx.getMany(keys);
    for (const [at, key] of keys.entries()) {
      const { kept: _, log: __, ...head } = JSON.parse(heads[at] ?? '');
      tx.put(key, JSON.stringify(head));
    }
    for (const [key] of await store.reads.entries({ gt: 'q/', lt: 'q0', limit: 99 })) tx.del(key);
    for (const [key] of await store.reads.entries({ gt: 'a/quota/', lt: 'a/quota0', limit: 99 })) tx.del(key);
  });
  t.same(await countsOf(store), [], 'as an older version wrote it');
  const change = { run_id: a, version: 1, now: NOW, history: [] };
  await store.runStore.change({ ...change, patch: { state: 'rejected' } });
  await store.runStore.record(makeBatch([makeItem(0, 'b', { event_id: 'b again' })], { edge: 'embedded' }));
  t.same(await countsOf(store), [
    { of: 'door default native', open_runs: 1, blocks: 3, new_runs: 0 },
    { of: 'project default', open_runs: 1, blocks: 3, new_runs: 0 },
  ]);
  t.equal(await countRuns(store, async () => {}), 1, 'the other two are counted already');
  t.equal(await countRuns(store, async () => {}), 0);
  t.match(await countsOf(store), [
    { open_runs: 2, blocks: 5 },
    { open_runs: 2, blocks: 5 },
  ]);
  await erasePersonFrom(store, { person: 'u-7731' }, () => {});
  const sizes = await store.reads.getMany([a, b, c].map((id) => `e/${id}`));
  const blocks = sizes.reduce((sum, text = '') => sum + Math.ceil(Buffer.byteLength(text) / 16_384), 0);
  t.match(await countsOf(store), [
    { open_runs: 2, blocks },
    { open_runs: 2, blocks },
  ]);
  await store.close();
});

t.test('quota counts stay exact through floods, restarts, compaction, erasure and retention', async (t) => {
  const url = freshFile();
  const many = { new_runs: 1_000, open_runs: 1_000, bytes: 1e9 };
  const policy = {
    quietAfterRejectMs: 0,
    quotas: { key: { ...many, open_runs: 12 }, door: many, project: many },
  };
  const user = { id: 'u-9', note: 'n'.repeat(20_000) };
  let store = await open(url);
  const flood = (round: number) =>
    Array.from({ length: 5 }, (_, batch) => {
      const items = Array.from({ length: 4 }, (_, n) => {
        const seed = `${round}-${batch}-${n}`;
        return makeItem(0, seed, { event_id: seed, user }, { key: 'k' });
      });
      return store.runStore.record(makeBatch(items, { edge: 'embedded', policy }));
    });
  const exact = async (when: string) => {
    const heads = await store.reads.entries({ gt: 'h/', lt: 'h0', limit: 999 });
    const runs = heads.map(([, text]) => JSON.parse(text)).filter(({ tombstone }) => !tombstone);
    const open_runs = runs.filter(({ run }) => run.state === 'staged_raw').length;
    const blocks = runs.reduce((sum, { kept }) => sum + Math.ceil(kept.bytes / 16_384), 0);
    for (const counts of await countsOf(store))
      t.match(counts, { open_runs, blocks }, `${when}: ${counts.of}`);
    return { open_runs, run_id: runs[0]?.run.run_id as string };
  };
  await Promise.all([...flood(0), store.compact()]);
  const { open_runs, run_id } = await exact('compacted during a flood');
  t.equal(open_runs, 12, 'the quota holds');
  const interrupted = flood(1);
  await store.close();
  await Promise.allSettled(interrupted);
  store = await open(url);
  t.equal((await exact('restarted during a flood')).open_runs, 12);
  await store.runStore.change({ run_id, version: 1, now: NOW, history: [], patch: { state: 'rejected' } });
  await Promise.all([...flood(2), erasePersonFrom(store, { person: 'u-9' }, () => {})]);
  t.equal((await exact('erased during a flood')).open_runs, 12, 'one place was free');
  await store.close();
});

async function copyOf(t: Test, from: OpenStore, to: OpenStore): Promise<void> {
  const installKey = (await from.values.get('install-key')) ?? null;
  const lines: string[] = [];
  for await (const line of exportLines(from.reads, { exported_at: NOW, installKey })) lines.push(line);
  t.notMatch(lines.join('\n'), /install-key"|session:/, 'no secret');
  const { runs: all } = await checkExport(streamOf(lines));
  const kept = async function* () {
    for (const line of lines) {
      const record = readKept(line);
      if (record !== null) yield record;
    }
  };
  const { runs } = await importAll(to, kept(), () => {});
  t.equal(runs, all);
  await damaged(t, lines);
}

async function* streamOf(lines: readonly string[]) {
  yield* lines;
}

/** Every invalid export is rejected before anything is written. */
async function damaged(t: Test, lines: readonly string[]): Promise<void> {
  const [head = '', ...rest] = lines;
  const end = rest.pop() ?? '';
  const at = (family: string) => rest.findIndex((line) => line.startsWith(`{"key":"${family}/`));
  const run = JSON.parse(rest[at('h')] ?? '').key.slice(2);
  /** With an end that fits, so that only the record itself is wrong. */
  const resealed = (records: readonly string[]) => {
    const sha256 = createHash('sha256')
      .update([head, ...records, ''].join('\n'))
      .digest('hex');
    return [head, ...records, JSON.stringify({ ...JSON.parse(end), records: records.length, sha256 })];
  };
  const record = (key: string, text: string) => JSON.stringify({ key, text });
  /** The first run's head with other members. */
  const withHead = ({ run: changed, ...members }: { run?: object; kept?: object }) =>
    resealed(
      rest.map((line, n) => {
        if (n !== at('h')) return line;
        const { key, text } = JSON.parse(line);
        const stored = JSON.parse(text);
        return record(key, JSON.stringify({ ...stored, ...members, run: { ...stored.run, ...changed } }));
      }),
    );
  const wrong: Record<string, [readonly string[], RegExp]> = {
    empty: [[], /empty/],
    'another file': [['{"format":"other"}'], /not a Culprit export/],
    'an early version': [['{"format":"culprit.store/1","exported_at":"x","runs":1}'], /early version/],
    truncated: [lines.slice(0, -1), /truncated/],
    'truncated by head -n': [lines.slice(0, Math.ceil(lines.length * 0.7)), /truncated/],
    'a line removed': [[head, ...rest.slice(1), end], /of \d+ records/],
    'a line changed': [[head, ...rest.slice(0, -1), `${rest.at(-1)} `, end], /digest differs/],
    'a line after the end': [[...lines, rest[0] ?? ''], /after its last line|continues/],
    'no JSON': [[head, 'x', ...rest.slice(1), end], /Line 2/],
    'an unknown key': [resealed([...rest, record('__proto__', '{}')]), /"__proto__" is not a key/],
    'a path as a key': [resealed([...rest, record('h/../../etc', '{}')]), /is not a key/],
    'an unknown member': [resealed([...rest, '{"key":"w/x","text":"1","also":1}']), /Line/],
    'a session': [
      resealed([...rest, JSON.stringify({ value: 'session:x', text: '{"value":"1"}', expires: 0 })]),
      /is a secret/,
    ],
    'a head of another run': [
      resealed([...rest, (rest[at('h')] ?? '').replaceAll(`h/${run}`, 'h/other')]),
      /is another run/,
    ],
    'a run without its event': [resealed(rest.filter((_, n) => n !== at('e'))), /lacks its event/],
    'a run without an entry': [resealed(rest.filter((_, n) => n !== at('l'))), /history entries/],
    'an event without its run': [resealed(rest.filter((_, n) => n !== at('h'))), /lacks its head/],
    'an unknown state': [withHead({ run: { state: 'gone' } }), /is invalid at run.state/],
    'no fingerprint': [withHead({ run: { fingerprint: null } }), /is invalid at run.fingerprint/],
    'unknown doors': [withHead({ run: { doors: ['window'] } }), /is invalid at run.doors.0/],
    'sources that are no list': [withHead({ run: { sources: 5 } }), /is invalid at run.sources/],
    'a negative size': [
      withHead({ kept: { door: 'native', key: null, bytes: -1e15 } }),
      /is invalid at kept.bytes/,
    ],
  };
  for (const [name, [changed, why]] of Object.entries(wrong))
    await t.rejects(checkExport(streamOf(changed)), { code: 'malformed', message: why }, name);
}

async function sameStores(t: Test, a: OpenStore, b: OpenStore): Promise<void> {
  const page = await a.runStore.page({ limit: 200 });
  t.ok(page.runs.length > 0);
  t.same(await b.runStore.page({ limit: 200 }), page);
  for (const { run_id } of page.runs) {
    t.same(await b.runStore.get(run_id), await a.runStore.get(run_id));
    t.same(await b.runHistory.history(run_id), await a.runHistory.history(run_id));
  }
  t.equal(await b.values.get(':colon'), await a.values.get(':colon'));
}

t.test('a copy of a file store in use is consistent and can be restored', async (t) => {
  const url = freshFile();
  const store = await open(url);
  const run_id = await reviewed(store);
  await store.values.set('install-key', 'abc');
  await store.values.set(':colon', ':x', 3_600_000);
  await t.rejects(open(url), /Another process holds/);
  await mkdir(join(url.slice(5), 'copy-999999999'));
  let writing = true;
  let recorded = 0;
  const writes = (async () => {
    for (let n = 1; writing; n++) {
      await store.runStore.record(
        makeBatch([makeItem(n, 'b'), makeItem(n + 0, `b${n % 50}`, { event_id: `x${n}` })]),
      );
      recorded = n;
    }
  })();
  for (let copies = 0; copies < 3; copies++) {
    const before = recorded;
    const copy = await open(url, true);
    t.equal(copy.copied, true);
    const { watermark } = await copy.runStore.record(makeBatch([]));
    t.ok(watermark >= before, 'the copy contains everything acknowledged before it');
    const { runs } = await copy.runStore.page({ limit: 200 });
    const counted = runs
      .filter(({ title }) => /in b/.test(title))
      .reduce((sum, { occurrences }) => sum + occurrences, 0);
    t.equal(counted, 2 * watermark, 'the copy contains no partial write');
    await copy.close();
  }
  writing = false;
  await writes;
  t.same(
    (await readdir(url.slice(5))).filter((name) => name.startsWith('copy-')),
    [],
    'copies are removed',
  );

  const restored = await open(freshFile());
  await copyOf(t, store, restored);
  await sameStores(t, store, restored);
  t.match(await chainOf(restored, run_id), { findings: [], entries: 4 });
  await t.rejects(checkEmpty(restored), /already contains runs/);
  const repeated = await restored.runStore.record(makeBatch([makeItem(recorded, 'b')]));
  t.same(
    [repeated.outcomes[0]?.outcome, repeated.watermark],
    ['accepted', recorded],
    'events in the backup are not counted again',
  );
  t.not((await restored.statusFeed.head()).epoch, (await store.statusFeed.head()).epoch);
  const heard: number[] = [];
  await store.compact((done, all) => heard.push(done / all));
  t.equal(heard.at(-1) ?? 1, 1);
  await restored.close();
  await store.close();
});

t.test(
  'from a file to Redis and back',
  { skip: redisVersion() === null ? 'needs redis-server' : false },
  async (t) => {
    const redis = await startRedis();
    t.teardown(() => redis.close());
    const file = await open(freshFile());
    const run_id = await reviewed(file);
    await file.runStore.record(
      makeBatch([
        makeItem(1, 'b'),
        { sequence: 2, event_id: 'x', occurrence: null, refusal: { outcome: 'invalid', detail: 'why' } },
      ]),
    );
    await file.values.set('install-key', 'abc');
    await file.values.set(':colon', ':x', 3_600_000);
    const shared = await open(redis.url());
    await copyOf(t, file, shared);
    await sameStores(t, file, shared);
    t.match(await chainOf(shared, run_id), { findings: [] });
    const back = await open(freshFile());
    await copyOf(t, shared, back);
    await sameStores(t, file, back);
    t.equal((await back.runStore.record(makeBatch([]))).watermark, 2);
    t.equal(encode(await back.countRuns('analyzing')), '1');
    for (const store of [file, shared, back]) await store.close();
  },
);
