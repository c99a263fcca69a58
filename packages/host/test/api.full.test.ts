import t from 'tap';
import { coreBench } from './support/core-bench.js';

t.test('every reader has an ETag, and an unchanged answer is not sent again', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const paths = ['/runs', `/runs/${id}`, `/runs/${id}/history`, `/runs/${id}/brief`, '/views', '/quotas'];
  const tags = new Map<string, string>();
  for (const path of paths) {
    const first = await api({ path: `/api/v1${path}` });
    const etag = String(first.headers.etag);
    t.match(etag, /^"[\w-]{27}"$/, path);
    tags.set(path, etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api({ path: `/api/v1${path}`, headers: { 'if-none-match': known } });
      t.match(again, { status: 304, text: '', headers: { etag, 'cache-control': 'no-store' } }, known);
    }
    const other = await api({ path: `/api/v1${path}`, headers: { 'if-none-match': '"other"' } });
    t.match(other, { status: 200, text: first.text });
  }
  await api({ method: 'POST', path: `/api/v1/runs/${id}/comments`, body: { comment: 'Looking at it.' } });
  const changed = [`/runs/${id}`, `/runs/${id}/history`];
  for (const path of changed) {
    const after = await api({
      path: `/api/v1${path}`,
      headers: { 'if-none-match': tags.get(path) ?? '' },
    });
    t.equal(after.status, 200, `${path} has changed`);
    t.not(after.headers.etag, tags.get(path));
  }
  const missing = await api({ path: '/api/v1/runs/run_none', headers: { 'if-none-match': '*' } });
  t.match(missing, { status: 404, headers: { etag: undefined } }, 'a problem is always sent');
});

t.test('every list has the same pages: limit, cursor, next and Link', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  const ids = [await stage(), await stage(), await stage()];
  const [id = ''] = ids;
  for (const comment of ['one', 'two']) {
    await api({ method: 'POST', path: `/api/v1/runs/${id}/comments`, body: { comment } });
  }
  for (const [path, member, key] of [
    ['/api/v1/runs', 'runs', 'run_id'],
    [`/api/v1/runs/${id}/history`, 'entries', 'sequence'],
  ] as const) {
    const whole = (await api({ path })).json;
    t.equal(whole.next, null);
    const seen: unknown[] = [];
    let next: string | undefined = `${path}?limit=2`;
    while (next !== undefined) {
      const page = await api({ path: next });
      t.ok(page.json[member].length <= 2);
      seen.push(...page.json[member].map((one: Readonly<Record<string, unknown>>) => one[key]));
      const [, link] = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '') ?? [];
      t.equal(link === undefined, page.json.next === null, 'a Link exactly with a next page');
      next = link === undefined ? undefined : new URL(link, `http://core${next}`).href.slice(11);
    }
    t.same(
      seen,
      whole[member].map((one: Readonly<Record<string, unknown>>) => one[key]),
      path,
    );
  }
  for (const path of [`/runs/${id}/history`, '/notifications/failed', '/edges', '/quotas', '/runs']) {
    t.match((await api({ path: `/api/v1${path}?limit=0` })).json, { code: 'malformed', path: 'limit' }, path);
    t.match((await api({ path: `/api/v1${path}?cursor=nonsense` })).json, { code: 'invalid_cursor' }, path);
  }
});
