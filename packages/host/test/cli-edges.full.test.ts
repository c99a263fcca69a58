import { silentLogger } from '@culprit/core';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t from 'tap';
import { openSpool } from '../src/edge/spool/spool.js';
import { coreBench, GATEWAY, TOKEN } from './support/core-bench.js';
import { edge, scratch } from './support/edge-kit.js';
import { culprit } from './support/run-culprit.js';

t.setTimeout(300_000);

const QUICK = { heartbeatMs: 50, firstPauseMs: 20, longestPauseMs: 50 };

t.test('edges are watched and commanded, and quotas read', async (t) => {
  const b = await coreBench();
  t.teardown(b.close);
  const url = b.core.url;
  const as =
    (token: string) =>
    (...args: string[]) =>
      culprit(args, { env: { CULPRIT_URL: url, CULPRIT_TOKEN: token } });
  const run = as(TOKEN);
  t.match(await run('edges'), { code: 0, stdout: /^No edge has reported/ });
  t.match(await run('edges', 'show', 'x'), { code: 3, stderr: /No edge "x"\. No edge has reported/ });

  const directory = await scratch(t);
  const spool = await openSpool({ directory, logger: silentLogger });
  const { sequence: _, ...delivery } = makeDelivery();
  const letter = (sequence: number, event_id: string) => ({
    at: '2026-11-21T10:00:00.000Z',
    sequence,
    detail: 'no \u001b[2Jframes',
    delivery: { ...delivery, sequence, event_id },
  });
  await spool.deadLetters.add([letter(101, 'one'), letter(102, 'two'), letter(103, 'three')]);
  const name = spool.identity();
  await spool.close();
  await edge(t, { coreUrl: url, internalSecret: GATEWAY, spoolDirectory: directory, forwarder: QUICK });
  for (;;) {
    const { json } = await b.api({ path: '/api/v1/edges' });
    if (json.edges[0]?.dead_letters.length === 3) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.match((await run('edges')).stdout, new RegExp(`^EDGE .*\n${name} .* 3\n$`));
  const shown = (await run('edges', 'show', name)).stdout;
  t.match(shown, /\nLimits\n[\s\S]*keyRate[\s\S]*\nDead letters\n[\s\S]*\n101 .*one +no ·\[2Jframes\n/);

  const set = await run('edges', 'set', name, '--limit', 'keyRate=7', '--limit', 'keyBurst=9');
  t.match(set, { code: 0, stdout: /^done: / }, set.stderr);
  const json = JSON.parse((await run('edges', 'show', name, '--json')).stdout);
  t.match(json.commands, [{ status: 'done', by: 'ada', action: { values: { keyRate: 7, keyBurst: 9 } } }]);
  t.match((await run('edges', 'show', name)).stdout, /keyRate +7 +configured: 1000\n/);
  const restored = await run('edges', 'set', name, '--limit', 'keyRate=configured', '--json');
  t.match(JSON.parse(restored.stdout), { status: 'done', action: { kind: 'limits' } });

  t.match(await run('edges', 'drop', name, '101'), { code: 0, stdout: 'done: 1 dropped\n' });
  t.match(await run('edges', 'test', name), {
    code: 0,
    stdout: 'done: accepted by the native door with 202\n',
  });
  for (;;) {
    const { runs } = (await b.api({ path: '/api/v1/runs' })).json;
    if (runs.length === 0) continue;
    t.match(
      runs,
      [{ project: 'shop', environments: ['culprit-test'], doors: ['native'] }],
      'it took the whole way',
    );
    break;
  }
  t.match(await run('edges', 'resend', name, '102', '103'), { code: 0, stdout: 'done: 2 of 2 sent again\n' });
  t.match(await run('edges', 'drop', name, '101'), { stdout: /^(done|failed): 0 / });
  t.match(await run('edges', 'drop', name, '--all', '--no-wait'), { code: 0, stdout: /^Queued\./ });
  t.match(await run('edges', 'list', '--all'), { code: 2, stderr: /list takes --all only with --spool/ });
  t.match((await run('edges', 'history')).stdout, new RegExp(`${name}\nUNTIL \\(UTC\\) .*\n`));

  await b.stage();
  t.match((await run('quotas')).stdout, /^QUOTA OF +PROJECT .*\n[\s\S]*project +default +all .* of /m);
  t.match(JSON.parse((await run('quotas', '--json')).stdout).quotas, [{ used: { open_runs: Number } }]);

  const body = { name: 'limited', scopes: ['read', 'comment'] };
  const reader = as((await b.api({ method: 'POST', path: '/api/v1/tokens', body })).json.token);
  const cases = await Promise.all([
    reader('edges', 'set', name, '--limit', 'keyRate=7'),
    run('edges', 'set', name, '--limit', 'keyRat=7'),
    run('edges', 'set', name, '--limit', 'keyRate=fast'),
    run('edges', 'set', name, '--limit', 'nativeBodyBytes=999999999'),
    run('edges', 'set', name),
    run('edges', 'resend', name),
    run('edges', 'resend', name, 'x'),
    run('edges', 'show', 'edge_none'),
    run('edges', 'sho', name),
    run('quotas', 'all'),
  ]);
  t.match(cases, [
    { code: 4, stderr: /operate/ },
    { code: 2, stderr: /Unknown limit "keyRat"\. Did you mean keyRate\?/ },
    { code: 2, stderr: /--limit must be NAME=VALUE/ },
    { code: 2, stderr: /nativeBodyBytes is at most/ },
    { code: 2, stderr: /--limit NAME=VALUE is missing/ },
    { code: 2, stderr: /NUMBER…, or --all/ },
    { code: 2, stderr: /"x" is not a number/ },
    { code: 3, stderr: new RegExp(`No edge "edge_none"\\. Known are ${name}\\.`) },
    { code: 2, stderr: /Did you mean show\?/ },
    { code: 2, stderr: /takes only flags/ },
  ]);
});
