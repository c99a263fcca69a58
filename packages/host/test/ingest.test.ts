import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sentry } from '@culprit/connectors/sentry';
import { sentryHook } from '@culprit/connectors/sentry-hook';
import { type Connector, type JsonValue, silentLogger } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import { SNIPPETS, snippetFor } from '@culprit/core/internal/domain/send-crashes';
import { chromium } from 'playwright-core';
import t from 'tap';
import { envelope, KEY, post, spooled, toNative, toSdk, toWebhook, trackers } from './support/edge-kit.js';
import { ingestBench, ingestFixture, ingestFolder, runsOf } from './support/ingest-bench.js';
import { lookAlikes, plant } from './support/planted.js';

const fixtures = readdirSync(ingestFolder).filter((name) => /\.(?:bin|json)$/.test(name));
const json = (name: string) => JSON.parse(ingestFixture(name).toString()) as JsonValue;
const ada = { name: 'ada', via: 'api' } as const;

/** A typical program with the SDK: a small crash, and one so large that the SDK compresses it. */
const program = (sdk: string) => `
  import * as Sentry from ${JSON.stringify(sdk)};
  Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', environment: 'test' });
  function checkout(order) { return order.items.total; }
  for (const [order, filler] of [[{}, 10], [{ items: null }, 60000]]) {
    try { checkout(order); } catch (error) { Sentry.captureException(error, { extra: { filler: 'x '.repeat(filler) } }); }
  }
  Sentry.captureMessage('stock is low');
  await Sentry.flush(10000);
`;

t.test('real SDKs of two majors', async (t) => {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const both = [
    ['@sentry/node', /^11\./],
    ['sentry-node-10', /^10\./],
  ] as const;
  await Promise.all(
    both.map(async ([sdk, version]) => {
      const bench = await ingestBench(t);
      const env = { ...process.env, DSN: `http://${KEY}@127.0.0.1:${bench.edge.port}/1`, NODE_OPTIONS: '' };
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program(sdk)], {
        env,
        cwd,
        stdio: 'inherit',
      });
      t.equal(await new Promise((resolve) => child.once('exit', resolve)), 0, sdk);
      await bench.settled();
      const runs = await runsOf(bench);
      const crash = runs.find(({ event }) => event.exceptions[0]?.type === 'TypeError');
      t.match(crash, {
        state: 'staged_raw',
        occurrences: 2,
        doors: ['sdk'],
        releases: ['shop@1.2.3'],
        platform: 'node',
      });
      t.match(crash?.event.sdk?.version, version, `${sdk}: ${crash?.event.sdk?.version}`);
      t.ok(runs.some(({ title }) => title.includes('stock is low')));
      t.equal(bench.edge.guard().outcomes.sdk.malformed, undefined);
      const encodings = (await spooled(bench.spoolDirectory)).map(
        ({ headers }) => headers['content-encoding'],
      );
      t.ok(encodings.includes('gzip') && encodings.includes(undefined), 'plain and compressed');
    }),
  );
});

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const noBrowser = CHROMIUM === undefined ? 'needs Chromium' : false;
if (noBrowser !== false && process.env.CI === 'true') t.fail('Chromium is not installed; CI must install it');

