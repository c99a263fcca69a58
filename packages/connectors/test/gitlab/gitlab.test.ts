import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { RevisionHints } from '@culprit/core/connector';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import {
  codeHostContract,
  failingPublisherContract,
  type PublishFailure,
  publisherContract,
  sampleHistory,
} from '@culprit/core/testing';
import { type GitlabDouble, startGitlabDouble } from '@culprit/doubles/gitlab';
import t from 'tap';
import { gitlab, gitlabWebhook } from '../../src/gitlab/index.js';
import { fromStored, toStored } from '../../src/gitlab/schema.js';
import { nextPage } from '../../src/shared/hosts/client.js';
import { retryAfterMs } from '../../src/shared/hosts/errors.js';
import { closeAll, gitHost, signal } from '../git/support/context.js';
import { makeRepository } from '../git/support/repository.js';
import {
  BOT,
  bench,
  context,
  doubles,
  failure,
  HEAD,
  issue,
  NO_HINTS,
  PROJECT,
  REPOSITORY,
  SHOP,
  SINCE,
  TOKEN,
} from './support/gitlab-bench.js';

const MINUTE_MS = 60_000;

t.teardown(closeAll);

t.test('fulfils the code host contract, with a copy for questions', async (t) => {
  const { codeHost } = await bench(t, {}, { mirror: { directory: t.testdir() } });
  const subject = {
    codeHost,
    repository: REPOSITORY,
    unknownRepository: 'gitlab:acme/nowhere',
    history: sampleHistory,
  };
  for (const law of codeHostContract) await t.test(law.name, () => law.run(async () => subject));
});

t.test('fulfils the publisher contract', async (t) => {
  for (const law of publisherContract) {
    await t.test(law.name, async (t) => {
      const { publisher } = await bench(t);
      await law.run(async () => ({ publisher, repository: REPOSITORY, lineEnds: 'lf' }));
    });
  }
  const faults: Readonly<Record<PublishFailure, Parameters<GitlabDouble['fault']>[0]>> = {
    refuse: { kind: 'status', status: 400, message: 'title is invalid' },
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
      await law.run(async () => ({ publisher, repository: REPOSITORY, lineEnds: 'lf', failNext }));
    });
  }
});

t.test('the same history as local git, so the same suspects', async (t) => {
  const { codeHost } = await bench(t);
  const local = await gitHost();
  const paths = [...sampleHistory.paths];
  const [there, here] = await Promise.all([
    codeHost.blame(REPOSITORY, HEAD, paths, signal),
    local.blame(SHOP, HEAD, paths, signal),
  ]);
  t.same(
    there.files.map(({ path, status, ranges, lines }) => ({ path, status, ranges, lines })),
    here.files.map(({ path, status, ranges, lines }) => ({ path, status, ranges, lines })),
  );
  t.same(there.ignored, here.ignored);
});

