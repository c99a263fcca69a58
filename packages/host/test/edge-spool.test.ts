import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@culprit/core';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import fc from 'fast-check';
import t from 'tap';
import * as v from 'valibot';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { createReplays } from '../src/edge/guards/guards.js';
import { operatorActionSchema } from '../src/edge/operator/commands.js';
import { encodeRecord, scanRecords, sequenceOf } from '../src/edge/spool/record-bytes.js';
import { openSpool, type Spool, type SpoolLimits } from '../src/edge/spool/spool.js';
import {
  edge,
  fakeCore,
  outcomes,
  scratch,
  spooled,
  toNative,
  toWebhook,
  until,
} from './support/edge-kit.js';
import { culprit } from './support/run-culprit.js';

const delivery = (name: string, filler = ''): Omit<Delivery, 'sequence'> => ({
  event_id: name,
  project: 'shop',
  door: 'native',
  tracker: 'native',
  received_at: '2026-11-21T10:00:00.000Z',
  raw_sha256: '0'.repeat(64),
  headers: {},
  attachments: [],
  redactions: 0,
  crash: { message: filler },
});

async function open(directory: string, limits: Partial<SpoolLimits> = {}): Promise<Spool> {
  return openSpool({ directory, limits, logger: silentLogger });
}
const ALL = { records: 1_000, bytes: 1024 * 1024 };
/** All waiting deliveries, batch by batch (none spans two segments); does not move the read position. */
async function readIds(spool: Spool, limits = ALL): Promise<string[]> {
  const { acknowledged } = spool.stats();
  const ids: string[] = [];
  for (let batch = await spool.read(limits); batch; batch = await spool.read(limits)) {
    ids.push(...batch.payloads.map((payload) => JSON.parse(payload.toString()).event_id));
    if (limits !== ALL) break;
    await spool.acknowledge(batch.last);
  }
  spool.rewind(acknowledged);
  return ids;
}
const segments = async (directory: string) =>
  (await readdir(directory)).filter((name) => name.endsWith('.seg')).sort();

t.test('property: records survive any damage around them', async (t) => {
  const record = (text: string) => encodeRecord(Buffer.from(text));
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 40 }), { minLength: 2, maxLength: 6 }),
      fc.nat(),
      fc.nat(255),
      fc.boolean(),
      (texts, place, byte, cut) => {
        const parts = texts.map((text) => record(text));
        const whole = Buffer.concat(parts);
        const at = place % whole.length;
        const bytes = cut ? whole.subarray(0, at) : Buffer.from(whole);
        if (!cut) bytes[at] = byte;
        let start = 0;
        const sound = texts.filter((_, index) => {
          const end = start + (parts[index]?.length ?? 0);
          const hit = cut ? at < end : at >= start && at < end && whole[at] !== byte;
          start = end;
          return !hit;
        });
        const { stretches, end } = scanRecords(bytes);
        const found = stretches.flatMap(({ payload }) => payload?.toString() ?? []);
        return (
          end <= bytes.length && sound.every((text) => found.includes(text)) && found.length === sound.length
        );
      },
    ),
    { numRuns: 1_000 },
  );
  t.equal(sequenceOf(Buffer.from('{"sequence":42,"x":1}')), 42);
  t.equal(sequenceOf(Buffer.from('{"x":1}')), null);
});

t.test('append, read and acknowledge, before and after a restart', async (t) => {
  const directory = await scratch(t);
  let spool = await open(directory, { segmentBytes: 1_000 });
  const names = Array.from({ length: 20 }, (_, index) => `e${index}`);
  await Promise.all(names.map((name) => spool.append([delivery(name)])));
  t.same(await readIds(spool, { records: 3, bytes: 1e6 }), ['e0', 'e1', 'e2'], 'in order');
  t.match(spool.stats(), { depth: 20, acknowledged: 0, last_sequence: 20 });
  await spool.acknowledge(3);
  t.match(spool.stats(), { depth: 17 });
  await t.rejects(open(directory), { code: 'configuration', message: /Another edge/ });
  const identity = spool.identity();
  await spool.close();
  await t.rejects(spool.append([delivery('late')]), { code: 'overloaded' });

  spool = await open(directory, { segmentBytes: 1_000 });
  t.equal(spool.identity(), identity);
  t.equal(spool.lastAtOpen, 20);
  const seen: string[] = [];
  for (
    let batch = await spool.read({ records: 4, bytes: 900 });
    batch;
    batch = await spool.read({ records: 4, bytes: 900 })
  ) {
    seen.push(...batch.payloads.map((payload) => JSON.parse(payload.toString()).event_id));
    await spool.acknowledge(batch.last);
  }
  t.same(seen, names.slice(3), 'all segments, nothing twice');
  t.match(spool.stats(), { depth: 0, bytes: 0 });
  spool.rewind(18);
  t.same(await readIds(spool), ['e18', 'e19'], 'lost deliveries are read again');
  await spool.append([delivery('new')]);
  t.match(spool.stats(), { last_sequence: 21, depth: 3 });
  await spool.close();
});

