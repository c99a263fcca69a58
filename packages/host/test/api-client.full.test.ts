import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { ApiError, createClient, nullIfNotFound, pages } from '@culprit/client';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { coreBench, TOKEN } from './support/core-bench.js';

t.test('the client reads, pages, decides and reports errors', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const ids = [await stage(), await stage(), await stage()];
  const client = createClient({ url: `${core.url}/`, token: TOKEN });
  t.equal(client.url, core.url);
  const seen: string[] = [];
  for await (const { runs } of pages(client.listRuns, { limit: 1 }))
    seen.push(...runs.map(({ run_id }) => run_id));
  t.same(seen.sort(), [...ids].sort(), 'every page');
  const [id = ''] = ids;
  for await (const { occurrences } of pages(client.listOccurrences, { run_id: id }))
    t.match(occurrences, [{ number: 1, stored: true }]);
  t.equal((await client.listRuns({ q: `${id}` })).runs.length, 1);
  t.match(await client.getSession(), { name: 'ada', expires_at: null });
  t.match(await client.request({ method: 'GET', path: '/readyz' }), { status: 'ready' });

  const once = client.with({ idempotencyKey: 'deploy-241' });
  await once.commentOnRun({ run_id: id, comment: 'Seen after the deploy.' });
  await once.commentOnRun({ run_id: id, comment: 'Seen after the deploy.' });
  t.equal((await engine.run(id)).comments, 1, 'one key, one comment');
  await t.rejects(once.commentOnRun({ run_id: id, comment: 'Another.' }), {
    code: 'idempotency_mismatch',
    status: 422,
  });
  await client.commentOnRun({ run_id: id, comment: 'Another.' });
  t.equal((await engine.run(id)).comments, 2, 'by itself each call has its own key');

  t.match(
    await client.getStack({ run_id: id }).catch(nullIfNotFound),
    { frames: [] },
    'nothing is located before the analysis',
  );
  t.match(await client.approveGateOne({ run_id: id }), { status: 'analyzed' });
  t.match(await client.getBrief({ run_id: id }), /^## Fix brief: /);
  const draft = await client.getDraft({ run_id: id });
  const stale = await client
    .editDraft({ run_id: id, ...draft, if_match: '0'.repeat(64) })
    .catch((error: unknown) => error);
  t.ok(stale instanceof ApiError);
  t.match(stale, { name: 'ApiError', status: 412, code: 'draft_changed', problem: { digest: draft.digest } });
  t.match(await client.approveGateTwo({ run_id: id, if_match: draft.digest }), { status: 'published' });
  await t.rejects(client.listRuns({ limit: 0 }), { code: 'malformed', path: 'limit', retryAfterMs: null });
  await t.rejects(createClient({ url: core.url, token: 'wrong' }).getSession(), { code: 'unauthenticated' });
});

const curl = spawnSync('curl', ['--version']).status === 0 ? false : 'needs curl';
t.test('the guide’s lines for curl take a run through both gates', { skip: curl }, async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const guide = readFileSync(new URL('../../../docs/guides/api.md', import.meta.url), 'utf8');
  const [, lines = ''] = /```sh\n(api\(\)[\s\S]*?)```/.exec(guide) ?? [];
  const env = { ...process.env, CULPRIT_URL: core.url, CULPRIT_TOKEN: TOKEN };
  const sh = (text: string) =>
    promisify(execFile)('sh', ['-e', '-c', text], { cwd: temporaryFolder(t, 'curl'), env });
  t.match((await sh(lines)).stdout, /"status":"analyzed".*"status":"published"/);
  t.match(await engine.run(id), { state: 'published', draft: { title: /^\[shop\] / } });
  const history = await engine.history(id);
  const signed = JSON.stringify(history);
  t.match(signed, '"bound":true');
  await stage();
  const unread = lines.replace(/^etag\(\).*$/m, 'etag() { true; }');
  await t.rejects(sh(unread), { code: 2 }, 'nothing is signed without the tag');
});