t.test('revisions: commits of forks, tags, releases and deployments', async (t) => {
  const repository = makeRepository(join(t.testdir(), 'released'));
  const at = (n: number) => `2026-03-0${n}T00:00:00Z`;
  const [first = '', second = '', third = ''] = [1, 2, 3].map((n) =>
    repository.commit({ a: `${n}\n` }, { at: at(n) }),
  );
  repository.git('tag', 'v1.9.0', first);
  repository.git('tag', 'v1.10.0', second);
  repository.git('checkout', '-q', '--detach', first);
  const fork = repository.commit({ a: 'fork\n' });
  repository.git('checkout', '-q', 'main');
  repository.git('update-ref', 'refs/merge-requests/7/head', fork);
  const deployed = (sha: string, n: number) => ({
    ...{ sha, ref: `build-${n}`, environment: 'production', status: 'success' as const },
    created_at: at(n),
  });
  const { codeHost } = await bench(t, {
    repositories: {
      [PROJECT]: {
        git: repository.path,
        releases: { 'v1.9.0': 'Spring 1' },
        deployments: [deployed(first, 4), deployed(third, 5)],
      },
    },
  });
  const tree = (hints: Partial<RevisionHints>) =>
    codeHost.tree(REPOSITORY, { ...NO_HINTS, ...hints }, signal);
  t.match(await failure(tree({ commit: fork })), {
    code: 'revision_foreign',
    message: /No branch or tag of gitlab:acme\/web\/shop contains/,
  });
  t.match(await tree({ release: 'shop@1.10.0' }), {
    revision: { sha: second, how: 'tag' },
    previous_release: { tag: 'v1.9.0', sha: first },
  });
  t.match(await tree({ release: 'Spring 1' }), { revision: { how: 'head' } }, 'no tag has such a name');
  t.match(await tree({ release: third }), { previous_release: { tag: 'build-4', sha: first } });
  const { links } = await tree({});
  t.match(links.line, /\/acme\/web\/shop\/-\/blob\/\{sha\}\/\{path\}#L\{line\}$/);
  t.equal(links.pull_request, null, 'every address of a merge request writes a reference into it');
});

t.test('trees by keyset pages; diffs that GitLab cuts off say so', async (t) => {
  const repository = makeRepository(join(t.testdir(), 'large'));
  const names = Array.from({ length: 230 }, (_, n) => `src/part ${n % 3}/файл-${n}.ts`).sort();
  const sha = repository.commit(Object.fromEntries(names.map((name) => [name, 'same\n'])));
  const long = repository.commit({ [names[0] ?? '']: 'x'.repeat(300) });
  const { codeHost, double } = await bench(t, {
    repositories: { [PROJECT]: { git: repository.path } },
    diffFilesAtMost: 60,
    diffCharsAtMost: 200,
  });
  t.same((await codeHost.tree(REPOSITORY, NO_HINTS, signal)).paths, names);
  t.equal(double.requests.filter(({ path }) => path.endsWith('/tree')).length, 3);
  t.match(
    await codeHost.diff(REPOSITORY, long, signal),
    { truncated: true, files: [{ hunks: [] }] },
    'too large',
  );
  const many = await codeHost.diff(REPOSITORY, sha, signal);
  t.match(
    { files: many.files.length, truncated: many.truncated },
    { files: 60, truncated: true },
    'overflow',
  );
  const folding = await bench(t, {
    repositories: { [PROJECT]: { git: repository.path } },
    diffCharsAtMost: 10_000,
    collapsesDiffs: true,
  });
  const next = repository.commit({ [names[0] ?? '']: 'x'.repeat(1_500), [names[1] ?? '']: 'short\n' });
  t.match(
    await folding.codeHost.diff(REPOSITORY, next, signal),
    { truncated: true, files: [{ hunks: [] }, { hunks: [{ lines: ['-same', '+short'] }] }] },
    'collapsed: longer than a tenth of the limit',
  );
  const counted = folding.double.requests.some(({ path }) => path.endsWith(`/commits/${next}`));
  t.notOk(counted, 'GitLab says so itself: the changed lines are not counted');
});

t.test('the address of the next page has no bracket in it', async (t) => {
  const link = (given: string) => nextPage({ headers: { link: given } }, 2);
  t.same(link('<https://h/x?page=1>; rel="first",<https://h/x?page=7>; rel="next"'), { page: '7' });
  t.same(link('<<<https://h/x?page=7>; rel="next"'), { page: '7' });
  t.same(link(`${'<'.repeat(15_000)}rel="next"`), { page: 2 });
});

t.test('the code owners file, from the first of GitLab’s places', async (t) => {
  const repository = makeRepository(join(t.testdir(), 'owned'));
  const first = repository.commit({
    '.gitlab/CODEOWNERS': '[Shop]\n*.ts @ada\n',
    '.github/CODEOWNERS': '* @bob\n',
  });
  const moved = repository.commit({ CODEOWNERS: '* @eve\n' });
  const binary = repository.commit({ CODEOWNERS: 'a\0b' });
  const { codeHost, double } = await bench(t, { repositories: { [PROJECT]: { git: repository.path } } });
  const file = (sha: string) => codeHost.owners?.file(REPOSITORY, sha, signal);
  const known = { dialect: 'gitlab', path: '.gitlab/CODEOWNERS', text: '[Shop]\n*.ts @ada\n' };
  t.same(await file(first), known);
  const asked = double.requests.length;
  t.same(await file(first), known);
  t.equal(double.requests.length, asked, 'asked once');
  t.match(await file(moved), { path: 'CODEOWNERS', text: '* @eve\n' });
  t.match(await file(binary), { path: 'CODEOWNERS', text: null });
});

t.test('a suspect has its merge request, the merged one first', async (t) => {
  const request = (iid: number, state: 'opened' | 'merged') => ({
    iid,
    title: `MR ${iid}`,
    state,
    commits: [HEAD],
  });
  const { codeHost } = await bench(t, {
    repositories: { [PROJECT]: { git: SHOP, mergeRequests: [request(3, 'opened'), request(4, 'merged')] } },
  });
  t.match(await codeHost.commits(REPOSITORY, [HEAD], signal), [
    { pull_request: { number: 4, title: 'MR 4' } },
  ]);
});

t.test('an issue that is taken for spam is refused with the reason, and not looked for', async (t) => {
  const { double, publisher } = await bench(t, { spam: 'Body' });
  const before = double.requests.length;
  t.match(await failure(publisher.create(issue('a'), signal)), {
    code: 'publish_refused',
    message: /treats the issue as spam and asks for a captcha.*trusted/,
  });
  t.equal(double.issues(PROJECT).length, 0);
  t.equal(double.requests.length, before + 1);
});

t.test('creation: proved failures, rate limits, unknown results', async (t) => {
  const { double, publisher } = await bench(t);
  const create = (marker: string) => failure(publisher.create(issue(marker), signal));
  const faults = { method: 'POST', path: '/issues' };
  double.fault({ ...faults, kind: 'status', status: 400, message: 'title is invalid' });
  t.match(await create('a'), { code: 'publish_refused', message: /title is invalid/ });
  double.fault({ ...faults, kind: 'status', status: 500 });
  t.match(await create('a'), { code: 'publish_ambiguous' });
  double.fault({ ...faults, kind: 'reset-before' });
  t.match(await create('a'), { code: 'publish_ambiguous' });
  double.fault({ ...faults, kind: 'garbage' });
  t.match(await create('a'), { code: 'publish_ambiguous' });
  double.fault({ ...faults, kind: 'reset-after' });
  t.match(await create('b'), { code: 'publish_ambiguous' });
  t.equal(double.issues(PROJECT).length, 1, 'one attempt each, no retries');
  t.match(await publisher.find(REPOSITORY, 'b', SINCE, signal), { number: 1 }, 'the created issue is found');
  double.fault({ ...faults, kind: 'status', status: 429, retryAfter: 3_000 });
  t.match(await create('c'), { code: 'publish_wait', retryAfterMs: 3_000_000 });
  const sent = double.requests.length;
  t.match(await failure(publisher.find(REPOSITORY, 'c', SINCE, signal)), { code: 'code_host_unavailable' });
  t.equal(double.requests.length, sent, 'nothing is sent while the limit lasts');
});

t.test('limits of creations tell no time: a minute', async (t) => {
  const { publisher } = await bench(t, { limits: { issuesPerMinute: 0 } });
  t.match(await failure(publisher.create(issue('a'), signal)), {
    code: 'publish_wait',
    retryAfterMs: 60_000,
  });
});

t.test('the reset of a limit counts where no response says how long to wait', async (t) => {
  const double = await startGitlabDouble({
    repositories: { [PROJECT]: { git: SHOP } },
    tokens: { [TOKEN]: BOT },
    limits: { requestsPerMinute: 0 },
  });
  t.teardown(() => double.close());
  double.advance(30 * MINUTE_MS);
  const proxied: typeof globalThis.fetch = async (...request) => {
    const answer = await fetch(...request);
    const headers = new Headers(answer.headers);
    headers.delete('retry-after');
    return new Response(answer.body, { status: answer.status, headers });
  };
  const parts = await gitlab({ token: TOKEN, url: double.url }).setup({ ...context, fetch: proxied });
  const refused = await failure(parts.publisher?.create(issue('a'), signal) ?? Promise.resolve());
  t.match(refused, { code: 'publish_wait' });
  const { retryAfterMs: waits = 0 } = refused as { retryAfterMs?: number };
  t.ok(waits > MINUTE_MS && waits <= 31 * MINUTE_MS, 'until the end of the double’s minute');
  const wait = (headers: Record<string, string>) => retryAfterMs({ headers }, 4_000);
  t.equal(wait({ 'ratelimit-reset': '10' }), 6_000);
  t.equal(wait({ 'ratelimit-reset': '10', 'retry-after': '20' }), 20_000, 'Retry-After comes first');
  t.equal(wait({ 'ratelimit-reset': '3' }), 1_000, 'it is past: a second');
  t.equal(wait({ 'ratelimit-reset': 'soon' }), 60_000);
});

t.test('no line of a text is a quick action, and the text stays as signed', async (t) => {
  const { double, publisher } = await bench(t);
  const text = 'Steps\n/close\n /assign @ada\n```\n/label ~x\n```\n/usr/bin/node\n/nothing here';
  const body = markedBody(text, 'quick');
  const made = await publisher.create(issue('quick', { body }), signal);
  t.match(made, { state: 'open', body, assignees: [] });
  t.equal(fromStored(toStored(body)), body);
  t.match(double.issues(PROJECT)[0]?.body, '\n /close\n  /assign @ada\n', 'what Markdown does not show');
  const raw = await fetch(`${double.url}/api/v4/projects/${encodeURIComponent(PROJECT)}/issues`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'raw', description: 'Steps\n/close\n' }),
  });
  t.match(await raw.json(), { description: 'Steps' });
  t.match(await publisher.read(REPOSITORY, 2, signal), { state: 'closed' }, 'the double executes them');
});

