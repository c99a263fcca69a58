import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t from 'tap';
import { createFetchHandler, nodeListener } from '../src/fetch/index.js';
import {
  axe,
  boardBench,
  CHROMIUM,
  decisionKey,
  sendGuardFigures,
  signIn,
  visit,
} from './support/board-bench.js';
import { TOKEN } from './support/core-bench.js';
import { held } from './support/held.js';

/** As core sends it every five seconds. */
const HEARTBEAT = '{"type":"beat"}';
const skip = CHROMIUM === undefined ? 'needs chromium' : false;

t.test('the keyboard reaches the title, the results and the sections in page order', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const ids = [await stage('first'), await stage('second'), await stage('third')];
  await engine.approveGateOne(ids[0] ?? '', { name: 'ada', via: 'api' });
  const { page, problems } = await visit(t, core.url, 1440, 500);
  await signIn(page);
  await page.locator('.row').nth(2).waitFor();
  const rows = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.row')].map((row) => row.dataset.run)",
  );
  t.equal(rows[0], ids[0], 'Gate 2 is first');
  const focused = () =>
    page.evaluate<string | null>('document.activeElement.id || document.activeElement.dataset.run');

  await page.keyboard.press('j');
  await page.locator('#run-title:focus', { hasText: 'first' }).waitFor();
  await page.keyboard.press('PageDown');
  while ((await page.evaluate<number>("document.getElementById('main').scrollTop")) < 100) {
    await page.waitForTimeout(50);
  }
  const tops = [];
  await page.locator('#occurrences').waitFor();
  for (const key of ['1', '2', '3', '4', '5', '6']) {
    await page.keyboard.press(key);
    tops.push(
      await page.evaluate<number>(
        "document.activeElement.getBoundingClientRect().top + document.getElementById('main').scrollTop",
      ),
    );
    t.match(await focused(), /^(suspects|explanation|crash|draft|occurrences|timeline)$/, key);
  }
  t.same(
    tops,
    [...tops].sort((a, b) => a - b),
    'the number keys follow the page’s order',
  );
  await page.keyboard.press('j');
  await page.waitForURL(`**/#${rows[1]}`);
  await page.locator('#run-title:focus', { hasText: /second|third/ }).waitFor();
  t.same(await axe(page), []);

  await page.keyboard.press('/');
  await page.locator('#search:focus').waitFor();
  await page.keyboard.press('ArrowDown');
  t.equal(await focused(), rows[0], 'Down moves from the search to the first result');
  await page.keyboard.press('ArrowDown');
  t.equal(await focused(), rows[1], 'and then to the next');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  t.equal(await focused(), 'search', 'Up moves back to the search');
  await page.keyboard.press('Enter');
  t.equal(await focused(), rows[0], 'so does Enter');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/#${rows[0]}`);
  t.same(problems, []);
});

t.test('without heartbeats the board reports missing data and disables decisions', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const id = await stage('quiet');
  const { page, problems } = await visit(t, `${core.url}/#${id}`);
  let muted = false;
  let sendHeartbeat: () => void = () => {};
  await page.routeWebSocket(/\/api\/v1\/live/, (socket) => {
    sendHeartbeat = () => socket.send(HEARTBEAT);
    socket.connectToServer().onMessage((message) => {
      if (!muted || message !== HEARTBEAT) socket.send(message);
    });
  });
  await page.clock.install();
  await page.reload();
  await signIn(page);
  const gate = page.locator('.gate-bar[data-gate="Gate 1"]');
  const approve = page.getByRole('button', { name: 'Approve Gate 1' });
  const connection = page.locator('.connection .text');
  const noData = connection.filter({ hasText: /No data for \d+ s/ });
  await gate.waitFor();
  muted = true;
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await noData.waitFor();
  sendHeartbeat();
  await connection.filter({ hasText: /^Live$/ }).waitFor();
  await page.clock.runFor(14_000);
  t.equal(await connection.textContent(), 'Live', 'a heartbeat keeps a quiet feed live');
  t.equal(await approve.isDisabled(), false);
  await page.clock.runFor(3_000);
  await noData.waitFor();
  await page.clock.resume();
  await gate.getByText(/No data from core for \d+ s\. Decisions are disabled/).waitFor();
  t.equal(await approve.isDisabled(), true);
  t.equal(await page.getByRole('button', { name: 'Reject' }).isDisabled(), true);
  await page.locator('#run-title').focus();
  await decisionKey(page, 'a');
  await decisionKey(page, 'r');
  t.equal(await page.getByRole('dialog').count(), 0, 'not by keyboard either');
  t.same(await axe(page), []);

  muted = false;
  // Core's own next heartbeat.
  await connection.filter({ hasText: /^Live$/ }).waitFor();
  await decisionKey(page, 'a');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.equal((await engine.run(id)).state, 'staged_draft');
  t.same(problems, []);
});

