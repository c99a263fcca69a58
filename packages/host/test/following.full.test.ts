import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ForgejoDouble, startForgejoDouble } from '@culprit/doubles/forgejo';
import { type DoubleToken, type GithubDouble, startGithubDouble } from '@culprit/doubles/github';
import { type GitlabDouble, startGitlabDouble } from '@culprit/doubles/gitlab';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { crashingRepository } from './support/crashing-repository.js';
import { type CoreChild, startCoreChild } from './support/github-bench.js';

const TOKEN = 'github_pat_11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz';
const BOT: DoubleToken = { user: 'culprit-bot', permissions: { contents: 'read', issues: 'write' } };
const SHOP = 'acme/shop';
const TRIAGE = 'acme/triage';
/** No test waits for a time; this only ends one that would never end. */
const NEVER_MS = 120_000;

interface Bench {
  readonly github: GithubDouble;
  readonly head: string;
  readonly directory: string;
  start(settings: object): Promise<CoreChild>;
}

async function bench(t: Test): Promise<Bench> {
  const folder = temporaryFolder(t, 'following');
  const data = join(folder, 'data');
  mkdirSync(data);
  const { directory, head } = crashingRepository(join(folder, 'shop'));
  const github = await startGithubDouble({
    repositories: { [SHOP]: { git: directory }, [TRIAGE]: { git: directory } },
    tokens: { [TOKEN]: BOT },
  });
  const cores: CoreChild[] = [];
  t.teardown(async () => {
    for (const core of cores)
      if (core.child.exitCode === null && core.child.signalCode === null) await core.stop();
    await github.close();
  });
  return {
    github,
    head,
    directory,
    async start(settings) {
      writeFileSync(join(data, 'culprit.json'), JSON.stringify(settings));
      const env = { GITHUB_TOKEN: TOKEN, GITHUB_API_URL: github.url };
      const core = await startCoreChild({ data, env });
      cores.push(core);
      return core;
    },
  };
}

async function publish(core: CoreChild, runId: string): Promise<void> {
  for (const gate of ['gate1', 'gate2']) {
    const { status, text } = await core.ask({
      method: 'POST',
      path: `/api/v1/runs/${runId}/${gate}/approve`,
    });
    // 202: the machine is so busy that the code host's answer came too late. Core looks for the issue and goes on by itself.
    if (gate === 'gate2' && status === 202) await until(() => published(core, runId));
    else if (status !== 200) throw new Error(`${gate}: ${status} ${text}`);
  }
}

async function published(core: CoreChild, runId: string): Promise<boolean> {
  return (await core.ask({ path: `/api/v1/runs/${runId}` })).json.state === 'published';
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + NEVER_MS; !(await holds()); await pause(20))
    if (Date.now() > end) throw new Error('the condition does not come true');
}

async function killed({ child }: CoreChild): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