t.test('refusals say why', async (t) => {
  const repositories = {
    'acme/archived': { git: SHOP, archived: true },
    'acme/off': { git: SHOP, issuesDisabled: true },
    'acme/old': { git: SHOP, renamedTo: 'acme/new' },
    'acme/new': { git: SHOP },
    'acme/empty': { git: makeRepository(join(t.testdir(), 'empty')).path },
  };
  const tokens = {
    [TOKEN]: BOT,
    'glpat-reads': { ...BOT, scopes: ['read_api'] as const },
    'glpat-old': { ...BOT, expiresAt: 1 },
    'glpat-guest': { user: 'guest', scopes: ['api'] as const, role: 'guest' as const },
  };
  const { double, publisher, codeHost } = await bench(t, { repositories, tokens });
  const on = (project: string) => ({ ...issue('m'), repository: `gitlab:${project}` });
  const create = (project: string) => failure(publisher.create(on(project), signal));
  t.match(await create('acme/archived'), { code: 'publish_refused', message: /is archived.*Unarchive/ });
  t.match(await create('acme/off'), { code: 'publish_refused', message: /Issues are disabled.*Enable/ });
  t.match(await create('acme/missing'), { code: 'publish_refused', message: /Check the name/ });
  t.equal((await create('acme/old')).code, 'ok', 'a moved project is followed');
  t.equal(double.issues('acme/new').length, 1);
  t.match(await codeHost.tree('gitlab:acme/old', NO_HINTS, signal), { revision: { sha: HEAD } });
  t.match(await failure(codeHost.tree('gitlab:acme/empty', NO_HINTS, signal)), {
    code: 'revision_not_found',
  });
  t.match(await failure(codeHost.tree('acme/new', NO_HINTS, signal)), { code: 'repository_not_found' });
  const as = async (token: string) => {
    const parts = await gitlab({ token, url: double.url, repository: 'gitlab:acme/new' }).setup(context);
    if (!parts.codeHost || !parts.publisher || !parts.check) throw new Error('incomplete');
    return { codeHost: parts.codeHost, publisher: parts.publisher, check: parts.check };
  };
  const reads = await as('glpat-reads');
  t.match(await failure(reads.publisher.create(on('acme/new'), signal)), {
    code: 'publish_refused',
    message: /scope api.*insufficient_scope/,
  });
  t.match(await reads.check(signal), [{ ok: false, detail: /GITLAB_TOKEN lacks a scope: it has read_api/ }]);
  const expired = await as('glpat-old');
  t.match(await failure(expired.codeHost.tree('gitlab:acme/new', NO_HINTS, signal)), {
    code: 'code_host_forbidden',
    message: /it is expired/,
  });
  t.match(await expired.check(signal), [{ name: 'gitlab token', ok: false, detail: /Set GITLAB_TOKEN/ }]);
  const guest = await as('glpat-guest');
  t.match(await failure(guest.codeHost.blame('gitlab:acme/new', HEAD, ['README.md'], signal)), {
    code: 'code_host_forbidden',
    message: /Reporter/,
  });
  t.match(await guest.publisher.create(on('acme/new'), signal), { labels: [] }, 'GitLab drops the labels');
  t.match(await guest.check(signal), [
    { ok: true },
    { name: 'gitlab code', ok: false, detail: /Reporter/ },
    { name: 'gitlab issues', ok: false, optional: true, detail: /drops labels/ },
  ]);
  const { check } = await gitlab({
    token: TOKEN,
    publishToken: 'glpat-reads',
    url: double.url,
    repository: 'gitlab:acme/new',
    publishRepository: 'gitlab:acme/archived',
  }).setup(context);
  t.match(await check?.(signal), [{ ok: true }, { name: 'gitlab publish token', ok: false }]);
});

