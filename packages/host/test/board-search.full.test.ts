import t from 'tap';
import { axe, boardBench, CHROMIUM, overflow, signIn, visit } from './support/board-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;

t.test(
  'searches on the board: qualifiers, suggestions, counts, filters, saved views',
  { skip },
  async (t) => {
    const { core, engine } = await boardBench(t);
    const stage = async (name: string, more: object) => {
      const crash = {
        event_id: name,
        platform: 'node',
        stack: `TypeError: ${name}\n    at ${name} (src/${name}.js:1:1)`,
        ...more,
      };
      return (await engine.ingest({ crash })).run_id ?? '';
    };
    const voucher = await stage('applyVoucher', {
      environment: 'production',
      level: 'fatal',
      release: 'shop@1.2.0',
    });
    await stage('cartTotal', { environment: 'staging', release: 'shop@1.3.0' });
    const hostile = '<img src=x onerror=document.title=1>';
    await stage('render', { environment: hostile, tags: { note: hostile } });
    const { page, problems, requests } = await visit(t, core.url);
    await signIn(page);
    await page.locator('.row').nth(2).waitFor();
    const rows = async (count: number) => {
      await page.locator('.row').nth(count).waitFor({ state: 'detached' });
      await page
        .locator('.row')
        .nth(count - 1)
        .waitFor();
    };

    // Keyboard: slash, words, Down to the result, Enter opens it, Escape leaves it.
    await page.keyboard.press('/');
    await page.locator('#search:focus').waitFor();
    await page.keyboard.type('voucher');
    await page.locator('.answer', { hasText: '1 run found' }).waitFor();
    await rows(1);
    await page.keyboard.press('ArrowDown');
    await page.locator(`[data-run="${voucher}"]:focus`).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#run-title', { hasText: 'applyVoucher' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('#search:focus').waitFor();
    await rows(3);

    // Suggestions: a qualifier by its beginning, then its values with their counts.
    await page.keyboard.type('en');
    await page.locator('#suggestions').getByRole('option', { name: /^env:/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page
      .locator('#suggestions')
      .getByRole('option', { name: /staging\s+1/ })
      .waitFor();
    await page.keyboard.type('stag');
    await page.locator('#suggestions [role=option]').nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=option][aria-selected=true]', { hasText: 'env:staging' }).waitFor();
    t.same(await axe(page), [], 'with open suggestions');
    await page.keyboard.press('Enter');
    await page.locator('.row', { hasText: 'cartTotal' }).waitFor();
    await rows(1);
    t.equal(await page.locator('#search').inputValue(), 'env:staging ');

    // A mistake is reported, not sent, and the last results stay.
    await page.locator('#search').fill('levle:fatal');
    await page.getByText('Did you mean "level:"?').waitFor();
    await rows(1);
    t.notOk(
      requests.some((url) => url.includes('levle')),
      'an invalid search is not sent',
    );

    // Filters are terms of the search, in the address.
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Level').locator('option', { hasText: 'fatal (1)' }).waitFor({ state: 'attached' });
    await page.getByLabel('Level').selectOption('fatal');
    await page.locator('.row', { hasText: 'applyVoucher' }).waitFor();
    await rows(1);
    t.match(page.url(), /search=level%3A%22fatal%22/);
    await page.getByLabel('Order').selectOption('Most crashes');

    // A saved view survives a reload in another browser and is one click away.
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Fatal crashes');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: 'Fatal crashes' }).waitFor();
    t.same(await axe(page), [], 'with filters and a saved view');
    const other = await visit(t, core.url, 390);
    await signIn(other.page);
    await other.page.getByRole('button', { name: 'Filters' }).click();
    await other.page.getByRole('link', { name: 'Fatal crashes' }).click();
    await other.page.locator('.answer', { hasText: '1 run found' }).waitFor();
    t.equal(await other.page.getByLabel('Order').inputValue(), 'crashes');
    t.equal(await overflow(other.page), 0, 'at 390 px');
    t.same(await axe(other.page), []);
    await other.page.getByRole('button', { name: 'Delete the view Fatal crashes' }).click();
    await other.page.getByRole('link', { name: 'Fatal crashes' }).waitFor({ state: 'detached' });

    // Hostile values stay text, in suggestions and in filters; a search for them finds them.
    await page.locator('#search').fill('env:<img');
    await page
      .locator('#suggestions')
      .getByRole('option', { name: /<img src=x/ })
      .click();
    await page.locator('.answer', { hasText: '1 run found' }).waitFor();
    t.equal(await page.locator('img').count(), 0);
    t.not(await page.title(), '1');

    // A crash that arrives later joins the results.
    await page.locator('#search').fill('voucher');
    await page.locator('.answer', { hasText: '1 run found' }).waitFor();
    await stage('voucherAgain', {});
    await page.locator('.answer', { hasText: '2 runs found' }).waitFor();
    await rows(2);
    t.same([...problems, ...other.problems], []);
  },
);