t.test(
  'each project has its own systems, and links and references mean what they mean at home',
  async (t) => {
    const { github, head, directory, start } = await bench(t);
    github.addIssue({ repository: TRIAGE, title: 'Other', body: '', labels: [], assignees: [], user: 'ada' });
    const core = await start({
      projects: {
        default: { repository: directory, publishRepository: TRIAGE },
        web: { repository: SHOP },
        lab: { repository: SHOP, publishRepository: 'outbox:' },
      },
    });
    const runs = [];
    for (const [at, project] of ['default', 'web', 'lab'].entries()) {
      const message = `total of #1, ${TRIAGE}#1, @ada and ${head}`;
      const runId = await core.deliver(at + 1, head, { project, message });
      await publish(core, runId);
      runs.push((await core.ask({ path: `/api/v1/runs/${runId}` })).json);
    }
    const [disk, web, lab] = runs;
    const own = `http://127.0.0.1:${core.port}/`;
    const url = (run: typeof disk) => String(run.publication.issue_url);
    t.equal(url(disk), `${github.url}/${TRIAGE}/issues/2`);
    t.equal(url(web), `${github.url}/${SHOP}/issues/1`);
    t.equal(url(lab), `${own}outbox/1`);
    const line = (base: string) => `](${base}`;
    t.ok(disk.draft.body.includes(line(`${own}code/default/${head}/src/cart.js`)), 'the code on disk');
    t.notOk(disk.draft.body.includes(github.url), 'and nothing of GitHub');
    for (const { draft } of [web, lab]) {
      t.ok(draft.body.includes(line(`${github.url}/${SHOP}/blob/${head}/src/cart.js`)), 'the code on GitHub');
      t.notOk(draft.body.includes(own));
    }
    t.equal(disk.suspects[0].sha, web.suspects[0].sha, 'one history, one suspect');
    for (const name of [TRIAGE, SHOP])
      t.same(github.references(name, 1), [], 'no reference to an issue of the host');
    for (const { run_id } of runs) {
      const { json } = await core.ask({ path: `/api/v1/runs/${run_id}/verification` });
      t.match(json, { verified: true }, run_id);
    }
    t.equal((await core.ask({ path: '/readyz' })).status, 200);
    const effect = (run: typeof disk) => core.ask({ path: `/api/v1/runs/${run.run_id}/resolution` });
    t.match((await effect(web)).json, { comment: /^`local` marked this as fixed/ });
    t.match((await effect(lab)).json, { comment: null, set: null }, 'the outbox takes no comments');
  },
);

t.test('a change of an issue is made once, whenever core dies, and comes back as no news', async (t) => {
  const { github, head, start } = await bench(t);
  const secret = 'a-webhook-secret-of-32-characters';
  const settings = {
    githubWebhookSecret: secret,
    projects: { default: { repository: SHOP, resolvedRuns: 'close' } },
  };
  let core = await start(settings);
  const runId = await core.deliver(1, head);
  await publish(core, runId);
  const path = `/api/v1/runs/${runId}`;
  const run = async () => (await core.ask({ path })).json;
  const names = async () =>
    ((await core.ask({ path: `${path}/history` })).json.entries as { name: string }[]).map(
      ({ name }) => name,
    );
  const { json: effect } = await core.ask({ path: `${path}/resolution?next_release=true` });
  t.match(effect, { set: 'closed', comment: /next release/ });

  github.hold({ method: 'POST', path: `/repos/${SHOP}/issues/1/comments`, when: 'after' });
  const marked = await core.ask({ method: 'POST', path: `${path}/resolution`, body: { next_release: true } });
  t.match(marked, {
    status: 200,
    json: { resolution: { by: 'local', as: 'fixed' }, follow_up: { set: 'closed' } },
  });
  await until(() => github.comments(SHOP, 1).length === 1);
  await killed(core);
  github.release();
  github.hold({ method: 'PATCH', path: `/repos/${SHOP}/issues/1`, when: 'before' });
  core = await start(settings);
  await until(async () => (await run()).follow_up.comment_url !== null);
  await killed(core);
  github.release();
  t.match(github.issues(SHOP), [{ state: 'open' }], 'recorded, and not done');
  core = await start(settings);
  github.sendEvents({ url: `http://127.0.0.1:${core.port}/webhook/github`, secret });
  await until(async () => (await run()).follow_up.state === 'done');
  const [comment, ...others] = github.comments(SHOP, 1);
  t.equal(others.length, 0, 'one comment');
  t.ok(comment?.body.startsWith(String(effect.comment)), 'with the text that was shown');
  t.match(github.issues(SHOP), [{ state: 'closed', stateReason: 'completed' }]);

  t.equal(await core.deliver(2, head), runId, 'its release does not have the fix');
  github.reopenIssue(SHOP, 1);
  await until(async () => (await run()).resolution === null || (await run()).resolution === undefined);
  const own = (await names()).filter((name) => /^(resolve|issue\.)/.test(name));
  t.same(own, ['resolve', 'issue.completed', 'issue.open'], 'our own closing is one entry');
  t.equal(github.comments(SHOP, 1).length, 1, 'what came from the issue does not go back');

  const again = await core.ask({ method: 'POST', path: `${path}/resolution` });
  t.equal(again.status, 200);
  await until(async () => (await run()).follow_up.state === 'done');
  t.equal(github.comments(SHOP, 1).length, 2, 'another mark, another comment');
  const undone = await core.ask({ method: 'DELETE', path: `${path}/resolution` });
  t.match(undone.json, { resolution: null, follow_up: { set: 'open' } });
  await until(async () => (await run()).follow_up.state === 'done');
  t.match(github.issues(SHOP), [{ state: 'open' }]);
  const audit = await core.ask({ path: `${path}/verification` });
  t.match(audit.json, { verified: true });
});