t.test('the token of an OAuth application: only as Bearer, and its scopes are not told', async (t) => {
  const { double, publisher, codeHost } = await bench(t, { tokens: { [TOKEN]: { ...BOT, oauth: true } } });
  t.match(await publisher.create(issue('a'), signal), { number: 1 });
  t.match(await codeHost.tree(REPOSITORY, NO_HINTS, signal), { revision: { sha: HEAD } });
  const user = async (headers: Record<string, string>) => {
    const answer = await fetch(`${double.url}/api/v4/user`, { headers });
    return { status: answer.status, body: await answer.json() };
  };
  t.match(await user({ authorization: `Bearer ${TOKEN}` }), { status: 200, body: { username: BOT.user } });
  t.same(await user({ 'private-token': TOKEN }), { status: 401, body: { message: '401 Unauthorized' } });
  const config = { token: TOKEN, url: double.url, repository: REPOSITORY };
  const { check } = await gitlab(config).setup(context);
  t.match(await check?.(signal), [
    { name: 'gitlab token', ok: true, detail: /culprit-bot/ },
    { name: 'gitlab code', ok: true },
    { name: 'gitlab issues', ok: true },
  ]);
});

const CLOSED_BY_LABEL = [
  ['wontfix', 'not_planned'],
  ['status::Won’t do', 'not_planned'],
  ['resolution::Duplicate', 'duplicate'],
  ['crash', null],
] as const;

