import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type CodeHost, isCulpritError, type Publisher } from '@culprit/core/connector';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import {
  codeHostContract,
  failingPublisherContract,
  type PublishFailure,
  publisherContract,
  sampleHistory,
} from '@culprit/core/testing';
import {
  type DoubleOptions,
  type DoubleToken,
  type ForgejoDouble,
  startForgejoDouble,
} from '@culprit/doubles/forgejo';
import { Keyv } from 'keyv';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { forgejo, forgejoWebhook } from '../../src/forgejo/index.js';
import { closeAll, gitHost, context as offline, signal } from '../git/support/context.js';
import { buildFixtureRepository, makeRepository } from '../git/support/repository.js';

const context = { ...offline, fetch: globalThis.fetch };
const TOKEN = 'CANARY0123456789abcdef0123456789abcdef01';
const REPOSITORY = 'forgejo:acme/shop';
const NAME = 'acme/shop';
const FULL: DoubleToken = { user: 'culprit-bot', scopes: ['read:repository', 'read:user', 'write:issue'] };
const NO_HINTS = { commit: null, release: null, at: '2030-01-01T00:00:00.000Z' };
const SINCE = '2000-01-01T00:00:00.000Z';
/** Longer than any busy machine needs for a response. */
const PATIENCE_MS = 300_000;
const HEAD = sampleHistory.make.at(-1)?.sha ?? '';

const folder = temporaryFolder(t, 'forgejo');
const shop = buildFixtureRepository(join(folder, 'shop'), sampleHistory);
const empty = makeRepository(join(folder, 'empty'));
const opened: (() => Promise<void>)[] = [];
t.teardown(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  await closeAll();
});

let mirrors = 0;

interface Bench {
  readonly double: ForgejoDouble;
  readonly codeHost: CodeHost;
  readonly publisher: Publisher;
  readonly directory: string;
}

async function bench(token = FULL, options: Partial<DoubleOptions> = {}): Promise<Bench> {
  const double = await startForgejoDouble({
    repositories: { [NAME]: { git: shop.path } },
    tokens: { [TOKEN]: token },
    ...options,
  });
  opened.push(() => double.close());
  mirrors += 1;
  const directory = join(folder, `mirrors-${mirrors}`);
  return { double, directory, ...(await connect(double.url, directory)) };
}

async function connect(
  url: string,
  directory: string,
  { cache, ...more }: { readonly timeoutMs?: number; readonly cache?: Keyv } = {},
) {
  const config = { url, token: TOKEN, mirrorDirectory: directory, timeoutMs: PATIENCE_MS, ...more };
  const { codeHost, publisher, close } = await forgejo(config).setup({
    ...context,
    ...(cache ? { cache: () => cache } : {}),
  });
  if (!codeHost || !publisher) throw new Error('the connector must have both');
  opened.push(async () => close?.());
  return { codeHost, publisher };
}

async function failure(work: Promise<unknown>) {
  try {
    await work;
    return { code: 'ok', message: '' };
  } catch (error) {
    return isCulpritError(error) ? error : { code: 'bug', message: String(error) };
  }
}

const issue = (marker: string, more: object = {}) => ({
  repository: REPOSITORY,
  title: 'Cart fails',
  body: markedBody('Body', marker),
  labels: ['culprit', 'suspect:auto'],
  assignees: [],
  marker,
  ...more,
});

t.test('fulfils the code host contract, on a mirror fetched over HTTP', async (t) => {
  const { codeHost, directory, double } = await bench();
  const subject = {
    codeHost,
    repository: REPOSITORY,
    unknownRepository: 'forgejo:acme/none',
    history: sampleHistory,
  };
  for (const law of codeHostContract) await t.test(law.name, () => law.run(async () => subject));
  const server = encodeURIComponent(new URL(double.url).host);
  t.same(readdirSync(directory), [server], 'a folder for each server');
  const [mirror = ''] = readdirSync(join(directory, server)).filter((name) => name.endsWith('.git'));
  t.equal(mirror, 'acme+shop.git');
  t.notMatch(
    readFileSync(join(directory, server, mirror, 'config'), 'utf8'),
    TOKEN,
    'the token is in no file',
  );
  t.match(
    await codeHost.tree('gitea:acme/shop', NO_HINTS, signal),
    { revision: { sha: HEAD } },
    'the other scheme',
  );
  const before = double.requests.length;
  await codeHost.tree(REPOSITORY, { ...NO_HINTS, commit: HEAD }, signal);
  await codeHost.blame(REPOSITORY, HEAD, ['src/basket.ts'], signal);
  t.equal(double.requests.length, before, 'a revision that the mirror has costs no request');
});