interface Systems {
  readonly head: string;
  readonly directory: string;
  readonly doubles: {
    readonly github: GithubDouble;
    readonly gitlab: GitlabDouble;
    readonly forgejo: ForgejoDouble;
  };
  /** The comments on an issue. */
  readonly bodies: Readonly<Record<string, (number: number) => readonly string[]>>;
  start(projects: object, settings?: object): Promise<CoreChild>;
}

/** Three systems with the repository `acme/triage`. */
async function systems(t: Test): Promise<Systems> {
  const folder = temporaryFolder(t, 'systems');
  const data = join(folder, 'data');
  mkdirSync(data);
  const { directory, head } = crashingRepository(join(folder, 'shop'));
  const repositories = { [TRIAGE]: { git: directory } };
  const github = await startGithubDouble({ repositories, tokens: { [TOKEN]: BOT } });
  const bot = { user: 'culprit-bot' };
  const gitlab = await startGitlabDouble({ repositories, tokens: { [TOKEN]: { ...bot, scopes: ['api'] } } });
  const scopes = ['read:repository', 'read:user', 'write:issue'] as const;
  const forgejo = await startForgejoDouble({ repositories, tokens: { [TOKEN]: { ...bot, scopes } } });
  const cores: CoreChild[] = [];
  t.teardown(async () => {
    for (const core of cores)
      if (core.child.exitCode === null && core.child.signalCode === null) await core.stop();
    await Promise.all([github, gitlab, forgejo].map((double) => double.close()));
  });
  const env = {
    ...{ GITHUB_TOKEN: TOKEN, GITHUB_API_URL: github.url },
    ...{ GITLAB_TOKEN: TOKEN, GITLAB_URL: gitlab.url },
    ...{ FORGEJO_TOKEN: TOKEN, FORGEJO_URL: forgejo.url },
  };
  return {
    ...{ head, directory, doubles: { github, gitlab, forgejo } },
    bodies: {
      github: (number) => github.comments(TRIAGE, number).map(({ body }) => body),
      gitlab: (number) =>
        gitlab
          .issues(TRIAGE)
          .flatMap((issue) => (issue.number === number ? gitlab.notes(issue) : []))
          .map(({ body }) => body),
      forgejo: (number) =>
        forgejo
          .issues(TRIAGE)
          .flatMap((issue) => (issue.number === number ? forgejo.comments(issue) : []))
          .map(({ body }) => body),
    },
    async start(projects, settings = {}) {
      // A token without a project that uses it is an error.
      const all = { other: { repository: directory, publishRepository: TRIAGE }, ...projects };
      writeFileSync(join(data, 'culprit.json'), JSON.stringify({ ...settings, projects: all }));
      const core = await startCoreChild({ data, env });
      cores.push(core);
      return core;
    },
  };
}

function triageOn(system: string): string {
  return `${system === 'github' ? '' : `${system}:`}${TRIAGE}`;
}

async function runOf(core: CoreChild, runId: string, more = '') {
  return (await core.ask({ path: `/api/v1/runs/${runId}${more}` })).json;
}