t.test('an issue is read wherever it is', async (t) => {
  const repositories = {
    [PROJECT]: { git: SHOP },
    'acme/other': { git: SHOP },
    'acme/secret': { git: SHOP },
  };
  const tokens = { [TOKEN]: { ...BOT, projects: [PROJECT, 'acme/other'] } };
  const { double, publisher } = await bench(
    t,
    { repositories, tokens, users: ['ada'] },
    { confidential: true },
  );
  const read = (number: number) => publisher.read(REPOSITORY, number, signal);
  for (const marker of ['a', 'b', 'c', 'd', 'e']) await publisher.create(issue(marker), signal);
  t.equal(double.issues(PROJECT)[0]?.confidential, true);
  double.addIssue({ repository: PROJECT, user: 'ada', title: 'copied', body: issue('copied').body });
  t.equal(await publisher.find(REPOSITORY, 'copied', SINCE, signal), null, 'only its own issues');
  t.match(await read(6), { divergence: ['the issue is not confidential'] });
  double.moveIssue(PROJECT, 1, 'acme/other');
  t.match(await read(1), { state: 'open', url: /\/acme\/other\/-\/issues\/1$/ }, 'it is followed');
  double.moveIssue(PROJECT, 2, 'acme/secret');
  t.equal(await read(2), null, 'moved out of sight');
  double.deleteIssue(PROJECT, 3);
  t.equal(await read(3), null);
  double.closeAsDuplicate(PROJECT, 4, 1);
  t.match(await read(4), { state: 'closed', closed_as: 'duplicate' });
  const merge_commit_sha = HEAD;
  double.merge(
    PROJECT,
    { iid: 9, title: 'Fix', commits: [], state: 'merged', merge_commit_sha, closes: [5] },
    'Closes #5',
  );
  t.match(await read(5), { state: 'closed', fix: { commit: HEAD, pull_request: { number: 9 } } });
  t.match(await publisher.expect?.(issue('x', { assignees: ['ada', 'nobody'] }), signal), [
    /"nobody" will be dropped/,
  ]);
  const several = issue('several', { assignees: ['ada', 'grace', 'nobody'] });
  const free = await bench(t, { repositories, users: ['ada', 'grace'] });
  t.match(await free.publisher.expect?.(several, signal), [/"nobody" will be/, /"grace" may be dropped/]);
  t.match(await free.publisher.create(several, signal), { assignees: ['ada'] });
  const paid = await bench(t, { repositories, users: ['ada', 'grace'], paid: true });
  t.match(await paid.publisher.create(several, signal), { assignees: ['ada', 'grace'] });
  t.match(await paid.publisher.expect?.(several, signal), [/"nobody" will be dropped/], 'known by then');
  for (const [label, closed_as] of CLOSED_BY_LABEL) {
    const { number } = await publisher.create(issue(`by ${label}`, { labels: [label] }), signal);
    t.notOk((await read(number))?.closed_as, 'it is open');
    double.closeIssue(PROJECT, number);
    t.equal((await read(number))?.closed_as ?? null, closed_as, label);
  }
  const { reopening } = publisher;
  double.lockIssue(PROJECT, 5);
  t.match(await publisher.read(REPOSITORY, 5, signal), { locked: true });
  t.match(await failure(reopening?.find(REPOSITORY, 1, 'a', SINCE, signal) ?? Promise.resolve()), {
    code: 'reopen_refused',
    message: /moved to another project/,
  });
});

