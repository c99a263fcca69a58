import type { Connector } from '@culprit/core';
import { memoryPublisher } from '@culprit/core/testing';
import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { axe, boardBench, CHROMIUM, decisionKey, overflow, signIn, visit } from './support/board-bench.js';
import { coreBench, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { culprit } from './support/run-culprit.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const HOSTILE = '<img src=x onerror="window.pwned=1"> </p><script>window.pwned=1</script> \u202Eevil';

/** Opens a run by its address, with the focus on its title. */
async function openRun(page: Page, id: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(id)}`);
  await shownRun(page, id);
}

function shownRun(page: Page, id: string): Promise<void> {
  return page.locator('.run[aria-busy=false] .run-id', { hasText: id }).waitFor();
}

const gate = (page: Page, name: string) => page.locator(`.gate-bar[data-gate="${name}"]`);
const dialog = (page: Page) => page.getByRole('dialog');

/** Saves a picture if PICTURES names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

t.test('snooze by keyboard: chosen, listed, undone by one key, and back by itself', { skip }, async (t) => {
  const { core, engine, stage, repository } = await boardBench(t);
  const [first] = [await stage('first'), await stage('second')];
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await openRun(page, first);
  await decisionKey(page, 's');
  await dialog(page).locator('input[value=tomorrow]:focus').waitFor();
  t.same(await axe(page), []);
  await picture(page, 'snooze-dialog');
  await page.keyboard.press('Enter');
  await page.locator('.decided', { hasText: /Snoozed until \d{4}-\d\d-\d\d 09:00/ }).waitFor();
  await gate(page, 'Snoozed').waitFor();
  t.equal(new URL(page.url()).hash, `#${first}`, 'one stays on the run');
  await page.locator('.rows').getByText('Snoozed').waitFor({ state: 'detached' });
  t.match(await engine.run(first), { state: 'snoozed', snooze: { by: 'ada', until: { kind: 'time' } } });

  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.locator('.group', { hasText: 'Snoozed 1' }).waitFor();
  await page.locator(`[data-run="${first}"] .place`, { hasText: /^until \d{4}-/ }).waitFor();
  await picture(page, 'snoozed-list');
  await decisionKey(page, 'z');
  await page.waitForURL((url) => url.hash === `#${first}`);
  // The previous run, which is at Gate 1 as well, stays on the page until this one has loaded.
  await shownRun(page, first);
  await gate(page, 'Gate 1').waitFor();
  t.equal((await engine.run(first)).state, 'staged_raw', 'undone');

  await decisionKey(page, 's');
  await dialog(page).waitFor();
  // The list of times is shorter on Sundays.
  while ((await dialog(page).locator('input[value=crashes]:checked').count()) === 0)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('1');
  await page.keyboard.press('Enter');
  await page.locator('.decided', { hasText: 'Snoozed until the next crash' }).waitFor();
  await openRun(page, first);
  await gate(page, 'Snoozed').getByText('Until the next crash').waitFor();
  await picture(page, 'snoozed-run');
  await decisionKey(page, 'a');
  t.equal(await dialog(page).count(), 0, 'no gate opens meanwhile');
  const event_id = 'another-one';
  const fingerprint = ['own-1'];
  await engine.ingest({ crash: { event_id, message: 'first', fingerprint, release: repository.head } });
  await gate(page, 'Gate 1').waitFor();
  await page.locator('.callout', { hasText: 'Back from a snooze. It crashed again.' }).waitFor();
  t.same(await axe(page), []);
  await picture(page, 'woken-run');
  t.same(problems, []);
});

/** Presses the key again if nothing happens: decisions are disabled while a busy page has not heard from core for some seconds. */
async function pressUntil(page: Page, key: string, shown: Locator): Promise<void> {
  while (!(await shown.isVisible())) {
    await page.keyboard.press(key);
    await shown.waitFor({ timeout: 5_000 }).catch(() => {});
  }
}