t.test(
  'a regression and the issue before it link each other, on every system and across systems',
  async (t) => {
    const { head, directory, doubles, bodies, start: startWith } = await systems(t);
    const { github, gitlab, forgejo } = doubles;
    const pairs = [
      ...['github github', 'gitlab gitlab', 'forgejo forgejo'],
      ...['github gitlab', 'gitlab forgejo', 'forgejo github'],
    ];
    const between = pairs.map((pair, at) => {
      const [from = '', to = ''] = pair.split(' ');
      return { name: `from ${from} to ${to}`, project: `project-${at}`, from, to };
    });
    const start = (which: 'from' | 'to') =>
      startWith(
        Object.fromEntries(
          between.map((one) => [
            one.project,
            { repository: directory, publishRepository: triageOn(one[which]), resolvedRuns: 'nothing' },
          ]),
        ),
      );

    let core = await start('from');
    let sequence = 0;
    const crash = ({ project }: { readonly project: string }) => core.deliver(++sequence, head, { project });
    const before: { runId: string; number: number; url: string }[] = [];
    for (const one of between) {
      const runId = await crash(one);
      await publish(core, runId);
      const { number, issue_url: url } = (await runOf(core, runId)).publication;
      before.push({ runId, number, url });
      await core.ask({ method: 'POST', path: `/api/v1/runs/${runId}/resolution` });
    }
    await core.stop();

    core = await start('to');
    for (const [double, path] of [
      [github, '/comments'],
      [gitlab, '/notes'],
      [forgejo, '/comments'],
    ] as const)
      double.hold({ method: 'POST', path, when: 'after', times: pairs.length });
    const after: string[] = [];
    for (const [at, one] of between.entries()) {
      const runId = await crash(one);
      after.push(runId);
      await core.ask({ method: 'POST', path: `/api/v1/runs/${runId}/gate1/approve` });
      const { link_back } = await runOf(core, runId, '/draft/preview');
      const url = one.name === 'from github to github' ? undefined : before[at]?.url;
      t.equal(link_back?.url, url, `${one.name}: shown before it happens`);
      await core.ask({ method: 'POST', path: `/api/v1/runs/${runId}/gate2/approve` });
    }
    const linking = between.filter(({ from, to }) => from !== 'github' || to !== 'github');
    const commentsOn = (one: (typeof between)[number]) =>
      bodies[one.from]?.(before[between.indexOf(one)]?.number ?? 0) ?? [];
    await until(() => linking.every((one) => commentsOn(one).length === 1));
    await killed(core);
    for (const double of [github, gitlab, forgejo]) double.release();
    core = await start('to');
    for (const [at, one] of between.entries()) {
      const runId = after[at] ?? '';
      const run = () => runOf(core, runId);
      if (linking.includes(one)) await until(async () => (await run()).link_back.change.state !== 'pending');
      const { publication, regression_of, link_back, draft } = await run();
      t.equal(regression_of, before[at]?.runId, one.name);
      t.ok(draft.body.includes(`](${before[at]?.url})`), `${one.name}: the new issue links the earlier one`);
      const comments = commentsOn(one);
      if (!linking.includes(one)) {
        const shown = github.references(TRIAGE, before[at]?.number ?? 0).map(({ number }) => number);
        t.same([shown, comments], [[publication.number], []], `${one.name}: by the timeline`);
        continue;
      }
      t.match(link_back, { change: { state: 'done' } }, one.name);
      t.equal(comments.length, 1, `${one.name}: one comment`);
      t.ok(comments[0]?.includes(`](${publication.issue_url})`), `${one.name}: it links the new issue`);
    }
  },
);

