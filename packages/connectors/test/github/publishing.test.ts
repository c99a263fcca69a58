import { join } from 'node:path';
import { createEngine } from '@culprit/core';
import { memoryStorage } from '@culprit/core/internal/testing/memory-storage';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import {
  failingPublisherContract,
  manualClock,
  memoryStorageConnector,
  type PublishFailure,
  publisherContract,
} from '@culprit/core/testing';
import {
  type DoubleRepository,
  type DoubleToken,
  type GithubDouble,
  startGithubDouble,
} from '@culprit/doubles/github';
import t from 'tap';
import { github } from '../../src/github/index.js';
import { signal } from '../git/support/context.js';
import { makeRepository } from '../git/support/repository.js';
import {
  bench,
  context,
  FULL,
  failure,
  HEAD,
  issue,
  NO_HINTS,
  REPOSITORY,
  SHOP,
  SINCE,
  TOKEN,
} from './support/github-bench.js';

t.test('fulfils the publisher contract', async (t) => {
  for (const law of publisherContract) {
    await t.test(law.name, async (t) => {
      const { publisher } = await bench(t);
      await law.run(async () => ({ publisher, repository: REPOSITORY }));
    });
  }
  const faults: Readonly<Record<PublishFailure, Parameters<GithubDouble['fault']>[0]>> = {
    refuse: { kind: 'status', status: 422, message: 'Validation Failed' },
    // Nothing is sent while a limit lasts, except in its last second.
    wait: { kind: 'status', status: 429, retryAfter: 1 },
    'ambiguous-created': { kind: 'reset-after' },
    'ambiguous-not-created': { kind: 'reset-before' },
  };
  for (const law of failingPublisherContract) {
    await t.test(law.name, async (t) => {
      const { publisher, double } = await bench(t);
      const failNext = (kind: PublishFailure) =>
        double.fault({ method: 'POST', path: '/issues', ...faults[kind] });
      await law.run(async () => ({ publisher, repository: REPOSITORY, failNext }));
    });
  }
});

t.test('creation: proved failures, rate limits, unknown results', async (t) => {
  const { double, publisher, restart } = await bench(t);
  const create = (marker: string, by = publisher) => failure(by.create(issue(marker), signal));
  t.equal((await create('warm-up')).code, 'ok', 'the labels exist from here on');
  const faults = { method: 'POST', path: '/issues' };
  double.fault({ ...faults, kind: 'status', status: 429, retryAfter: 3 });
  t.match(await create('a', (await restart()).publisher), { code: 'publish_wait', retryAfterMs: 3_000 });
  double.fault({ ...faults, kind: 'status', status: 403 });
  t.match(await create('a', (await restart()).publisher), { code: 'publish_wait', retryAfterMs: 60_000 });
  for (const status of [500, 502, 503]) {
    double.fault({ ...faults, kind: 'status', status });
    t.match(await create('a'), { code: 'publish_ambiguous' }, String(status));
  }
  double.fault({ ...faults, kind: 'reset-before' });
  t.match(await create('a'), { code: 'publish_ambiguous' });
  double.fault({ ...faults, kind: 'reset-after' });
  t.match(await create('b'), { code: 'publish_ambiguous' });
  double.fault({ ...faults, kind: 'hang-after' });
  const { publisher: hasty } = await restart({ timeoutMs: 4_000 });
  t.match(await create('c', hasty), { code: 'publish_ambiguous' });
  double.fault({ ...faults, kind: 'garbage' });
  t.match(await create('d'), { code: 'publish_ambiguous' });
  t.equal(double.issues(REPOSITORY).length, 3, 'one attempt each, no retries');
  t.match(await publisher.find(REPOSITORY, 'b', SINCE, signal), { number: 2 }, 'the created issue is found');
  double.fault({ ...faults, kind: 'status', status: 422, message: 'Unprocessable' });
  const assigned = { ...issue('f'), assignees: [FULL.user] };
  t.match(await failure(publisher.create(assigned, signal)), { code: 'publish_refused' });
  t.equal(double.issues(REPOSITORY).length, 3, 'a rejection that names no field is not about assignees');
  const long = { ...issue('e'), title: 'x'.repeat(257) };
  t.match(await failure(publisher.create(long, signal)), {
    code: 'publish_refused',
    message: /Validation Failed|too long/,
  });
});

