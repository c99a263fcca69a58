import { CulpritError, silentLogger } from '@culprit/core';
import t from 'tap';
import { type CoreServer, startCore } from '../src/server/server.js';
import {
  axe,
  boardBench,
  CHROMIUM,
  overflow,
  sendGuardFigures,
  signIn,
  visit,
} from './support/board-bench.js';
import { guardFigures } from './support/board-states/guard-figures.js';
import { GATEWAY, TOKEN } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';
import { cuttingProxy } from './support/cutting-proxy.js';
import { until } from './support/edge-kit.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;

t.test('the session expires; core restarts', { skip }, async (t) => {
  let ahead = 0;
  const bench = await boardBench(t, { now: () => Date.now() + ahead });
  let core: CoreServer | null = null;
  t.teardown(() => core?.close());
  const { engine, repository, stage } = bench;
  const id = await stage('before');
  const { page, problems } = await visit(t, `${bench.core.url}/#${id}`);
  await signIn(page);
  await page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();

  const proxy = await cuttingProxy();
  t.teardown(() => proxy.close());
  const start = () =>
    startCore({
      host: '127.0.0.1',
      port: 0,
      publicUrl: `http://127.0.0.1:${proxy.port}`,
      engine,
      reviewers: [{ name: 'ada', token: TOKEN }],
      internalSecrets: [GATEWAY],
      logger: silentLogger,
    });
  core = await start();
  proxy.target(core.port);
  const other = await visit(t, `http://127.0.0.1:${proxy.port}/#${id}`);
  await signIn(other.page);
  await other.page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
  await core.close();
  await other.page.locator('.connection:not([data-state=live])', { hasText: 'last update' }).waitFor();
  await engine.ingest({ crash: cartCrash('while-away', repository.head, 'came while core was away') });
  core = await start();
  proxy.target(core.port);
  await other.page.locator('.connection[data-state=live]').waitFor();
  await other.page.locator('.row', { hasText: 'came while core was away' }).waitFor();
  await other.page.locator('#run-title', { hasText: 'before' }).waitFor();

  ahead = 13 * 60 * 60 * 1000;
  await page.getByText('Your session has ended').waitFor();
  t.equal(await page.locator('#run-title').count(), 0, 'the run is no longer on the screen');
  await page.getByLabel('Reviewer token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.locator('#run-title', { hasText: 'before' }).waitFor();
  t.same([...problems, ...other.problems], []);
});

t.test('five thousand runs: only visible rows are rendered, and rows stay in place', { skip }, async (t) => {
  const { core, engine } = await boardBench(t, { policy: { quotas: null } });
  const ingest = (at: number) =>
    engine.ingest({ crash: { event_id: `many-${at}`, message: `many ${at}`, fingerprint: [`many-${at}`] } });
  for (let at = 0; at < 5_000; at += 250) {
    await Promise.all(Array.from({ length: 250 }, (_, more) => ingest(at + more)));
  }
  const again = { event_id: 'again', message: 'many 4321', fingerprint: ['many-4321'] };
  const { run_id } = await engine.ingest({ crash: again });
  const id4321 = run_id ?? '';
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.group', { hasText: '5,000' }).waitFor();
  t.ok((await page.locator('.row').count()) < 60, 'only visible rows are rendered');
  const rows = page.locator('.rows');
  for (const share of [0.25, 0.5, 1]) {
    await rows.evaluate((box, at) => box.scrollTo(0, at * box.scrollHeight), share);
    await until(() => page.evaluate<boolean>(IN_VIEW));
  }
  await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
  await until(() => page.evaluate<boolean>(IN_VIEW));
  const row = page.locator('.row').nth(12);
  const title = await row.locator('.title').textContent();
  const before = await row.boundingBox();
  await ingest(9_999);
  await page
    .locator('.group', { hasText: '5,001' })
    .or(page.locator('.tabs-main .count', { hasText: '5001' }))
    .first()
    .waitFor();
  const after = await page
    .locator('.row', { hasText: title ?? '' })
    .first()
    .boundingBox();
  t.equal(after?.y, before?.y, 'the visible row stays in place');
  await page.locator('#search').fill('many 4321');
  await page.locator('.row', { hasText: 'many 4321' }).waitFor();
  t.ok((await page.locator('.row').count()) < 30, 'the number may also match a hash');
  await page.keyboard.press('Escape');
  await page.locator('.row', { hasText: 'many 4321' }).click();
  await page.locator('#run-title', { hasText: 'many 4321' }).waitFor();

  await page.getByLabel('State').selectOption('Gate 2');
  await page.getByText('No matching runs').waitFor();
  const link = page.url();
  t.match(link, /\/\?state=gate2&search=many\+4321#run_/, 'the URL contains the filter');
  await page.goBack();
  await page.locator('.row', { hasText: 'many 4321' }).waitFor();
  await page.reload();
  await page.locator('.row', { hasText: 'many 4321' }).waitFor();
  t.equal(await page.locator('#search').inputValue(), 'many 4321', 'survives a reload');
  await page.goBack();
  await page.goBack();
  await page.locator('.group', { hasText: '5,001' }).waitFor();
  t.equal(await page.locator('#search').inputValue(), '', 'Back leaves the search, not just its last letter');
  await page.goto(link.replace('gate2', 'rejected').replace(/#.*/, ''));
  await page.getByText('No matching runs').waitFor();
  t.equal(await page.getByLabel('State').inputValue(), 'rejected', 'a link restores the filter');
  await engine.rejectGateOne(id4321, { name: 'ada', via: 'api' }, { reason: 'no' });
  await page.reload();
  await page.locator('.row', { hasText: 'many 4321' }).waitFor();
  t.same(problems, []);
});

t.test(
  'trouble is loud: on every page, worst edge first, and charts survive a reload',
  { skip },
  async (t) => {
    let deaf = true;
    let ahead = -50 * 60_000;
    const notify = async () => {
      if (deaf) throw new CulpritError('storage_unavailable', 'The chat does not answer.');
    };
    const { core, engine, stage } = await boardBench(t, {
      now: () => Date.now() + ahead,
      policy: { notifyPausesMs: [] },
      change: (real) => [...real, { id: 'chat', setup: () => ({ notifier: { notify } }) }],
    });
    for (; ahead < 0; ahead += 10 * 60_000) await sendGuardFigures(core, figures(ahead / 600_000 + 5));
    await sendGuardFigures(core, figures(5));
    const ill = { ...figures(1), forwarder: { state: 'waiting', circuit: 'open' }, dead_letters: 3 };
    await sendGuardFigures(core, ill, 'edge-ill');
    const id = await stage();
    await until(async () => (await engine.failedNotifications()).length === 1);
    const { page, problems } = await visit(t, core.url, 390, 800);
    // Nothing grows old while a busy machine takes its time.
    await page.clock.setFixedTime(Date.now());
    await signIn(page);
    await page
      .locator('.trouble', { hasText: 'edge-ill: circuit open, 3 dead letters and 1 more' })
      .waitFor();
    t.equal(await page.locator('.tabs-main [data-tone=red]').textContent(), '2 problems');
    t.same(await axe(page), []);
    await page.locator('.trouble').click();
    await page.locator('.edge').nth(1).waitFor();
    t.same(
      await page.locator('.edge h3').allTextContents(),
      ['edge-ill', 'edge-7f3a'],
      'the worst edge first',
    );
    const healthy = page.getByRole('region', { name: 'Edge edge-7f3a' });
    const depth = healthy.locator('.chart', { hasText: 'Spool depth' });
    t.match(await depth.locator('.axis-x').textContent(), /^50 min ago/, 'core has kept the figures');
    t.equal(await healthy.getByRole('row').count(), 4, 'guards that refused nothing are folded');
    await healthy.getByRole('button', { name: 'Show 2 guards without a refusal' }).click();
    t.equal(await healthy.getByRole('row').count(), 6);
    t.equal(await overflow(page), 0);
    t.same(await axe(page), []);
    await page.reload();
    await depth.locator('.axis-x', { hasText: '50 min ago' }).waitFor();

    const failed = page.getByRole('region', { name: 'Failed notifications' });
    await failed.getByText('The chat does not answer.').waitFor();
    deaf = false;
    await failed.getByRole('button', { name: `Retry chat for ${id}` }).click();
    await failed.waitFor({ state: 'detached' });
    await sendGuardFigures(core, { ...ill, forwarder: { circuit: 'closed' }, dead_letters: 0 }, 'edge-ill');
    await page.locator('.tabs-main [data-tone=red]').waitFor({ state: 'detached' });
    t.same(problems, []);
  },
);

t.test(
  'a chain of exceptions: root cause first, recursion folded, minified code at its column',
  { skip },
  async (t) => {
    const { core, engine, repository } = await boardBench(t);
    const frame = (filename: string, name: string, lineno: number, rest: object = {}) => ({
      filename,
      function: name,
      lineno,
      in_app: true,
      ...rest,
    });
    const minified = `${'a();'.repeat(300)}boom();${'b();'.repeat(300)}`;
    const chain = [
      { type: 'RangeError', value: 'no tax', frames: [frame('src/cart.js', 'total', 4)] },
      {
        type: 'TypeError',
        value: 'no total',
        frames: [
          frame('src/checkout.js', 'pay', 2),
          ...Array.from({ length: 37 }, () => frame('src/tree.js', 'visit', 9)),
          ...[1, 2].map((n) => frame(`node_modules/lib/${n}.js`, `step${n}`, n, { in_app: false })),
          frame('dist/main.min.js', 'go', 1, { colno: 1201, context_line: minified }),
        ],
      },
    ];
    const { run_id } = await engine.ingest({
      crash: {
        event_id: 'chain-1',
        platform: 'node',
        release: repository.head,
        exception: { values: chain.map(({ frames, ...rest }) => ({ ...rest, stacktrace: { frames } })) },
      },
    });
    await engine.approveGateOne(run_id ?? '', { name: 'ada', via: 'api' });
    const { page, problems } = await visit(t, `${core.url}/#${run_id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page);
    const raised = page.locator('.exception');
    await raised.nth(1).waitFor();
    t.match(await raised.locator('.raised').allTextContents(), [
      /^root causeRangeError: no tax/,
      /^raised because of the one aboveTypeError: no total/,
    ]);
    t.match(
      await raised.first().locator('.line.crashed').textContent(),
      /tax\.rate/,
      'the cause has its source',
    );
    const crash = raised.nth(1);
    await crash.getByRole('button', { name: '37 × visit' }).waitFor();
    await crash.getByRole('button', { name: '2 library frames' }).waitFor();
    t.equal(await crash.locator('mark').textContent(), 'boom');
    await crash.getByText('no source map was found').waitFor();
    t.same(
      await crash.locator('.frame-number').allTextContents(),
      ['41', '1'],
      'numbers that suspects refer to',
    );
    t.same(await axe(page), []);

    await page.getByRole('button', { name: 'Copy stack' }).click();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    t.match(text, /^TypeError: no total\n {4}at go \(dist\/main\.min\.js:1:1201\)\n/);
    t.match(text, /\nCaused by: RangeError: no tax\n {4}at total \(src\/cart\.js:4\)$/);
    await page.getByText('Open frames in your editor').click();
    const template = page.getByLabel('Link to a line of your checkout');
    await template.fill('javascript:alert(1)//{path}');
    await template.press('Enter');
    await page.getByText('Start with the scheme of an editor').waitFor();
    t.equal(await page.locator('a.edit').count(), 0);
    await template.fill('vscode://file/home/ada/shop/{path}:{line}');
    await template.press('Enter');
    const edit = raised.first().locator('a.edit').first();
    t.equal(await edit.getAttribute('href'), 'vscode://file/home/ada/shop/src/cart.js:4');
    t.same(problems, []);
  },
);

/** Rows cover the whole viewport of the list. */
const IN_VIEW = `(() => {
  const box = document.querySelector('.rows').getBoundingClientRect();
  const rows = [...document.querySelectorAll('.rows li')].map((row) => row.getBoundingClientRect());
  return Math.min(...rows.map(({ top }) => top)) <= box.top + 1 && Math.max(...rows.map(({ bottom }) => bottom)) >= box.bottom - 1;
})()`;

/** Guard figures at a minute. */
function figures(minute: number): object {
  return guardFigures(new Date(Date.now() - 30 * 3_600_000).toISOString(), minute);
}
