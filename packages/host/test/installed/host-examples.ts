import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startForgejoDouble } from '@culprit/doubles/forgejo';
import { startGithubDouble } from '@culprit/doubles/github';
import { startGitlabDouble } from '@culprit/doubles/gitlab';
import type { Test } from 'tap';
import { parse } from 'yaml';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { CLIENT, cookieBrowser, realProvider } from '../support/openid.js';
import { commit, run, start, until } from './sandbox.js';

type Env = Readonly<Record<string, string>>;

const SERVICE = 'service-token-0123456789abcdef';
const REVIEWER = 'reviewer-token-0123456789abcdef';
/** What `culprit up` logs once both servers run. */
const READY = /"edge":"(http[^"]+)","core":"(http[^"]+)"/;
const binOf = (folder: string) => join(folder, '../../node_modules/@culprit/host/bin/culprit.js');

/**
 * Examples of code hosts: the program publishes to the double, `culprit doctor` accepts the configuration file, and `culprit up` with
 * that file publishes what it receives.
 */
function publishes(
  name: string,
  open: (
    repositories: Readonly<Record<string, { readonly git: string }>>,
    token: string,
  ) => Promise<{ readonly url: string; close(): Promise<unknown> }>,
  envOf: (url: string, token: string) => Env,
  issues: string,
) {
  return async (t: Test, folder: string, node: string): Promise<void> => {
    commit(folder, 'Open the shop');
    const { repository } = JSON.parse(readFileSync(join(folder, 'culprit.json'), 'utf8')) as {
      readonly repository: string;
    };
    const path = repository.replace(/^\w+:/, '');
    const token = `${name}-example`;
    const double = await open({ [path]: { git: folder } }, token);
    const issue = (number: number) => `${double.url}/${path}${issues}/${number}`;
    try {
      const env = envOf(double.url, token);
      const { status, stdout, stderr } = await run(folder, node, ['main.mjs'], {
        ...env,
        REPOSITORY: repository,
      });
      t.equal(status, 0, stderr);
      t.equal(stdout, `suspect: Open the shop\n${issue(1)}\n`);
      const args = [binOf(folder), 'doctor', '--json', '--config', 'culprit.json'];
      const { checks } = JSON.parse((await run(folder, node, args, env)).stdout) as {
        readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
      };
      const own = checks.filter((check) => check.name.startsWith(name));
      t.ok(own.length >= 2);
      t.same(
        own.filter(({ ok }) => !ok),
        [],
      );
      if (!here(t, node)) return;
      t.equal(await upWith(t, folder, node, env, (edge) => crashes(t, edge)), issue(2));
    } finally {
      await double.close();
    }
  };
}

/** The crash of the examples' programs, as a service sends it. */
async function crashes(t: Test, edge: string): Promise<void> {
  const stack = 'TypeError: no price\n    at total (/app/main.mjs:8:10)';
  const sent = await fetch(`${edge}/api/v1/telemetry/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-token': SERVICE },
    body: JSON.stringify({ stack, platform: 'node' }),
  });
  t.equal(sent.status, 202);
}

export const onGithub = publishes(
  'github',
  (repositories, token) =>
    startGithubDouble({
      repositories,
      tokens: { [token]: { user: 'culprit-bot', permissions: { contents: 'read', issues: 'write' } } },
    }),
  (url, token) => ({ GITHUB_API_URL: url, GITHUB_TOKEN: token }),
  '/issues',
);

export const onGitlab = publishes(
  'gitlab',
  (repositories, token) =>
    startGitlabDouble({
      repositories,
      tokens: { [token]: { user: 'culprit-bot', scopes: ['api'] } },
    }),
  (url, token) => ({ GITLAB_URL: url, GITLAB_TOKEN: token }),
  '/-/issues',
);

export const onForgejo = publishes(
  'forgejo',
  (repositories, token) =>
    startForgejoDouble({
      repositories,
      tokens: {
        [token]: { user: 'culprit-bot', scopes: ['read:repository', 'read:user', 'write:issue'] },
      },
    }),
  (url, token) => ({ FORGEJO_URL: url, FORGEJO_TOKEN: token }),
  '/issues',
);

/**
 * `culprit up` with the example's configuration: what `crash` sends becomes one run with the commit as its suspect, and one issue.
 * On the Node of the tests only, because the servers are the same on each.
 */
async function upWith(
  t: Test,
  folder: string,
  node: string,
  env: Env,
  crash: (edge: string) => Promise<void>,
): Promise<string> {
  const ports = ['--edge-port', '0', '--core-port', '0', '--data', 'data'];
  const servers = await start(
    folder,
    node,
    [binOf(folder), 'up', '--config', 'culprit.json', ...ports],
    { SERVICE_TOKENS: `default/shop:${SERVICE}`, REVIEWER_TOKENS: `ada:${REVIEWER}`, ...env },
    READY,
  );
  try {
    const [, edge = '', core = ''] = servers.line;
    await crash(edge);
    const ask = async (method: string, path: string) => {
      const headers = { authorization: `Bearer ${REVIEWER}` };
      return (await fetch(`${core}/api/v1/runs${path}`, { method, headers })).json() as Promise<{
        readonly runs?: readonly { readonly run_id: string }[];
        readonly suspects?: readonly { readonly title: string }[];
        readonly issue_url?: string;
      }>;
    };
    let id = '';
    await until(async () => {
      const [first] = (await ask('GET', '')).runs ?? [];
      id = first?.run_id ?? '';
      return id !== '';
    });
    t.match(await ask('POST', `/${id}/gate1/approve`), { status: 'analyzed' });
    t.match(await ask('GET', `/${id}`), { suspects: [{ title: 'Open the shop' }] });
    const signed = await ask('POST', `/${id}/gate2/approve`);
    t.match(signed, { status: 'published' });
    return signed.issue_url ?? '';
  } finally {
    t.equal(await servers.stop(), 0);
  }
}

const here = (t: Test, node: string) => {
  if (node !== process.execPath) t.comment('only on the Node that runs the tests');
  return node === process.execPath;
};

export async function onTwoSystems(t: Test, folder: string, node: string): Promise<void> {
  if (!here(t, node)) return;
  commit(folder, 'Open the shop');
  const double = await startGitlabDouble({
    repositories: { 'acme/triage': { git: folder } },
    tokens: { 'glpat-example': { user: 'culprit-bot', scopes: ['api'] } },
  });
  try {
    const env = { GITLAB_URL: double.url, GITLAB_TOKEN: 'glpat-example' };
    const issue = await upWith(t, folder, node, env, async (edge) => {
      const sent = await run(folder, node, ['main.mjs'], { CULPRIT_EDGE_URL: edge, SERVICE_TOKEN: SERVICE });
      t.equal(sent.stdout, '202\n', sent.stderr);
    });
    t.match(issue, /\/acme\/triage\/-\/issues\/1$/);
  } finally {
    await double.close();
  }
}

export async function withOpentelemetry(t: Test, folder: string, node: string): Promise<void> {
  if (!here(t, node)) return;
  commit(folder, 'Open the shop');
  const issue = await upWith(t, folder, node, {}, async (edge) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: edge,
      OTEL_EXPORTER_OTLP_HEADERS: `x-service-token=${SERVICE}`,
    };
    const sent = await run(folder, node, ['main.mjs'], env);
    t.equal(sent.status, 0, sent.stderr);
  });
  t.match(issue, /\/outbox\/1$/);
}

/** The commands are those of the example's workflow, with the installed `culprit`. */
export async function inCi(t: Test, folder: string, node: string): Promise<void> {
  if (!here(t, node)) return;
  commit(folder, 'Open the shop');
  const { jobs } = parse(readFileSync(join(folder, 'github-actions.yml'), 'utf8')) as {
    readonly jobs: { readonly test: { readonly steps: readonly { readonly run?: string }[] } };
  };
  const [tests = '', report = ''] = jobs.test.steps.flatMap((step) => step.run ?? []);
  const { test } = parse(readFileSync(join(folder, 'gitlab-ci.yml'), 'utf8')) as {
    readonly test: { readonly script: string; readonly after_script: readonly string[] };
  };
  t.equal(test.script, tests, 'the same in GitLab CI');
  t.ok(test.after_script.join(' ').includes(report));
  const shell = (command: string, env: Env) =>
    run(
      folder,
      'sh',
      ['-c', command.replace('npx --yes --package @culprit/host culprit', `"${node}" "${binOf(folder)}"`)],
      env,
    );
  const issue = await upWith(t, folder, node, {}, async (edge) => {
    t.equal((await shell(tests.replace(/^node/, `"${node}"`), {})).status, 1, 'a red build');
    const sha = (await run(folder, 'git', ['rev-parse', 'HEAD'])).stdout.trim();
    const job = { GITHUB_ACTIONS: 'true', GITHUB_SHA: sha, GITHUB_REF_NAME: 'main' };
    const env = { ...job, CULPRIT_EDGE_URL: edge, SERVICE_TOKENS: `default/ci:${SERVICE}` };
    const sent = await shell(report, env);
    t.equal(sent.status, 0, sent.stderr);
  });
  t.match(issue, /\/outbox\/1$/);
}

/** `culprit up` with the example's configuration at oidc-provider: a developer signs in as a reviewer, anybody else as a reader. */
export async function withSignIn(t: Test, folder: string, node: string): Promise<void> {
  if (!here(t, node)) return;
  commit(folder, 'Open the shop');
  const port = String(await reservePort());
  const url = `http://127.0.0.1:${port}`;
  const provider = await realProvider(url, 'id_token');
  const { claims } = provider.people;
  claims.set('mara', { name: 'Mara Okafor', groups: ['developers'] });
  claims.set('sam', { name: 'Sam', groups: ['sales'] });
  const flags = ['--config', 'culprit.json', '--edge-port', '0', '--core-port', port, '--data', 'data'];
  const env = { PUBLIC_URL: url, OIDC_ISSUER: provider.url, OIDC_CLIENT_SECRET: CLIENT.secret };
  try {
    const servers = await start(folder, node, [binOf(folder), 'up', ...flags], env, READY);
    try {
      for (const [person, name, scopes] of [
        ['mara', /^Mara Okafor \([0-9a-f]{8}\)$/, ['read', 'comment', 'investigate', 'gate1', 'gate2']],
        ['sam', /^Sam \([0-9a-f]{8}\)$/, ['read']],
      ] as const) {
        provider.people.now = person;
        const browser = cookieBrowser();
        t.equal((await browser.follow(`${url}/sign-in/oidc?to=/outbox`)).url, `${url}/outbox`);
        const { sessions } = (await (await browser.visit(`${url}/api/v1/sessions`)).json()) as {
          readonly sessions: readonly object[];
        };
        t.match(sessions, [{ name, scopes, signed_in_with: 'provider' }]);
      }
    } finally {
      t.equal(await servers.stop(), 0);
    }
  } finally {
    await provider.close();
  }
}
