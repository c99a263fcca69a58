import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outbox } from '@culprit/connectors/git';
import { openStore, storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine, silentLogger } from '@culprit/core';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t from 'tap';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { openSpool } from '../src/edge/spool/spool.js';
import { startCore } from '../src/server/server.js';
import { coreBench } from './support/core-bench.js';
import { BIN, culprit, type Ended } from './support/run-culprit.js';
import { up } from './support/up.js';

const KEY = 'an audit key of thirty-two chars';
/** Not an e-mail address, because the engine redacts those. */
const PERSON = 'kim-7731';
const reviewer = { name: PERSON, via: 'api' } as const;

/** An engine like core's, on a data directory. */
function startEngine(data: string, outboxAt = data) {
  return createEngine({
    connectors: [
      storage({ url: `file:${data}`, auditKey: KEY }),
      outbox({ directory: join(outboxAt, 'outbox'), baseUrl: 'http://127.0.0.1:1' }),
      template({}),
    ],
    projects: { default: { publishRepository: 'local' } },
  });
}
const issuesIn = (data: string) => readdirSync(join(data, 'outbox')).filter((name) => name.endsWith('.md'));

t.test('maintain a storage: while core runs, and after it has stopped', async (t) => {
  const root = t.testdir();
  const data = join(root, 'data');
  mkdirSync(data);
  const run = (...args: string[]): Promise<Ended> =>
    culprit([...args, '--data', data], { env: { AUDIT_KEY: KEY } });
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

  const engine = await startEngine(data);
  const crash = { event_id: 'c1', message: 'the till is stuck', platform: 'node', tags: { by: PERSON } };
  const { run_id } = await engine.ingest({ crash });
  const second = await engine.ingest({ crash: { event_id: 'c2', message: 'another', platform: 'node' } });
  await engine.approveGateOne(run_id ?? '', reviewer);
  await engine.merge(second.run_id ?? '', { name: 'ada', via: 'api' }, { into: run_id ?? '' });
  const backup = join(root, 'backup.jsonl');
  t.match(await json('store', 'export', backup), { file: backup, runs: 2, install_key: `${backup}.key` });
  t.match(await run('store', 'export', backup), { code: 2, stderr: /exists.*--force/ });
  t.match(await run('store', 'export', backup, '--force'), { code: 0, stdout: /store it with your secrets/ });
  t.equal(statSync(`${backup}.key`).mode & 0o777, 0o600);
  t.notOk(readFileSync(backup, 'utf8').includes(readFileSync(`${backup}.key`, 'utf8').trim()));
  const preview = await engine.preview(run_id ?? '', reviewer);
  t.match(await engine.approveGateTwo(run_id ?? '', reviewer), { status: 'published' });
  const [issue = ''] = issuesIn(data);
  const published = readFileSync(join(data, 'outbox', issue), 'utf8');
  t.ok(published.includes(preview.body.trim()), 'the issue equals the preview');
  t.match(preview.body, /marker=[0-9a-f]{64} audit=[0-9a-f]{64} -->/);

  t.match(await json('store', 'info'), {
    kind: 'file',
    held_by_core: true,
    runs: 2,
    tombstones: 0,
    states: { published: 1, merged: 1, staged_raw: 0 },
  });
  t.match(await json('audit', 'verify'), { verified: true, runs: 2, findings: [], erased: 0 });
  t.match(await json('audit', 'verify', '--sealed-since', '2026-01-01'), { verified: true, unsealed: 0 });
  t.match(await run('audit', 'verify', '--sealed-since', 'soon'), { code: 2, stderr: /ISO 8601/ });
  const lines = (await run('audit', 'export', '--run', run_id ?? '')).stdout.trim().split('\n');
  t.match(
    lines.map((line) => JSON.parse(line).name),
    ['staged', 'gate1.approve'],
  );
  t.match(await run('store', 'compact'), { code: 1, stderr: /Another process holds/ });
  await engine.close();

  const spool = await openSpool({ directory: join(data, 'spool'), logger: silentLogger });
  const { sequence: _, ...delivery } = makeDelivery();
  await spool.append([{ ...delivery, crash: { ...crash } }]);
  await spool.close();
  t.match(
    await run('erase', '--user', PERSON),
    { code: 2, stderr: /--dry-run.*--yes/ },
    'nobody can confirm',
  );
  const counted = await json('erase', '--user', PERSON, '--dry-run');
  t.match(await json('audit', 'verify'), { verified: true, erased: 0 }, 'a dry run changes nothing');
  const report = await json('erase', '--user', PERSON, '--yes');
  t.strictSame(counted, report, 'a dry run counts what is erased');
  t.match(report, { runs: 1, events: 1, spool: 1, history: 2, issues: [/./] });
  t.notMatch(
    readFileSync(
      join(data, 'spool', readdirSync(join(data, 'spool')).find((name) => name.endsWith('.seg')) ?? ''),
    ),
    PERSON,
  );
  t.match(await json('audit', 'verify'), { verified: true, erased: 2 });
  t.match(await json('erase', '--user', PERSON, '--yes'), { runs: 0, spool: 0 });
  const afterwards = await startEngine(data);
  const proof = await afterwards.verify(run_id ?? '');
  await afterwards.close();
  t.match(proof, { verified: true, erased_at: /^\d{4}-/ }, 'the published issue is still proven');
  t.match(proof.steps[0], { name: 'evidence', detail: /a person was erased from it on \d{4}-\d\d-\d\d/ });
  t.match(proof.steps[2], { name: 'signature', detail: /signed by \[erased\]/ });
  t.match(proof.steps[4], {
    name: 'body',
    detail: /identical; the signer’s name .* erased here on \d{4}-\d\d-\d\d/,
  });
  t.match(await run('store', 'compact'), { code: 0 });

  const store = await openStore({ url: `file:${data}`, logger: silentLogger });
  const [entry = ['', '']] = await store.reads.entries({ gt: `l/${run_id}/`, lt: `l/${run_id}/~`, limit: 1 });
  await store.writer.write(async (tx) => tx.put(entry[0], entry[1].replace('staged_raw', 'published')));
  await store.close();
  t.match(await run('audit', 'verify'), { code: 1, stdout: /^edited .*staged/ });

  const restored = join(root, 'restored');
  cpSync(join(data, 'outbox'), join(restored, 'outbox'), { recursive: true });
  const other = (...args: string[]) => culprit([...args, '--data', restored], { env: { AUDIT_KEY: KEY } });
  const short = join(root, 'short.jsonl');
  writeFileSync(short, readFileSync(backup, 'utf8').split('\n').slice(0, 7).join('\n'));
  t.match(await other('store', 'import', short), { code: 1, stderr: /truncated/ });
  t.match((await other('store', 'info', '--json')).stdout, /"runs": 0/, 'nothing was written');
  renameSync(`${backup}.key`, join(root, 'safe.key'));
  t.match(await other('store', 'import', backup), { code: 3, stderr: /--install-key FILE/ });
  const key = ['--install-key', join(root, 'safe.key')];
  t.match(await other('store', 'import', backup, ...key), { code: 0, stdout: /Imported 2 runs\./ });
  t.match(await other('store', 'import', backup), { code: 1, stderr: /already contains runs/ });
  t.match(await other('audit', 'verify'), { code: 0 });
  const again = await startEngine(restored);
  t.equal((await again.run(run_id ?? '')).state, 'staged_draft', 'as it was when the backup was taken');
  t.match(await again.approveGateTwo(run_id ?? '', reviewer), { status: 'published' });
  t.same(issuesIn(restored), issuesIn(data), 'an issue that was published since is found, not created again');
  await again.close();

  const moved = join(root, 'moved');
  t.match(await other('store', 'migrate', '--to', `file:${moved}`), { code: 0, stdout: /2 runs/ });
  t.match(await culprit(['audit', 'verify', '--data', moved], { env: { AUDIT_KEY: KEY } }), { code: 0 });
  const empty = ['--data', join(root, 'empty')];
  t.match(await culprit(['store', 'import', join(root, 'nowhere'), ...empty]), { code: 3 });
});