t.test('a claim is seen live by another reviewer, who can take it over', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const id = await stage();
  const [ada, grace] = [await visit(t, core.url), await visit(t, core.url, 390, 800)];
  await signIn(ada.page);
  await signIn(grace.page, OTHER_TOKEN);
  await openRun(ada.page, id);
  await decisionKey(ada.page, 'c');
  await ada.page.locator('.claimed[data-mine]').waitFor();
  await grace.page.locator(`[data-run="${id}"] .turn`, { hasText: 'claimed by ada' }).waitFor();
  await openRun(grace.page, id);
  await grace.page.locator('.claimed', { hasText: 'ada has claimed this run' }).waitFor();
  t.equal(await overflow(grace.page), 0);
  t.same(await axe(grace.page), []);
  await picture(grace.page, 'claimed-390');
  await decisionKey(grace.page, 'a');
  await dialog(grace.page).getByText('Your decision ends the claim').waitFor();
  await picture(grace.page, 'claimed-dialog-390');
  await grace.page.keyboard.press('Escape');
  await dialog(grace.page).waitFor({ state: 'detached' });
  await pressUntil(grace.page, 'c', dialog(grace.page).getByText('Take over this run?'));
  await grace.page.keyboard.press('Enter');
  await ada.page.locator('.claimed', { hasText: 'grace has claimed this run' }).waitFor();
  await picture(ada.page, 'claimed-1440');
  await grace.page.locator('.claimed[data-mine]').waitFor();
  await decisionKey(grace.page, 'c');
  await ada.page.locator('.claimed').waitFor({ state: 'detached' });
  t.notOk((await engine.run(id)).claim);
  t.same([...ada.problems, ...grace.problems], []);
});

t.test('comments: written by keyboard, seen live, and a hostile one stays text', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const id = await stage();
  const [ada, grace] = [await visit(t, core.url), await visit(t, core.url)];
  await signIn(ada.page);
  await signIn(grace.page, OTHER_TOKEN);
  await openRun(ada.page, id);
  await openRun(grace.page, id);
  await ada.page.keyboard.press('m');
  await dialog(ada.page).waitFor();
  await ada.page.keyboard.insertText(HOSTILE);
  await ada.page.keyboard.press('Control+Enter');
  const said = grace.page.locator('.comments .said');
  await said.waitFor();
  t.equal(await said.textContent(), HOSTILE.replace('\u202E', '⟨202e⟩'));
  t.equal(await grace.page.locator('.run img, .run script').count(), 0);
  t.equal(await grace.page.evaluate('window.pwned'), undefined);
  t.equal(await grace.page.locator('.changed').count(), 0, 'a comment is no reason to read the run again');
  await grace.page.locator(`[data-run="${id}"]`, { hasText: '1 comment' }).waitFor();
  t.same(await axe(grace.page), []);
  await grace.page.locator('#comments').scrollIntoViewIfNeeded();
  await picture(grace.page, 'comments');
  await engine.rejectGateOne(id, { name: 'ada', via: 'api' }, { reason: 'noise' });
  await ada.page.locator('.gate-bar[data-gate="Rejected"], .changed').first().waitFor();
  t.same([...ada.problems, ...grace.problems], []);
});

t.test('what comes late opens no dialog on another run, and replaces none', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const [first, second] = [await stage('first'), await stage('second')];
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await openRun(page, first);
  await page.route('**/claim', async (route) => {
    await engine.claim(first, { name: 'grace', via: 'api' });
    await openRun(page, second);
    await page.keyboard.press('m');
    await dialog(page).waitFor();
    await page.keyboard.insertText('as in May');
    await route.continue();
  });
  await decisionKey(page, 'c');
  await page.locator('.banner', { hasText: 'grace has claimed this run' }).waitFor();
  t.equal(await dialog(page).count(), 1);
  t.equal(await dialog(page).locator('textarea').inputValue(), 'as in May');
  t.match(await engine.run(first), { claim: { by: 'grace' } });

  // On its own page it is asked, and names its run.
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await openRun(page, first);
  await pressUntil(page, 'c', dialog(page).getByText('Take over this run?'));
  await dialog(page).locator('.what', { hasText: 'first' }).waitFor();
  t.same(problems, []);
});

t.test('a snooze that counts crashes begins again with the same number', { skip }, async (t) => {
  const { core, engine, stage, repository } = await boardBench(t);
  const id = await stage('first');
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await openRun(page, id);
  const snooze = async () => {
    await decisionKey(page, 's');
    await dialog(page).locator('input[value=crashes]').check();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
  };
  await snooze();
  await gate(page, 'Snoozed').getByText('Until 10 more crashes').waitFor();
  const fingerprint = ['own-1'];
  await engine.ingest({
    crash: { event_id: 'another-one', message: 'first', fingerprint, release: repository.head },
  });
  t.match(await engine.run(id), { snooze: { left: 9 } });
  const sent = page.waitForResponse('**/snooze');
  await snooze();
  await sent;
  t.match(await engine.run(id), { snooze: { left: 10 } });
  t.same(problems, []);
});

