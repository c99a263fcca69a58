import { ROLES, type Scope } from '@culprit/core/internal/domain/access';
import type { Sender } from '@culprit/core/internal/domain/send-crashes';
import t, { type Test } from 'tap';
import { reservePort } from '../../../bench/faults/lib/reserve-port.mjs';
import { providedAccessOf } from '../src/server/oidc/claims.js';
import { type OidcOptions, oidcOptions } from '../src/server/oidc/options.js';
import {
  askOf,
  bodyBeyond,
  callTool,
  clientOf,
  documentedRows,
  nameOfRow,
  SECRET,
} from './support/access-kit.js';
import { type CoreBench, coreBench } from './support/core-bench.js';
import { type Ask, httpClient } from './support/http-client.js';
import { CLIENT, cookieBrowser, realProvider } from './support/openid.js';
import { openSocket } from './support/websocket-client.js';

const PROJECTS = ['shop', 'web', 'bank'] as const;
type Project = (typeof PROJECTS)[number];

/** What each group gives; `*`: in all projects. The test’s own table, so that it does not repeat the code’s arithmetic. */
const GROUPS = {
  'shop-leads': { shop: 'reviewer' },
  'web-guests': { web: 'reader' },
  developers: { '*': 'reader' },
  'shop-ops': { shop: 'operator' },
  'web-triage': { web: 'triager' },
  ops: { '*': 'operator' },
} as const satisfies Record<string, Partial<Record<Project | '*', keyof typeof ROLES>>>;
type Group = keyof typeof GROUPS;

const OIDC_ROLES: OidcOptions['roles'] = {
  'shop-leads': 'reviewer@shop',
  'web-guests': ['reader@web'],
  developers: 'reader',
  'shop-ops': 'operator@shop',
  'web-triage': 'triager@web',
  ops: 'operator@*',
};

function scopesIn(groups: readonly Group[], project: Project | '*'): ReadonlySet<Scope> {
  return new Set(
    groups.flatMap((group) => {
      const given: Partial<Record<Project | '*', keyof typeof ROLES>> = GROUPS[group];
      const roles = [given['*'], ...(project === '*' ? [] : [given[project]])];
      return roles.flatMap((role) => (role === undefined ? [] : ROLES[role]));
    }),
  );
}

interface Signed {
  readonly ask: (request: Ask) => ReturnType<ReturnType<typeof httpClient>>;
  readonly cookie: string;
}

function senderOf(project: Project): Sender {
  const place = { setting: 'SERVICE_TOKENS', file: null, members: [], exists: true };
  return { project, key: `key-of-the-${project}`, service_token: place, hook_secret: place };
}

