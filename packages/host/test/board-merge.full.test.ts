import type { Engine } from '@culprit/core';
import type { Page } from 'playwright-core';
import t from 'tap';
import { axe, boardBench, CHROMIUM, decisionKey, overflow, signIn, visit } from './support/board-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;

const gate = (page: Page, name: string) => page.locator(`.gate-bar[data-gate="${name}"]`);
const dialog = (page: Page) => page.getByRole('dialog');
const chosen = (page: Page, title: string) =>
  page.locator('#merge-options [aria-selected=true]', { hasText: title });
const hash = (page: Page) => page.evaluate<string>('location.hash');

/** Waits until the page shows the run of the address, and not the one before. */
const shows = (page: Page, id: string) =>
  page.locator('.run[aria-busy=false] .run-id', { hasText: id }).waitFor();

/** Opens an address and waits for a run's page. */
async function openAt(page: Page, address: string, id: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await shows(page, id);
}

/** Stages runs that crashed in these functions, the first first. */
async function stageAll(engine: Engine, crashes: readonly (readonly [string, string])[]) {
  const ids: string[] = [];
  for (const [at, [title, place]] of crashes.entries()) {
    const stack = `TypeError: ${title}\n    at ${place} (src/${place}.js:1:1)`;
    const crash = { event_id: `merge-${at}`, platform: 'node', stack, fingerprint: [`merge-${at}`] };
    ids.push((await engine.ingest({ crash })).run_id ?? '');
  }
  return ids;
}

t.test('merge: likely runs first, search, links; undone by one key', { skip }, async (t) => {
  const { core, engine } = await boardBench(t);
  const [run = '', similar = '', other = '', same = ''] = await stageAll(engine, [
    ['price of undefined', 'total'],
    ['price of null', 'shipping'],
    ['the queue is full', 'enqueue'],
    ['no rate for 2026', 'total'],
  ]);
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await openAt(page, run, run);
  await decisionKey(page, 'Shift+M');
  await page.locator('#merge-into:focus').waitFor();
  await chosen(page, 'no rate for 2026').waitFor();
  const titles = await page.locator('#merge-options .title').allInnerTexts();
  t.same(
    titles.map((title) => title.replace('TypeError: ', '')),
    ['no rate for 2026', 'price of null', 'the queue is full'],
    'the same place, then a similar title, and never the run itself',
  );
  t.same(await axe(page), []);
  await page.keyboard.press('ArrowDown');
  await chosen(page, 'price of null').waitFor();
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Merge these runs?').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.decided', { hasText: 'Merged' }).waitFor();
  t.match(await engine.run(run), { state: 'merged', merged_into: similar });
  await decisionKey(page, 'z');
  await page.waitForURL((url) => url.hash === `#${run}`);
  await shows(page, run);
  await gate(page, 'Gate 1').waitFor();
  t.equal((await engine.run(run)).state, 'staged_raw', 'undone');

  // By a search; Enter chooses nothing while there is no result.
  await decisionKey(page, 'Shift+M');
  await page.locator('#merge-into:focus').waitFor();
  await page.keyboard.type('levle:fatal');
  await dialog(page).getByText('levle').waitFor();
  await page.keyboard.press('Enter');
  t.equal(await dialog(page).getByText('Merge these runs?').count(), 0);
  await page.locator('#merge-into').fill('queue');
  await chosen(page, 'the queue is full').waitFor();
  t.equal(await page.locator('#merge-options [role=option]').count(), 1);

  // By a link. One that cannot be the other run says why.
  await page.locator('#merge-into').fill(`${core.url}/#${run}`);
  await dialog(page).getByText('A run cannot be merged into itself.').waitFor();
  await page.locator('#merge-into').fill(`${core.url}/?state=gate1#${other}/occurrences/1`);
  await chosen(page, 'the queue is full').waitFor();
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Merge these runs?').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.decided', { hasText: 'Merged' }).waitFor();
  t.match(await engine.run(run), { state: 'merged', merged_into: other });
  t.equal((await engine.run(same)).state, 'staged_raw');
  t.same(problems, []);
});

t.test('the link of a merged run leads to the run that counts its crashes', { skip }, async (t) => {
  const { core, engine } = await boardBench(t);
  const hostile = '<img src=x onerror="window.pwned=1">';
  const [first = '', second = '', third = ''] = await stageAll(engine, [
    [`price ${hostile}`, 'total'],
    ['price of null', 'total'],
    ['the queue is full', 'enqueue'],
  ]);
  const ada = { name: 'ada', via: 'api' } as const;
  await engine.merge(first, ada, { into: second });
  await engine.merge(second, ada, { into: third });
  const { page, problems } = await visit(t, core.url, 390, 800);
  await signIn(page);
  await openAt(page, first, third);
  t.equal(await hash(page), `#${third}`);
  const line = page.locator('.callout', { hasText: 'The run you opened has been merged into this one' });
  t.match(await line.innerText(), hostile);
  t.equal(await line.locator('img').count(), 0);
  t.match(await page.locator('.merged-runs').innerText(), /crashes of 2 merged runs/);
  await page.getByText('2 crashes of merged runs are listed on the pages of those runs.').waitFor();
  t.equal(await overflow(page), 0);
  t.same(await axe(page), []);
  await page.goBack();
  await page.waitForURL((url) => !url.hash.includes('run_'));

  // The way back to the merged run's own history, and from there to its gate.
  await openAt(page, first, third);
  await line.getByRole('link', { name: 'Show the merged run' }).click();
  await shows(page, first);
  t.equal(await hash(page), `#${first}/merged`);
  await gate(page, 'Merged').waitFor();
  await page.reload();
  await gate(page, 'Merged').getByRole('link', { name: 'the other run' }).waitFor();
  t.equal(await hash(page), `#${first}/merged`, 'a link to the merged run itself');

  // In the list of merged runs, the keyboard goes through the runs themselves.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Escape');
  await page.goto(`${core.url}/?state=merged`);
  await page.locator('.row').nth(1).waitFor();
  for (const step of [1, 2]) {
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.hash.endsWith('/merged'));
    await gate(page, 'Merged').waitFor();
    t.equal(await page.locator('.row[aria-current=true]').count(), 1, `after J ${step}`);
  }
  await openAt(page, `${second}/merged`, second);
  await decisionKey(page, 'z');
  await gate(page, 'Gate 1').waitFor();
  t.match(await engine.run(second), { state: 'staged_raw', occurrences: 2 });
  t.match(await engine.run(third), { occurrences: 1 });
  t.equal(await page.evaluate('window.pwned'), undefined);
  t.same(problems, []);
});
