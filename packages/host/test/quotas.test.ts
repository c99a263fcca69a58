import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { silentLogger } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import type { Quotas, QuotaUsage } from '@culprit/core/internal/domain/quota';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import { manualClock } from '@culprit/core/testing';
import t from 'tap';
import { coreBench, GATEWAY } from './support/core-bench.js';
import {
  edge,
  envelope,
  KEY,
  post,
  SECRET,
  sign,
  TOKEN,
  toNative,
  toSdk,
  toWebhook,
} from './support/edge-kit.js';
import { httpClient } from './support/http-client.js';
import { ingestBench, runsOf } from './support/ingest-bench.js';

const BANK = 'hook-secret-of-the-bank';
const OTHER_KEY = 'b'.repeat(32);

/** The doors of two projects. */
async function twoProjects(): Promise<ReadonlyMap<string, Tracker>> {
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const list = new Map<string, Tracker>();
  for (const connector of [
    errortracker({
      secrets: [
        { project: 'shop', secret: SECRET },
        { project: 'bank', secret: BANK },
      ],
    }),
    native({ tokens: [{ project: 'shop', name: 'ci', token: TOKEN }] }),
    sentry({
      keys: [
        { project: 'shop', key: KEY },
        { project: 'shop', key: OTHER_KEY },
      ],
    }),
  ]) {
    const { tracker } = await connector.setup(context);
    if (tracker) list.set(connector.id, tracker);
  }
  return list;
}

const hex = (number: number) => number.toString(16).padStart(32, '0');
const own = (name: string) => ({ message: `crash ${name}`, fingerprint: [name] });

/** An envelope with an event for each name. */
function envelopeOf(names: readonly string[], first: number): string {
  const items = names.map((name, at) =>
    ['{"type":"event"}', JSON.stringify({ ...own(name), event_id: hex(first + at) })].join('\n'),
  );
  return `${JSON.stringify({ event_id: hex(first) })}\n${items.join('\n')}\n`;
}

const usedBy = (usage: readonly QuotaUsage[], scope: string, project: string, key: string | null = null) =>
  usage.find((one) => one.scope === scope && one.project === project && one.key === key)?.counts;