t.test('refusals are explained', async (t) => {
  const path = SHOP;
  const repositories = {
    'acme/archived': { git: path, archived: true },
    'acme/off': { git: path, issuesDisabled: true },
    'acme/old': { git: path, renamedTo: 'acme/new' },
    'acme/new': { git: path },
    'acme/empty': { git: makeRepository(join(t.testdir(), 'empty')).path },
  };
  const { publisher, codeHost, double } = await bench(t, FULL, { repositories });
  const on = (repository: string) => failure(publisher.create({ ...issue('m'), repository }, signal));
  t.match(await on('acme/archived'), { code: 'publish_refused', message: /archived/ });
  t.match(await on('acme/off'), { code: 'publish_refused', message: /Enable them/ });
  t.match(await on('acme/missing'), { code: 'publish_refused', message: /Check the name/ });
  t.equal((await on('acme/old')).code, 'ok', 'a renamed repository is followed');
  t.equal(double.issues('acme/new').length, 1);
  t.match(await codeHost.tree('acme/old', NO_HINTS, signal), { revision: { sha: HEAD } });
  t.match(await failure(codeHost.tree('acme/empty', NO_HINTS, signal)), { code: 'revision_not_found' });
  t.match(await failure(codeHost.tree('not-a-name', NO_HINTS, signal)), { code: 'repository_not_found' });
});

t.test('refusals of an organisation say what they are, and what to do', async (t) => {
  const policy = (name: NonNullable<DoubleRepository['policy']>) => ({ git: SHOP, policy: name });
  const repositories = {
    'acme/saml': policy('saml'),
    'acme/ip': policy('ip-allow-list'),
    'acme/lifetime': policy('token-lifetime'),
    'acme/classic': policy('no-classic-tokens'),
    'acme/blocked': policy('blocked'),
    'acme/suspended': policy('suspended'),
    'acme/off': { git: SHOP, issuesDisabled: true },
    'acme/archived': { git: SHOP, archived: true },
    [REPOSITORY]: { git: SHOP },
  };
  const { publisher, codeHost, double } = await bench(t, FULL, { repositories });
  for (const [repository, message] of [
    ['acme/saml', /single sign-on/],
    ['acme/ip', /IP allow list/],
    ['acme/lifetime', /at most 90 days/],
    ['acme/classic', /does not accept classic tokens/],
    ['acme/blocked', /has blocked acme\/blocked/],
    ['acme/suspended', /App is suspended on acme\/suspended/],
  ] as const) {
    const code = 'code_host_forbidden';
    t.match(await failure(publisher.create({ ...issue('m'), repository }, signal)), {
      code: 'publish_refused',
      message,
    });
    t.match(await failure(publisher.find(repository, 'm', SINCE, signal)), { code, message });
    t.match(await failure(codeHost.tree(repository, NO_HINTS, signal)), { code, message });
    t.match(await failure(codeHost.blame(repository, HEAD, ['README.md'], signal)), { code, message });
    t.match(await failure(codeHost.diff(repository, HEAD, signal)), { code, message });
  }
  const { check } = await github({ token: TOKEN, apiUrl: double.url, repository: 'acme/ip' }).setup(context);
  t.match(await check?.(signal), [
    { name: 'github token', ok: true },
    { name: 'github contents', ok: false, detail: /IP allow list/ },
    { name: 'github issues', ok: false, detail: /IP allow list/ },
  ]);
  const sso = await failure(publisher.create({ ...issue('m'), repository: 'acme/saml' }, signal));
  t.match(sso.message, 'Open https://github.com/orgs/acme/sso?authorization_request=AAAA');
  t.match(await failure(publisher.find('acme/off', 'm', SINCE, signal)), {
    code: 'code_host_forbidden',
    message: /Issues are disabled in acme\/off. Enable them/,
  });
  t.equal(await publisher.find('acme/archived', 'm', SINCE, signal), null, 'an archive can be read');
  t.match(await failure(codeHost.tree('acme/none', NO_HINTS, signal)), {
    message: /may still have to approve/,
  });
  const versions = double.requests.filter(({ path }) => path !== '/graphql').map(({ version }) => version);
  t.ok(versions.length > 10);
  t.same([...new Set(versions)], ['2022-11-28']);
});