t.test('the answers equal those of local git, with links and pull requests of the server', async (t) => {
  const { codeHost, double, directory } = await bench();
  const local = await gitHost();
  const ask = async (host: CodeHost, repository: string) => ({
    paths: (await host.tree(repository, NO_HINTS, signal)).paths,
    blame: await host.blame(repository, HEAD, sampleHistory.paths, signal),
    diff: await host.diff(repository, HEAD, signal),
  });
  t.same(await ask(codeHost, REPOSITORY), await ask(local, shop.path));
  const merge = sampleHistory.commits.find(({ parents }) => parents.length > 1);
  const merged = merge?.parents[1] ?? '';
  double.merge({ repository: NAME, title: 'Discounts', body: '', commit: merge?.sha ?? '' });
  const { links } = await codeHost.tree(REPOSITORY, NO_HINTS, signal);
  t.equal(links.commit, `${double.url}/acme/shop/commit/{sha}`);
  t.equal(links.pull_request, `${double.url}/acme/shop/pulls/{number}/files`);
  const [one, root] = await codeHost.commits(REPOSITORY, [merged, sampleHistory.make[0]?.sha ?? ''], signal);
  t.match(one, {
    url: `${double.url}/acme/shop/commit/${merged}`,
    pull_request: { number: 1, title: 'Discounts' },
  });
  t.equal(root?.pull_request, null, 'made on the default branch');
  const cache = new Keyv();
  const ofAnotherProcess = async () =>
    (await connect(double.url, directory, { cache })).codeHost.commits(REPOSITORY, [merged], signal);
  await ofAnotherProcess();
  double.fault({ path: '/pull', kind: 'status', status: 500, times: 100 });
  t.match(await ofAnotherProcess(), [{ pull_request: { number: 1 } }], 'from the cache that they share');
  const [other] = await codeHost.commits(REPOSITORY, [HEAD], signal);
  t.equal(other?.sha, HEAD, 'a failed question about a pull request costs only its answer');
});

t.test('new commits are fetched when they are asked for; a rename is followed', async (t) => {
  const path = join(folder, 'growing');
  execFileSync('git', ['clone', '-q', shop.path, path]);
  const growing = makeRepository(path);
  const { codeHost, double, directory } = await bench(FULL, {
    repositories: { [NAME]: { git: path, renamedTo: 'acme/store' }, 'acme/store': { git: path } },
  });
  t.match(await codeHost.tree(REPOSITORY, NO_HINTS, signal), { revision: { sha: HEAD } });
  const made = growing.commit({ 'src/new.ts': 'one\n' }, { message: 'New', at: '2026-05-01T00:00:00Z' });
  growing.git('update-ref', 'refs/heads/main', made);
  const { codeHost: later } = await connect(double.url, directory);
  const tree = await later.tree(REPOSITORY, { ...NO_HINTS, commit: made }, signal);
  t.match(tree, { revision: { sha: made, how: 'explicit' } });
  t.match(await later.diff(REPOSITORY, made, signal), { files: [{ path: 'src/new.ts' }] });
  growing.git('update-ref', 'refs/heads/main', HEAD);
  const { codeHost: forced } = await connect(double.url, directory);
  t.match(await forced.tree(REPOSITORY, NO_HINTS, signal), { revision: { sha: HEAD } });
  t.match(await forced.tree(REPOSITORY, { ...NO_HINTS, commit: made }, signal), { revision: { sha: made } });
  t.match(await forced.ancestry?.contains(REPOSITORY, HEAD, { ...NO_HINTS, commit: made }, signal), true);
});