t.test(
  'acknowledged segments are deleted after their retention, and sequence numbers are never reused',
  async (t) => {
    const directory = await scratch(t);
    const limits = { segmentBytes: 500, keepMs: 0 };
    let spool = await open(directory, limits);
    for (let count = 0; count < 6; count++) await spool.append([delivery(`e${count}`)]);
    await spool.acknowledge(6);
    t.same(await segments(directory), []);
    await spool.close();
    spool = await open(directory, limits);
    await spool.append([delivery('next')]);
    t.equal(spool.stats().last_sequence, 7);
    await spool.close();
  },
);

t.test('the lock of a process that was killed but not reaped is taken over', async (t) => {
  const directory = await scratch(t);
  // The shell starts a process, then replaces itself by one that never reaps it.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => parent.kill('SIGKILL'));
  const [pid] = String((await once(parent.stdout, 'data'))[0]).split('\n');
  const stateOf = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1] ?? '';
  await until(() => stateOf().startsWith('Z'));
  await writeFile(join(directory, 'lock'), `${pid} ${stateOf().split(' ')[19]}`);
  const spool = await open(directory);
  await spool.close();
});

t.test('overlapping prunes remove only their own segments', async (t) => {
  const directory = await scratch(t);
  const spool = await open(directory, { segmentBytes: 1, keepMs: 0 });
  for (let count = 1; count <= 8; count++) await spool.append([delivery(`e${count}`)]);
  await Promise.all([5, 3, 4, 5, 2, 5].map((sequence) => spool.acknowledge(sequence)));
  t.match(spool.stats(), { depth: 3, acknowledged: 5 });
  t.equal((await segments(directory)).length, 3);
  t.same(await readIds(spool), ['e6', 'e7', 'e8']);
  await spool.close();
});

t.test('the size limit', async (t) => {
  const spool = await open(await scratch(t), { bytes: 20_000, segmentBytes: 2_000 });
  let kept = 0;
  const fill = async () => {
    for (;;) {
      try {
        await spool.append([delivery(`e${kept}`, 'x'.repeat(500))]);
        kept++;
      } catch (error) {
        return error;
      }
    }
  };
  t.match(await fill(), { code: 'overloaded', message: /full/ });
  t.match(await spool.readiness(), { ready: false });
  const before = kept;
  t.ok(before > 20);
  await spool.acknowledge(before);
  t.match(await spool.readiness(), { ready: true });
  t.match(await fill(), { code: 'overloaded' });
  t.ok(kept > before + 5, 'accepts more after core has acknowledged');
  await spool.close();
  const few = await open(await scratch(t), { deliveries: 3 });
  await few.append([delivery('1'), delivery('2'), delivery('3')]);
  await t.rejects(few.append([delivery('4')]), { code: 'overloaded' });
  await few.close();
  const shared = await open(await scratch(t), { deliveries: 6 });
  const byPublicKey = (id: string) => ({ ...delivery(id), door: 'sdk' as const });
  await shared.append([byPublicKey('1'), byPublicKey('2'), byPublicKey('3')]);
  await t.rejects(shared.append([byPublicKey('4')]), { code: 'overloaded' }, 'public keys fill half of it');
  t.match(await shared.readiness(), { ready: true });
  await shared.append([delivery('5'), delivery('6')]);
  t.equal(shared.stats().depth, 5, 'signed deliveries find room');
  await shared.close();
});