t.test('a token that expires in between is said to have expired', async (t) => {
  const hours = (count: number) => count * 3_600_000;
  // The double's clock is behind, so that the token expires without waiting.
  const token = { ...FULL, expiresAt: Date.now() - hours(1) };
  const { codeHost, publisher, double } = await bench(t, token, { now: () => Date.now() - hours(10) });
  await codeHost.diff(REPOSITORY, HEAD, signal);
  double.advance(hours(9.5));
  const message = /it expired at 20\d\d-.* UTC. Create a new one/;
  t.match(await failure(codeHost.tree(REPOSITORY, NO_HINTS, signal)), {
    code: 'code_host_forbidden',
    message,
  });
  t.match(await failure(publisher.create(issue('m'), signal)), { code: 'publish_refused', message });
});

t.test('labels and assignees: what cannot be set is dropped, and never keeps an issue back', async (t) => {
  const wanted = { ...issue('m'), assignees: ['ada'] };
  const repositories = { [REPOSITORY]: { git: SHOP, assignable: ['ada'], labels: ['Culprit'] } };
  const reader = await bench(t, { ...FULL, role: 'read' }, { repositories });
  t.match(await reader.publisher.create(wanted, signal), { labels: [], assignees: [] });

  const triage = await bench(t, { ...FULL, role: 'triage' }, { repositories });
  const added = await triage.publisher.create(wanted, signal);
  t.match(added, { labels: ['Culprit'], assignees: ['ada'] }, 'added after the creation, but not created');
  t.same(triage.double.issues(REPOSITORY)[0]?.assignees, ['ada']);

  const { double, publisher } = await bench(t, FULL, { repositories });
  const both = { ...issue('n'), assignees: ['ada', 'mallory'] };
  t.match(await publisher.expect?.(both, signal), [/^assignee "mallory" will be dropped/]);
  t.match(await publisher.create(both, signal), { assignees: ['ada'] });
  t.equal(
    double.requests.some(
      ({ method, path }) => method === 'POST' && /labels\/?$/.test(path) && !/issues/.test(path),
    ),
    true,
    'suspect:auto is made',
  );
  t.equal(
    double.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/labels')).length,
    1,
    'culprit is not: Culprit exists',
  );
  const at = { method: 'GET', path: '/assignees/' };
  double.fault({ ...at, kind: 'status', status: 500, times: 2 });
  t.match(
    await publisher.create({ ...both, marker: 'o' }, signal),
    { assignees: [] },
    'nobody could be asked',
  );
  t.equal(double.issues(REPOSITORY).length, 2, 'a rejected creation creates nothing');
});

t.test('what became of an issue: why it is closed, deleted, transferred', async (t) => {
  const repositories = {
    [REPOSITORY]: { git: SHOP },
    'acme/other': { git: SHOP },
    'acme/hidden': { git: SHOP },
    'acme/off': { git: SHOP, issuesDisabled: true },
  };
  const token = { ...FULL, repositories: [REPOSITORY, 'acme/other', 'acme/off'] };
  const { double, publisher } = await bench(t, token, { repositories });
  for (const marker of ['a', 'b', 'c', 'd', 'e']) await publisher.create(issue(marker), signal);
  const read = (number: number) => publisher.read(REPOSITORY, number, signal);
  t.match(await read(1), { state: 'open', closed_as: null });
  double.closeIssue(REPOSITORY, 1);
  t.match(await read(1), { state: 'closed', closed_as: 'completed' });
  double.closeIssue(REPOSITORY, 2, 'not_planned');
  t.match(await read(2), { state: 'closed', closed_as: 'not_planned' });
  double.deleteIssue(REPOSITORY, 3);
  t.equal(await read(3), null);
  double.transferIssue(REPOSITORY, 4, 'acme/other');
  double.closeIssue('acme/other', 1, 'duplicate');
  t.match(await read(4), { state: 'closed', closed_as: 'duplicate', url: /acme\/other\/issues\/1$/ });
  double.transferIssue(REPOSITORY, 5, 'acme/hidden');
  t.equal(await read(5), null);
  t.match(await failure(publisher.read('acme/hidden', 1, signal)), { code: 'repository_not_found' });
  const other = { repository: 'acme/off', title: 't', body: '', labels: [], assignees: [] };
  double.addIssue({ ...other, user: 'culprit-bot' });
  t.match(
    await failure(publisher.read('acme/off', 1, signal)),
    { code: 'code_host_forbidden', message: /Issues are disabled/ },
    'which is also 410, but no deletion',
  );
});

