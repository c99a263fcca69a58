import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import t from 'tap';
import { type CoreBench, coreBench, TOKEN } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Where pictures of the board go, if anywhere. */
const PICTURES = process.env.BOARD_PICTURES;
const HOSTILE = `<img src=x onerror="document.title='pwned'"> </script><script>document.title='pwned'</script> \u202egnp`;

if (CHROMIUM === undefined && process.env.CI === 'true') t.fail('no chromium: CI must install one');

const skip = CHROMIUM === undefined ? 'no chromium on this machine' : false;

t.test('the board in a real browser', { skip }, async (t) => {
  const bench = await coreBench();
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ARGS });
  t.teardown(async () => {
    await browser.close();
    await bench.close();
  });
  const { page, problems, requests } = await open(browser, bench);
  const { core, engine, repository } = bench;

  await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
  await picture(page, '1-sign-in');
  await page.getByLabel('Reviewer token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The reviewer token is not known').waitFor();
  await page.getByLabel('Reviewer token').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Nothing has crashed yet' }).waitFor();
  await page.locator('#connection[data-state=live]').waitFor();
  t.match(await page.locator('.empty pre').textContent(), /tracker-hook-signature: \$SIGNATURE/);
  await picture(page, '2-empty');
  problems.length = 0;

  await engine.ingest({ crash: cartCrash('crash-1', repository.head) });
  await engine.ingest({ crash: cartCrash('crash-2', repository.head) });
  await engine.ingest({
    crash: { ...cartCrash('crash-3', repository.head, HOSTILE), fingerprint: ['hostile'] },
  });
  await page.locator('.runs button').nth(1).waitFor();
  t.equal(await page.title(), '(2) Culprit', 'what waits is counted in the title');

  await page.locator('.runs button', { hasText: 'onerror' }).click();
  await page.locator('#run-title', { hasText: '<img src=x' }).waitFor();
  t.equal(await page.locator('main img, main script').count(), 0, 'crash text stays text');
  t.match(await page.locator('.raised').first().textContent(), /⟨202e⟩gnp/, 'hidden characters show');
  await picture(page, '3-hostile');
  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Why?').fill('not ours <b>');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await page.locator('.gate[data-gate=Rejected]').waitFor();

  await page.locator('.runs button', { hasText: 'rate' }).click();
  await page.locator('#run-title', { hasText: 'rate' }).waitFor();
  t.match(await page.locator('.run-head').textContent(), /2 crashes/);
  await picture(page, '4-gate-one');
  await page.getByRole('button', { name: 'Open Gate 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open Gate 1' }).click();
  await page.locator('.gate[data-gate="Gate 2"]').waitFor();
  await page.locator('.suspect').first().waitFor();
  t.match(await page.locator('.suspect').first().textContent(), repository.culprit.slice(0, 10));
  t.match(await page.locator('.diff.crashed').first().textContent(), /tax\.rate/);
  await picture(page, '5-gate-two');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, '6-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 320, height: 720 });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  t.equal(overflow, 0, 'nothing is wider than 320 px');
  await picture(page, '7-narrow');
  await page.setViewportSize({ width: 1280, height: 900 });

  const [run] = (await engine.runs({ states: ['staged_draft'], limit: 1 })).runs;
  const id = run?.run_id ?? '';
  await page.getByRole('button', { name: 'Sign and publish…' }).click();
  await page.getByRole('dialog').waitFor();
  await picture(page, '8-sign');
  await editDraft(bench, id);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign and publish' }).click();
  await page.locator('#notice', { hasText: 'changed since it was shown' }).waitFor();
  t.equal((await engine.run(id)).state, 'staged_draft', 'what was not shown is not signed');
  await page.locator('.draft-title', { hasText: 'A better title' }).waitFor();
  await page.getByRole('button', { name: 'Sign and publish…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign and publish' }).click();
  await page.locator('.gate[data-gate=Published] a').waitFor();
  const { draft, publication } = await engine.run(id);
  const entry = (await engine.history(id)).find(({ name }) => name === 'gate2.approve');
  t.match(entry, { by: 'ada', via: 'board', digest: draft?.digest });
  await picture(page, '9-published');

  await page.goto(publication?.issue_url ?? '');
  await page.getByText('A better title').first().waitFor();
  await picture(page, '10-issue');
  await page.goto(`${core.url}/code/default/${repository.head}/src/cart.js#L4`);
  await page.locator('#L4 code', { hasText: 'tax.rate' }).waitFor();
  await picture(page, '11-code');
  await page.goto(`${core.url}/#${id}`);
  await page.locator('.gate[data-gate=Published]').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();

  t.same(problems, [], 'no error and no policy violation in the console');
  const origins = new Set(requests.map((url) => new URL(url).host));
  t.same([...origins], [bench.host], 'no request leaves');
});

async function open(browser: Browser, { core }: CoreBench) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // Refused requests are part of the story; the browser reports each.
    if (message.type() === 'error' && !/status of (401|412)/.test(message.text()))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(core.url);
  return { page, problems, requests };
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}-${name}.png`, fullPage: true });
}

async function editDraft({ engine }: CoreBench, id: string): Promise<void> {
  const { draft } = await engine.run(id);
  if (draft === null) throw new Error('no draft');
  await engine.editDraft(
    id,
    { ...draft, title: 'A better title' },
    { name: 'grace', via: 'api' },
    draft.digest,
  );
}
