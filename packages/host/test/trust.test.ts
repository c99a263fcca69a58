import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bugsink } from '@culprit/connectors/bugsink';
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine, type Logger, type Run, silentLogger, systemClock } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import { draftIsOutdated, trustMix } from '@culprit/core/internal/domain/source';
import { ClassicLevel } from 'classic-level';
import t, { type Test } from 'tap';
import type { EdgeServer } from '../src/edge/server.js';
import { makeToken } from './support/access-kit.js';
import { axe, CHROMIUM, decisionKey, signIn, visit } from './support/board-bench.js';
import { type CoreBench, coreBench, GATEWAY, TOKEN } from './support/core-bench.js';
import { cartCrash, crashingRepository } from './support/crashing-repository.js';
import {
  edge,
  envelope,
  KEY,
  post,
  SECRET,
  TOKEN as SERVICE_TOKEN,
  scratch,
  toNative,
  toSdk,
  toWebhook,
  until,
} from './support/edge-kit.js';
import { culprit } from './support/run-culprit.js';

const ADA = { name: 'ada', via: 'api' } as const;
const EVIL = 'rotate keys at https://evil.example';

interface Host extends CoreBench {
  readonly server: EdgeServer;
  /** The only run, or the newest, once it satisfies the condition. */
  runWhen(holds: (run: Run) => boolean): Promise<Run>;
}

/** Edge and core over real sockets; every door leads to project `default`. */
async function host(t: Test): Promise<Host> {
  const bench = await coreBench();
  t.teardown(() => bench.close());
  const trackers = new Map<string, Tracker>();
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  for (const connector of [
    errortracker({ secrets: [{ project: 'default', secret: SECRET }] }),
    native({ tokens: [{ project: 'default', name: 'ci', token: SERVICE_TOKEN }] }),
    sentry({ keys: [{ project: 'default', key: KEY }] }),
  ]) {
    const { tracker } = await connector.setup(context);
    if (tracker) trackers.set(connector.id, tracker);
  }
  const server = await edge(t, { trackers, coreUrl: bench.core.url, internalSecret: GATEWAY });
  return {
    ...bench,
    server,
    runWhen: async (holds) => {
      let found: Run | null = null;
      await until(async () => {
        const { runs } = await bench.engine.runs({ limit: 10 });
        const [newest] = [...runs].sort((a, b) => b.generation - a.generation);
        found = newest === undefined ? null : await bench.engine.run(newest.run_id);
        return found !== null && holds(found);
      });
      if (found === null) throw new Error('no run');
      return found;
    },
  };
}

const id = (n: number) => String(n).padStart(32, '0');

/** The same fingerprint as the real crash, everything else chosen by the attacker. */
function forged(n: number, head: string) {
  const { exception, ...crash } = cartCrash(id(n), head);
  const [thrown] = exception.values;
  const frames = thrown?.stacktrace.frames.map((frame) => ({ ...frame, lineno: 1 }));
  return {
    ...crash,
    message: EVIL,
    level: 'fatal',
    release: 'forged@6.6.6',
    environment: 'forged',
    timestamp: '2026-01-03T00:00:00Z',
    exception: { values: [{ type: 'TypeError', value: EVIL, stacktrace: { frames } }] },
  };
}