t.test('an issue is reopened by a comment; refusals are explained', async (t) => {
  const repositories = { [REPOSITORY]: { git: SHOP }, 'acme/other': { git: SHOP } };
  const { double, publisher, restart } = await bench(t, { ...FULL, role: 'triage' }, { repositories });
  for (const marker of ['a', 'b', 'c', 'd']) await publisher.create(issue(marker), signal);
  const { reopening } = publisher;
  if (!reopening) throw new Error('the publisher must reopen issues');
  const body = markedBody('It is back.', 'again');
  const post = (number: number) => failure(reopening.comment(REPOSITORY, number, body, signal));
  const find = (number: number) => reopening.find(REPOSITORY, number, 'again', SINCE, signal);
  const open = (number: number) => failure(reopening.open(REPOSITORY, number, signal));

  double.closeIssue(REPOSITORY, 1);
  t.equal((await post(1)).code, 'ok');
  t.match(await find(1), { body, url: /\/acme\/shop\/issues\/1#issuecomment-\d+$/ });
  t.equal((await open(1)).code, 'ok');
  t.equal((await open(1)).code, 'ok', 'once more has no effect');
  t.match(double.issues(REPOSITORY)[0], { state: 'open', stateReason: 'reopened', title: issue('a').title });

  const faults = { method: 'POST', path: '/comments' };
  for (const [kind, left] of [
    ['reset-before', 0],
    ['reset-after', 1],
    ['garbage', 1],
  ] as const) {
    double.fault({ ...faults, kind });
    t.match(await post(2), { code: 'publish_ambiguous', message: /comment/ }, kind);
    t.equal(double.comments(REPOSITORY, 2).length, left, `${kind}: one attempt`);
  }
  double.fault({ ...faults, kind: 'status', status: 429, retryAfter: 3 });
  const limited = { code: 'publish_wait', retryAfterMs: 3_000, message: /the comment was not created/ };
  const { publisher: other } = await restart();
  const again = other.reopening?.comment(REPOSITORY, 2, body, signal) ?? Promise.resolve();
  t.match(await failure(again), limited);

  double.lockIssue(REPOSITORY, 2);
  t.match(await publisher.read(REPOSITORY, 2, signal), { locked: true });
  t.match(await post(2), { code: 'reopen_refused', message: /it is locked/ });
  double.deleteIssue(REPOSITORY, 3);
  double.transferIssue(REPOSITORY, 4, 'acme/other');
  for (const number of [3, 4]) t.match(await post(number), { code: 'reopen_refused' });
  for (const number of [3, 4]) t.match(await open(number), { code: 'reopen_refused' });
  t.match(await failure(find(3)), { code: 'reopen_refused', message: /deleted/ });
  t.match(await failure(find(99)), { code: 'reopen_refused' });
  const hidden = reopening.find('acme/hidden', 1, 'again', SINCE, signal);
  t.match(await failure(hidden), { code: 'repository_not_found' }, 'a hidden repository proves nothing');

  const reader = await bench(t, { ...FULL, role: 'read' });
  await reader.publisher.create(issue('a'), signal);
  reader.double.closeIssue(REPOSITORY, 1);
  const denied = reader.publisher.reopening?.open(REPOSITORY, 1, signal) ?? Promise.resolve();
  t.match(await failure(denied), { code: 'code_host_forbidden', message: /Issues: write/ });
});

t.test('comments: every page is read, and only the own count', async (t) => {
  const { double, publisher } = await bench(t, FULL, {
    tokens: { [TOKEN]: FULL, mallory: { ...FULL, user: 'mallory' } },
    limits: false,
  });
  await publisher.create(issue('a'), signal);
  const post = async (token: string, body: string) => {
    const url = `${double.url}/repos/${REPOSITORY}/issues/1/comments`;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ body }) });
    t.equal(answer.status, 201);
  };
  const find = (since = SINCE) => publisher.reopening?.find(REPOSITORY, 1, 'x', since, signal);
  await post('mallory', markedBody('Copied', 'x'));
  t.equal(await find(), null, 'a marker can be copied');
  for (let n = 0; n < 105; n++) await post('mallory', `Me, too ${n}`);
  await post(TOKEN, markedBody('Back', 'x'));
  t.match(await find(), { body: markedBody('Back', 'x') }, 'on the second page');
  t.equal(await find(new Date(Date.now() + 3_600_000).toISOString()), null);
});