t.test('a damaged storage is said by start, doctor, info and audit, and repaired', async (t) => {
  const root = t.testdir();
  const data = join(root, 'data');
  const run = (...args: string[]) => culprit([...args, '--data', data], { env: { AUDIT_KEY: KEY } });
  const engine = await startEngine(data);
  const ingested = [];
  for (let n = 0; n < 60; n++)
    ingested.push(await engine.ingest({ crash: { event_id: `c${n}`, message: `failure ${n % 3}` } }));
  t.match(await run('store', 'repair'), { code: 1, stderr: /Another process holds/ });
  await engine.close();
  const store = join(data, 'store');
  const log = join(store, readdirSync(store).find((name) => name.endsWith('.log')) ?? '');
  const bytes = readFileSync(log);
  bytes.fill(0xff, 9_000, 9_008);
  writeFileSync(log, bytes);

  const said = /storage in .* is damaged: \d+ changes are missing.*culprit store repair/;
  await t.rejects(startEngine(data), { code: 'storage_unavailable', message: said });
  t.match(await run('doctor'), { code: 1, stdout: said });
  t.match(await run('store', 'info'), { code: 1, stderr: said });
  t.match(await run('audit', 'verify'), { code: 1, stderr: said });
  t.ok(bytes.equals(readFileSync(log)), 'nothing was changed');
  const repaired = await run('store', 'repair');
  t.match(repaired, {
    code: 0,
    stdout: /Damaged: \d+ changes[\s\S]*Repaired: [123] runs[\s\S]*store-damaged-/,
  });
  t.match(await run('store', 'info'), { code: 0, stdout: /lost +\d{4}-.* repaired: \d+ changes/ });
  t.match((await run('audit', 'verify')).stdout, /The storage lost data: .*repaired/);
  t.match(await run('doctor'), {
    stdout: /warn +storage loss +On \d{4}-.* may be missing\. Core asks edges that connect .* it is unknown/,
  });
  for (const place of [store, join(data, readdirSync(data).find((name) => name.startsWith('store-d')) ?? '')])
    t.same(modesOf(place), ['600'], `only the owner reads ${place}`);
  const again = await startEngine(data);
  t.match(
    (await again.check()).find(({ name }) => name === 'storage loss'),
    { ok: false, optional: true },
  );
  const { runs } = await again.runs({ limit: 10 });
  t.ok(runs.length > 0);
  await again.close();
});