t.test('a path parameter stays in its place, and a token in its header', async (t) => {
  const { core, close } = await coreBench();
  t.teardown(close);
  const paths: string[] = [];
  const client = createClient({
    url: core.url,
    token: `${TOKEN}\n`,
    fetch: (url, init) => {
      paths.push(new URL(String(url)).pathname);
      return fetch(url, init);
    },
  });
  for (const name of ['', '.', '..', '\ud800'])
    for (const call of [
      client.getRun({ run_id: name }),
      client.revokeToken({ id: name }),
      client.getRelease({ project: name, version: 'tokens' }),
      client.deleteRelease({ project: 'default', version: name }),
    ])
      await t.rejects(
        call as Promise<unknown>,
        { status: 0, code: 'malformed', path: /^(?:run_id|id|project|version)$/ },
        name,
      );
  t.same(paths, [], 'nothing was sent');
  await t.rejects(client.getRun({ run_id: '../tokens' }), { code: 'run_not_found' });
  t.same(paths, ['/api/v1/runs/..%2Ftokens']);
  for (const token of ['two\nlines', 'culprit_pat_…'])
    await t.rejects(createClient({ url: core.url, token }).getSession(), {
      code: 'unauthenticated',
      message: /Copy the token alone/,
    });
});

t.test('only what is safe is repeated, and not for long', async (t) => {
  const asked: string[] = [];
  const keys = new Set<string>();
  const busy = (seconds: number) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(503, { 'retry-after': String(seconds), 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'overloaded', title: 'Overloaded', detail: 'Later.' }));
  };
  const lost = (request: IncomingMessage) => void request.destroy();
  const fine = (_: IncomingMessage, response: ServerResponse) => void response.end('{"run_id":"run_1"}');
  const { url, next } = await serve(t, (request) => {
    asked.push(String(request.method));
    keys.add(String(request.headers['idempotency-key']));
  });
  const client = createClient({ url, token: 'secret' });

  next(busy(0), lost, fine);
  t.match(await client.getRun({ run_id: 'run_1' }), { run_id: 'run_1' });
  next(lost, busy(0), fine);
  t.match(
    await client.commentOnRun({ run_id: 'run_1', comment: 'text' }),
    { run_id: 'run_1' },
    'a decision, with one key',
  );
  t.same([...keys].length, 2, 'no key while reading, and one for three attempts');
  t.same(asked, ['GET', 'GET', 'GET', 'POST', 'POST', 'POST']);

  next(busy(0), fine);
  const edit = { title: 't', body: 'b' };
  await t.rejects(
    client.editDraft({ run_id: 'run_1', ...edit, if_match: 'd' }),
    { code: 'overloaded', retryAfterMs: 0 },
    'bound to a digest',
  );
  next(busy(3_600));
  await t.rejects(
    client.getRun({ run_id: 'run_1' }),
    { code: 'overloaded', retryAfterMs: 3_600_000 },
    'too long to wait',
  );
  next(busy(0), fine);
  await t.rejects(client.with({ retries: 0 }).getRun({ run_id: 'run_1' }), { code: 'overloaded' });
  next((_, response) => void response.writeHead(502).end('<html>Bad gateway</html>'));
  await t.rejects(client.getRun({ run_id: 'run_1' }), { status: 502, code: 'unreadable' });
  next((_, response) => void response.end('<html>Sign in</html>'));
  await t.rejects(
    client.getRun({ run_id: 'run_1' }),
    { status: 200, code: 'unreadable' },
    'a page of a proxy',
  );
});

t.test('time limits and signals end a call', async (t) => {
  const { url, next } = await serve(t, () => {});
  const client = createClient({ url });
  next(() => {});
  const slow = client.with({ timeoutMs: 50 }).getRun({ run_id: 'run_1' });
  await t.rejects(slow, { code: 'unreachable', status: 0, message: /does not respond in time/ });
  const stop = new AbortController();
  next(() => stop.abort(new Error('stopped')));
  await t.rejects(client.with({ signal: stop.signal }).getRun({ run_id: 'run_1' }), { message: 'stopped' });
  await t.rejects(
    client.with({ signal: stop.signal }).getRun({ run_id: 'run_1' }),
    { message: 'stopped' },
    'before it is sent',
  );
  const nobody = createClient({ url: 'http://127.0.0.1:1', retries: 0 });
  await t.rejects(nobody.getRun({ run_id: 'run_1' }), { code: 'unreachable', message: /does not respond/ });
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as told, one handler for each request. */
async function serve(t: Test, seen: (request: IncomingMessage) => void) {
  let handlers: Handler[] = [];
  const server = createServer((request, response) => {
    seen(request);
    request.resume();
    handlers.shift()?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    next: (...all: readonly Handler[]) => {
      handlers = [...all];
    },
  };
}