t.test(
  'a regression as a new issue, which GitHub shows in the old one’s timeline, reopened, or as a comment alone',
  async (t) => {
    for (const regressionIssues of ['new', 'reopen', 'comment'] as const) {
      const { double } = await bench(t);
      const clock = manualClock(new Date().toISOString());
      const engine = await createEngine({
        connectors: [
          memoryStorageConnector(memoryStorage()),
          github({ token: TOKEN, apiUrl: double.url, only: 'publisher' }),
        ],
        projects: { default: { publishRepository: REPOSITORY } },
        clock,
        policy: { regressionIssues },
      });
      t.teardown(() => engine.close());
      const reviewer = { name: 'ada', via: 'api' } as const;
      const publish = async (event_id: string) => {
        const { run_id } = await engine.ingest({ crash: { event_id, message: 'boom' } });
        const runId = run_id ?? '';
        await engine.approveGateOne(runId, reviewer);
        const signed = engine.approveGateTwo(runId, reviewer);
        do {
          await new Promise((resolve) => setImmediate(resolve));
          await clock.advance(60_000);
        } while ((await engine.run(runId)).state === 'publishing');
        await signed;
        return engine.run(runId);
      };
      await publish('one');
      double.closeIssue(REPOSITORY, 1);
      if (regressionIssues === 'new') {
        t.match(await publish('two'), { state: 'published', publication: { number: 2 } });
        const shown = double.references(REPOSITORY, 1).map(({ number }) => number);
        t.same(shown, [2], 'the timeline of the old issue shows the new one');
        continue;
      }
      // The response of the comment is lost, then the issue cannot be opened for a while.
      const reopened = regressionIssues === 'reopen';
      double.fault({ method: 'POST', path: '/comments', kind: 'reset-after' });
      if (reopened)
        double.fault({ method: 'PATCH', path: '/issues/1', kind: 'status', status: 502, times: 2 });
      const run = await publish('two');
      t.match(run, { state: 'published', publication: { number: 1, divergence: [] } });
      t.match(double.issues(REPOSITORY), [{ state: reopened ? 'open' : 'closed' }]);
      t.equal(double.issues(REPOSITORY).length, 1);
      const changes = double.requests.filter(({ method }) => method === 'PATCH');
      t.equal(changes.length > 0, reopened, 'a comment alone changes nothing else');
      t.equal(double.comments(REPOSITORY, 1).length, 1);
      t.match(await engine.verify(run.run_id), { verified: true });
    }
  },
);

t.test('the issue list: other users’ issues and pull requests do not count', async (t) => {
  const { double, publisher } = await bench(t);
  const fake = { repository: REPOSITORY, title: 'fake', labels: [], assignees: [] };
  double.addIssue({ ...fake, body: markedBody('Fake', 'marker-x'), user: 'mallory' });
  double.addIssue({ ...fake, body: markedBody('Fake', 'marker-x'), user: 'culprit-bot', pullRequest: true });
  t.equal(await publisher.find(REPOSITORY, 'marker-x', SINCE, signal), null);
  const careless = await github({ token: TOKEN, apiUrl: double.url }).setup({
    ...context,
    fetch: (url, init) => fetch(String(url).replace(/creator=[^&]*&/, ''), init),
  });
  const found = await careless.publisher?.find(REPOSITORY, 'marker-x', SINCE, signal);
  t.equal(found, null, 'nor if a proxy drops the filter by creator');
  for (let number = 0; number < 230; number++)
    double.addIssue({ ...fake, body: markedBody('Old', `marker-${number}`), user: 'culprit-bot' });
  t.match(
    await publisher.find(REPOSITORY, 'marker-0', SINCE, signal),
    { number: 3 },
    'the last page is read, too',
  );
  const listed = double.requests.length;
  double.advance(60_000);
  double.addIssue({ ...fake, body: 'new', user: 'culprit-bot' });
  const later = new Date(Date.now() + 30_000).toISOString();
  t.equal(await publisher.find(REPOSITORY, 'marker-0', later, signal), null);
  t.equal(double.requests.length - listed, 1, 'the list ends at the first older issue');
});

