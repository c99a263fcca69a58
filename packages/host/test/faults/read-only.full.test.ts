import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { TOKEN } from '../support/core-bench.js';
import { httpClient } from '../support/http-client.js';
import { brokenDisk, whyNoDisk } from '../support/spoiled-disk.js';
import { up } from '../support/up.js';

const SERVICE_TOKEN = 'service-token-0123456789';
const skip = await whyNoDisk(brokenDisk);

// Linux refuses `mount -o remount,ro` ("busy") while LevelDB has its log open for writing, so the file system is aborted, as by an
// error of the disk.
t.test('the disk of both servers turns read-only under load, and comes back', { skip }, async (t) => {
  const root = temporaryFolder(t, 'read-only');
  const disk = brokenDisk(root, 'data');
  t.teardown(disk.remove);
  const env = { REVIEWER_TOKENS: `ada:${TOKEN}`, SERVICE_TOKENS: `default/ci:${SERVICE_TOKEN}` };
  const servers = await up(root, env);
  t.teardown(servers.stop);
  const api = httpClient(Number(new URL(servers.core).port), { authorization: `Bearer ${TOKEN}` });
  const ask = async (path: string) => (await api({ path })).json;
  const storageIn = async () => {
    const { checks } = await ask('/api/v1/health');
    return checks.find(({ name }: { name: string }) => name === 'storage');
  };
  const accepted: string[] = [];
  let refused = 0;
  let sent = 0;
  let stopped = false;
  const write = async () => {
    while (!stopped) {
      const event_id = `crash-${++sent}`;
      const answer = await fetch(`${servers.edge}/api/v1/telemetry/ingest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-token': SERVICE_TOKEN },
        body: JSON.stringify({ event_id, message: 'the till is stuck', fingerprint: ['one'] }),
      });
      if (answer.status === 202) accepted.push(event_id);
      else {
        t.equal(answer.status, 503, 'refused, so that the sender keeps it');
        refused++;
      }
      await pause(answer.status === 202 ? 2 : 50);
    }
  };
  const until = async (what: () => boolean | Promise<boolean>) => {
    while (!(await what())) await pause(50);
  };
  const writers = Promise.all([write(), write()]);
  const counted = async () => (await ask('/api/v1/runs')).runs[0]?.occurrences ?? 0;
  await until(async () => accepted.length > 50 && (await counted()) > 20);
  disk.spoil();
  await until(() => refused > 5);
  await until(async () => (await storageIn())?.state === 'failed');
  t.match(await storageIn(), { detail: /read-only|EROFS|input\/output/i }, 'Health says why');
  t.ok((await counted()) > 20, 'what is stored can be read');

  disk.mend();
  const before = accepted.length;
  await until(() => accepted.length > before + 50);
  await until(async () => (await storageIn())?.state === 'ok');
  stopped = true;
  await writers;
  await until(async () => (await counted()) >= accepted.length);
  const [run] = (await ask('/api/v1/runs')).runs;
  const seen: string[] = [];
  for (let path: string | null = `/api/v1/runs/${run.run_id}/occurrences?limit=100`; path !== null; ) {
    const page = await ask(path);
    seen.push(...page.occurrences.map(({ event_id }: { event_id: string }) => event_id));
    path = page.next === null ? null : `/api/v1/runs/${run.run_id}/occurrences?limit=100&cursor=${page.next}`;
  }
  t.same(
    accepted.filter((id) => !seen.includes(id)),
    [],
    'nothing that was accepted is lost',
  );
  t.equal(new Set(seen).size, seen.length, 'and each counts once');
  t.equal(run.occurrences, seen.length);
  t.comment(`${accepted.length} accepted, ${refused} refused`);
});