t.test('a public key rewrites nothing of a signed run, and everyone is told', async (t) => {
  const { server, repository, engine, runWhen, core } = await host(t);
  const signed = JSON.stringify({ ...cartCrash('signed-1', repository.head), environment: 'production' });
  t.equal((await toWebhook(server, signed)).status, 202);
  const before = await runWhen(({ occurrences }) => occurrences === 1);
  t.match(before.event, { trust: 'trusted', door: 'webhook' });
  const status = await toSdk(server, envelope(forged(1, repository.head), { event_id: id(1) }));
  t.equal(status.status, 200);
  const after = await runWhen(({ occurrences }) => occurrences === 2);

  const said = ({ event, title, level, releases, environments, first_seen, last_seen }: Run) => ({
    ...{ event, title, level, releases, environments, first_seen, last_seen },
  });
  t.strictSame(said(after), said(before), 'event, title, level, releases, times');
  t.same(
    after.sources?.map(({ door, trust, occurrences, event_id }) => [door, trust, occurrences, event_id]),
    [
      ['webhook', 'trusted', 1, 'signed-1'],
      ['sdk', 'untrusted', 1, id(1)],
    ],
  );
  await engine.approveGateOne(after.run_id, ADA);
  const { suspects, draft } = await engine.run(after.run_id);
  t.equal(suspects[0]?.sha, repository.culprit, 'the guilty commit stays the first suspect');
  t.notMatch(draft?.body, /evil|forged/);
  t.match(draft?.body, /> 1 of 2 crashes was reported with a public key, which anyone may have\./);
  t.match(draft?.body, /the signed webhook of `errortracker`: 1, the SDK door \(public key\): 1/);

  const shown = await culprit(['runs', 'show', after.run_id, '--url', core.url], {
    env: { CULPRIT_TOKEN: TOKEN },
  });
  t.match(shown, { code: 0, stdout: /doors +webhook × 1, sdk × 1 \(public key\)\n/ });
  t.match(shown.stdout, /warning +1 of 2 crashes came with a public key/);
  t.match(shown.stdout, /shown +the latest trusted crash, signed-1 through webhook/);
  const occurrences = await culprit(['runs', 'occurrences', after.run_id, '--url', core.url], {
    env: { CULPRIT_TOKEN: TOKEN },
  });
  t.match(occurrences, { code: 0, stdout: /^2 crashes\n/ });
  t.match(occurrences.stdout, /\n2 +\S+ \S+ +\S* .*sdk \(public key\)\s*\n1 .* webhook +yes\n/);
  const ask = async (path: string) => {
    const url = `${core.url}/api/v1/runs/${after.run_id}${path}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    return { status: response.status, json: await response.json() };
  };
  t.match(await ask('/occurrences?limit=1'), {
    status: 200,
    json: { occurrences: [{ number: 2, trust: 'untrusted', stored: false }], events: [1], next: '2' },
  });
  t.match(await ask('/occurrences?cursor=2'), {
    json: { occurrences: [{ number: 1, event_id: 'signed-1', stored: true }], next: null },
  });
  t.match(await ask('/occurrences/1'), { status: 200, json: { event: { event_id: 'signed-1' } } });
  t.match(await ask('/occurrences/2'), { status: 404, json: { code: 'not_found' } });
  t.match(await ask('/occurrences/0x1'), { status: 404, json: { code: 'not_found' } });
  t.match(await ask('/occurrences?cursor=-1'), { status: 400, json: { code: 'invalid_cursor' } });
  t.match(await ask('/occurrences?limit=0'), { status: 400, json: { code: 'malformed', path: 'limit' } });
  t.match(await ask('/statistics'), {
    status: 200,
    json: { occurrences: 2, releases: [], users: { count: 0 } },
  });
  const { runs } = await engine.runs({ limit: 1 });
  t.match(runs[0]?.sources, [{ trust: 'trusted' }, { trust: 'untrusted' }], 'lists and the live feed');
});

t.test('junk that a reviewer rejected hides no signed crash', async (t) => {
  const { server, repository, engine, runWhen } = await host(t);
  await toSdk(server, envelope(forged(1, repository.head), { event_id: id(1) }));
  const junk = await runWhen(({ occurrences }) => occurrences === 1);
  t.match(junk.event, { trust: 'untrusted' });
  await engine.rejectGateOne(junk.run_id, ADA, { reason: 'junk' });
  await toSdk(server, envelope(forged(2, repository.head), { event_id: id(2) }));
  t.match(await runWhen(({ occurrences }) => occurrences === 2), { run_id: junk.run_id, state: 'rejected' });

  await toWebhook(server, JSON.stringify(cartCrash('signed-1', repository.head)));
  const real = await runWhen(({ generation }) => generation === 2);
  t.match(real, { state: 'staged_raw', occurrences: 1, event: { event_id: 'signed-1' } });
  t.notMatch(JSON.stringify(real), /evil|forged/);
  await engine.approveGateOne(real.run_id, ADA);
  t.equal((await engine.run(real.run_id)).suspects[0]?.sha, repository.culprit);

  t.equal((await engine.run(real.run_id)).draft?.trust, 'trusted');
  await engine.rejectGateTwo(real.run_id, ADA, { reason: 'known', to: 'rejected' });
  await toNative(server, cartCrash('token-1', repository.head));
  t.match(
    await runWhen(({ occurrences }) => occurrences === 2),
    { run_id: real.run_id, state: 'rejected' },
    'a trusted run that was rejected is quiet for every door',
  );
});

t.test('a draft about junk is outdated once a signed crash has come', async (t) => {
  const { server, repository, engine, runWhen } = await host(t);
  await toSdk(server, envelope(forged(1, repository.head), { event_id: id(1) }));
  const { run_id } = await runWhen(({ occurrences }) => occurrences === 1);
  await engine.approveGateOne(run_id, ADA);
  const { draft } = await engine.run(run_id);
  t.equal(draftIsOutdated(await engine.run(run_id)), false);
  const edit = { ...draft, title: 'Reworded', body: draft?.body ?? '', labels: [], assignees: [] };
  await engine.editDraft(run_id, ADA, { ...edit, digest: draft?.digest ?? '' });
  await toWebhook(server, JSON.stringify(cartCrash('signed-1', repository.head)));
  t.equal(draftIsOutdated(await runWhen(({ occurrences }) => occurrences === 2)), true, 'also if edited');
  await engine.rejectGateTwo(run_id, ADA, { reason: 'a signed crash has come', to: 'staged_raw' });
  await engine.approveGateOne(run_id, ADA);
  const again = await engine.run(run_id);
  t.equal(draftIsOutdated(again), false);
  t.notMatch(again.draft?.body, /evil|forged/);
});

t.test('a guessed event id hides no signed crash', async (t) => {
  const { server, repository, runWhen } = await host(t);
  const junk = { ...forged(7, repository.head), exception: undefined, message: 'another fingerprint' };
  await toSdk(server, envelope(junk, { event_id: id(7) }));
  await runWhen(({ occurrences }) => occurrences === 1);
  await toWebhook(server, JSON.stringify(cartCrash(id(7), repository.head)));
  const run = await runWhen(({ title }) => /TypeError/.test(title));
  t.match(run, { occurrences: 1, event: { event_id: id(7), trust: 'trusted' } });
});

t.test('clocks: receipt orders, a trusted sender’s time dates the crash', async (t) => {
  const { server, engine, runWhen } = await host(t);
  const began = new Date(Date.now() - 1_000).toISOString();
  const send = (name: string, timestamp: string) =>
    toNative(server, { event_id: name, message: name, fingerprint: [name], timestamp });
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  await send('late', hourAgo);
  await send('future', '2031-01-01T00:00:00Z');
  await send('old', '2001-01-01T00:00:00Z');
  await runWhen(() => true);
  await until(async () => (await engine.runs({ limit: 10 })).runs.length === 3);
  const { runs } = await engine.runs({ limit: 10 });
  for (const { title, first_seen, last_seen } of runs) {
    t.ok(
      first_seen >= began && first_seen <= new Date().toISOString(),
      `${title}: first seen is its receipt`,
    );
    t.equal(last_seen, first_seen, title);
  }
  const of = (name: string) => runs.find(({ title }) => title.includes(name));
  t.equal(of('late')?.first_crash_at, hourAgo);
  t.equal(of('old')?.first_crash_at, of('old')?.first_seen, 'a clock that stands still dates nothing');
  const old = await engine.run(of('old')?.run_id ?? '');
  t.equal(old.event.timestamp, '2001-01-01T00:00:00.000Z', 'shown beside the receipt');
  t.match((await engine.run(of('future')?.run_id ?? '')).event.trimmed, [/timestamp was replaced/]);
});

t.test(
  'the board shows how crashes came, and warns',
  { skip: CHROMIUM ? false : 'needs chromium' },
  async (t) => {
    const { server, repository, core, runWhen } = await host(t);
    const { page, problems } = await visit(t, core.url);
    await signIn(page);
    await toSdk(server, envelope(forged(1, repository.head), { event_id: id(1) }));
    const { run_id } = await runWhen(({ occurrences }) => occurrences === 1);
    await page.locator(`.row[data-run=${run_id}]`).click();
    await page.locator('.gate-bar', { hasText: 'Every crash came with a public key' }).waitFor();
    await page
      .locator('.facts', { hasText: 'sdk (public key) Every crash came with a public key' })
      .waitFor();
    await page.locator('.facts', { hasText: 'Sender’s clock2026-01-03 00:00:00 UTC, received 20' }).waitFor();
    await page.getByText(EVIL).first().waitFor();

    const signed = JSON.stringify(cartCrash('signed-1', repository.head));
    await toWebhook(server, signed);
    const facts = page.locator('.facts', {
      hasText: 'sdk ×1 (public key), webhook ×1 1 of 2 crashes came with',
    });
    await facts.waitFor();
    t.match(await facts.textContent(), /Shown: the latest trusted crash, through webhook\./);
    await page.getByText(EVIL).first().waitFor({ state: 'detached' });
    t.same(await axe(page), []);
    await decisionKey(page, 'a');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
    await decisionKey(page, 'Shift+A');
    const dialog = page.getByRole('dialog');
    await dialog.locator('.checks', { hasText: '1 of 2 came with a public key' }).waitFor();
    t.same(problems, []);
  },
);

t.test('runs stored by the last version: read by their doors', async (t) => {
  const data = t.testdir();
  const fixture = join(import.meta.dirname, '../test/fixtures/trust/store-without-trust.jsonl');
  const records = readFileSync(fixture, 'utf8').trimEnd().split('\n');
  const level = new ClassicLevel(join(data, 'store'));
  for (const line of records) await level.put(...(JSON.parse(line) as [string, string]));
  await level.close();
  // Within the quiet time of the run that was rejected.
  const clock = { ...systemClock, now: () => Date.parse('2026-11-01T12:00:10.000Z') };
  const connectors = [storage({ url: `file:${data}` }), template({})];
  const engine = await createEngine({ connectors, clock });
  t.teardown(() => engine.close());
  const { runs } = await engine.runs({ limit: 10 });
  t.same(runs.map((run) => [run.title, run.state, trustMix(run).kind, trustMix(run).unknown]).sort(), [
    ['Error: mixed', 'staged_raw', 'mixed', 2],
    ['Error: rejected junk', 'rejected', 'untrusted', 0],
    ['Error: sdk', 'staged_raw', 'untrusted', 0],
    ['Error: webhook', 'staged_raw', 'trusted', 0],
  ]);
  const old = (name: string) => runs.find(({ title }) => title === `Error: ${name}`)?.run_id ?? '';
  t.match(await engine.run(old('mixed')), { first_seen: /^2026-01-03/ }, 'as the last version stored it');
  await engine.approveGateOne(old('mixed'), ADA);
  t.match((await engine.evidence(old('mixed'))).incident, {
    first_seen: '2026-11-01T12:00:00.000Z',
    first_crash_at: '2026-11-01T12:00:00.000Z',
  });
  t.match(
    (await engine.run(old('mixed'))).draft?.body,
    /Some of these crashes were reported with a public key/,
  );

  const again = async (name: string) => {
    const crash = { event_id: `again-${name.replace(' ', '-')}`, message: `Error: ${name}`, release: 'new' };
    const { run_id } = await engine.ingest({ crash });
    return engine.run(run_id ?? '');
  };
  const mixed = await again('mixed');
  t.match(mixed, {
    run_id: old('mixed'),
    occurrences: 3,
    releases: ['new'],
    first_seen: /^2026-11-01T12:00:10/,
  });
  t.match(trustMix(mixed), { trusted: 1, untrusted: 0, unknown: 2, kind: 'mixed' });
  t.match(await again('sdk'), { run_id: old('sdk'), releases: ['new'] }, 'a trusted crash replaces the rest');
  t.match(await again('webhook'), { run_id: old('webhook'), releases: ['by-webhook', 'new'] });
  t.match(await again('rejected junk'), { generation: 2, state: 'staged_raw' });
});

t.test('a secret in a webhook’s URL is in no answer, log line, metric or file', async (t) => {
  const secret = 'c0ffee'.repeat(10);
  const said: string[] = [];
  const say = (detail: object, text: string) =>
    void said.push(
      text,
      JSON.stringify(detail, (_, value) => (value instanceof Error ? value.stack : value)),
    );
  const logger: Logger = { debug: say, info: say, warn: say, error: say };
  const context = { fetch, logger, signal: new AbortController().signal };
  const { tracker } = await bugsink({ secrets: [{ project: 'default', secret }] }).setup(context);
  if (tracker === undefined) throw new Error('no tracker');
  const failing = { ...tracker, parse: () => JSON.parse('{') };
  const spoolDirectory = await scratch(t);
  const trackers = new Map<string, Tracker>([
    ['bugsink', tracker],
    ['failing', failing],
  ]);
  const server = await edge(t, { spoolDirectory, trackers, logger });
  const alert = { id: 'i', title: 'E: x', calculated_type: 'E', calculated_value: 'x', alert_reason: 'NEW' };
  const send = async (path: string, body: unknown) => {
    const answer = await post(`${server.url}/webhook/${path}`, JSON.stringify(body));
    said.push(await answer.text(), JSON.stringify([...answer.headers]));
    return answer.status;
  };
  t.equal(await send(`bugsink?secret=${secret}`, alert), 202);
  t.equal(await send(`bugsink?secret=${secret}0`, alert), 401, 'refused');
  t.equal(await send('bugsink', alert), 401, 'refused');
  t.equal(await send(`bugsink?secret=${secret}`, [secret.slice(1)]), 400, 'unreadable');
  t.equal(await send(`failing?secret=${secret}`, alert), 400, 'a bug in the parser, which is logged');
  t.equal(await send(`unknown?secret=${secret}`, alert), 404);
  for (const path of ['/metrics', '/api/v1/guard']) said.push(await (await fetch(server.url + path)).text());
  await server.close();
  const files = readdirSync(spoolDirectory, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile()))
    said.push(readFileSync(join(file.parentPath, file.name), 'latin1'));
  t.match(said.join('\n'), /a tracker’s parser failed/);
  t.match(said.join('\n'), /"exception"/, 'the crash is in the spool');
  t.notMatch(said.join('\n'), secret.slice(1));
});

t.test('frames of denied files bring nothing of them into evidence and pages', async (t) => {
  const { api, engine, repository, close } = await coreBench();
  t.teardown(close);
  const frame = (filename: string, lineno: number) => ({ filename, lineno, in_app: true, function: 'f' });
  const frames = [
    frame('/srv/app/.env', 1),
    frame('/srv/app/src/config.js', 4),
    frame('/srv/app/src/cart.js', 4),
    frame('/srv/app/.env', 1),
  ];
  const crash = {
    ...{ event_id: 'leak', message: 'boom', platform: 'node', release: repository.head },
    exception: { values: [{ type: 'Error', value: 'boom', stacktrace: { frames } }] },
  };
  const { run_id } = await engine.ingest({ crash });
  const at = `/api/v1/runs/${run_id}`;
  t.equal((await api({ method: 'POST', path: `${at}/gate1/approve` })).status, 200);
  for (const page of ['', '/evidence', '/stack', '/brief', '/draft', '/history']) {
    const { status, text } = await api({ path: at + page });
    t.equal(status, 200);
    t.notMatch(text, /hunter2|BEGIN PRIVATE|AAAAAAAA/, page);
  }
  t.match((await api({ path: `${at}/evidence` })).text, 'tax.rate', 'the crashed lines are there');
});

t.test('files and issues are those of the project, in both directions', async (t) => {
  const other = crashingRepository(join(t.testdir(), 'cart'), 'cart');
  const bench = await coreBench({ projectsIn: { cart: other.directory } });
  const { api, bare, repository } = bench;
  t.teardown(bench.close);
  const tokenOf = async (project: string) => {
    const body = { name: project, scopes: ['read'], projects: [project], expires_in_days: 1 };
    const { token } = await makeToken(bench, body);
    return (path: string) => bare({ path, headers: { authorization: `Bearer ${token}` } });
  };
  const published = async (project: string, release: string) => {
    const crash = { ...cartCrash(`crash-of-${project}`, release), fingerprint: [project] };
    const { run_id } = await bench.engine.ingest({ crash, project });
    await api({ method: 'POST', path: `/api/v1/runs/${run_id}/gate1/approve` });
    const { json } = await api({ method: 'POST', path: `/api/v1/runs/${run_id}/gate2/approve` });
    const { body } = (await api({ path: `/api/v1/runs/${run_id}/draft` })).json;
    const links = [...body.matchAll(/\(http[^)]*(\/code\/[^)]*)#L\d+\)/g)].map(([, path]) => path);
    return { issue: new URL(json.issue_url).pathname, links: [...new Set<string>(links)] };
  };
  const ofShop = await published('default', repository.head);
  const ofCart = await published('cart', other.head);
  for (const [project, own, foreign] of [
    ['cart', ofCart, ofShop],
    ['default', ofShop, ofCart],
  ] as const) {
    const ask = await tokenOf(project);
    t.ok(own.links.length > 0, 'the draft links to its source');
    for (const path of [...own.links, own.issue])
      t.equal((await ask(path)).status, 200, `${project} ${path}`);
    const disguised = foreign.links.map((path) => path.replace(/^\/code\/\w+/, `/code/${project}`));
    for (const path of [...foreign.links, ...disguised, foreign.issue])
      t.equal((await ask(path)).status, 404, `${project} ${path}`);
    for (const path of [...own.links, own.issue]) t.equal((await api({ path })).status, 200, path);
  }
});

t.test('the session cookie is this host’s own, and of two none counts', async (t) => {
  for (const [publicUrl, name] of [
    ['https://board.example', '__Host-culprit_session'],
    ['https://board.example/culprit', '__Secure-culprit_session'],
    ['http://board.example', 'culprit_session'],
  ] as const) {
    const { bare, close } = await coreBench({ publicUrl });
    t.teardown(close);
    const signIn = async () => {
      const { headers } = await bare({ method: 'POST', path: '/api/v1/session', body: { token: TOKEN } });
      return String(headers['set-cookie']);
    };
    const set = await signIn();
    t.ok(set.startsWith(`${name}=`), set);
    if (name.startsWith('__Host-')) t.match(set, /; Path=\/; .*; Secure$/);
    const own = set.split(';')[0] ?? '';
    const other = (await signIn()).split(';')[0] ?? '';
    const ask = (cookie: string) => bare({ path: '/api/v1/session', headers: { cookie } });
    t.equal((await ask(own)).status, 200);
    t.equal((await ask(`${own}; ${own}`)).status, 200, 'the same twice');
    for (const cookie of [`${own}; ${other}`, `${other}; a=b; ${own}`])
      t.match(await ask(cookie), { status: 401, json: { detail: /two different session cookies/ } });
    const plain = own.replace(name, 'culprit_session');
    if (name !== 'culprit_session') t.equal((await ask(plain)).status, 401, 'one that http could set');
  }
});