t.test('a torn tail and a flipped bit', async (t) => {
  const directory = await scratch(t);
  let spool = await open(directory);
  await spool.append([delivery('one'), delivery('two'), delivery('three')]);
  await spool.close();
  const path = join(directory, (await segments(directory))[0] ?? '');
  const sound = await stat(path);
  await appendFile(path, encodeRecord(Buffer.from('{"sequence":4,"never":"answered"}')).subarray(0, 20));
  spool = await open(directory);
  t.match(spool.stats(), { torn_tails: 1, quarantined: 0, depth: 3 });
  t.equal((await stat(path)).size, sound.size, 'cut back to the last good record');
  await spool.append([delivery('four')]);
  t.same(await readIds(spool), ['one', 'two', 'three', 'four']);
  await spool.close();

  const bytes = await readFile(path);
  const at = bytes.indexOf('"two"');
  bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 0x10;
  await writeFile(path, bytes);
  for (let round = 0; round < 2; round++) {
    spool = await open(directory);
    t.same(await readIds(spool), ['one', 'three', 'four'], 'the others are read');
    t.match(spool.stats(), { quarantined: 1, torn_tails: 1 }, 'counted once, however often it is read');
    t.ok(spool.stats().last_sequence > 4, 'numbers that core may know are not reused');
    await spool.close();
  }
  t.equal((await readdir(join(directory, 'quarantine'))).length, 2);
  spool = await open(directory);
  await spool.append([delivery('five')]);
  const last = (await segments(directory)).at(-1) ?? '';
  const late = await readFile(join(directory, last));
  late[late.length - 5] = (late[late.length - 5] ?? 0) ^ 1;
  await writeFile(join(directory, last), late);
  t.same(await readIds(spool), ['one', 'three', 'four'], 'damaged while the edge runs');
  await spool.acknowledge(4);
  t.same(await readIds(spool), []);
  t.match(spool.stats(), { quarantined: 2 });
  await spool.close();
});

const QUICK = { firstPauseMs: 5, longestPauseMs: 20, heartbeatMs: 50 };
const crash = (id: string) => ({ event_id: id, message: 'boom' });

const mountSmall = (directory: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory]).status === 0;
const unmount = (directory: string) => spawnSync('umount', ['-l', directory]);
/** Tries to mount: root in a container may lack the permission. */
async function whyNotMountable(): Promise<{ skip?: string }> {
  if (process.getuid?.() !== 0) return { skip: 'needs root, to mount a file system of 256 kB' };
  const directory = mkdtempSync(join(tmpdir(), 'culprit-mount-'));
  const works = mountSmall(directory);
  if (works) unmount(directory);
  await removeFolder(directory);
  return works ? {} : { skip: 'mounting is not permitted here, even to root' };
}

const READ_ONLY = await whyNotMountable();
t.test('a disk that becomes read-only', READ_ONLY, async (t) => {
  const directory = await scratch(t);
  t.ok(mountSmall(directory));
  t.teardown(() => unmount(directory));
  const remount = (mode: 'ro' | 'rw') =>
    t.equal(spawnSync('mount', ['-o', `remount,${mode}`, directory]).status, 0, mode);
  const core = await fakeCore(t);
  const server = await edge(t, { coreUrl: core.url, spoolDirectory: directory, forwarder: QUICK });
  t.equal((await toNative(server, crash('before'))).status, 202);
  await until(() => core.received.length === 1);
  await server.close();
  remount('ro');
  await t.rejects(open(directory), { code: 'EROFS' }, 'an edge does not start on it');
  remount('rw');
  const again = await edge(t, { coreUrl: core.url, spoolDirectory: directory, forwarder: QUICK });
  spawnSync('mount', ['-o', 'remount,ro', directory]);
  t.equal((await toNative(again, crash('refused'))).status, 503);
  t.match(again.guard().spool, { fault: 'EROFS' });
  t.equal((await fetch(`${again.url}/readyz`)).status, 503);
  remount('rw');
  t.equal((await fetch(`${again.url}/readyz`)).status, 200);
  t.equal((await toNative(again, crash('after'))).status, 202, 'without a restart');
  await until(() => core.received.length === 2);
});

t.test('a full disk', whyNotMountable(), async (t) => {
  const directory = await scratch(t);
  t.ok(mountSmall(directory));
  t.teardown(() => unmount(directory));
  const spool = await open(directory);
  const filler = join(directory, 'filler');
  await spool.append([delivery('before')]);
  await writeFile(filler, Buffer.alloc(230 * 1024));
  const large = () => spool.append([delivery('large', 'x'.repeat(60_000))]);
  await t.rejects(large(), { code: 'overloaded', message: /ENOSPC/ });
  await t.rejects(large(), { code: 'overloaded' });
  t.match(spool.stats(), { fault: 'ENOSPC', depth: 1 });
  t.match(await spool.readiness(), { ready: false, detail: /ENOSPC/ });
  await writeFile(filler, '');
  t.match(await spool.readiness(), { ready: true });
  await large();
  t.same(await readIds(spool), ['before', 'large'], 'recovers without a restart, no partial record between');
  t.match(spool.stats(), { fault: null, depth: 2 });
  await spool.close();
  const again = await open(directory);
  t.match(again.stats(), { torn_tails: 0, quarantined: 0, depth: 2 });
  await again.close();
});

