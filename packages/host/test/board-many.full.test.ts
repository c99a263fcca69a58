import type { RunState } from '@culprit/core';
import { memoryPublisher } from '@culprit/core/testing';
import type { Page } from 'playwright-core';
import t from 'tap';
import {
  axe,
  boardBench,
  CHROMIUM,
  decisionKey,
  editDraft,
  overflow,
  signIn,
  visit,
} from './support/board-bench.js';
import type { CoreBench } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const GRACE = { name: 'grace', via: 'api' } as const;
const REASON = 'a load test';

/** Runs in the order of the list, oldest first, with the board open on it. */
async function listOf(t: Parameters<typeof boardBench>[0], count: number) {
  const bench = await boardBench(t);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await bench.stage(`crash ${n % 2 === 0 ? 'even' : 'odd'} ${n}`));
  const visited = await visit(t, `${bench.core.url}/?order=oldest`);
  await signIn(visited.page);
  await visited.page
    .locator('.row')
    .nth(count - 1)
    .waitFor();
  return { bench, ids, ...visited };
}

async function statesOf({ engine }: CoreBench, ids: readonly string[]): Promise<readonly RunState[]> {
  return Promise.all(ids.map(async (id) => (await engine.run(id)).state));
}

async function namesOf({ engine }: CoreBench, id: string): Promise<readonly string[]> {
  return (await engine.history(id)).filter(({ kind }) => kind === 'decision').map(({ name }) => name);
}

/** Answers the dialog of a rejection with the keyboard. */
async function confirm(page: Page, title: string): Promise<void> {
  await page.getByRole('dialog', { name: title }).waitFor();
  await page.keyboard.type(REASON);
  await page.keyboard.press('Control+Enter');
}

const result = (page: Page, text: string | RegExp) =>
  page.locator('.job[aria-busy=false]', { hasText: text });