/** Core with three projects, and a real provider. */
async function withRoles(t: Test) {
  const port = await reservePort(1);
  const provider = await realProvider(`http://127.0.0.1:${port}`, 'id_token');
  t.teardown(() => provider.close());
  const oidc: OidcOptions = {
    issuer: provider.url,
    ...{ clientId: CLIENT.id, clientSecret: CLIENT.secret, scopes: 'openid profile', displayName: 'Example' },
    ...{ rolesClaim: 'groups', roles: OIDC_ROLES, projectsClaim: 'groups', projects: {} },
  };
  const bench = await coreBench({ port, oidc, moreProjects: PROJECTS, senders: PROJECTS.map(senderOf) });
  t.teardown(bench.close);
  const { url } = bench.core;
  const signIn = async (person: string, groups: readonly string[]): Promise<Signed> => {
    provider.people.now = person;
    provider.people.claims.set(person, { name: person, groups: [...groups] });
    const browser = cookieBrowser();
    await browser.follow(`${url}/sign-in/oidc?to=/`);
    const cookie = [...browser.jar(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    return { cookie, ask: httpClient(bench.core.port, { host: bench.host, cookie, origin: url }) };
  };
  return { bench, signIn };
}

const PERSONS: Readonly<Record<string, readonly Group[]>> = {
  'reviewer of the shop, reader of the web': ['shop-leads', 'web-guests'],
  'reader of everything, operator of the shop, triager of the web': ['developers', 'shop-ops', 'web-triage'],
  'operator of everything by name of all projects': ['ops'],
};

/** Ends the session with which the test asks. */
const ENDS_SESSION = 'DELETE /api/v1/session';

t.test('every route × a person with roles by project × a run of each project', async (t) => {
  const { bench, signIn } = await withRoles(t);
  const runs: Record<Project, string> = {
    shop: await bench.stage('boom in the shop', 'shop'),
    web: await bench.stage('boom on the web', 'web'),
    bank: await bench.stage(`boom of the ${SECRET}`, 'bank'),
  };
  const wrong: string[] = [];
  for (const [person, groups] of Object.entries(PERSONS)) {
    const { ask } = await signIn(person, groups);
    for (const row of documentedRows()) {
      if (nameOfRow(row) === ENDS_SESSION) continue;
      const { scope } = row;
      const holds = (project: Project | '*') => scope === 'any' || scopesIn(groups, project).has(scope);
      const somewhere = holds('*') || PROJECTS.some(holds);
      const placed = row.path.includes(':run_id') || row.path.includes(':project');
      // The routes of another tracker's command line have its form of errors.
      const plain = !row.path.startsWith('/api/0/');
      for (const project of PROJECTS) {
        const at = `${person}: ${nameOfRow(row)} in ${project}`;
        const body = placed && !holds(project) ? bodyBeyond(row, runs.shop) : [];
        const request = askOf(row, runs[project], project, body);
        const { status, json, text } = await ask(request);
        const seen = `${status} ${json?.code} ${json?.scope}`;
        const expected = async (): Promise<boolean> => {
          const missing = status === 403 && (!plain || (json?.code === 'forbidden' && json?.scope === scope));
          if (!somewhere) return missing;
          if (row.limited === 'refused' && !holds('*'))
            return status === 403 && (!plain || json?.code === 'forbidden');
          if (!placed || row.limited !== 'its projects' || holds(project))
            return status === (await bench.api(request)).status;
          return scopesIn(groups, project).has('read') ? missing : status === 404;
        };
        if (!(await expected())) wrong.push(`${at}: ${seen}`);
        const seesBank = scopesIn(groups, 'bank').has('read');
        if (!seesBank && (text.includes(SECRET) || (project !== 'bank' && text.includes(runs.bank))))
          wrong.push(`${at} tells of the bank`);
      }
    }
  }
  t.same(wrong, []);
  for (const run of Object.values(runs))
    t.match(await bench.engine.run(run), { state: 'staged_raw', claim: null });
});

t.test('what roles by project give: decisions, merging, lists, the live feed, sessions', async (t) => {
  const { bench, signIn } = await withRoles(t);
  const shop = [await bench.stage('boom one', 'shop'), await bench.stage('boom two', 'shop')];
  const web = await bench.stage('boom three', 'web');
  await bench.stage(`boom of the ${SECRET}`, 'bank');
  const { ask, cookie } = await signIn('mara', ['shop-leads', 'web-guests']);
  const grants = [
    { scopes: ROLES.reviewer, projects: ['shop'] },
    { scopes: ROLES.reader, projects: ['web'] },
  ];
  const shown = { scopes: ROLES.reviewer, projects: ['shop', 'web'], grants };
  const me = await ask({ path: '/api/v1/session' });
  t.match(me.json, { ...shown, senders: [{ project: 'shop' }, { project: 'web' }] });
  t.notMatch(me.text, 'key-of-the-bank', 'Send crashes has the keys of the own projects only');
  t.match((await ask({ path: '/api/v1/sessions' })).json.sessions, [shown]);
  const listed = (await ask({ path: '/api/v1/runs?q=boom' })).json;
  t.same(
    listed.runs.map(({ run_id }: { run_id: string }) => run_id).sort(),
    [...shop, web].sort(),
    'lists have what may be read',
  );
  t.equal(listed.total, 3);
  const post = (path: string, body: object = {}) =>
    ask({ method: 'POST', path: `/api/v1/runs/${path}`, body });
  t.match((await post(`${web}/merge`, { into: shop[0] })).json, { status: 403, scope: 'gate1' });
  t.match((await post(`${shop[0]}/merge`, { into: web })).json, { status: 403, scope: 'gate1' });
  t.match((await post(`${web}/gate1/approve`)).json, {
    status: 403,
    scope: 'gate1',
    detail: /needs the scope "gate1" in the project web/,
  });
  t.equal((await post(`${shop[0]}/gate1/approve`)).status, 200);
  t.match((await bench.engine.run(web)).state, 'staged_raw');
  const retry = {
    method: 'POST',
    path: '/api/v1/notifications/retry',
    body: { connector: 'x', run_id: web },
  };
  t.match((await ask(retry)).json, { status: 403, scope: 'operate' });

  const feed = await openSocket(bench.core.port, '/api/v1/live', {
    host: bench.host,
    cookie,
    origin: bench.core.url,
  });
  const { runs } = (await feed.next()) as { runs: { run_id: string }[] };
  t.same(runs.map(({ run_id }) => run_id).sort(), [...shop, web].sort());
  await bench.stage(`again the ${SECRET}`, 'bank');
  const last = await bench.stage('boom four', 'web');
  t.match(
    await feed.next(),
    { type: 'run', run: { run_id: last } },
    'a project that may only be read is announced',
  );
  feed.end();
});

/** Makes a token, as whoever `ask` is. */
async function tokenOf(bench: CoreBench, ask: Signed['ask'], name: string, scopes: readonly Scope[]) {
  const made = await ask({ method: 'POST', path: '/api/v1/tokens', body: { name, scopes } });
  if (made.status !== 201) throw new Error(made.text);
  const { id, token, made_with } = made.json;
  return { id, made_with, ask: clientOf(bench, token), token };
}

t.test('a token ends with the one that made it', async (t) => {
  const { bench } = await withRoles(t);
  const parent = await tokenOf(bench, bench.api, 'parent', ['read', 'operate']);
  const child = await tokenOf(bench, parent.ask, 'child', ['read', 'operate']);
  const grandchild = await tokenOf(bench, child.ask, 'grandchild', ['read']);
  const other = await tokenOf(bench, bench.api, 'other', ['read']);
  t.same(
    [parent, child, grandchild, other].map(({ made_with }) => made_with),
    [null, parent.id, child.id, null],
  );
  const headers = { host: bench.host, authorization: `Bearer ${grandchild.token}` };
  const feed = await openSocket(bench.core.port, '/api/v1/live', headers);
  t.match(await feed.next(), { type: 'snapshot' });
  const answer = await bench.api({ method: 'DELETE', path: `/api/v1/tokens/${parent.id}` });
  t.match(answer.json, {
    revoked: [
      { id: parent.id, name: 'parent' },
      { id: child.id, name: 'child' },
      { id: grandchild.id, name: 'grandchild' },
    ],
  });
  t.match(await feed.closed, { code: 4401 }, 'their live feeds end');
  for (const { ask } of [parent, child, grandchild])
    t.equal((await ask({ path: '/api/v1/session' })).status, 401);
  t.equal((await other.ask({ path: '/api/v1/session' })).status, 200);
});

t.test('a token does at most what the claims of its maker give, from their next sign-in on', async (t) => {
  const { bench, signIn } = await withRoles(t);
  const [shop, web] = [await bench.stage('boom', 'shop'), await bench.stage('boom', 'web')];
  const ola = await signIn('ola', ['ops']);
  const agent = await tokenOf(bench, ola.ask, 'agent', ['read', 'comment', 'operate']);
  const made = await tokenOf(bench, agent.ask, 'made by agent', ['read']);
  t.match((await agent.ask({ path: '/api/v1/session' })).json.grants, [
    { scopes: ['read', 'comment', 'operate'], projects: null },
  ]);
  const feed = await openSocket(bench.core.port, '/api/v1/live', {
    host: bench.host,
    authorization: `Bearer ${agent.token}`,
  });
  t.match(await feed.next(), { type: 'snapshot' });

  await signIn('ola', ['shop-leads', 'developers']);
  t.match(await feed.closed, { code: 4401 }, 'its live feed ends');
  t.match((await agent.ask({ path: '/api/v1/session' })).json.grants, [
    { scopes: ['read'], projects: null },
    { scopes: ['read', 'comment'], projects: ['shop'] },
  ]);
  t.equal((await agent.ask({ path: '/api/v1/tokens' })).status, 403);
  const comment = (run: string) => callTool(agent.ask, 'add_comment', { run_id: run, comment: 'I look' });
  t.match(await comment(shop), /comment was added/);
  t.match(await comment(web), /needs the scope/, 'a tool needs the scope in the project of the run');
  t.match(await callTool(agent.ask, 'get_run', { run_id: web }), /boom/, 'and reads where the person reads');

  await signIn('ola', ['strangers']);
  for (const { ask } of [agent, made]) {
    const { json } = await ask({ path: '/api/v1/runs' });
    t.match(json, { status: 401, detail: /no longer has a role/ }, 'also the tokens that it made');
  }
  await signIn('ola', ['ops']);
  t.equal(
    (await agent.ask({ path: '/api/v1/tokens' })).status,
    200,
    'the role is back, and the token with it',
  );
});

t.test('a sign-in with other claims ends the sessions that the person has elsewhere', async (t) => {
  const { bench, signIn } = await withRoles(t);
  const first = await signIn('ola', ['ops']);
  const same = await signIn('ola', ['ops', 'staff']);
  const other = await signIn('mara', ['ops']);
  const status = async ({ ask }: Signed) => (await ask({ path: '/api/v1/tokens' })).status;
  t.equal(await status(first), 200, 'the claims give the same: both sessions go on');
  const { host, core } = bench;
  const headers = { host, cookie: first.cookie, origin: core.url };
  const feed = await openSocket(core.port, '/api/v1/live', headers);
  t.match(await feed.next(), { type: 'snapshot' });
  const less = await signIn('ola', ['developers']);
  t.match(await feed.closed, { code: 4401 }, 'their live feeds end');
  t.same([await status(first), await status(same), await status(less)], [401, 401, 403]);
  t.equal(await status(other), 200, 'nobody else’s');
  t.equal(await status(await signIn('ola', [])), 401, 'no role: no session');
  t.equal(await status(less), 401, 'and none elsewhere');
});

t.test('roles by project add up, and OIDC_PROJECTS limits them', (t) => {
  const options = oidcOptions({
    ...{ issuer: 'https://id.example', clientId: 'culprit' },
    roles: { leads: ['reviewer@shop', 'triager@bank'], '*': 'reader' },
  });
  const accessOf = (projects: Record<string, string>, given: readonly string[]) =>
    providedAccessOf(
      { subject: '', sid: null, roles: ['leads'], projects: [...given] },
      { ...options, projects },
    );
  t.same(accessOf({}, []), [
    { scopes: ROLES.reader, projects: null },
    { scopes: ROLES.reviewer, projects: ['shop'] },
    { scopes: ROLES.triager, projects: ['bank'] },
  ]);
  const limits = { shop: 'shop', guests: 'web', all: '*' };
  t.same(accessOf(limits, ['shop', 'guests']), [
    { scopes: ROLES.reviewer, projects: ['shop'] },
    { scopes: ROLES.reader, projects: ['web'] },
  ]);
  t.same(accessOf(limits, ['all']), accessOf({}, []));
  t.same(accessOf(limits, []), [], 'a role, but no project');
  t.end();
});