t.test('a signed body without an event_id that is sent again counts once', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory });
  for (const message of ['stored as received', 'parsed: jane@example.com']) {
    const body = JSON.stringify({ message });
    const send = async () => ((await (await toWebhook(server, body)).json()) as { id: string }).id;
    const id = await send();
    t.same(await Promise.all([send(), send()]), [id, id], message);
  }
  t.equal((await spooled(directory)).length, 2);
  t.match(server.guard().outcomes.webhook, { accepted: 2, duplicate: 4 });
  const tokens = [await toNative(server, { message: 'boom' }), await toNative(server, { message: 'boom' })];
  t.same(
    tokens.map(({ status }) => status),
    [202, 202],
  );
  t.equal((await spooled(directory)).length, 4, 'the native door does not: only the token’s owner can send');
});

t.test('repeated deliveries are known within a window, in bounded memory', async (t) => {
  let now = 0;
  const replays = createReplays({ windowMs: () => 1_000, now: () => now });
  const again = async (name: string) => (await replays.once(name, async () => `again ${name}`)).again;
  for (let index = 0; index < 30_000; index++) await replays.once(`delivery ${index}`, async () => null);
  t.equal(await again('delivery 29999'), true);
  now += 700;
  t.equal(await again('delivery 29999'), true);
  t.match(replays, { allowed: 30_000, largest: 700 });
  t.equal(await again('delivery 0'), false, 'the oldest are forgotten');
  now += 301;
  t.equal(await again('delivery 29999'), false, 'repeated after the window');
  const failing = replays.once('failing', () => Promise.reject(new Error('disk full')));
  await t.rejects(failing, /disk full/);
  t.equal(await again('failing'), false, 'a delivery that was not stored can be repeated');
  const twice = await Promise.all([1, 2].map((n) => replays.once('at once', async () => `id ${n}`)));
  t.same(twice, [
    { id: 'id 1', again: false },
    { id: 'id 1', again: true },
  ]);
});

t.test('forwarding: in order, and acknowledged only after core’s reply', async (t) => {
  const core = await fakeCore(t);
  core.behave(() => ({ status: 503, body: {} }));
  const directory = await scratch(t);
  const warned: object[] = [];
  const server = await edge(t, {
    coreUrl: core.url,
    spoolDirectory: directory,
    forwarder: { ...QUICK, records: 7 },
    logger: { ...silentLogger, warn: (fields) => void warned.push(fields) },
  });
  for (let count = 0; count < 30; count++) await toNative(server, crash(`e${count}`));
  await until(() => server.guard().forwarder.failures > 2);
  t.match(server.guard(), { spool: { depth: 30 }, forwarder: { state: 'waiting', last_error: /503/ } });
  t.same(warned, [{ reason: 'Core answered 503.' }], 'in one line, once, without a stack');
  t.type(server.guard().spool.oldest_age_ms, 'number');
  core.behave(() => null);
  await until(() => server.guard().spool.depth === 0);
  t.same(
    core.received.map(({ event_id }) => event_id),
    Array.from({ length: 30 }, (_, index) => `e${index}`),
  );
  t.ok(core.batches.every(({ sequences }) => sequences.length <= 7));
  t.match(
    core.reports.at(-1),
    {
      guard: { limits: Array, outcomes: { native: { accepted: 30 } } },
      limits: { keyRate: { configured: 1_000 } },
    },
    'telemetry is sent with it',
  );
  await until(() => server.guard().forwarder.state === 'idle');
  t.match(server.guard(), { spool: { oldest_age_ms: null }, forwarder: { sent: 30, watermark: 30 } });
});

t.test('a core restored from an older state gets the lost deliveries again', async (t) => {
  const core = await fakeCore(t);
  const server = await edge(t, { coreUrl: core.url, forwarder: QUICK });
  for (let count = 0; count < 5; count++) await toNative(server, crash(`e${count}`));
  await until(() => core.received.length === 5);
  core.received.length = 0;
  core.watermark(server.guard().edge, 3);
  await until(() => core.received.length === 2);
  t.same(
    core.received.map(({ sequence }) => sequence),
    [4, 5],
  );
});

