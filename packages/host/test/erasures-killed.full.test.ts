import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient, erasureSettled } from '@culprit/client';
import t, { type Test } from 'tap';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { reservePort } from '../../../bench/faults/lib/reserve-port.mjs';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { coreBench, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import {
  audited,
  clientFor,
  counted,
  everything,
  filesNaming,
  keysNaming,
  PERSON,
} from './support/erasing-kit.js';

const skipRedis = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';
/** See `support/erasing-core.ts`. */
const MOMENTS = [
  ...['counting', 'runs', 'deliveries', 'delivered', 'values', 'feed', 'files', 'compacted'],
] as const;
/** Fewer: another core takes over when the lease has ended. */
const SHARED = ['runs', 'values'] as const;

/** A core that dies at the moment, then another one on the same storage. */
async function killedAndResumed(
  t: Test,
  url: string,
  moment: string,
  naming: () => Promise<readonly string[]>,
): Promise<void> {
  const program = join(import.meta.dirname, 'support/erasing-core.js');
  const child = spawn(process.execPath, [program, url, PERSON, moment], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  const [line] = (await once(child.stdout, 'data')) as [string];
  const { core, folder, ids } = JSON.parse(line) as Record<'core' | 'folder', string> & { ids: string[] };
  t.teardown(() => removeFolder(folder));
  const over = once(child, 'exit');
  const before = createClient({ url: core, token: TOKEN, retries: 0 });
  await plant(core, ids);
  t.ok((await everything(before, ids)).includes(PERSON));
  const first = await counted(before).catch(() => null);
  t.equal(first === null, moment === 'counting');
  const erasing =
    first && before.erasePerson({ erasure_id: first.erasure_id, person: PERSON, digest: first.digest ?? '' });
  await erasing?.catch(() => {});
  await over;
  t.equal(child.signalCode, 'SIGKILL');

  const bench = await coreBench({ webhooks: { allowedHosts: ['127.0.0.1'], pausesMs: [60_000] } }, url);
  t.teardown(bench.close);
  const api = clientFor(bench);
  const [latest] = (await api.listErasures()).erasures;
  const { erasure_id, digest, found } = first ?? (await erasureSettled(api, latest?.erasure_id ?? ''));
  t.match(found, { runs: ids.length, evidence: 2, tokens: 1, sessions: 1 });
  if (first === null) await api.erasePerson({ erasure_id, person: PERSON, digest: digest ?? '' });
  const done = await erasureSettled(api, erasure_id);
  t.match(done, { state: 'done', by: 'ada' });
  const { values } = done.found;
  t.same(
    { ...done.found, values: 0 },
    { ...found, values: 0 },
    'all that was counted, before and after the kill',
  );
  t.ok(values >= found.values, 'a webhook may have stored another delivery since');
  t.notOk((await everything(api, ids)).includes(PERSON));
  t.same(await naming(), [], 'nothing in the storage');
  t.match(await audited(url), { verified: true, findings: [] });
  t.match((await counted(api)).found, { runs: 0, fields: 0, values: 0, tokens: 0, sessions: 0 });
}

/** What is stored beside runs and their histories, and what a webhook waits to send. */
async function plant(core: string, [first = '', second = '', third = '']: readonly string[]): Promise<void> {
  const ada = createClient({ url: core, token: TOKEN });
  const them = createClient({ url: core, token: OTHER_TOKEN });
  const nobody = `http://127.0.0.1:${await reservePort()}/`;
  const all = { projects: [], levels: [], environments: [] };
  await ada.createWebhook({ name: 'nobody listens', url: nobody, events: ['run.commented'], ...all });
  await ada.approveGateOne({ run_id: first });
  await ada.approveGateOne({ run_id: second });
  await ada.commentOnRun({ run_id: third, comment: `asked ${PERSON}` });
  await them.commentOnRun({ run_id: third, comment: 'it is known' });
  await ada.commentOnRun({ run_id: first, comment: `Ask ${PERSON} about it.` });
  (await ada.saveView({ name: 'Theirs', address: `?search=${encodeURIComponent(PERSON)}` })).views;
  await ada.recordRelease({
    project: 'default',
    version: 'shop@7',
    commits: [{ sha: 'a'.repeat(40), title: `Cart, with ${PERSON}`, committed_at: null }],
  });
  await ada.recordRelease({ project: 'default', version: `recorded-by-${PERSON}` });
  await ada.recordDeploy({
    project: 'default',
    version: 'shop@7',
    environment: 'production',
    name: `by ${PERSON}`,
  });
  await them.makeToken({ name: 'job', scopes: ['read'] });
  const signedIn = await fetch(`${core}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: core },
    body: JSON.stringify({ token: OTHER_TOKEN }),
  });
  if (!signedIn.ok) throw new Error(await signedIn.text());
}

t.test('core is killed: the next one goes on', async (t) => {
  for (const moment of MOMENTS) {
    await t.test(`file store, ${moment}`, async (t) => {
      const data = t.testdir();
      await killedAndResumed(t, `file:${data}`, moment, async () => filesNaming(data));
    });
  }
});

t.test('Redis: another core goes on', { skip: skipRedis }, async (t) => {
  for (const moment of SHARED) {
    await t.test(moment, async (t) => {
      const redis = await startRedis();
      t.teardown(redis.close);
      await killedAndResumed(t, redis.url(), moment, () => keysNaming(redis));
    });
  }
});