t.test('what the server refuses is explained', async (t) => {
  const repositories = {
    [NAME]: { git: shop.path },
    'acme/archived': { git: shop.path, archived: true },
    'acme/off': { git: shop.path, issuesDisabled: true },
    'acme/empty': { git: empty.path },
  };
  const { codeHost, publisher, double, directory } = await bench(FULL, { repositories });
  const on = (name: string) =>
    failure(publisher.create(issue('m', { repository: `forgejo:${name}` }), signal));
  t.match(await on('acme/archived'), { code: 'publish_refused', message: /archived/ });
  t.match(await on('acme/off'), { code: 'publish_refused', message: /Issues are disabled.*Enable them/ });
  t.match(await on('acme/none'), { code: 'publish_refused', message: /does not show/ });
  const empties = codeHost.tree('forgejo:acme/empty', NO_HINTS, signal);
  t.match(await failure(empties), { code: 'revision_not_found', message: /no commits/ });
  for (const bad of ['acme', 'forgejo:../x', 'forgejo:a/..', 'https://x/a/b'])
    t.match(await failure(codeHost.tree(bad, NO_HINTS, signal)), { code: 'repository_not_found' }, bad);
  double.fault({ path: '/api/v1/repos', kind: 'status', status: 503 });
  const other = (await connect(double.url, `${directory}-b`)).codeHost;
  t.match(await failure(other.tree(REPOSITORY, NO_HINTS, signal)), { code: 'code_host_unavailable' });
  t.match(
    await other.tree(REPOSITORY, NO_HINTS, signal),
    { revision: { sha: HEAD } },
    'a failure is not kept',
  );
});

t.test('missing scopes are named', async (t) => {
  const with_ = async (scopes: DoubleToken['scopes'], more: Partial<DoubleToken> = {}) =>
    bench({ user: 'culprit-bot', scopes, ...more });
  const blind = await with_(['read:user', 'write:issue']);
  const tree = await failure(blind.codeHost.tree(REPOSITORY, NO_HINTS, signal));
  t.match(tree, { code: 'code_host_forbidden', message: /lacks the scope read:repository/ });
  const mute = await with_(['read:user', 'read:issue', 'read:repository']);
  const refused = { code: 'publish_refused', message: /lacks the scope write:issue/ };
  t.match(await failure(mute.publisher.create(issue('m'), signal)), refused);
  const nameless = await with_(['write:issue']);
  const found = await failure(nameless.publisher.find(REPOSITORY, 'm', SINCE, signal));
  t.match(found, { code: 'code_host_forbidden', message: /read:user/ });
  const revoked = await with_(FULL.scopes, { expiresAt: 1 });
  t.match(await failure(revoked.publisher.create(issue('m'), signal)), {
    code: 'publish_refused',
    message: /token/,
  });
  for (const { double } of [blind, mute, nameless, revoked]) t.equal(double.issues(NAME).length, 0);
});

t.test('check names what is missing and creates nothing', async (t) => {
  const names = { repository: REPOSITORY, tryWriting: true };
  const checks = async (token: DoubleToken) => {
    const { double, directory } = await bench(token);
    const config = { url: double.url, token: TOKEN, mirrorDirectory: directory, ...names };
    const parts = await forgejo(config).setup(context);
    const found = (await parts.check?.(signal)) ?? [];
    await parts.close?.();
    t.equal(double.issues(NAME).length, 0);
    return found.map(({ name, ok, detail }) => `${name} ${ok} ${detail}`);
  };
  t.match(await checks(FULL), [/^forgejo code true/, /^forgejo issues true the token creates issues/]);
  const mute = { ...FULL, scopes: ['read:user', 'read:issue'] } as DoubleToken;
  t.match(await checks(mute), [/false The token lacks the scope read:repository/, /false .*write:issue/]);
  const gone = forgejo({ url: 'http://127.0.0.1:9', token: TOKEN, mirrorDirectory: folder, ...names });
  const parts = await gone.setup(context);
  t.match(await parts.check?.(signal), [{ ok: false, detail: /unreachable/ }]);
  await parts.close?.();
});

t.test('fulfils the publisher contract', async (t) => {
  for (const law of publisherContract)
    await t.test(law.name, async () => {
      const { publisher } = await bench();
      await law.run(async () => ({ publisher, repository: REPOSITORY }));
    });
  const faults: Readonly<Record<PublishFailure, Parameters<ForgejoDouble['fault']>[0]>> = {
    refuse: { kind: 'status', status: 422, message: 'no' },
    wait: { kind: 'status', status: 429, retryAfter: 3 },
    'ambiguous-created': { kind: 'reset-after' },
    'ambiguous-not-created': { kind: 'reset-before' },
  };
  for (const law of failingPublisherContract)
    await t.test(law.name, async () => {
      const { publisher, double } = await bench();
      // The labels exist from here on, so the next POST below /issues creates an issue.
      const failNext = (kind: PublishFailure) =>
        double.fault({ method: 'POST', path: '/issues', ...faults[kind] });
      await law.run(async () => ({ publisher, repository: REPOSITORY, failNext }));
    });
});