t.test(
  'a link to an issue asks a browser without a session to sign in, then shows the issue',
  { skip },
  async (t) => {
    const { core, engine, stage } = await boardBench(t);
    const id = await stage('the till is stuck');
    const ada = { name: 'ada', via: 'api' } as const;
    await engine.approveGateOne(id, ada);
    const { draft } = await engine.run(id);
    await engine.approveGateTwo(id, ada, { digest: draft?.digest });
    const url = (await engine.run(id)).publication?.issue_url ?? '';
    t.ok(url.startsWith(core.url));
    const { page, problems } = await visit(t, `${url}#details`);
    await page.getByLabel('Reviewer token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { name: /the till is stuck/ })
      .first()
      .waitFor();
    t.equal(page.url(), `${url}#details`);
    t.equal(await page.getByLabel('Reviewer token').count(), 0);
    const program = await fetch(url, { headers: { accept: 'application/json' } });
    t.match([program.status, await program.json()], [401, { code: 'unauthenticated' }]);
    t.same(problems, []);
  },
);

t.test('the board below a path of another site, with its live feed', { skip }, async (t) => {
  const { engine, stage } = await boardBench(t);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/culprit`;
  const handler = createFetchHandler({ engine, publicUrl: url, reviewers: [{ name: 'ada', token: TOKEN }] });
  const listener = nodeListener(handler);
  server.on('request', (request, response) => listener(request, response, () => response.end('the shop')));
  server.on('upgrade', listener.upgrade);
  t.teardown(async () => {
    handler.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const { page, problems, requests } = await visit(t, url);
  await signIn(page);
  await stage('arrives by the feed');
  await page.locator('.row', { hasText: 'arrives by the feed' }).click();
  await page.locator('#run-title', { hasText: 'arrives by the feed' }).waitFor();
  t.same(problems, []);
  t.same(
    requests.filter((request) => !request.startsWith(url)),
    [],
    'nothing outside of the path',
  );
});
t.test(
  'after a decision one stays on the run, and J leads to the next one of its group; a rejection is undone',
  { skip },
  async (t) => {
    const { core, engine, stage } = await boardBench(t);
    const ada = { name: 'ada', via: 'api' } as const;
    const draft = await stage('a draft');
    await engine.approveGateOne(draft, ada);
    for (const name of ['one', 'two', 'three', 'four']) await stage(name);
    const { page, problems } = await visit(t, core.url);
    await signIn(page);
    await page.locator('.row').nth(4).waitFor();
    const rows = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.row')].map((row) => row.dataset.run)",
    );
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = rows;
    t.equal(first, draft);
    await page.keyboard.press('j');
    await shows(page, first);
    await decisionKey(page, 'a');
    t.equal(await page.getByRole('dialog').count(), 0, 'A does not sign a draft');
    const entries = await page.evaluate<number>('history.length');
    await page.keyboard.press('j');
    await shows(page, second);

    await decisionKey(page, 'a');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
    await shows(page, second, false);
    t.match(await page.locator('.decided').textContent(), /^Approved Gate 1.*Next run/);
    await page.keyboard.press('j');
    await shows(page, third);
    await decisionKey(page, 'r');
    await page.getByRole('dialog').getByRole('textbox').fill('junk');
    await page.keyboard.press('Control+Enter');
    await page.locator('.gate-bar[data-gate="Rejected"]').waitFor();
    await page.locator('.decided', { hasText: 'Rejected' }).getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('j');
    await shows(page, fourth);
    t.same(await axe(page), []);
    await decisionKey(page, 'z');
    await page.waitForURL(`**/#${third}`);
    await page.locator('.gate-bar[data-gate="Gate 1"]', { hasText: 'ada undid the rejection' }).waitFor();
    t.match((await engine.history(third)).slice(-2), [
      { name: 'gate1.reject', by: 'ada', via: 'board', detail: { reason: 'junk' } },
      { name: 'gate1.reopen', by: 'ada', via: 'board', from: 'rejected', to: 'staged_raw' },
    ]);
    await page.locator(`.row[data-run=${third}]`).waitFor();
    t.equal(
      await page.evaluate<number>('history.length'),
      entries,
      'the keyboard leaves no trail in the history',
    );
    t.match(await page.title(), /^\(\d\) .* · Culprit$/, 'the tab names the run');

    await page.locator(`.row[data-run=${fifth}]`).click();
    await shows(page, fifth, false);
    await decisionKey(page, 'r');
    await page.getByRole('dialog').getByRole('textbox').fill('junk');
    await page.keyboard.press('Control+Enter');
    await page.locator('.gate-bar[data-gate="Rejected"]').waitFor();
    await page.locator('.decided').getByRole('button', { name: 'Next run' }).click();
    await shows(page, fourth);
    t.equal((await engine.runs({ states: ['published', 'publishing'], limit: 1 })).runs.length, 0);
    t.same(problems, []);
  },
);

t.test('an analysis does not lock the gate of another run, and shows its steps', { skip }, async (t) => {
  const analysis = held();
  const { core, engine, stage } = await boardBench(t, {
    change: (real) => [analysis.connector, ...real.filter(({ id }) => id !== 'outbox')],
  });
  const ids = [await stage('one'), await stage('two')];
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.row').nth(1).waitFor();
  await page.keyboard.press('j');
  for (let approved = 1; approved <= 2; approved++) {
    await page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
    await page.locator('#run-title:focus').waitFor();
    await decisionKey(page, 'a');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page
      .locator('.row [data-state=analyzing]')
      .nth(approved - 1)
      .waitFor();
    if (approved === 1) await page.keyboard.press('j');
  }
  for (const id of ids) t.equal((await engine.run(id)).state, 'analyzing');
  await page.locator('.gate-bar[data-gate=Analysing]', { hasText: 'Explain the crash' }).waitFor();
  const steps = page.locator('.steps li');
  t.match(await steps.allTextContents(), [
    /files? listed/,
    /^2 of 2 frames located/,
    /^2 files blamed/,
    /^\d+ diffs? read, \d suspects?/,
    'Explain the crash…',
    'Write the draft',
  ]);
  t.same(await axe(page), []);
  await page.reload();
  await steps.filter({ hasText: '2 files blamed' }).waitFor();
  analysis.finish();
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.equal(await steps.count(), 0);
  t.same(problems, []);
});

t.test('hasty keys and double clicks decide nothing that was not read', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const ids = [await stage('one'), await stage('two'), await stage('three')];
  const { page, problems, requests } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.row').nth(2).waitFor();
  const sent = () => requests.filter((url) => /gate[12]\/approve/.test(url)).length;
  const open = async (id: string) => {
    await page.locator(`.row[data-run=${id}]`).click();
    await shows(page, id, false);
  };
  const [first = '', second = '', third = ''] = ids;
  await open(first);
  await decisionKey(page, 'a');
  // As fast as a machine types.
  for (const key of ['Enter', 'a', 'Enter', 'a', 'Enter']) await page.keyboard.press(key);
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.equal(page.url().endsWith(`#${first}`), true, 'one stays on the run');
  await page.getByRole('button', { name: 'Next run' }).waitFor();
  for (const key of ['j', 'a', 'r', 's', 'a']) await page.keyboard.press(key);
  await shows(page, second, false);
  t.equal(await page.getByRole('dialog').count(), 0, 'keys that decide do nothing yet');
  t.same(
    (await Promise.all([second, third].map((id) => engine.run(id)))).map(({ state }) => state),
    ['staged_raw', 'staged_raw'],
  );
  t.equal(sent(), 1);

  await page.getByRole('button', { name: 'Approve Gate 1' }).dblclick();
  await page.getByRole('dialog').waitFor();
  t.equal(sent(), 1, 'a double click only asks');
  await page.getByRole('dialog').getByRole('button', { name: 'Approve Gate 1' }).dblclick();
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.equal(await page.getByRole('dialog').count(), 0);
  t.equal((await engine.run(third)).state, 'staged_raw');
  t.equal(sent(), 2);

  // A form in which nothing was typed keeps nobody from signing.
  const sign = page.getByRole('button', { name: 'Sign and publish' });
  await page.keyboard.press('e');
  await page.locator('#draft-body:focus').waitFor();
  t.equal(await sign.isEnabled(), true);
  await page.keyboard.type('x');
  await page.locator('.gate-bar', { hasText: 'Save or discard your edit first.' }).waitFor();
  t.equal(await sign.isDisabled(), true);
  await page.keyboard.press('Backspace');
  await page.locator('.gate-bar', { hasText: 'publishes exactly this draft' }).waitFor();
  // Another reviewer edits meanwhile: the page is stale.
  const { draft } = await engine.run(second);
  const grace = { name: 'grace', via: 'api' } as const;
  if (draft !== null)
    await engine.editDraft(second, grace, { ...draft, title: 'Another title', digest: draft.digest });
  await page.locator('.gate-bar', { hasText: /changed|Review the latest/ }).waitFor();
  t.equal(await sign.isDisabled(), true, 'a stale page signs nothing');
  await page.locator('#run-title').focus();
  await decisionKey(page, 'Shift+A');
  t.equal(await page.getByRole('dialog').count(), 0);
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.locator('.draft, #draft', { hasText: 'Another title' }).first().waitFor();
  await page.keyboard.press('e');
  await sign.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign and publish' }).dblclick();
  await page.locator('.gate-bar[data-gate="Published"]').waitFor();
  t.equal((await engine.runs({ states: ['published'], limit: 9 })).runs.length, 1);
  t.same(problems, []);
});

