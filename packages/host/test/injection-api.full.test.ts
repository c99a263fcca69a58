import { createClient } from '@culprit/client';
import t from 'tap';
import { injectionCases } from '../../core/test/support/injection-corpus.js';
import { LONGEST_LINK } from '../src/server/paging.js';
import { type CoreBench, coreBench, TOKEN } from './support/core-bench.js';
import type { Answer, Ask } from './support/http-client.js';

t.setTimeout(600_000);

/** As a part of an address. */
const part = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
/** As the value of a header, which has no other characters. */
const plain = (text: string) => text.replace(/[^\x20-\x7e]/g, ' ');

/** Requests with the text in each place that a client writes, by name. Heads of requests and answers are limited. */
function requestsWith(whole: string, run: string): Readonly<Record<string, Ask>> {
  const text = whole.slice(0, 400);
  const query = `${new URLSearchParams({ [text || 'x']: text })}`;
  const put = (path: string, body: object): Ask => ({ method: 'PUT', path, body });
  const post = (path: string, body: object): Ask => ({ method: 'POST', path, body });
  return {
    // Any text but `true` means one's own.
    page: { path: `/api/v1/sessions?limit=1&everybody=${part(text)}` },
    unknown: { path: `/api/v1/runs?limit=1&${query}` },
    search: { path: `/api/v1/runs?limit=1&q=${part(text)}` },
    cursor: { path: `/api/v1/runs?cursor=${part(text)}` },
    filters: { path: `/api/v1/runs?project=${part(text)}&state=${part(text)}&order=${part(text)}` },
    tag: { path: `/api/v1/runs/${run}`, headers: { 'if-none-match': `"${plain(text)}"` } },
    run: { path: `/api/v1/runs/${part(text) || 'x'}` },
    release: { path: `/api/v1/releases/${part(text) || 'x'}/${part(text) || 'x'}` },
    path: { path: `/api/v1/${part(text)}` },
    sentry: { path: `/api/0/organizations/${part(text) || 'x'}/releases/` },
    digest: { path: `/api/v1/digest?since=${part(text)}` },
    sourcemaps: { path: `/api/v1/source-maps?limit=1&project=${part(text)}` },
    source: { path: `/code/default/${'a'.repeat(40)}/${part(text) || 'x'}` },
    values: { path: `/api/v1/search-values?field=${part(text)}&prefix=${part(text)}` },
    member: put('/api/v1/views', { name: 'x', address: '', [text || 'x']: text }),
    address: put('/api/v1/views', { name: 'x', address: text || 'x' }),
    token: post('/api/v1/tokens', { name: 'x', scopes: [text] }),
    webhook: post('/api/v1/webhooks', { name: text, url: text, events: [text] }),
    into: post(`/api/v1/runs/${run}/merge`, { into: text }),
    match: {
      ...post(`/api/v1/runs/${run}/gate2/approve`, {}),
      headers: { 'if-match': plain(text) },
    },
    key: {
      ...post(`/api/v1/runs/${run}/comments`, { comment: text || 'x' }),
      headers: { 'idempotency-key': plain(text) || 'x' },
    },
  };
}

/** `</path?query>; rel="next"`, and nothing else. */
const LINK = /^<[\w.~%!$&'()*+,;=:@/?-]+>; rel="next"$/;
const TAG = /^"[\w-]{8,64}"$/;

/** What is wrong with an answer. Its form is the one for harmless text, apart from headers that some answers do not have. */
function wrongIn({ status, headers, text }: Answer, known: ReadonlySet<string>): readonly string[] {
  const { link, etag } = headers;
  const isJson = /^application\/(?:problem\+)?json/.test(headers['content-type'] ?? '');
  const read = () => {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? [] : ['a member twice'];
  };
  return [
    ...Object.keys(headers).flatMap((name) => (known.has(name) ? [] : [`header ${name}`])),
    ...Object.entries(headers).flatMap(([name, value]) =>
      /^[\x20-\x7e]*$/.test(value) ? [] : [`${name}: ${JSON.stringify(value)}`],
    ),
    ...(link === undefined || LINK.test(link) ? [] : [`link: ${link}`]),
    ...(etag === undefined || TAG.test(etag) ? [] : [`etag: ${etag}`]),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['may be sniffed']),
    ...(isJson ? read() : text === '' || status === 404 ? [] : [`type ${headers['content-type']}`]),
  ];
}