t.test(
  'a spool that was rolled back continues under a new identity, so that core drops nothing as known',
  async (t) => {
    const core = await fakeCore(t);
    const directory = await scratch(t);
    const spool = await open(directory);
    const before = spool.identity();
    await spool.append([delivery('one')]);
    await spool.close();
    core.watermark(before, 50);
    const server = await edge(t, { coreUrl: core.url, spoolDirectory: directory, forwarder: QUICK });
    await until(() => core.received.length === 1);
    t.not(server.guard().edge, before);
  },
);

t.test('a wrong secret is reported and loses nothing', async (t) => {
  const core = await fakeCore(t);
  const server = await edge(t, { coreUrl: core.url, internalSecret: 'wrong', forwarder: QUICK });
  await toNative(server, crash('e'));
  await until(() => server.guard().forwarder.state === 'unauthorised');
  t.match(server.guard(), { spool: { depth: 1 } });
});

t.test('dead letters', async (t) => {
  const core = await fakeCore(t);
  const directory = await scratch(t);
  const bad = (id: string) => id.startsWith('bad');
  core.behave(({ deliveries }) => {
    const answers = deliveries.flatMap((one) =>
      outcomes([one], bad(one.event_id) ? 'invalid' : 'accepted', bad(one.event_id) ? 'no frames' : null),
    );
    return { status: 200, body: { outcomes: answers, watermark: deliveries.at(-1)?.sequence ?? 0 } };
  });
  const server = await edge(t, { coreUrl: core.url, spoolDirectory: directory, forwarder: QUICK });
  for (const id of ['good1', 'bad1', 'good2']) await toNative(server, crash(id));
  await until(() => server.guard().spool.depth === 0);
  t.equal(server.guard().dead_letters, 1);
  core.behave(({ deliveries }) =>
    deliveries.some(({ event_id }) => event_id === 'poison') ? { status: 400, body: { detail: 'no' } } : null,
  );
  core.watermark(server.guard().edge, 3);
  await Promise.all(['a', 'b', 'poison', 'c', 'd'].map((id) => toNative(server, crash(id))));
  await until(() => server.guard().spool.depth === 0);
  t.same(
    core.received.map(({ event_id }) => event_id).sort(),
    ['a', 'b', 'c', 'd'],
    'one invalid delivery does not stop others',
  );
  await server.close();
  const spool = await open(directory);
  const letters = await spool.deadLetters.list();
  t.match(letters, [
    { sequence: 2, detail: 'no frames', delivery: { event_id: 'bad1', crash: { message: 'boom' } } },
    { detail: /400/, delivery: { event_id: 'poison' } },
  ]);
  await spool.close();
  t.equal((await spooled(directory)).length, 8, 'acknowledged deliveries are kept for a while');
});

t.test(
  'a single delivery that core rejects becomes one dead letter, although core’s watermark does not move',
  async (t) => {
    const core = await fakeCore(t);
    core.behave(({ deliveries }) => (deliveries.length > 0 ? { status: 422, body: { detail: 'no' } } : null));
    const server = await edge(t, { coreUrl: core.url, forwarder: QUICK });
    await toNative(server, crash('poison'));
    await until(() => server.guard().dead_letters === 1);
    const { length } = core.batches;
    const heartbeats = core.reports.length;
    await until(() => core.reports.length > heartbeats + 3);
    t.equal(core.batches.length, length, 'heartbeats do not send it again');
    core.behave(() => null);
    await toNative(server, crash('good'));
    await until(() => core.received.length === 1 && server.guard().spool.depth === 0);
    t.equal(server.guard().dead_letters, 1);
  },
);