t.test('no byte of a denied file is in the storage, its export, or a record', async (t) => {
  const root = t.testdir();
  const data = join(root, 'data');
  const bench = await coreBench({}, `file:${data}`);
  const frame = (filename: string, lineno: number) => ({ filename, lineno, in_app: true, function: 'f' });
  const frames = [frame('/srv/app/.env', 1), frame('src/cart.js', 4), frame('./.env', 1)];
  const crash = {
    ...{ event_id: 'leak', message: 'boom', platform: 'node', release: bench.repository.head },
    exception: { values: [{ type: 'Error', value: 'boom', stacktrace: { frames } }] },
  };
  const { run_id } = await bench.engine.ingest({ crash });
  await bench.engine.approveGateOne(run_id ?? '', reviewer);
  const record = JSON.stringify(await bench.engine.evidence(run_id ?? ''));
  t.match(record, 'tax.rate');
  await bench.close();
  const file = join(root, 'export.jsonl');
  t.equal((await culprit(['store', 'export', file, '--data', data])).code, 0);
  const store = readdirSync(join(data, 'store')).map((name) => readFileSync(join(data, 'store', name)));
  for (const text of [record, readFileSync(file, 'utf8'), Buffer.concat(store).toString('latin1')])
    t.notMatch(text, 'hunter2');
});

/** The rights of the files in a folder. */
function modesOf(folder: string): readonly string[] {
  const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  return [...new Set(modes)];
}