t.test('a reading that a later one overtakes does not end the decision', { skip }, async (t) => {
  const { core, stage } = await boardBench(t);
  const ids = [await stage('one'), await stage('two')];
  const { page, problems, requests } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.row').nth(1).waitFor();
  await page.locator(`.row[data-run=${ids[0]}]`).click();
  await shows(page, ids[0] ?? '', false);
  const waiting: (() => void)[] = [];
  let free = false;
  await page.route(/\/history$/, async (route) => {
    if (!free) await new Promise<void>((resolve) => waiting.push(resolve));
    await route.continue();
  });
  const decided = page.waitForRequest(/\/history$/);
  await decisionKey(page, 'a');
  await page.keyboard.press('Enter');
  const overtaken = await decided;
  // The second one is about the analysis, which has started.
  while (waiting.length < 2) await page.waitForTimeout(50);
  waiting[0]?.();
  await (await overtaken.response())?.finished();
  await page.waitForTimeout(100);
  await page.keyboard.press('a');
  t.equal(await page.getByRole('dialog').count(), 0, 'no decision before the page shows the outcome');
  free = true;
  for (const go of waiting) go();
  await page.getByRole('button', { name: 'Next run' }).waitFor();
  t.equal(requests.filter((url) => /gate1\/approve/.test(url)).length, 1);
  t.same(problems, []);
});