t.test('creation: what a failure proves', async (t) => {
  const { double, publisher, directory } = await bench();
  const create = (marker: string, by = publisher) => failure(by.create(issue(marker), signal));
  const POST = { method: 'POST', path: '/issues' };
  for (const status of [500, 502, 503, 504, 409]) {
    double.fault({ ...POST, kind: 'status', status });
    t.match(await create('a'), { code: 'publish_ambiguous' }, String(status));
  }
  for (const status of [400, 403, 413]) {
    double.fault({ ...POST, kind: 'status', status });
    t.match(await create('a'), { code: 'publish_refused' }, String(status));
  }
  double.fault({ ...POST, kind: 'status', status: 429 });
  t.match(await create('a'), { code: 'publish_wait', retryAfterMs: 60_000 });
  double.fault({ ...POST, kind: 'garbage' });
  t.match(await create('a'), { code: 'publish_ambiguous' });
  t.equal(double.issues(NAME).length, 0);
  double.fault({ ...POST, kind: 'reset-after' });
  t.match(await create('c'), { code: 'publish_ambiguous' });
  t.match(await publisher.find(REPOSITORY, 'c', SINCE, signal), { number: 1 }, 'listed at once');
  double.fault({ ...POST, kind: 'hang-after' });
  const { publisher: hasty } = await connect(double.url, directory, { timeoutMs: 500 });
  t.match(await create('d', hasty), { code: 'publish_ambiguous' }, 'no response in time');
});

t.test('find pages through what others wrote, and trusts no copied marker', async (t) => {
  const { double, publisher } = await bench(FULL, {
    pageSize: 7,
    repositories: { [NAME]: { git: shop.path } },
  });
  await publisher.create(issue('mine'), signal);
  const copy = {
    repository: NAME,
    title: 'copy',
    body: markedBody('Body', 'copied'),
    labels: [],
    assignees: [],
  };
  double.addIssue({ ...copy, user: 'mallory' });
  for (let made = 0; made < 30; made += 1) double.addIssue({ ...copy, body: '', user: FULL.user });
  t.equal(await publisher.find(REPOSITORY, 'copied', SINCE, signal), null);
  t.match(await publisher.find(REPOSITORY, 'mine', SINCE, signal), { number: 1 });
  double.closeIssue(NAME, 1);
  t.match(await publisher.find(REPOSITORY, 'mine', SINCE, signal), { number: 1, state: 'closed' });
  double.deleteIssue(NAME, 1);
  t.equal(await publisher.read(REPOSITORY, 1, signal), null);
});

t.test('labels and assignees: what cannot be set is dropped, and the issue is published', async (t) => {
  const { double, publisher } = await bench(FULL, {
    repositories: { [NAME]: { git: shop.path, assignable: ['ada'] } },
  });
  const asked = issue('a', { assignees: ['ada', 'nobody'] });
  t.match(await publisher.expect?.(asked, signal), [/"nobody" will be dropped/]);
  t.match(await publisher.create(asked, signal), { assignees: ['ada'], labels: ['culprit', 'suspect:auto'] });
  double.fault({ method: 'GET', path: '/assignees', kind: 'status', status: 500 });
  t.match(await publisher.create(issue('b', { assignees: ['nobody'] }), signal), { assignees: [] });
  double.deleteLabel(NAME, 'culprit');
  t.match(
    await publisher.create(issue('c'), signal),
    { labels: ['culprit', 'suspect:auto'] },
    'created again',
  );
  t.equal(double.issues(NAME).length, 3);
  const reader = await bench({ ...FULL, writes: false });
  t.match(await reader.publisher.create(issue('d', { assignees: ['x'] }), signal), {
    labels: [],
    assignees: [],
  });
});

