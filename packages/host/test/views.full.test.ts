import type { Run } from '@culprit/core';
import t from 'tap';
import { coreBench, TOKEN } from './support/core-bench.js';
import { httpClient } from './support/http-client.js';
import { culprit } from './support/run-culprit.js';

t.test('saved views belong to a reviewer', async (t) => {
  const { api, close } = await coreBench();
  t.teardown(close);
  const put = (body: object) => api({ method: 'PUT', path: '/api/v1/views', body });
  const [view, other] = [
    { name: 'b', address: '?search=level%3Afatal' },
    { name: 'a', address: '' },
  ];
  t.same((await put(view)).json, { views: [view] });
  t.same((await put(other)).json, { views: [other, view] }, 'by name');
  t.same(
    (await put({ ...view, address: '?order=oldest' })).json.views[1].address,
    '?order=oldest',
    'replaced',
  );
  for (const address of ['//evil.example', 'javascript:alert(1)', '?a b', `?${'x'.repeat(1_000)}`])
    t.match(
      await put({ name: 'x', address }),
      { status: 400, json: { path: 'address' } },
      address.slice(0, 30),
    );
  t.same((await api({ method: 'DELETE', path: '/api/v1/views?name=b' })).json, { views: [other] });
  t.same((await api({ path: '/api/v1/views' })).json, { views: [other], next: null });
});

t.test('a page of a search counts what matches', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  for (const name of ['first', 'second', 'third']) await stage(name);
  const path = '/api/v1/runs?q=level:error%20state:staged&order=crashes&limit=2';
  const { json } = await api({ path });
  t.match({ runs: json.runs.length, total: json.total }, { runs: 2, total: 3 });
});

t.test('lists by users affected, over the API and on the command line', async (t) => {
  const { core, api, engine, stage, close } = await coreBench();
  t.teardown(close);
  const [few, none] = [await stage('few'), await stage('none')];
  let many = '';
  for (const [n, kind] of ['many', 'many', 'own-1'].entries()) {
    const crash = { event_id: `user-${n}`, message: kind, fingerprint: [kind], user: { id: `user-${n}` } };
    const { run_id } = await engine.ingest({ crash });
    if (kind === 'many') many = run_id ?? '';
  }
  const { json } = await api({ path: '/api/v1/runs?order=users' });
  t.same(
    json.runs.map(({ run_id, users }: Pick<Run, 'run_id' | 'users'>) => [run_id, users]),
    [
      [many, { count: 2, more: false }],
      [few, { count: 1, more: false }],
      [none, { count: 0, more: false }],
    ],
  );
  const env = { CULPRIT_TOKEN: TOKEN };
  const { stdout } = await culprit(['runs', 'list', '--order', 'users', '--url', core.url], { env });
  t.match(stdout, new RegExp(`USERS[\\s\\S]+${many}.+ 2 [\\s\\S]+${few}.+ 1 [\\s\\S]+${none}.+ – `));
});

t.test('a token that is limited to projects has views of its own', async (t) => {
  const { api, core, host, close } = await coreBench();
  t.teardown(close);
  const view = { name: 'bank', address: '?project=bank' };
  await api({ method: 'PUT', path: '/api/v1/views', body: view });
  const clientWith = async (name: string, projects?: string[]) => {
    const body = { name, scopes: ['read', 'comment'], ...(projects === undefined ? {} : { projects }) };
    const { token } = (await api({ method: 'POST', path: '/api/v1/tokens', body })).json;
    return httpClient(core.port, { host, authorization: `Bearer ${token}` });
  };
  const limited = await clientWith('limited', ['default']);
  t.same((await limited({ path: '/api/v1/views' })).json, { views: [], next: null });
  const own = { name: 'own', address: '?project=default' };
  t.same((await limited({ method: 'PUT', path: '/api/v1/views', body: own })).json, { views: [own] });
  t.same((await api({ path: '/api/v1/views' })).json, { views: [view], next: null });
  const other = await clientWith('other', ['default']);
  t.same((await other({ path: '/api/v1/views' })).json, { views: [], next: null }, 'of another token');
  t.same((await (await clientWith('wide'))({ path: '/api/v1/views' })).json, { views: [view], next: null });
});