t.test('addresses of nothing, and an edge that has stopped', { skip }, async (t) => {
  const { core } = await boardBench(t);
  const { page, problems } = await visit(t, `${core.url}/#/nonsense`);
  await page.clock.install();
  await page.reload();
  await signIn(page);
  await page.getByRole('heading', { name: 'No such page' }).waitFor();
  t.equal(await page.getByText('removed').count(), 0);
  t.same(await axe(page), []);
  await sendGuardFigures(core, { dead_letters: 0 }, 'edge-1');
  await page.evaluate("location.hash = '#/edges'");
  const edge = page.getByRole('region', { name: 'Edge edge-1' });
  await edge.getByText('healthy').waitFor();
  await page.clock.fastForward(20_000);
  await edge.getByText('currently unknown').waitFor();
  // Core's own next heartbeat.
  await edge.getByText(/no report for \d+ s/).waitFor();
  t.equal(await edge.getByText('healthy').count(), 0);
  t.same(await axe(page), []);
  t.same(problems, []);
});

/** Waits until the run is on the screen and, after a key, its title has the focus. */
async function shows(page: Page, runId: string, focused = true): Promise<void> {
  await page.waitForURL(`**/#${runId}`);
  await page.locator('.run[aria-busy=false] .run-id', { hasText: runId }).waitFor();
  if (focused) await page.locator('#run-title:focus').waitFor();
}