t.test(
  'keyboard: a range is rejected with one reason, undone with one key, and nothing else',
  { skip },
  async (t) => {
    const { bench, ids, page, problems, requests } = await listOf(t, 6);
    await page.keyboard.press('j');
    await page.locator('#run-title:focus').waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(`**/*#${ids[1]}`);
    await page.keyboard.press('x');
    await page.locator('.picked', { hasText: '1 selected' }).waitFor();
    for (const id of [ids[2], ids[3]]) {
      await page.keyboard.press('j');
      await page.waitForURL(`**/*#${id}`);
    }
    await page.keyboard.press('Shift+X');
    await page.locator('.picked', { hasText: '3 selected' }).waitFor();
    t.same(await page.locator('.pick :checked').count(), 3);
    t.same(await axe(page), []);
    await decisionKey(page, 'r');
    await confirm(page, 'Reject 3 runs?');
    await result(page, 'Rejected: 3 of 3').waitFor();
    await page.waitForURL(`**/*#${ids[3]}`);
    t.pass('the page stays on its run');
    t.same(await statesOf(bench, ids), [
      'staged_raw',
      ...Array(3).fill('rejected'),
      ...Array(2).fill('staged_raw'),
    ]);
    t.match((await bench.engine.history(ids[1] ?? '')).at(-1), {
      name: 'gate1.reject',
      by: 'ada',
      via: 'board',
      detail: { reason: REASON },
    });
    t.same(await axe(page), []);

    await decisionKey(page, 'z');
    await result(page, 'Rejection undone: 3 of 3').waitFor();
    t.same(await statesOf(bench, ids), Array(6).fill('staged_raw'));
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.locator('.many').waitFor({ state: 'detached' });

    // All that match a search; Escape clears the selection before it leaves the run.
    await page.keyboard.press('/');
    await page.keyboard.type('odd');
    await page.locator('.group', { hasText: '3' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('*');
    await page.locator('.picked', { hasText: '3 selected' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.picked').waitFor({ state: 'detached' });
    await page.keyboard.press('*');
    await decisionKey(page, 'r');
    await confirm(page, 'Reject 3 runs?');
    await result(page, 'Rejected: 3 of 3').waitFor();
    t.same(
      await statesOf(bench, ids),
      ids.map((_, n) => (n % 2 === 0 ? 'staged_raw' : 'rejected')),
    );
    t.same(
      requests.filter((url) => /approve/.test(url)),
      [],
      'nothing is approved or published',
    );
    t.same(problems, []);
  },
);

t.test('what failed is listed and retried; a lost connection doubles nothing', { skip }, async (t) => {
  const { bench, ids, page, problems } = await listOf(t, 8);
  await page.getByRole('button', { name: 'Select' }).first().click();
  await page.locator('.pick input').first().waitFor();
  await page.keyboard.press('*');
  await page.locator('.picked', { hasText: '8 selected' }).waitFor();
  await decisionKey(page, 'r');
  await page.getByRole('dialog', { name: 'Reject 8 runs?' }).waitFor();
  // While the reviewer types, another one approves a run, and the connection is lost after five rejections.
  await bench.engine.approveGateOne(ids[0] ?? '', GRACE);
  let sent = 0;
  let held: (() => void)[] = [];
  await page.route('**/gate1/reject', async (route) => {
    sent += 1;
    if (sent <= 4) return route.continue();
    // Core receives it; its response is lost.
    if (sent === 5) await route.fetch();
    else await new Promise<void>((resolve) => held.push(resolve));
    await route.abort('connectionreset');
    for (const resolve of held) resolve();
    held = [];
  });
  await confirm(page, 'Reject 8 runs?');
  await result(page, /1 failed. [2-5] not confirmed/).waitFor();
  await page.locator('.job .left', { hasText: 'while the run is staged_draft' }).waitFor();
  t.same(await axe(page), []);
  await page.unroute('**/gate1/reject');
  await page.getByRole('button', { name: /^Retry/ }).click();
  await result(page, 'Rejected: 7 of 8. 1 failed').waitFor();
  t.same(await statesOf(bench, ids), ['staged_draft', ...Array(7).fill('rejected')]);
  for (const id of ids.slice(1)) t.same(await namesOf(bench, id), ['gate1.reject'], 'once');

  // Undo takes back only this reviewer's rejections.
  await bench.engine.reopen(ids[1] ?? '', GRACE);
  await bench.engine.rejectGateOne(ids[1] ?? '', GRACE, { reason: 'really' });
  await page.getByRole('button', { name: 'Undo 7' }).click();
  await result(page, 'Rejection undone: 6 of 7. 1 failed').waitFor();
  await page.locator('.job .left', { hasText: 'grace has rejected the run' }).waitFor();
  t.same(await statesOf(bench, ids), ['staged_draft', 'rejected', ...Array(6).fill('staged_raw')]);
  t.same(problems, []);
});

t.test('many runs are snoozed and claimed, each once, and it is undone', { skip }, async (t) => {
  const { bench, ids, page, problems } = await listOf(t, 4);
  await bench.engine.claim(ids[3] ?? '', GRACE);
  await page.locator('.turn', { hasText: 'claimed by grace' }).waitFor();
  await page.keyboard.press('*');
  await decisionKey(page, 'c');
  await result(page, 'Claimed: 3 of 4. 1 failed').waitFor();
  await page.locator('.job .left', { hasText: 'grace has claimed this run' }).waitFor();
  await decisionKey(page, 'z');
  await result(page, 'Claim released: 3 of 3').waitFor();
  for (const id of ids.slice(0, 3)) t.same(await namesOf(bench, id), ['claim', 'claim.release']);

  await page.keyboard.press('*');
  await decisionKey(page, 's');
  await page.getByRole('dialog', { name: 'Snooze 4 runs?' }).waitFor();
  t.same(await axe(page), []);
  await page.getByLabel('Until it crashes in a new release').check();
  await page.getByLabel('Reason, optional').fill(REASON);
  let answered = false;
  await page.route('**/snooze', async (route) => {
    // Core receives the first; its response is lost.
    if (answered) return route.continue();
    answered = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.keyboard.press('Enter');
  await result(page, /[1-4] not confirmed/).waitFor();
  await page.unroute('**/snooze');
  await page.getByRole('button', { name: /^Retry/ }).click();
  await result(page, /Snoozed .*: 4 of 4/).waitFor();
  t.same(await statesOf(bench, ids), Array(4).fill('snoozed'));
  for (const id of ids) {
    const entries = (await bench.engine.history(id)).filter(({ name }) => name === 'gate1.snooze');
    t.equal(entries.length, 1, 'once');
    t.match(entries[0], { by: 'ada', detail: { reason: REASON, until: { kind: 'release' } } });
    t.equal((await namesOf(bench, id)).includes('snooze.change'), false);
  }
  await decisionKey(page, 'z');
  await result(page, 'Snooze undone: 4 of 4').waitFor();
  t.same(await statesOf(bench, ids), Array(4).fill('staged_raw'));
  t.same(problems, []);
});

t.test(
  'desktop notifications: asked for by a click, few at once, a click opens the run',
  { skip },
  async (t) => {
    const { bench, page, problems } = await listOf(t, 1);
    await page.context().grantPermissions(['notifications'], { origin: bench.core.url });
    // The browser shows them to nobody here; what the board asks for is recorded.
    await page.evaluate(`
    window.shown = [];
    window.away = true;
    document.hasFocus = () => !window.away;
    const Real = window.Notification;
    window.Notification = class {
      static permission = 'default';
      static async requestPermission() { return (this.permission = await Real.requestPermission()); }
      constructor(title, options) { Object.assign(this, { title, ...options }); window.shown.push(this); }
      close() { this.closed = true; this.onclose?.(); }
    };
  `);
    const shown = () => page.evaluate<{ title: string; body: string; closed?: boolean }[]>('window.shown');
    const waitFor = async (fits: (all: Awaited<ReturnType<typeof shown>>) => boolean) => {
      while (!fits(await shown())) await page.waitForTimeout(50);
    };
    await bench.stage('before');
    await page.locator('.row').nth(1).waitFor();
    t.equal((await shown()).length, 0, 'off until it is asked for');
    const bell = page.getByRole('button', { name: 'Desktop notifications' });
    await bell.click();
    await page.locator('[aria-label="Desktop notifications"][aria-pressed=true]').waitFor();
    t.same(await axe(page), []);

    const id = await bench.stage('a hostile <b>title</b>');
    await waitFor(({ length }) => length > 0);
    t.match(await shown(), [{ title: 'A run waits at Gate 1', body: /a hostile <b>title<\/b>/ }]);
    await page.evaluate('window.shown[0].onclick()');
    await page.waitForURL(`**/*#${id}`);
    await bench.engine.approveGateOne(id, GRACE);
    await waitFor(({ length }) => length > 1);
    t.match((await shown())[1], { title: 'A draft waits at Gate 2' });

    for (let n = 0; n < 5; n++) await bench.stage(`flood ${n}`);
    await waitFor((all) => all.some(({ title }) => /runs to review$/.test(title)));
    t.ok((await shown()).filter(({ closed }) => closed !== true).length <= 3, 'never more than a few');

    await page.evaluate('window.away = false');
    const before = (await shown()).length;
    await bench.stage('in front');
    await page.locator('.row', { hasText: 'in front' }).waitFor();
    await bell.click();
    await page.locator('[aria-label="Desktop notifications"][aria-pressed=false]').waitFor();
    t.equal((await shown()).length, before, 'none while the board is in front');
    t.same(problems, []);
  },
);

t.test('the digest: a period in the address, links to its runs, printable', { skip }, async (t) => {
  const { bench, ids, page, problems } = await listOf(t, 3);
  const [first = '', second = ''] = ids;
  await bench.engine.rejectGateOne(first, GRACE, { reason: '<img src=x> noise' });
  await bench.engine.approveGateOne(second, GRACE);
  await bench.engine.approveGateTwo(second, GRACE, {
    digest: (await bench.engine.run(second)).draft?.digest,
  });
  await page.keyboard.press('g');
  await decisionKey(page, 'd');
  await page.locator('.page .tiles').waitFor();
  t.match(await page.title(), /^\(1\) Digest · Culprit$/);
  for (const [part, text] of [
    ['Published', /issue #1/],
    ['Rejected', /by grace: <img src=x> noise/],
    ['Reviewers', /Gate 1 approved × 1, Rejected at Gate 1 × 1, Signed at Gate 2 × 1/],
    ['Oldest waiting', /first seen/],
  ] as const) {
    t.match(await page.getByRole('region', { name: part }).textContent(), text, part);
  }
  await page.getByRole('button', { name: '8 hours' }).click();
  await page.waitForURL(/#\/digest\?since=[^&]+Z&until=[^&]+Z$/);
  const address = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
  t.equal(Date.parse(address.get('until') ?? '') - Date.parse(address.get('since') ?? ''), 8 * 3_600_000);
  const minute = (address.get('since') ?? '').slice(0, 16).replace('T', ' ');
  await page.locator('.page header', { hasText: `${minute} UTC to` }).waitFor();
  await page.getByLabel('From').fill('2026-01-01T00:00');
  await page.getByLabel('to', { exact: true }).fill('2026-01-02T00:00');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/since=2026-01-01T00%3A00%3A00.000Z&until=2026-01-02T00/);
  await page.locator('.page header', { hasText: '2026-01-01 00:00 UTC to 2026-01-02 00:00 UTC' }).waitFor();
  t.equal(await page.getByRole('region', { name: 'Published' }).count(), 0);
  await page.goBack();
  await page.getByRole('region', { name: 'Published' }).waitFor();
  t.same(await axe(page), []);
  await page.emulateMedia({ media: 'print' });
  t.equal(await page.locator('.top').isVisible(), false, 'only the digest is printed');
  t.equal(await page.getByRole('region', { name: 'Rejected' }).isVisible(), true);
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize({ width: 390, height: 844 });
  t.equal(await overflow(page), 0);
  t.same(await axe(page), []);
  await page.getByRole('region', { name: 'Published' }).getByRole('link').first().click();
  await page.waitForURL(`**/*#${second}`);
  t.same(problems, []);
});

t.test(
  'a row: level, place, environment, platform, news, whose turn; a regression is first',
  { skip },
  async (t) => {
    const publisher = memoryPublisher();
    const { core, engine, repository } = await boardBench(t, {
      policy: { requireSecondPerson: true },
      change: (real) =>
        real.map((one) => (one.id === 'outbox' ? { id: 'issues', setup: () => ({ publisher }) } : one)),
    });
    const ADA = { name: 'ada', via: 'api' } as const;
    let events = 0;
    const stage = async (name: string, more: object = {}) => {
      const crash = { ...cartCrash(`row-${++events}`, repository.head, name), fingerprint: [name], ...more };
      return (await engine.ingest({ crash })).run_id ?? '';
    };
    const long = "Cannot read properties of undefined (reading 'rate') while the cart of the shop is priced";
    const raw = await stage(long, { level: 'fatal', environment: 'production' });
    const [own, edited, free] = [await stage('own'), await stage('edited'), await stage('free')];
    const signed = await stage('returns');
    await engine.approveGateOne(own, ADA);
    for (const id of [edited, free, signed]) await engine.approveGateOne(id, GRACE);
    await editDraft(engine, edited, 'a better title', ADA);
    await engine.approveGateTwo(signed, ADA, { digest: (await engine.run(signed)).draft?.digest });
    publisher.closeIssue(1);
    let regression = signed;
    while (regression === signed) regression = await stage('returns');

    const { page, problems } = await visit(t, core.url);
    await signIn(page);
    const row = (id: string) => page.locator(`[data-run="${id}"]`);
    const turn = (id: string) => row(id).locator('.turn').textContent();
    await row(free).waitFor();
    t.match(await row(raw).locator('.place').textContent(), /^total at src\/cart\.js:4 · production · node$/);
    t.equal(await row(raw).locator('.level').textContent(), 'fatal');
    t.equal(await row(raw).locator('.title .end').isVisible(), true);
    t.match(await row(raw).locator('.title .end').textContent(), /is priced$/, 'a long title keeps its end');
    t.equal(await turn(raw), 'your turn');
    t.equal(await turn(free), 'your turn');
    t.equal(await turn(own), 'another reviewer’s turn', 'who approved Gate 1 does not sign');
    t.equal(await turn(edited), 'another reviewer’s turn', 'nor who edited the draft');
    t.equal(await row(regression).locator('.pill[data-tone=red]').textContent(), 'regression');
    const gateOne = page.locator('li:has(.pill[data-state=staged_raw]) .row');
    t.equal(await gateOne.first().getAttribute('data-run'), regression, 'first in its group');
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-run="${regression}"], [data-run="${raw}"]')].map((row) => getComputedStyle(row).borderLeftColor)`,
    );
    t.not(colours[0], colours[1], 'and in colour');
    t.equal(await page.locator('.row .new').count(), 0);
    const fresh = await stage('fresh');
    await row(fresh).locator('.new').waitFor();
    await row(fresh).click();
    await row(fresh).locator('.new').waitFor({ state: 'detached' });
    t.same(await axe(page), []);
    t.same(problems, []);
  },
);
