import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createEngine } from '@culprit/core';
import { isCulpritError } from '@culprit/core/internal/errors/error';
import type { IssueToPublish } from '@culprit/core/internal/ports/publisher';
import { silentLogger } from '@culprit/core/internal/system';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import { manualClock, memoryPublisher } from '@culprit/core/testing';
import { ClassicLevel } from 'classic-level';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { randomBetween } from '../../../../bench/faults/lib/random.mjs';
import { repairStore, storage } from '../../src/storage/index.js';
import { damagedStores, flip, largest } from './support/damaged-store.js';
import { killRounds, WRITER } from './support/kill-rounds.js';
import { noSqlite, openStorage } from './support/open-storage.js';

const root = temporaryFolder(t, 'durable');

t.test(
  'kill -9 at random moments: acknowledged data is complete and stored once',
  { timeout: 600_000 },
  (t) => killRounds(t, 4),
);

t.test(
  'kill -9 of a writer to SQLite: acknowledged data is complete and stored once',
  { timeout: 600_000, skip: noSqlite },
  (t) => killRounds(t, 4, (directory) => `sqlite:${join(directory, 'culprit.db')}`),
);

t.test('a second process on the same directory gets an error that names the directory', async (t) => {
  const directory = join(root, 'held');
  const storage = await openStorage(directory);
  const child = spawn(process.execPath, [WRITER, `file:${directory}`, '0', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  t.equal(code, 1);
  t.match(said, /Another process holds .*held.store/);
  await storage.runStore.record(makeBatch([makeItem(1)]));
  await storage.close();
});

t.test('damaged bytes of the log are found, repaired, and asked for again', async (t) => {
  const { copied, resent } = await damagedStores(join(root, 'damaged'), 60);
  const { directory, store } = await copied();
  await flip(await largest(store, /\.log$/), 5_000);
  await t.rejects(openStorage(directory), {
    code: 'storage_unavailable',
    message: /damaged: .*\.log.*culprit store repair$/,
  });
  const { missing } = await repairStore({ directory, logger: silentLogger });
  t.match(missing, { edges: 1 });
  await resent(t, directory, 'a log');
});

/** A file system of 2 MB, or the reason why it cannot be created. */
async function smallDisk(): Promise<{ readonly path: string } | { readonly skip: string }> {
  if (process.platform !== 'linux') return { skip: 'needs Linux (tmpfs)' };
  if (process.getuid?.() !== 0) return { skip: 'needs root, to mount a file system of 2 MB' };
  const path = join(root, 'small');
  await mkdir(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    return {
      skip: `mounting is not permitted here: ${error instanceof Error ? error.message.trim() : error}`,
    };
  }
  return { path };
}

const disk = await smallDisk();
const skip = 'skip' in disk && disk.skip;
t.test('a full disk is a clean error, and writing resumes without a restart', { skip }, async (t) => {
  if ('skip' in disk) return;
  t.teardown(() => execFileSync('umount', ['-l', disk.path]));
  const ballast = join(disk.path, 'ballast');
  await writeFile(ballast, Buffer.alloc(1_300_000, 1));

  const storage = await openStorage(join(disk.path, 'data'));
  const { runStore, statusFeed, values } = storage;
  const heard: number[] = [];
  statusFeed.watch(({ sequence }) => heard.push(sequence));
  const item = (sequence: number) =>
    makeItem(sequence, `seed${sequence % 5}`, { extra: { noise: noise(6_000) } });
  let sequence = 0;
  const failure = await (async () => {
    for (;;) {
      try {
        await runStore.record(makeBatch([item(sequence + 1)]));
        sequence += 1;
      } catch (error) {
        return error;
      }
    }
  })();
  t.ok(isCulpritError(failure, 'storage_unavailable'), String(failure));
  t.ok(sequence > 10);
  for (let n = 0; n < 5; n++) {
    await t.rejects(runStore.record(makeBatch([item(sequence + 1)])), { code: 'storage_unavailable' });
    await t.rejects(values.set('k', noise(6_000)), { code: 'storage_unavailable' });
    await t.rejects(storage.check(new AbortController().signal), { code: 'storage_unavailable' });
  }
  const { runs } = await runStore.page({ limit: 10 });
  t.equal(
    runs.reduce((sum, run) => sum + run.occurrences, 0),
    sequence,
    'reads continue while the disk is full, and return acknowledged data',
  );

  await rm(ballast);
  const again = await runStore.record(makeBatch([item(sequence), item(sequence + 1)]));
  t.equal(again.watermark, sequence + 1);
  await values.set('k', 'v');
  const counted = (await runStore.page({ limit: 10 })).runs.reduce((sum, run) => sum + run.occurrences, 0);
  t.equal(counted, sequence + 1, 'every event is stored once');
  t.same(
    heard,
    Array.from({ length: sequence + 1 }, (_, n) => n + 1),
  );
  await storage.close();
  const reopened = await openStorage(join(disk.path, 'data'));
  t.equal((await reopened.runStore.record(makeBatch([]))).watermark, sequence + 1);
  t.equal(await reopened.values.get('k'), 'v');
  await reopened.close();
  t.comment(`disk full after ${sequence} acknowledged events: 0 lost`);
});

/** While it runs, this process's fsync calls fail, as on a file system that became read-only. */
async function readOnlyDisk(): Promise<() => Promise<void>> {
  const flags = [
    '-f',
    '-o',
    '/dev/null',
    '-e',
    'trace=fdatasync,fsync',
    '-e',
    'inject=fdatasync,fsync:error=EROFS',
  ];
  const strace = spawn('strace', [...flags, '-p', String(process.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    strace.once('exit', () => reject(new Error(said)));
    strace.stderr.on('data', (text: Buffer) => {
      said += text;
      if (/attached/.test(said)) resolve();
    });
  });
  return async () => {
    const exited = once(strace, 'exit');
    strace.kill('SIGINT');
    await exited;
  };
}

t.test(
  'a disk that becomes read-only is a clean error, and writing resumes without a restart',
  { skip: noTracing() },
  async (t) => {
    const directory = join(root, 'read-only');
    const storage = await openStorage(directory);
    const { runStore } = storage;
    await runStore.record(makeBatch([makeItem(1, 'a')]));
    const writable = await readOnlyDisk();
    for (let n = 0; n < 3; n++) {
      await t.rejects(runStore.record(makeBatch([makeItem(2, 'a')])), { code: 'storage_unavailable' });
      await t.rejects(storage.check(new AbortController().signal), { code: 'storage_unavailable' });
    }
    t.equal((await runStore.page({ limit: 1 })).runs.length, 1, 'reads continue');
    await writable();
    const again = await runStore.record(makeBatch([makeItem(2, 'a'), makeItem(3, 'a')]));
    t.equal(again.watermark, 3);
    await storage.close();
    const reopened = await openStorage(directory);
    t.equal(
      (await reopened.runStore.page({ limit: 1 })).runs[0]?.occurrences,
      3,
      'every event is stored once',
    );
    await reopened.close();
  },
);

function noTracing(): string | false {
  if (process.platform !== 'linux') return 'needs Linux (strace)';
  if (process.getuid?.() !== 0) return 'needs root, to trace this process';
  try {
    execFileSync('strace', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'needs strace';
  }
}

/** Text that does not compress. */
function noise(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(randomBetween(33, 127))).join('');
}

t.test('a store that fingerprint version 1 wrote opens and continues', async (t) => {
  const folder = new URL('../../test/fixtures/storage/', import.meta.url);
  const lines = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  const data = t.testdir();
  const level = new ClassicLevel(join(data, 'store'));
  for (const line of lines('grouping-v1.jsonl').trimEnd().split('\n'))
    await level.put(...(JSON.parse(line) as [string, string]));
  await level.close();
  const clock = manualClock('2026-11-20T12:00:00.000Z');
  const publisher = memoryPublisher({ clock });
  const issues = JSON.parse(lines('grouping-v1-issues.json')) as readonly IssueToPublish[];
  for (const issue of issues) await publisher.create({ ...issue, marker: '' }, AbortSignal.timeout(10_000));
  const engine = await createEngine({
    connectors: [storage({ url: `file:${data}` }), { id: 'publisher', setup: () => ({ publisher }) }],
    projects: { default: { publishRepository: 'acme/shop' } },
    clock,
  });
  t.teardown(() => engine.close());
  const { runs } = await engine.runs({ limit: 20 });
  const was = (name: string) => runs.find(({ title }) => title === `TypeError: boom ${name}`)?.run_id ?? '';
  let sent = 0;
  const crash = async (name: string, type = 'TypeError') => {
    const frames = [{ filename: `/app/${name}.js`, function: '<anonymous>', lineno: 9, in_app: true }];
    const values = [{ type, value: `boom ${name}`, stacktrace: { frames } }];
    const of = { event_id: `new-${++sent}`, platform: 'node', exception: { values } };
    return (await engine.ingest({ crash: of })).run_id ?? '';
  };
  const ADA = { name: 'ada', via: 'api' } as const;
  for (const name of ['open', 'draft', 'snoozed', 'published', 'rejected'])
    for (const type of ['TypeError', 'RangeError'])
      t.equal(await crash(name, type), was(name), `${type} counts on the ${name} run`);
  t.equal(await crash('merged', 'RangeError'), was('target'), 'the merge holds');
  t.match(await engine.run(was('snoozed')), { state: 'staged_raw', woken: Object });
  t.match(await engine.run(was('open')), { fingerprint: { version: 'v1' }, title: 'TypeError: boom open' });

  await engine.approveGateOne(was('open'), ADA);
  const { draft } = await engine.run(was('open'));
  t.match(draft, { title: 'RangeError: boom open', body: /`RangeError`: `boom open`/ }, 'one crash in both');
  await engine.split(was('merged'), ADA);
  t.equal(await crash('merged', 'RangeError'), was('merged'), 'the run again, with its old fingerprint');
  await engine.approveGateTwo(was('draft'), ADA);
  while ((await engine.run(was('publishing'))).state === 'publishing') {
    await clock.advance(60_000);
    await turn();
  }
  t.match(await engine.run(was('publishing')), { state: 'published', publication: { number: 2 } });
  t.equal(publisher.issues.length, 3, 'the marker of the old fingerprint was found: no second issue');
  const { steps } = await engine.verify(was('published'));
  const not = steps.flatMap(({ name, ok }) => (ok ? [] : [name]));
  t.same(not, ['evidence'], 'its issue is the signed one; only drafts have a newer version');

  publisher.closeIssue(1, 'completed');
  await clock.advance(8 * 24 * 3_600_000);
  const back = await crash('published');
  t.match(await engine.run(back), {
    regression_of: was('published'),
    generation: 2,
    fingerprint: { version: 'v2' },
  });
  t.match(await engine.run(await crash('published', 'SyntaxError')), { regression_of: null, generation: 1 });
  t.equal(await crash('published'), back);
  const again = await crash('rejected');
  t.match(
    await engine.run(again),
    { generation: 2, fingerprint: { version: 'v2' } },
    'its quiet time is over',
  );
  const other = await crash('rejected', 'RangeError');
  t.equal(new Set([again, other, was('rejected')]).size, 3, 'and from now on each type has its own run');
  t.match(
    await engine.run(await crash('open', 'SyntaxError')),
    { run_id: was('open') },
    'this one is still open',
  );
});