async function bench(t: { teardown(act: () => unknown): unknown }): Promise<CoreBench & { run: string }> {
  const made = await coreBench();
  t.teardown(made.close);
  const run = await made.stage();
  await made.stage();
  for (let signedIn = 0; signedIn < 2; signedIn++)
    await made.api({ method: 'POST', path: '/api/v1/session', body: { token: TOKEN } });
  return { ...made, run };
}

t.test('answers to requests with every case: headers, links, tags and problems', async (t) => {
  const { api, run } = await bench(t);
  const known = new Set<string>();
  for (const text of ['text', '1', 'default'])
    for (const ask of Object.values(requestsWith(text, run)))
      for (const name of Object.keys((await api(ask)).headers)) known.add(name);
  t.ok(known.has('link') && known.has('etag'), 'some have links and tags');
  let pages = 0;
  for (const { id, text } of injectionCases()) {
    const found: string[] = [];
    for (const [name, ask] of Object.entries(requestsWith(text, run))) {
      const answer = await api(ask);
      found.push(...wrongIn(answer, known).map((one) => `${name}: ${one}`));
      if (answer.status >= 500) found.push(`${name}: ${answer.status}`);
      const [, next] = /^<([^>]+)>/.exec(answer.headers.link ?? '') ?? [];
      if (name !== 'page') continue;
      const { path } = ask;
      const after = next === undefined ? `${path}&cursor=${answer.json.next}` : `/api/v1/${next}`;
      if (next === undefined && after.length < LONGEST_LINK - 100) found.push('no link to the next page');
      pages += 1;
      const page = await api({ path: after });
      if (page.json.sessions?.length !== 1) found.push(`the next page: ${page.text}`);
    }
    t.same(found.slice(0, 5), [], id);
  }
  t.equal(
    pages,
    injectionCases().length,
    'every page leads to the next one, by a link unless that is too long',
  );
});

t.test('what the client reads is what somebody has written', async (t) => {
  const { core, engine, run } = await bench(t);
  const client = createClient({ url: core.url, token: TOKEN });
  let [views, versions] = [0, 0];
  for (const { id, text } of injectionCases()) {
    const name = text
      .replace(/\p{Surrogate}/gu, '')
      .trim()
      .slice(0, 60)
      .trim();
    const view = await client
      .saveView({ name, address: '' })
      .then(({ views }) => views)
      .catch(({ status }) => status);
    if (view === 400) t.equal(name, '', id);
    else {
      views += 1;
      t.same(view, [{ name, address: '' }], id);
      (await client.deleteView({ name })).views;
    }
    const made = await client
      .recordRelease({ project: 'default', version: name })
      .catch(({ status }) => ({ status }));
    if ('version' in made) {
      versions += 1;
      t.equal((await client.getRelease({ project: 'default', version: name })).version, name, id);
    }
    const comment =
      text
        .replace(/\p{Surrogate}/gu, '')
        .trim()
        .slice(0, 500)
        .trim() || 'x';
    await client.commentOnRun({ run_id: run, comment });
    const last = (await engine.history(run)).at(-1);
    t.same((await client.getHistory({ run_id: run })).entries.at(-1), JSON.parse(JSON.stringify(last)), id);
    const missing = await client
      .getRun({ run_id: part(text).slice(0, 60) || 'x' })
      .catch((error: Error) => error);
    t.match(missing, { status: 404, code: 'run_not_found' }, id);
  }
  t.ok(views > 280 && versions > 100, `${views} views, ${versions} releases`);
});