t.test('operator commands in core’s replies', async (t) => {
  const core = await fakeCore(t);
  const directory = await scratch(t);
  let repaired = false;
  core.behave(({ edge, deliveries }) => {
    if (repaired || deliveries.length === 0) return null;
    const watermark = deliveries.at(-1)?.sequence ?? 0;
    core.watermark(edge, watermark);
    return { status: 200, body: { outcomes: outcomes(deliveries, 'invalid', 'no frames'), watermark } };
  });
  const options = { coreUrl: core.url, spoolDirectory: directory, forwarder: QUICK };
  let server = await edge(t, options);
  for (const id of ['a', 'b', 'c']) await toNative(server, crash(id));
  await until(() => core.reports.at(-1)?.dead_letters.length === 3);
  t.match(core.reports.at(-1)?.dead_letters, [
    { sequence: 1, event_id: 'a', project: 'shop', door: 'native', detail: 'no frames', crash: undefined },
    { sequence: 2 },
    { sequence: 3 },
  ]);
  const command = async (id: string, action: object) => {
    core.commands.push({ id, action });
    const done = () =>
      core.reports.flatMap((report) => report.done).find((one) => 'id' in one && one.id === id);
    await until(() => done() !== undefined);
    return done();
  };
  t.match(await command('one', { kind: 'drop', sequences: [2, 99] }), { ok: true, detail: '1 dropped' });
  repaired = true;
  t.match(await command('two', { kind: 'resend', sequences: 'all' }), {
    ok: true,
    detail: '2 of 2 sent again',
  });
  await until(() => core.received.length === 2);
  t.same(
    core.received.map(({ event_id, sequence }) => [event_id, sequence]),
    [
      ['a', 4],
      ['c', 5],
    ],
    'with new numbers, once, although the command was repeated',
  );
  t.equal(server.guard().dead_letters, 0);
  const tight = { keyRate: 1, keyBurst: 2, requestMs: 20_000 };
  t.match(await command('three', { kind: 'limits', values: tight }), { ok: true });
  const high = { kind: 'limits', values: { jsonWidth: 10_001 } };
  t.match(v.safeParse(operatorActionSchema, high).issues, [{ message: 'jsonWidth is at most 10000' }]);
  core.commands.push({ id: 'four', action: { kind: 'explode' } });
  const limited = async () => (await toNative(server, crash('l'))).status === 429;
  await until(limited);
  t.match(
    server.guard().limits.find(({ name }) => name === 'key_burst'),
    { value: 2, configured: 5_000 },
  );
  await server.close();
  core.commands.length = 0;
  server = await edge(t, options);
  t.match(core.reports.at(-1)?.limits, { keyBurst: { value: 2, configured: 5_000 } });
  // Changed limits survive a restart.
  await until(limited);
  t.match(await command('five', { kind: 'limits', values: { keyBurst: null, keyRate: null } }), { ok: true });
  t.equal((await toNative(server, crash('again'))).status, 202);
});

t.test('operator commands next to the spool: culprit edges --spool, with and without an edge', async (t) => {
  const core = await fakeCore(t);
  const data = await scratch(t);
  const directory = join(data, 'spool');
  const spool = await open(directory);
  await spool.append([delivery('one'), delivery('two'), delivery('three')]);
  const [first] = (await spool.read(ALL))?.payloads ?? [];
  const letter = JSON.parse(String(first));
  await spool.deadLetters.add([
    { at: '2026-11-21T10:00:00.000Z', sequence: 1, detail: 'no frames', delivery: letter },
    { at: '2026-11-21T10:00:00.000Z', sequence: 9, detail: 'no', delivery: { ...letter, event_id: 'nine' } },
  ]);
  await spool.acknowledge(1);
  core.watermark(spool.identity(), 1);
  await spool.close();
  const run = async (...args: string[]) => culprit(['edges', ...args, '--spool', '--data', data]);
  const list = async () => JSON.parse((await run('list', '--json')).stdout);
  t.match(await list(), {
    waiting: { count: 2, deliveries: [{ sequence: 2, event_id: 'two' }, { event_id: 'three' }] },
    dead_letters: { count: 2, letters: [{ sequence: 1, event_id: 'one', detail: 'no frames' }, {}] },
  });
  t.match((await run()).stdout, /^waiting +2 .*\n.*\n.*no frames\n.*\n2 waiting, 2 dead letters/);
  t.match(JSON.parse((await run('show', '3')).stdout), { delivery: { event_id: 'three', crash: {} } });
  t.match(await run('show', '77'), { code: 3 });
  t.match(await run('drop'), { code: 2 });
  t.match(await run('resend', '1'), { code: 0, stdout: '1 of 1 sent again\n' });
  t.match(await list(), { waiting: { count: 3 }, dead_letters: { count: 1 } });

  const server = await edge(t, { coreUrl: core.url, spoolDirectory: directory, forwarder: QUICK });
  t.match(await run('drop', '--all'), { code: 0, stdout: '1 dropped\n' }, 'executed by the running edge');
  t.equal(server.guard().dead_letters, 0);
  await until(() => core.received.length === 3);
  t.same(
    core.received.map(({ event_id }) => event_id),
    ['two', 'three', 'one'],
  );
});
