import t from 'tap';
import { coreBench } from './support/core-bench.js';

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
  t.same((await api({ path: '/api/v1/views' })).json, { views: [other] });
});

t.test('a page of a search counts what matches', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  for (const name of ['first', 'second', 'third']) await stage(name);
  const path = '/api/v1/runs?q=level:error%20state:staged&order=crashes&limit=2';
  const { json } = await api({ path });
  t.match({ runs: json.runs.length, total: json.total }, { runs: 2, total: 3 });
});