t.test('many runs are pinned after a question, and one key undoes it', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const ids = [await stage('crash 1'), await stage('crash 2')];
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.row').nth(1).waitFor();
  const pins = async () => Promise.all(ids.map(async (id) => Boolean((await engine.run(id)).pinned)));
  await page.keyboard.press('*');
  await page.keyboard.press('Shift+P');
  await dialog(page).getByText('Pin 2 runs?').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.job[aria-busy=false]', { hasText: 'Pinned: 2 of 2' }).waitFor();
  t.same(await pins(), [true, true]);
  await page.keyboard.press('*');
  await page.locator('.picked', { hasText: '2 selected' }).waitFor();
  await page.locator('.picked').getByRole('button', { name: 'Pin', disabled: true }).waitFor();
  await page.keyboard.press('Escape');
  await decisionKey(page, 'z');
  await page.locator('.job[aria-busy=false]', { hasText: 'Unpinned: 2 of 2' }).waitFor();
  t.same(await pins(), [false, false]);
  t.same(problems, []);
});

t.test('a list that core did not answer says so, and can be tried again', { skip }, async (t) => {
  const { core } = await boardBench(t);
  const { page, problems } = await visit(t, core.url);
  await page.route('**/api/v1/runs?*state=rejected*', (route) => route.fulfill({ status: 503 }));
  await signIn(page);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  const list = page.locator('.list');
  await list.getByText('Core did not answer.').waitFor();
  await page.unroute('**/api/v1/runs?*state=rejected*');
  await list.getByRole('button', { name: 'Try again' }).click();
  await list.getByText('No matching runs.').waitFor();
  t.same(problems, []);
});

t.test('many runs are snoozed at once, and one key undoes it', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push(await stage(`crash ${n}`));
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.row').nth(3).waitFor();
  const states = async () => Promise.all(ids.map(async (id) => (await engine.run(id)).state));
  await page.keyboard.press('*');
  await page.locator('.picked', { hasText: '4 selected' }).waitFor();
  await decisionKey(page, 's');
  await dialog(page).getByText('Snooze 4 runs?').waitFor();
  t.same(await axe(page), []);
  await picture(page, 'snooze-many');
  await page.keyboard.press('Enter');
  await page.locator('.job[aria-busy=false]', { hasText: /^Snoozed until .*: 4 of 4/ }).waitFor();
  t.same(await states(), Array(4).fill('snoozed'));
  await engine.wake(ids[0] ?? '', { name: 'grace', via: 'api' });
  await decisionKey(page, 'z');
  await page.locator('.job[aria-busy=false]', { hasText: 'Snooze undone: 4 of 4' }).waitFor();
  t.same(await states(), Array(4).fill('staged_raw'));
  t.same(problems, []);
});