t.test('a second token publishes; the first only reads', async (t) => {
  const path = SHOP;
  const reader: DoubleToken = { user: 'reader', permissions: { metadata: 'read', contents: 'read' } };
  const writer: DoubleToken = { user: 'writer', permissions: { metadata: 'read', issues: 'write' } };
  const double = await startGithubDouble({
    repositories: { [REPOSITORY]: { git: path } },
    tokens: { one: reader, two: writer },
  });
  t.teardown(() => double.close());
  const parts = await github({
    token: 'one',
    publishToken: 'two',
    apiUrl: double.url,
    repository: REPOSITORY,
    publishRepository: REPOSITORY,
    tryWriting: true,
  }).setup(context);
  await parts.codeHost?.tree(REPOSITORY, NO_HINTS, signal);
  await parts.publisher?.create(issue('m'), signal);
  t.equal(double.issues(REPOSITORY)[0]?.user, 'writer');
  t.ok(
    double.requests
      .filter(({ method }) => method === 'POST')
      .every(({ user, path }) => user === 'writer' || path === '/graphql'),
  );
  const checks = (await parts.check?.(signal)) ?? [];
  t.ok(checks.length === 4 && checks.every(({ ok }) => ok));
  const writes = () => double.requests.filter(({ method, path }) => method === 'POST' && path !== '/graphql');
  const written = writes().length;
  const reading = await github({ token: 'two', apiUrl: double.url, publishRepository: REPOSITORY }).setup(
    context,
  );
  const [, issues] = (await reading.check?.(signal)) ?? [];
  t.match(issues, { name: 'github issues', ok: true, detail: /are readable/ });
  t.equal(writes().length, written, 'a readiness check writes nothing');
});

t.test('an issue type is set; an unknown one is announced, dropped and reported', async (t) => {
  const { double } = await bench(t, FULL, { issueTypes: { Acme: ['Task', 'Bug'] } });
  const publisherOf = async (issueType: string, apiUrl = double.url) => {
    const { publisher } = await github({ token: TOKEN, apiUrl, issueType }).setup(context);
    if (!publisher) throw new Error('the connector must have a publisher');
    return publisher;
  };
  const typed = await publisherOf('bug');
  t.same(await typed.expect?.(issue('a'), signal), []);
  t.match(await typed.create(issue('a'), signal), { divergence: [] });
  t.equal(double.issues(REPOSITORY)[0]?.issueType, 'Bug', 'as the organisation writes it');

  const unknown = await publisherOf('Crash');
  const both = { ...issue('b'), assignees: [FULL.user] };
  t.same(await unknown.expect?.(both, signal), [
    'issue type "Crash" will be dropped: acme/shop has only Task, Bug',
  ]);
  t.match(await unknown.create(both, signal), {
    divergence: ['issue type "Crash" was dropped'],
    assignees: [FULL.user],
  });
  t.match(
    await unknown.find(REPOSITORY, 'b', SINCE, signal),
    { divergence: ['issue type "Crash" was dropped'] },
    'a lost response changes nothing',
  );
  t.equal(double.issues(REPOSITORY).length, 2, 'one issue each');

  const none = await bench(t);
  const without = await publisherOf('Bug', none.double.url);
  t.same(await without.expect?.(issue('c'), signal), [
    'issue type "Bug" will be dropped: acme/shop has no issue types',
  ]);
  t.match(await without.create(issue('c'), signal), { divergence: ['issue type "Bug" was dropped'] });
  const server = await bench(t, FULL, { enterprise: true, issueTypes: { acme: ['Bug'] } });
  const own = await publisherOf('Bug', server.double.url);
  t.same(await own.expect?.(issue('e'), signal), [], 'Enterprise Server has no such list');
  t.notMatch(await own.create(issue('e'), signal), { divergence: [/Bug/] });
  none.double.fault({ path: '/issue-types', kind: 'status', status: 502 });
  t.same(await without.expect?.(issue('c'), signal), [], 'a failed question expects nothing');
  const reporter = await bench(t, { ...FULL, role: 'triage' }, { issueTypes: { acme: ['Bug'] } });
  const dropped = await publisherOf('Bug', reporter.double.url);
  t.match(
    await dropped.create(issue('d'), signal),
    { divergence: ['issue type "Bug" was dropped'] },
    'only push access sets a type',
  );
});