t.test('the real browser SDK in a real browser, from another origin', { skip: noBrowser }, async (t) => {
  const list = new Map(await trackers());
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const tunnelled = 'errors.example/1';
  const { tracker } = await sentry({ keys: [{ project: 'shop', key: KEY }], tunnels: [tunnelled] }).setup(
    context,
  );
  if (tracker) list.set('sentry', tracker);
  const bench = await ingestBench(t, { trackers: list, limits: { keyBurst: 6, keyRate: 1 } });
  const site = await moduleSite(t);
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const answers: { status: number; url: string }[] = [];
  page.on('response', (answer) => {
    if (answer.url().startsWith(bench.edge.url)) answers.push({ status: answer.status(), url: answer.url() });
  });
  const send = (dsn: string, tunnel: string | null, message: string) =>
    page.evaluate(
      async ([dsn, tunnel, message]) => {
        const Sentry = (await import('/sdk/index.js' as string)) as typeof import('@sentry/browser');
        Sentry.init({ dsn, ...(tunnel === null ? {} : { tunnel }), defaultIntegrations: false });
        const readable: (number | string)[] = [];
        const fetched = globalThis.fetch;
        const answered = fetched(`${new URL(tunnel ?? dsn ?? '').origin}/api/1/envelope/?sentry_key=nobody`, {
          method: 'POST',
          body: '{}',
        });
        const answer = await answered;
        const { detail } = (await answer.json()) as { detail: string };
        readable.push(answer.status, detail);
        Sentry.captureException(new Error(message ?? ''));
        await Sentry.flush(5000);
        return readable;
      },
      [dsn, tunnel, message] as const,
    );
  await page.goto(site.url);
  const direct = `http://${KEY}@127.0.0.1:${bench.edge.port}/1`;
  const [status, detail] = await send(direct, null, 'from the browser');
  t.same([status, typeof detail], [401, 'string'], 'a page of another origin can read a refusal');
  await page.goto(site.url);
  await send(`http://${KEY}@${tunnelled}`, `${bench.edge.url}/tunnel`, 'through the tunnel');
  await page.goto(site.url);
  await send(`http://${KEY}@evil.example/1`, `${bench.edge.url}/tunnel`, 'through a foreign tunnel');
  await bench.settled();
  const titles = (await runsOf(bench)).map(({ title }) => title);
  t.same(titles.sort(), ['Error: from the browser', 'Error: through the tunnel']);
  t.same(
    answers.map(({ status }) => status).filter((status) => status !== 401),
    [200, 200, 403],
    'exactly 200, and 403 for a DSN that is not on the list',
  );
  const [run] = await runsOf(bench);
  t.match(run?.event, { platform: 'javascript', sdk: { name: 'sentry.javascript.browser' } });

  // The program of Settings, Send crashes, as it is printed, with an error that nobody catches.
  const row = SNIPPETS.find(({ id }) => id === 'browser');
  const place = { setting: '', file: null, members: [], exists: false };
  const sender = { project: 'shop', key: KEY, service_token: place, hook_secret: place };
  site.files.set('/snippet.js', row === undefined ? '' : snippetFor(row, sender, bench.edge.url));
  await page.goto(site.url);
  await page.evaluate(async () => {
    await import('/snippet.js' as string);
    setTimeout(() => {
      throw new Error('not caught in the browser');
    });
    // Timers run in order.
    await new Promise((resolve) => setTimeout(resolve));
    await ((await import('/sdk/index.js' as string)) as typeof import('@sentry/browser')).flush(5000);
  });
  await bench.settled();
  const uncaught = (await runsOf(bench)).find(({ title }) => title === 'Error: not caught in the browser');
  t.match(uncaught?.event, { release: 'GIT_COMMIT', environment: 'production' });
});