t.test('on every system: reopened, or only commented on; on GitLab and Forgejo quiet by label', async (t) => {
  const { head, directory, doubles, bodies, start } = await systems(t);
  const cases = (['github', 'gitlab', 'forgejo'] as const).flatMap((system) =>
    (['reopen', 'comment'] as const).map((how) => ({ system, how, project: `${how}-${system}` })),
  );
  const quiet = ['gitlab', 'forgejo'].map((system) => ({ system, project: `quiet-${system}` }));
  const settings = (system: string) => ({ repository: directory, publishRepository: triageOn(system) });
  const core = await start({
    ...Object.fromEntries(
      cases.map(({ system, how, project }) => [
        project,
        { ...settings(system), resolvedRuns: 'close', regressionIssues: how },
      ]),
    ),
    ...Object.fromEntries(
      quiet.map(({ system, project }) => [project, { ...settings(system), labels: ['wontfix'] }]),
    ),
  });
  let sequence = 0;
  const crash = (project: string) => core.deliver(++sequence, head, { project });
  const issueOn = (system: keyof typeof doubles, number: number) =>
    doubles[system].issues(TRIAGE).find((issue) => issue.number === number);
  for (const { system, how, project } of cases) {
    const runId = await crash(project);
    await publish(core, runId);
    const { number, issue_url } = (await runOf(core, runId)).publication;
    await core.ask({ method: 'POST', path: `/api/v1/runs/${runId}/resolution` });
    await until(async () => (await runOf(core, runId)).follow_up.state === 'done');
    t.match(issueOn(system, number)?.state, 'closed', project);
    const back = await crash(project);
    await core.ask({ method: 'POST', path: `/api/v1/runs/${back}/gate1/approve` });
    const shown = await runOf(core, back, '/draft/preview');
    t.match(shown.reopens, { number, ...(how === 'comment' ? { only_comment: true } : {}) }, project);
    t.equal(shown.link_back, undefined);
    await core.ask({ method: 'POST', path: `/api/v1/runs/${back}/gate2/approve` });
    await until(async () => (await runOf(core, back)).state === 'published');
    const run = await runOf(core, back);
    t.match(run, { regression_of: runId, publication: { number, issue_url, divergence: [] } }, project);
    t.match(issueOn(system, number)?.state, how === 'comment' ? 'closed' : 'open', project);
    t.equal(bodies[system]?.(number).length, 2, 'the fix, and the regression');
    t.match(await runOf(core, back, '/verification'), { verified: true }, project);
  }
  for (const { system, project } of quiet) {
    const runId = await crash(project);
    await publish(core, runId);
    const { number } = (await runOf(core, runId)).publication;
    doubles[system as 'gitlab' | 'forgejo'].closeIssue(TRIAGE, number);
    t.equal(await crash(project), runId, 'counted');
    await until(async () => (await runOf(core, runId)).resolution?.as === 'not_planned');
    t.equal(await crash(project), runId, 'and quiet');
  }
});

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Receives what a system sends, and sends nothing on by itself. */
async function mailbox(t: Test) {
  const arrived: Delivery[] = [];
  const server = createServer((incoming, outgoing) => {
    incoming.toArray().then((chunks) => {
      const kept = Object.entries(incoming.headers).filter(([name]) =>
        /^(x|webhook|content-type)/.test(name),
      );
      arrived.push({ headers: Object.fromEntries(kept) as Delivery['headers'], body: Buffer.concat(chunks) });
      outgoing.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise<void>((done) => server.close(() => done()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** The event of this kind that `act` causes. */
    async of(kind: RegExp, act: () => void): Promise<Delivery> {
      arrived.length = 0;
      act();
      const isKind = ({ headers }: Delivery) =>
        kind.test(headers['x-gitlab-event'] ?? headers['x-forgejo-event'] ?? '');
      await until(() => arrived.some(isKind));
      return arrived.find(isKind) as Delivery;
    },
  };
}

t.test(
  'GitLab and Forgejo report issues closed, reopened and fixed; forged reports are refused',
  async (t) => {
    const { head, directory, doubles, start } = await systems(t);
    const signing = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const other = `whsec_${Buffer.from('another-key-of-32-characters-000').toString('base64')}`;
    const [token, secret] = ['a-gitlab-token-of-32-characters-', 'a-forgejo-secret-of-32-characters'];
    const cases = [
      { system: 'gitlab', project: 'signed', secret: signing, wrong: other },
      { system: 'gitlab', project: 'token', secret: token, wrong: 'another-token-of-32-characters---' },
      { system: 'forgejo', project: 'forgejo', secret, wrong: 'another-secret-of-32-characters--' },
    ] as const;
    const core = await start(
      Object.fromEntries(
        cases.map(({ project, system }) => [
          project,
          { repository: directory, publishRepository: triageOn(system) },
        ]),
      ),
      { gitlabWebhookSecret: `${token},${signing}`, forgejoWebhookSecret: secret },
    );
    const box = await mailbox(t);
    for (const [at, { system, project, secret, wrong }] of cases.entries()) {
      const double = doubles[system];
      const send = async ({ headers, body }: Delivery) => {
        const url = `http://127.0.0.1:${core.port}/webhook/${system}`;
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      const runId = await core.deliver(at + 1, head, { project });
      await publish(core, runId);
      const { number } = (await runOf(core, runId)).publication;
      const over = async () => (await runOf(core, runId)).resolution ?? null;
      const close = () => double.closeIssue(TRIAGE, number);
      const reopen = () => double.reopenIssue(TRIAGE, number);

      double.sendEvents({ url: box.url, secret: wrong });
      t.equal(await send(await box.of(/issue/i, close)), 401, `${project}: another secret`);
      double.sendEvents({ url: box.url, secret });
      await box.of(/issue/i, reopen);
      const closed = await box.of(/issue/i, close);
      const proof = /signature|token/;
      const unsigned = Object.entries(closed.headers).filter(([name]) => !proof.test(name));
      t.equal(await send({ ...closed, headers: Object.fromEntries(unsigned) }), 401, `${project}: no proof`);
      if (project !== 'token') {
        const changed = Buffer.concat([closed.body, Buffer.from(' ')]);
        t.equal(await send({ ...closed, body: changed }), 401, `${project}: another body`);
      }
      t.equal(await over(), null, `${project}: nothing of that counts`);

      t.equal(await send(closed), 202);
      await until(async () => (await over()) !== null);
      t.match(await over(), { as: 'fixed', by: null }, `${project}: closed`);
      t.equal(await send(await box.of(/issue/i, reopen)), 202);
      await until(async () => (await over()) === null);
      const words = { title: 'Check the cart', body: `Closes #${number}` };
      const merged = await box.of(/merge|pull/i, () => {
        // The event of the issue is not sent on.
        close();
        if (system === 'forgejo')
          return doubles.forgejo.merge({ ...words, repository: TRIAGE, commit: head });
        const request = { iid: 9 + at, title: words.title, commits: [], closes: [number] };
        doubles.gitlab.merge(TRIAGE, { ...request, state: 'merged', merge_commit_sha: head }, words.body);
      });
      t.equal(await send(merged), 202);
      await until(async () => (await over()) !== null);
      const { fix, resolution } = await runOf(core, runId);
      t.match(resolution, { as: 'fixed', by: null }, `${project}: merged`);
      // Forgejo's API does not tell what has closed an issue.
      if (system === 'forgejo') t.notOk(fix);
      else t.match(fix, { commit: head, pull_request: { number: 9 + at } }, `${project}: the fix`);
      const { entries } = await runOf(core, runId, '/history');
      t.same(
        (entries as { name: string }[]).map(({ name }) => name).filter((name) => /^(issue\.|fix)/.test(name)),
        ['issue.completed', 'issue.open', ...(fix ? ['fix.found'] : []), 'issue.completed'],
        `${project}: the history`,
      );
      t.match(await runOf(core, runId, '/verification'), { verified: true }, project);
    }
  },
);