t.test('the command line: snooze, wake, claim, release and comment', async (t) => {
  const { core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const runs = (...args: string[]) =>
    culprit(['runs', ...args, '--url', core.url], { env: { CULPRIT_TOKEN: TOKEN } });
  t.match(await runs('snooze', id), { code: 2, stderr: /Pass one of --until TIME, --crashes N and/ });
  t.match(await runs('snooze', id, '--until', 'soon'), { code: 2, stderr: /--until must be a duration/ });
  t.match(await runs('comment', id), { code: 2, stderr: /--text TEXT is missing/ });
  t.match(await runs('snooze', id, '--crashes', '2', '--reason', 'known'), {
    code: 0,
    stdout: 'snoozed until 2 more crashes\n',
  });
  t.match((await runs('show', id)).stdout, /snoozed +until 2 more crashes by ada/);
  t.match(await runs('approve', id), { code: 6, stderr: /Gate 1 is not possible while the run is snoozed/ });
  t.match((await runs('list', '--state', 'snoozed')).stdout, new RegExp(id));
  t.match(await runs('wake', id), { code: 0, stdout: 'awake: the run is staged_raw\n' });
  t.match(
    (await runs('snooze', id, '--until', '2h')).stdout,
    /^snoozed until \d{4}-\d\d-\d\d \d\d:\d\d UTC\n$/,
  );
  t.match((await engine.run(id)).snooze?.until, { kind: 'time' });
  await engine.wake(id, { name: 'grace', via: 'api' });
  await engine.claim(id, { name: 'grace', via: 'api' });
  t.match(await runs('claim', id), { code: 6, stderr: /grace has claimed this run/ });
  t.match((await runs('claim', id, '--take-over')).stdout, /^claimed by ada until \d{4}-/);
  t.match((await runs('release', id)).stdout, 'nobody has claimed the run');
  t.match((await runs('comment', id, '--text', 'as in May')).stdout, 'comment 1 added');
  t.match((await runs('show', id, '--history')).stdout, /comment +ada .*as in May/);
});

t.test('a published run is marked as fixed by keyboard, after its effect is shown', { skip }, async (t) => {
  const publisher = memoryPublisher();
  const change = (real: readonly Connector[]) =>
    real.map((one) => (one.id === 'outbox' ? { id: 'outbox', setup: () => ({ publisher }) } : one));
  const { core, engine, stage } = await boardBench(t, { change, policy: { resolvedRuns: 'close' } });
  const id = await stage();
  await engine.approveGateOne(id, { name: 'grace', via: 'board' });
  await engine.approveGateTwo(id, { name: 'grace', via: 'board' });
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await openRun(page, id);
  await gate(page, 'Published').getByRole('button', { name: 'Mark as fixed' }).waitFor();
  await picture(page, 'published');
  await decisionKey(page, 'd');
  await dialog(page).locator('input[value=now]:focus').waitFor();
  await dialog(page).getByText('Culprit adds a comment to the issue and closes it').waitFor();
  await page.keyboard.press('ArrowDown');
  await dialog(page).getByText('`ada` marked this as fixed. The next release has the fix.').waitFor();
  t.same(await axe(page), []);
  await picture(page, 'fixed-dialog');
  publisher.lockIssue(1);
  await page.keyboard.press('Enter');
  await gate(page, 'Published').getByText('cannot be changed: it is locked').waitFor();
  t.match(await engine.run(id), { resolution: { by: 'ada', not_in: [/./] } });
  await page.locator('.run-head .pill', { hasText: 'fixed' }).waitFor();
  await picture(page, 'fixed-failed');
  publisher.unlockIssue(1);
  await decisionKey(page, 'd');
  await gate(page, 'Published').getByText('cannot be changed').waitFor({ state: 'detached' });
  const issueIs = (state: string) => publisher.issues.some((issue) => issue.state === state);
  while (!issueIs('closed')) await new Promise(setImmediate);
  t.equal(publisher.comments.length, 1);
  t.same(await axe(page), []);
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    t.equal(await overflow(page), 0, `${width} px`);
    await picture(page, `fixed-${width}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await picture(page, 'fixed-dark');
  await decisionKey(page, 'z');
  await dialog(page).getByText('Culprit adds a comment to the issue and reopens it').waitFor();
  await picture(page, 'not-fixed-dialog');
  await page.keyboard.press('Enter');
  await gate(page, 'Published').getByRole('button', { name: 'Mark as fixed' }).waitFor();
  while (!issueIs('open')) await new Promise(setImmediate);
  t.same(problems, []);
});

t.test('the fix brief is copied by key and by button', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const id = await stage(HOSTILE);
  await engine.approveGateOne(id, { name: 'ada', via: 'api' });
  for (const width of [1440, 390]) {
    const { page, problems } = await visit(t, core.url, width, 900);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page);
    await openRun(page, id);
    const copied = async () => {
      const brief = await engine.brief(id);
      while ((await page.evaluate('navigator.clipboard.readText()')) !== brief)
        await new Promise(setImmediate);
    };
    const clear = () => page.evaluate(`navigator.clipboard.writeText('other')`);
    await clear();
    await page.keyboard.press('y');
    await copied();
    await clear();
    await page.locator('#copy-brief').click();
    await copied();
    t.equal(await overflow(page), 0, `${width} px`);
    t.same(await axe(page), []);
    await picture(page, `brief-${width}`);
    t.same(problems, []);
  }
});