t.test('what closed an issue: a pull request, a commit, or nobody knows', async (t) => {
  const reader = { ...FULL, permissions: { ...FULL.permissions, pull_requests: 'read' } } as const;
  const { double, publisher } = await bench(t, reader);
  for (const marker of ['a', 'b', 'c', 'd']) await publisher.create(issue(marker), signal);
  const read = async (number: number, by = publisher) =>
    (await by.read(REPOSITORY, number, signal))?.fix ?? null;
  const text = { title: 'Fix it', body: 'Fixes #1' };
  const pull = double.merge({ ...text, repository: REPOSITORY, commit: HEAD, closes: [1] });
  t.same(await read(1), {
    commit: HEAD,
    pull_request: { number: pull.number, url: `${double.url}/acme/shop/pull/${pull.number}` },
  });
  double.closeIssue(REPOSITORY, 2, 'completed', HEAD);
  t.same(await read(2), { commit: HEAD, pull_request: null }, 'the message of a commit');
  double.closeIssue(REPOSITORY, 3);
  t.equal(await read(3), null, 'somebody closed it');
  double.merge({ ...text, repository: REPOSITORY, commit: HEAD, closes: [3], closing: false });
  t.match(await read(3), { commit: HEAD }, 'a linked pull request that was merged later');
  double.closeIssue(REPOSITORY, 4, 'not_planned');
  t.equal(await read(4), null);
  double.fault({ path: '/graphql', kind: 'graphql-unknown-error' });
  const code = 'code_host_unavailable';
  t.match(await failure(publisher.read(REPOSITORY, 1, signal)), { code }, 'a failure is no answer');
  const message = "Field 'closedByPullRequestsReferences' doesn't exist on type 'Issue'";
  double.fault({ path: '/graphql', kind: 'graphql-unknown-error', message });
  t.equal(await read(1), null, 'an Enterprise Server that is too old');

  const { double: closed, publisher: blind } = await bench(t);
  await blind.create(issue('a'), signal);
  closed.merge({ ...text, repository: REPOSITORY, commit: HEAD, closes: [1] });
  t.match(await blind.read(REPOSITORY, 1, signal), { state: 'closed', fix: null }, 'no Pull requests: read');
});

t.test('who changed an issue last: its text or its title', async (t) => {
  const { double, publisher } = await bench(t);
  await publisher.create(issue('a'), signal);
  const lastEdit = async () => publisher.edits?.last(REPOSITORY, 1, signal);
  t.equal(await lastEdit(), null);
  double.editIssue(REPOSITORY, 1, 'grace', { body: 'Other words' });
  const first = await lastEdit();
  t.match(first, { by: 'grace', at: /^\d{4}-/ });
  double.advance(60_000);
  double.editIssue(REPOSITORY, 1, 'linus', { title: 'Another title' });
  t.equal(Date.parse((await lastEdit())?.at ?? '') > Date.parse(first?.at ?? ''), true);
  t.match(await lastEdit(), { by: 'linus' });
  double.closeIssue(REPOSITORY, 1);
  t.match(await lastEdit(), { by: 'linus' }, 'closing changes no text');
  t.match(await publisher.read(REPOSITORY, 1, signal), { title: 'Another title', body: 'Other words' });
});