t.test('files that other users can read are said and mended at the start', async (t) => {
  const root = t.testdir();
  const data = join(root, 'data');
  const engine = await startEngine(data);
  await engine.close();
  for (const name of ['spool', 'outbox']) mkdirSync(join(data, name), { recursive: true });
  writeFileSync(join(data, 'outbox/note'), 'x');
  writeFileSync(join(data, 'audit.key'), `${KEY}\n`);
  for (const path of [data, join(data, 'store'), join(data, 'spool'), join(data, 'outbox')])
    chmodSync(path, 0o755);
  for (const path of ['audit.key', 'outbox/note']) chmodSync(join(data, path), 0o644);
  for (const name of readdirSync(join(data, 'store'))) chmodSync(join(data, 'store', name), 0o644);
  const env = { DATA_DIR: data, EDGE_PORT: '0', CORE_PORT: '0' };
  const doctor = await culprit(['doctor'], { env });
  t.match(doctor.stdout, /warn +data files +Other users can read or change .*audit\.key.*chmod -R go= /);

  const up = fork(BIN, ['up'], { cwd: root, env: { PATH: process.env.PATH, ...env }, silent: true });
  t.teardown(() => up.kill('SIGKILL'));
  let log = '';
  for (const stream of [up.stdout, up.stderr]) stream?.on('data', (text) => (log += text));
  await once(up, 'message');
  t.match(log, /other users could read or change these files/);
  t.same(modesOf(join(data, 'store')), ['600']);
  t.equal(statSync(join(data, 'audit.key')).mode & 0o777, 0o600);
  t.match((await culprit(['doctor'], { env })).stdout, /ok +data files +readable only by their owner/);
  up.kill('SIGTERM');
  await once(up, 'exit');
  const open = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0)
    .map(({ name }) => name);
  t.same(open, [], 'whatever was created since is private, too');
});

t.test('an erased person is in no byte of the data directory', async (t) => {
  const data = t.testdir();
  const naming = () =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(PERSON))
      .map(({ name }) => name);
  for (const round of [1, 2]) {
    // Two starts, so that values are in a table as well as in a log.
    const engine = await startEngine(data);
    const crash = { event_id: `e${round}`, message: 'the till is stuck', tags: { by: PERSON } };
    const { run_id } = await engine.ingest({ crash });
    if (round === 1) await engine.approveGateOne(run_id ?? '', reviewer);
    else
      await engine.rejectGateTwo(run_id ?? '', reviewer, { reason: `${PERSON} says no`, to: 'staged_raw' });
    await engine.close();
  }
  t.ok(naming().length > 0, 'the person is stored');
  const erased = await culprit(['erase', '--user', PERSON, '--yes', '--data', data], {
    env: { AUDIT_KEY: KEY },
  });
  t.match(erased, { code: 0, stdout: /runs +1[\s\S]*Erased\./ });
  t.strictSame(naming(), []);
});

t.test('the restore drill, as its page has it', async (t) => {
  const home = t.testdir();
  const data = join(home, '.culprit');
  mkdirSync(data);
  const engine = await startEngine(data);
  await engine.ingest({ crash: { event_id: 'c1', message: 'the till is stuck' } });
  await engine.close();
  writeFileSync(join(data, 'audit.key'), `${KEY}\n`, { mode: 0o600 });
  const page = readFileSync(new URL('../../../docs/guides/storage.md', import.meta.url), 'utf8');
  const [, drill = ''] = /To rehearse a restore[^\n]*\n```sh\n([\s\S]*?)```/.exec(page) ?? [];
  t.match(drill, /store import/);
  const shell = `set -e\nculprit() { "${process.execPath}" "${BIN}" "$@"; }\n${drill}`;
  const ran = spawnSync('sh', ['-c', shell], { cwd: home, encoding: 'utf8' });
  t.equal(ran.status, 0, ran.stderr);
  t.match(ran.stdout, /Imported 1 runs\.[\s\S]*runs +1[\s\S]*1 entries of 1 runs verified/);
  t.strictSame(readdirSync(home), ['.culprit'], 'nothing is left');
});