/** Serves the SDK's modules, and the modules of `files` by their path, to a page without a bundler. */
async function moduleSite(t: { teardown(act: () => unknown): unknown }) {
  const files = new Map<string, string>();
  const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
  const address = (name: string) => `/m/${relative(modules, esmFile(modules, name))}`;
  const served = (code: string) =>
    code.replace(/(from |import\()(['"])(@?[a-z][^'":]*)\2/g, (_, before, quote, name) => {
      return `${before}${quote}${address(name)}${quote}`;
    });
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/')
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>shop</title>');
    response.setHeader('content-type', 'text/javascript');
    const own = files.get(path);
    if (own !== undefined) return response.end(served(own));
    if (path === '/sdk/index.js') return response.end(`export * from '${address('@sentry/browser')}';`);
    if (!/^\/m\/[\w@./-]+\.m?js$/.test(path) || path.includes('..')) return response.writeHead(404).end();
    return response.end(served(readFileSync(join(modules, path.slice(3)), 'utf8')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, files };
}

/** The file that `exports` gives a browser for an import of the package. */
function esmFile(modules: string, name: string): string {
  const parts = name.split('/');
  const rest = parts.splice(name.startsWith('@') ? 2 : 1);
  const folder = join(modules, ...parts);
  const { exports, module } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports?: Record<string, unknown>;
    module?: string;
  };
  let found: unknown = exports?.[rest.length === 0 ? '.' : `./${rest.join('/')}`];
  while (typeof found === 'object' && found !== null) {
    const options = found as Record<string, unknown>;
    found = options.browser ?? options.import ?? options.default;
  }
  return join(folder, typeof found === 'string' ? found : (module ?? 'index.js'));
}

t.test('a crash that arrives by webhook and by SDK is one run', async (t) => {
  const secret = 'client-secret-of-the-integration';
  const list = new Map(await trackers());
  const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
  const hooks: Connector = sentryHook({ secrets: [{ project: 'shop', secret }] });
  const { tracker } = await hooks.setup(context);
  if (tracker) list.set('sentry-hook', tracker);
  const bench = await ingestBench(t, { trackers: list });
  const hook = (body: string, requestId: string, resource = 'event_alert') =>
    post(`${bench.edge.url}/webhook/sentry-hook`, body, {
      'content-type': 'application/json',
      'request-id': requestId,
      'sentry-hook-resource': resource,
      'sentry-hook-signature': createHmac('sha256', secret).update(body).digest('hex'),
    });
  const event = json('ev-js-xbrowser-chrome.json') as Record<string, JsonValue>;
  const { exception, platform } = event;
  const other = {
    ...event,
    event_id: 'b'.repeat(32),
    title: 'made by the server',
    issue_url: 'https://x',
    culprit: 'x',
  };
  t.equal((await toSdk(bench.edge, envelope({ exception, platform } as object))).status, 200);
  const alert = JSON.stringify({ action: 'triggered', data: { event: other } });
  const answer = await hook(alert, 'request-1');
  t.same([answer.status, await answer.json()], [202, { id: 'b'.repeat(32), status: 'accepted' }]);
  t.equal((await hook(alert, 'request-1')).status, 202, 'a replay is a success');
  t.equal((await hook(JSON.stringify({ action: 'created', data: {} }), 'request-2', 'comment')).status, 202);
  await bench.settled();
  const runs = await runsOf(bench);
  t.equal(runs.length, 1);
  t.match(runs[0], { occurrences: 2 });
  t.same([...(runs[0]?.doors ?? [])].sort(), ['sdk', 'webhook']);
  t.match(bench.edge.guard(), {
    outcomes: { webhook: { accepted: 1, duplicate: 1, ignored: 1 } },
    dropped: { comment: 1 },
  });
});

t.test('crashes at one place are told apart by type, folder and words, through every door', async (t) => {
  const bench = await ingestBench(t);
  const sent = (platform: string, type: string, value: string, frame: object) => ({
    platform,
    exception: { values: [{ type, value, stacktrace: { frames: [{ in_app: true, ...frame }] } }] },
  });
  const handler = { abs_path: '/srv/shop/app.js', function: '<anonymous>' };
  const report = { abs_path: '/app/main.go', module: 'main', function: 'report' };
  const route = (folder: string) => ({ abs_path: `/srv/shop/app/${folder}/route.js`, function: 'GET' });
  const words = '*errors.errorString';
  const crashes = [
    ...['TypeError', 'RangeError', 'SyntaxError'].map((type) =>
      sent('node', type, `express ${type}`, handler),
    ),
    ...['orders', 'users'].map((folder) => sent('node', 'Error', `route of ${folder}`, route(folder))),
    sent('go', words, 'go: cart is locked', report),
    sent('go', words, 'go: mail was refused', report),
  ];
  // Each twice, in turns, by two doors.
  for (const [at, crash] of [...crashes, ...crashes].entries()) {
    const body = { event_id: String(at).padStart(32, '0'), ...crash };
    const door =
      at % 2 === 0 ? toSdk(bench.edge, envelope(body, {})) : toWebhook(bench.edge, JSON.stringify(body));
    t.ok((await door).ok);
  }
  await bench.settled();
  const runs = await runsOf(bench);
  t.same(
    runs.map(({ title, occurrences }) => [title.replace(/^\w*Error: /, ''), occurrences]).sort(),
    crashes.map(({ exception }) => [exception.values[0]?.value, 2]).sort(),
  );
  for (const { run_id, title } of runs) {
    await bench.engine.approveGateOne(run_id, ada);
    const { draft } = await bench.engine.run(run_id);
    t.equal(draft?.title, title);
    const others = crashes.flatMap(({ exception }) => exception.values.map(({ value }) => value));
    t.same(
      others.filter((value) => draft?.body.includes(value)),
      others.filter((value) => title.includes(value)),
    );
  }
});

/** Members that must stay unchanged, or a door would reject the event. */
const KEPT = new Set(['event_id', 'timestamp', 'platform', 'level', 'type']);

t.test(
  'secrets in every field of every platform’s event, next to look-alikes',
  { timeout: 600_000 },
  async (t) => {
    const choking: Tracker = {
      verify: () => ({ ok: true, project: 'shop', credential: 'shop/choking' }),
      parse: ({ body }) => JSON.parse(Buffer.from(body).toString()),
    };
    const bench = await ingestBench(
      t,
      { trackers: new Map([...(await trackers()), ['choking', choking]]) },
      { notify: async (run) => Promise.reject(new TypeError(`chat refused ${JSON.stringify(run)}`)) },
    );
    const spoken = 'hunter2-spoken-aloud';
    const secrets: { readonly where: string; readonly secret: string }[] = [
      { where: 'rejected bodies', secret: spoken },
    ];
    const feed: string[] = [];
    bench.engine.feed.watch((entry) => feed.push(JSON.stringify(entry)));
    for (const name of fixtures.filter(
      (name) => name.startsWith('ev-') || name === 'env-node11-exception.bin',
    )) {
      const event = name.endsWith('.json')
        ? json(name)
        : (JSON.parse(ingestFixture(name).toString().split('\n')[2] ?? '') as JsonValue);
      const planted = plant(event, secrets.length + 1, KEPT);
      secrets.push(...planted.secrets.map(({ path, secret }) => ({ where: `${name} ${path}`, secret })));
      const { event_id: _, ...crash } = planted.value as Record<string, JsonValue>;
      t.equal((await toSdk(bench.edge, envelope(crash, {}))).status, 200, name);
    }
    // Bodies that cannot be parsed, because parse errors often quote their input.
    const body = `{"password":"${spoken}", "note": oops ${spoken}}`;
    const refused = [
      await toSdk(bench.edge, `{}\n{"type":"event"}\n${body}\n`),
      await toSdk(bench.edge, body),
      await toNative(bench.edge, body),
      await toWebhook(bench.edge, body),
      await post(`${bench.edge.url}/webhook/choking`, body),
    ];
    t.same(
      refused.map(({ status }) => status),
      [400, 400, 400, 400, 400],
    );
    const answers = (await Promise.all(refused.map((answer) => answer.text()))).join('\n');
    const innocent = lookAlikes(360);
    for (let from = 0; from < innocent.length; from += 60) {
      const crash = {
        event_id: `look-${from}`,
        message: `looks ${from}`,
        fingerprint: [`look-${from}`],
        extra: Object.fromEntries(innocent.slice(from, from + 60)),
      };
      t.equal((await toWebhook(bench.edge, JSON.stringify(crash))).status, 202);
    }
    await bench.settled();
    const staged = await runsOf(bench);
    for (const { run_id } of staged) await bench.engine.approveGateOne(run_id, ada);
    const runs = await runsOf(bench);
    const evidence = await Promise.all(runs.map(({ run_id }) => bench.engine.evidence(run_id)));
    const histories = await Promise.all(runs.map(({ run_id }) => bench.engine.history(run_id)));
    const places: Readonly<Record<string, string>> = {
      spool: JSON.stringify(await spooled(bench.spoolDirectory)),
      store: JSON.stringify([staged, runs, histories]),
      evidence: JSON.stringify(evidence),
      prompt: JSON.stringify(bench.prompts),
      draft: runs.map(({ draft }) => `${draft?.title}\n${draft?.body}`).join('\n'),
      log: bench.log.join('\n'),
      feed: feed.join('\n'),
      answers,
    };
    for (const [place, text] of Object.entries(places)) t.ok(text.length > 100, `${place} is not empty`);
    t.match(places.log, /a tracker’s parser failed .*SyntaxError/, 'the log has the failures');
    t.match(places.log, /a notifier failed .*TypeError/, 'the log has the notifier’s error');
    const leaksIn = (texts: Readonly<Record<string, string>>) =>
      secrets.flatMap(({ where, secret }) =>
        Object.entries(texts).flatMap(([place, text]) =>
          text.includes(secret) ? [`${place}: ${where}: ${secret}`] : [],
        ),
      );
    for (const [place, text] of Object.entries(places)) {
      const one = secrets[0]?.secret ?? '';
      t.equal(leaksIn({ [place]: `${text}${one}` }).length, 1 + leaksIn({ [place]: text }).length, place);
    }
    const leaks = leaksIn(places);
    const leaked = new Set(leaks.map((leak) => leak.slice(leak.lastIndexOf(' '))));
    const kept = places.spool ?? '';
    const eaten = innocent.filter(
      ([name, text]) => !kept.includes(`${JSON.stringify(name)}:${JSON.stringify(text)}`),
    );
    t.comment(`secrets redacted: ${secrets.length - leaked.size} of ${secrets.length}`);
    t.comment(`look-alikes unchanged: ${innocent.length - eaten.length} of ${innocent.length}`);
    t.ok(secrets.length >= 300 && innocent.length >= 300);
    t.same(leaks.slice(0, 20), [], 'no planted secret anywhere');
    t.same(eaten.slice(0, 20), [], 'every look-alike is unchanged');
  },
);