t.test('a flood of new crashes through one public key', async (t) => {
  const clock = manualClock('2026-11-22T10:00:00.000Z');
  const bench = await ingestBench(t, { trackers: await twoProjects() }, undefined, { clock });
  const ENVELOPES = 600;
  let sent = 0;
  const worker = async () => {
    for (let at = sent++; at < ENVELOPES; at = sent++) {
      const response = await toSdk(
        bench.edge,
        envelopeOf([`flood ${2 * at}`, `flood ${2 * at + 1}`], 2 * at + 1),
      );
      t.equal(response.status, 200);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  await bench.settled();
  const flooded = await bench.engine.quotaUsage();
  t.match(usedBy(flooded, 'key', 'shop', 'sentry/shop/key-1'), {
    new_runs: 1_000,
    open_runs: 1_000,
    refused: 200,
  });
  t.equal(
    bench.log.filter((line) => /a quota is used up/.test(line)).length,
    1,
    'the log has one line for the quota, not one for each crash',
  );

  t.equal((await toSdk(bench.edge, envelopeOf(['flood 0'], 90_000))).status, 200);
  t.equal(
    (await toSdk(bench.edge, envelopeOf(['other key'], 90_001), `sentry_key=${OTHER_KEY}`)).status,
    200,
  );
  t.equal(
    (await toWebhook(bench.edge, JSON.stringify({ ...own('signed'), event_id: 'signed-1' }))).status,
    202,
  );
  t.equal((await toNative(bench.edge, { ...own('token'), event_id: 'token-1' })).status, 202);
  const body = JSON.stringify({ ...own('of the bank'), event_id: 'bank-1' });
  const signature = { 'content-type': 'application/json', 'tracker-hook-signature': sign(body, BANK) };
  t.equal((await post(`${bench.edge.url}/webhook/errortracker`, body, signature)).status, 202);
  await bench.settled();
  const titles = new Map((await runsOf(bench)).map(({ title, occurrences }) => [title, occurrences]));
  t.equal(titles.get('crash flood 0'), 2, 'a known fingerprint is still counted');
  for (const name of ['other key', 'signed', 'token', 'of the bank'])
    t.equal(titles.get(`crash ${name}`), 1, `${name}: not affected by the flood`);

  await clock.advance(60 * 60_000);
  t.equal((await toSdk(bench.edge, envelopeOf(['next hour'], 90_002))).status, 200);
  await bench.settled();
  t.match(usedBy(await bench.engine.quotaUsage(), 'key', 'shop', 'sentry/shop/key-1'), {
    new_runs: 1,
    open_runs: 1_001,
    refused: 200,
  });
});

t.test('rates count events, for the key, the door and the project', async (t) => {
  const slow = { keyRate: 0.001, doorRate: 0.001, projectRate: 0.001 };
  const figure = (server: { guard(): { limits: readonly { name: string }[] } }, name: string) =>
    server.guard().limits.find((limit) => limit.name === name);
  const byKey = await edge(t, { trackers: await twoProjects(), limits: { ...slow, keyBurst: 5 } });
  const statuses = [];
  for (const first of [1, 3, 5]) statuses.push((await toSdk(byKey, envelopeOf(['a', 'b'], first))).status);
  t.same(statuses, [200, 200, 429], 'two events each');
  t.equal(byKey.guard().crashes, 4, 'of a refused envelope, no event is stored');
  t.match(figure(byKey, 'key_burst'), { value: 5, refused: 1, largest: 5 });
  t.match(byKey.guard().outcomes.sdk, { accepted: 2, rate_limited: 1 });
  t.equal((await toSdk(byKey, envelopeOf(['a'], 9), `sentry_key=${OTHER_KEY}`)).status, 200, 'another key');

  const byDoor = await edge(t, { trackers: await twoProjects(), limits: { ...slow, doorBurst: 2 } });
  t.equal((await toSdk(byDoor, envelopeOf(['a', 'b'], 1))).status, 200);
  t.equal(
    (await toSdk(byDoor, envelopeOf(['a'], 3), `sentry_key=${OTHER_KEY}`)).status,
    429,
    'another key, same door',
  );
  t.equal((await toNative(byDoor, own('x'))).status, 202, 'another door');
  t.match(figure(byDoor, 'door_burst'), { value: 2, refused: 1 });

  const byProject = await edge(t, { trackers: await twoProjects(), limits: { ...slow, projectBurst: 3 } });
  t.equal((await toSdk(byProject, envelopeOf(['a', 'b'], 1))).status, 200);
  t.equal((await toNative(byProject, own('x'))).status, 202);
  t.match(await (await toNative(byProject, own('y'))).json(), { detail: /project/ });
  const body = JSON.stringify(own('z'));
  const signature = { 'content-type': 'application/json', 'tracker-hook-signature': sign(body, BANK) };
  t.equal(
    (await post(`${byProject.url}/webhook/errortracker`, body, signature)).status,
    202,
    'another project',
  );
  t.match(figure(byProject, 'project_burst'), { value: 3, refused: 1, active_keys: 2 });
});

t.test('quotas at core: outcome, metric and figures', async (t) => {
  const tight = { new_runs: 1, open_runs: 9, bytes: 1e9 };
  const wide = { new_runs: 9, open_runs: 9, bytes: 1e9 };
  const quotas: Quotas = { key: tight, door: wide, project: wide };
  const { core, host, close, api } = await coreBench({ policy: { quotas } });
  t.teardown(close);
  const send = (deliveries: readonly object[]) =>
    httpClient(core.port)({
      method: 'POST',
      path: '/internal/v1/deliveries',
      headers: { host, authorization: `Bearer ${GATEWAY}` },
      body: { edge: 'edge-1', deliveries },
    });
  const delivery = (sequence: number, name: string) =>
    makeDelivery({
      ...{ sequence, event_id: `e-${sequence}`, project: 'shop', door: 'sdk', trust: 'untrusted' },
      key: 'sentry/shop/key-1',
      crash: own(name),
    });
  const batch = [delivery(1, 'a'), delivery(2, 'b'), delivery(3, 'a')];
  const first = await send(batch);
  t.match(first.json.outcomes, [
    { outcome: 'accepted' },
    {
      outcome: 'over_quota',
      run_id: null,
      quota: { scope: 'key', limit: 'new_runs' },
      detail: /quota of its key/,
    },
    { outcome: 'accepted' },
  ]);
  t.same((await send(batch)).json, first.json, 'a repeated batch has the same outcomes');
  const { text } = await api({ path: '/metrics' });
  t.match(text, /culprit_deliveries_total\{outcome="over_quota"\} 2/);
  t.match(text, /culprit_quota_refused_total\{project="shop",scope="key",limit="new_runs"\} 2/);
  const { json } = await api({ path: '/api/v1/quotas' });
  t.match(
    json.quotas.map(({ scope, key, used, limits, refused }: Record<string, unknown>) => ({
      ...{ scope, key, used, limits, refused },
    })),
    [
      { scope: /key|door|project/, refused: 1 },
      { scope: /key|door|project/, refused: 1 },
      { scope: /key|door|project/, refused: 1 },
    ],
  );
  const key = json.quotas.find(({ scope }: { scope: string }) => scope === 'key');
  t.match(key, { key: 'sentry/shop/key-1', door: 'sdk', used: { new_runs: 1, open_runs: 1 }, limits: tight });
});

t.test('one event has a size of its own, and says what was cut', async (t) => {
  const eventBytes = 64 * 1024;
  const bench = await ingestBench(t, {}, undefined, { policy: { eventBytes } });
  const frames = Array.from({ length: 200 }, (_, at) => ({
    ...{ filename: `src/part${at}.js`, function: `step${at}`, lineno: at + 1, in_app: true },
    vars: { text: 'v'.repeat(2_000) },
    pre_context: Array.from({ length: 10 }, () => 'before '.repeat(20)),
    context_line: 'throw new Error()',
  }));
  const large = {
    exception: { values: [{ type: 'TypeError', value: 'x'.repeat(5_000), stacktrace: { frames } }] },
    breadcrumbs: { values: Array.from({ length: 100 }, () => ({ message: 'b'.repeat(1_000) })) },
    extra: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`note${at}`, 'e'.repeat(4_000)])),
  };
  const small = {
    exception: {
      values: [
        {
          type: 'TypeError',
          value: 'x',
          stacktrace: { frames: frames.map(({ vars: _, pre_context: __, ...frame }) => frame) },
        },
      ],
    },
  };
  t.equal((await toSdk(bench.edge, envelope(large, { event_id: hex(1) }))).status, 200);
  await bench.settled();
  const [run] = await runsOf(bench);
  const size = Buffer.byteLength(JSON.stringify(run?.event));
  t.ok(size <= eventBytes && size > eventBytes / 8, `${size} bytes`);
  t.match(run?.event.trimmed.join('; '), /breadcrumbs.*extra.*variables.*source lines/);
  t.equal(run?.event.exceptions.at(-1)?.frames.at(-1)?.function, 'step199', 'the crashed end stays');
  t.equal((await toSdk(bench.edge, envelope(small, { event_id: hex(2) }))).status, 200);
  const long = Array.from({ length: 64 }, (_, at) => `part ${at} ${'p'.repeat(200)}`);
  t.equal(
    (await toSdk(bench.edge, envelope({ ...small, fingerprint: long }, { event_id: hex(3) }))).status,
    200,
  );
  await bench.settled();
  const runs = await runsOf(bench);
  t.equal(runs.length, 2);
  t.ok(
    runs.some(({ run_id, occurrences }) => run_id === run?.run_id && occurrences === 2),
    'the fingerprint is that of the whole event',
  );
  for (const { fingerprint } of runs) t.ok(JSON.stringify(fingerprint).length < 10_000);
  t.match(
    runs.find(({ run_id }) => run_id !== run?.run_id)?.fingerprint.parts.at(-1),
    /^and \d+ more parts$/,
  );
});