t.test('GraphQL: what the documented fields do not allow is refused', async (t) => {
  const { double, publisher } = await bench(t);
  await publisher.create(issue('a'), signal);
  const id = `gid://gitlab/Issue/${double.issues(PROJECT)[0]?.id}`;
  const ask = async (query: string, variables: object = { id }) => {
    const answer = await fetch(`${double.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return { status: answer.status, body: Object(await answer.json()) };
  };
  const of = (fields: string) => `query Q($id: IssueID!) { issue(id: $id) { ${fields} } }`;
  const answers = async (query: string, reference: string) =>
    t.same(await ask(query), { status: 200, body: { data: { issue: { reference } } } });
  await answers(of('reference(full: true)'), `${PROJECT}#1`);
  await answers(of('reference'), '#1');
  t.same(double.violations, []);
  const refused = async (message: RegExp, ...question: Parameters<typeof ask>) => {
    const { status, body } = await ask(...question);
    t.match({ status, body }, { status: 200, body: { errors: [{ message }] } });
    t.notOk('data' in body);
    t.match(double.violations.splice(0), [message], 'it is a violation');
  };
  await refused(/Cannot query field "webUrl"/, of('webUrl'));
  await refused(/Unknown argument "short"/, of('reference(short: true)'));
  await refused(/Cannot query field "project"/, 'query Q { project { id } }', {});
  await refused(/not configured for mutations/, 'mutation Q { close }', {});
  await refused(/Syntax Error/, 'query Q {', {});
  await refused(/of required type "IssueID!" was not provided/, of('reference'), {});
  await refused(/not a valid Global ID/, of('reference'), { id: '1' });
  await refused(/not represent an instance of Issue/, of('reference'), { id: 'gid://gitlab/Epic/1' });
  t.same(await ask(of('reference'), { id: 'gid://gitlab/Issue/1' }), {
    status: 200,
    body: { data: { issue: null } },
  });
});

t.test('a signing token that anybody could guess is refused', async (t) => {
  for (const secret of ['whsec_', 'whsec_?', 'whsec_c2hvcnQ='])
    t.throws(() => gitlabWebhook({ secrets: [secret] }), { code: 'configuration' });
});

t.test('webhook: by signature or token; issues and merges are read again', async (t) => {
  const { double, publisher } = await bench(t);
  await publisher.create(issue('a'), signal);
  const changed: unknown[] = [];
  const engine = {
    issueChanged: async (one: unknown) => {
      changed.push(one);
      return 'run_1';
    },
  };
  const signing = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const hook = gitlabWebhook({ secrets: ['token-1', signing] });
  let arrived: (delivery: { headers: Record<string, string>; body: Buffer }) => void = () => {};
  const receiver = createServer((incoming, outgoing) => {
    incoming.toArray().then((chunks) => {
      outgoing.end();
      arrived({ headers: incoming.headers as Record<string, string>, body: Buffer.concat(chunks) });
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const delivery = (secret: string, act: () => unknown) =>
    new Promise<{ headers: Record<string, string>; body: Buffer }>((done) => {
      arrived = done;
      double.sendEvents({ url, secret });
      act();
    });
  const refused = { code: 'unauthenticated' };
  const closed = await delivery('token-1', () => double.closeIssue(PROJECT, 1));
  t.equal(await hook.receive(engine, closed), 'run_1');
  t.match(changed, [/marker=a /]);
  const reopened = await delivery('token-1', () => publisher.reopening?.open(REPOSITORY, 1, signal));
  t.match(JSON.parse(String(reopened.body)), { object_attributes: { action: 'reopen', state: 'opened' } });
  changed.length = 0;
  t.equal(await hook.receive(engine, reopened), 'run_1');
  t.match(changed, [/marker=a /], 'reopened');
  t.match(await failure(gitlabWebhook({ secrets: ['other'] }).receive(engine, closed)), refused);
  t.match(await failure(gitlabWebhook({ secrets: [signing] }).receive(engine, closed)), refused);
  const merge = { iid: 2, title: 'Fix', commits: [], state: 'merged' as const };
  const words =
    'Closes #1, #2 and acme/api#3; implements http://gitlab.example/acme/web/shop/-/issues/4. See #9';
  const merged = await delivery(signing, () => double.merge(PROJECT, merge, words));
  changed.length = 0;
  t.equal(await hook.receive(engine, merged), 'run_1');
  t.same(changed, [
    { repository: REPOSITORY, number: 1 },
    { repository: REPOSITORY, number: 2 },
    { repository: 'gitlab:acme/api', number: 3 },
    { repository: REPOSITORY, number: 4 },
  ]);
  const forged = { ...merged, body: Buffer.concat([merged.body, Buffer.from(' ')]) };
  t.match(await failure(hook.receive(engine, forged)), refused);
  const stale = { ...merged, headers: { ...merged.headers, 'webhook-timestamp': '1' } };
  t.match(await failure(hook.receive(engine, stale)), refused);
  const padded = `Closes #1${' '.repeat(200_000)}${'closes '.repeat(20_000)}#2`;
  changed.length = 0;
  await hook.receive(engine, await delivery(signing, () => double.merge(PROJECT, merge, padded)));
  t.equal(changed.length, 2, 'long runs of space and words are read in linear time');
  const junk = {
    headers: { 'x-gitlab-token': 'token-1', 'x-gitlab-event': 'Issue Hook' },
    body: Buffer.from('{}'),
  };
  t.match(await failure(hook.receive(engine, junk)), { code: 'malformed' });
  const other = {
    headers: { 'x-gitlab-token': 'token-1', 'x-gitlab-event': 'Push Hook' },
    body: Buffer.from(''),
  };
  t.equal(await hook.receive(engine, other), null);
});

t.test('every route of the connector was sent to the double, which compares it with the description', (t) => {
  const folder = new URL('../../src/gitlab/', import.meta.url);
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const routes = texts.flatMap((text) =>
    [...text.matchAll(/'((?:GET|POST|PUT) \/[^']*)'/g)].map(([, route]) => route),
  );
  const sent = new Set(doubles.flatMap(({ requests }) => requests.map(({ route }) => route)));
  t.same(
    [...new Set(routes)].filter((route) => !sent.has(route ?? '')),
    [],
  );
  t.ok(sent.has('query MovedIssue'));
  t.ok(routes.length > 20);
  t.end();
});