t.test('labels of the organisation are used and not doubled', async (t) => {
  const organizations = { acme: ['culprit', 'other'] };
  const { double, publisher } = await bench(
    { ...FULL, scopes: [...FULL.scopes, 'read:organization'] },
    { organizations },
  );
  t.match(await publisher.create(issue('a'), signal), { labels: ['culprit', 'suspect:auto'] });
  t.strictSame(double.labels(NAME), ['suspect:auto']);
  const { double: blind, publisher: unseeing } = await bench(FULL, { organizations });
  t.match(await unseeing.create(issue('a'), signal), { labels: ['culprit', 'suspect:auto'] });
  t.strictSame(blind.labels(NAME), ['culprit', 'suspect:auto'], 'a token without read:organization');
});

t.test('an issue that is locked or gone is not reopened', async (t) => {
  const { double, publisher } = await bench({ ...FULL, writes: false });
  const { number } = await publisher.create(issue('a'), signal);
  double.lockIssue(NAME, number);
  const comment = publisher.reopening?.comment(REPOSITORY, number, 'again', signal);
  t.match(await failure(comment ?? Promise.resolve()), { code: 'reopen_refused', message: /locked/ });
  t.match(await publisher.read(REPOSITORY, number, signal), { locked: true });
  double.fault({ method: 'GET', path: `/issues/${number}`, kind: 'status', status: 500 });
  double.fault({ method: 'POST', path: '/comments', kind: 'reset-after' });
  const lost = publisher.reopening?.comment(REPOSITORY, number, 'again', signal);
  t.match(await failure(lost ?? Promise.resolve()), { code: 'publish_ambiguous' });
});

t.test('an issue that is closed with a label of Forgejo’s proposals is quiet', async (t) => {
  const { double, publisher } = await bench(FULL);
  const cases = [
    ['wontfix', 'not_planned'],
    ["Reviewed/Won't Fix", 'not_planned'],
    ['Reviewed/Invalid', 'not_planned'],
    ['duplicate', 'duplicate'],
    ['bug', null],
  ] as const;
  for (const [label, closed_as] of cases) {
    const { number } = await publisher.create(issue(`by ${label}`, { labels: [label] }), signal);
    double.closeIssue(NAME, number);
    t.equal((await publisher.read(REPOSITORY, number, signal))?.closed_as ?? null, closed_as, label);
  }
});

interface Event {
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** Resolves `received` with the first three events. */
async function receiver() {
  const events: Event[] = [];
  let arrived: (events: readonly Event[]) => void = () => {};
  const received = new Promise<readonly Event[]>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      events.push({ headers: incoming.headers as Record<string, string>, body: Buffer.concat(chunks) });
      outgoing.end();
      if (events.length === 3) arrived(events);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url, received, close };
}

t.test('events are verified, and only a reason to read the issue again', async (t) => {
  const seen: unknown[] = [];
  const engine = {
    issueChanged: async (what: unknown) => {
      seen.push(what);
      return 'run_1';
    },
  };
  const webhook = forgejoWebhook({ secrets: ['old-secret', 'the-secret'] });
  for (const program of ['forgejo', 'gitea'] as const) {
    const { url, received, close } = await receiver();
    const { double, publisher } = await bench(FULL, { program });
    double.sendEvents({ url, secret: 'the-secret' });
    double.addIssue({ repository: NAME, title: 'a', body: 'text', labels: [], assignees: [], user: 'x' });
    double.closeIssue(NAME, 1);
    await publisher.reopening?.open(REPOSITORY, 1, signal);
    double.merge({ repository: NAME, title: 'Fixes #12', body: 'closes acme/other#3', commit: HEAD });
    seen.length = 0;
    const events = await received;
    const actions = events.map(({ body }) => JSON.parse(String(body)).action);
    t.same(actions.sort(), ['closed', 'closed', 'reopened'], 'the issue twice, and the pull request');
    for (const event of events) t.equal(await webhook.receive(engine, event), 'run_1');
    t.equal(seen.filter((one) => one === 'text').length, 2, 'closed and reopened');
    t.same(
      new Set(seen),
      new Set([
        'text',
        { repository: 'forgejo:acme/shop', number: 12 },
        { repository: 'forgejo:acme/other', number: 3 },
      ]),
    );
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = events;
    const forged = { headers, body: Buffer.concat([body, Buffer.from(' ')]) };
    t.match(await failure(webhook.receive(engine, forged)), { code: 'unauthenticated' });
    const unsigned = { headers: { 'x-gitea-event': 'issues' }, body };
    t.match(await failure(webhook.receive(engine, unsigned)), { code: 'unauthenticated' });
    await close();
  }
});