t.test('core waits for an unreachable storage: 503 with the reason until it is back', async (t) => {
  const data = t.testdir();
  const { CulpritError } = await import('@culprit/core');
  let away = true;
  const core = await startCore({
    host: '127.0.0.1',
    port: 0,
    awaitStorage: true,
    engine: async () => {
      if (away) throw new CulpritError('storage_unavailable', 'Redis cannot be reached.');
      return startEngine(data);
    },
    reviewers: [{ name: 'ada', token: 'reviewer-token-of-ada-000000000000' }],
    internalSecrets: [],
    logger: silentLogger,
  });
  const headers = { authorization: 'Bearer reviewer-token-of-ada-000000000000' };
  const ask = (path: string) => fetch(core.url + path, { headers });
  t.equal((await ask('/readyz')).status, 503);
  const refused = await ask('/api/v1/runs');
  t.match(
    [refused.status, await refused.json()],
    [503, { code: 'storage_unavailable', detail: 'Redis cannot be reached.' }],
  );
  away = false;
  while ((await ask('/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal((await ask('/api/v1/runs')).status, 200);
  await core.close();
});

/** Why no small file system can be mounted; `false`: it can. */
function whyNoDisk(): string | false {
  const at = mkdtempSync(join(tmpdir(), 'culprit-disk-'));
  const works = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at]).status === 0;
  if (works) spawnSync('umount', ['-l', at]);
  rmdirSync(at);
  return works ? false : 'mounting a small file system is not permitted here';
}

t.test(
  'one full disk under edge and core: what is accepted arrives once',
  { skip: whyNoDisk() },
  async (t) => {
    const at = mkdtempSync(join(tmpdir(), 'culprit-disk-'));
    t.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', at]).status, 0);
    const servers = await up(at);
    t.teardown(async () => {
      await servers.stop();
      spawnSync('umount', ['-l', at]);
      await removeFolder(at);
    });
    const { serviceToken, reviewerToken } = JSON.parse(
      readFileSync(join(servers.data, 'secrets.json'), 'utf8'),
    );
    let sent = 0;
    let accepted = 0;
    const send = async () => {
      const answer = await fetch(`${servers.edge}/api/v1/telemetry/ingest`, {
        method: 'POST',
        headers: { 'x-service-token': serviceToken },
        body: JSON.stringify({ event_id: `d${++sent}`, message: 'x'.repeat(4_000), fingerprint: ['one'] }),
      });
      if (answer.status === 202) accepted += 1;
      return { status: answer.status, text: await answer.text() };
    };
    const headers = { authorization: `Bearer ${reviewerToken}` };
    const api = async (path: string) => (await fetch(servers.core + path, { headers })).json();
    const counted = async () => {
      const { runs } = (await api('/api/v1/runs')) as { runs: readonly { occurrences: number }[] };
      return runs.reduce((sum, { occurrences }) => sum + occurrences, 0);
    };
    const ready = async (url: string) => (await fetch(`${url}/readyz`)).status;
    t.match(await send(), { status: 202 });
    while ((await counted()) < 1) await pause(20);

    const ballast = join(at, 'ballast');
    for (let size = 8 * 1024 * 1024; size >= 4096; size = Math.floor(size / 2)) {
      try {
        writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
      } catch {
        // Writes what fits.
      }
    }
    let refused = await send();
    for (; refused.status === 202; ) refused = await send();
    t.match(refused, { status: 503, text: /ENOSPC|no space|disk/i });
    t.equal(await ready(servers.edge), 503);
    const health = JSON.stringify(await api('/api/v1/health'));
    t.match(health, /ENOSPC|[Nn]o space/, 'Health says why');

    rmSync(ballast);
    for (const url of [servers.edge, servers.core]) while ((await ready(url)) !== 200) await pause(50);
    t.match(await send(), { status: 202 }, 'without a restart');
    while ((await counted()) < accepted) await pause(20);
    t.equal(await counted(), accepted, `${accepted} accepted, ${sent - accepted} refused`);
  },
);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
