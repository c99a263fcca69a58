import { createClient } from '@culprit/client';
import type { Sender } from '@culprit/core/internal/domain/send-crashes';
import t from 'tap';
import {
  axe,
  boardBench,
  CHROMIUM,
  decisionKey,
  overflow,
  sendGuardFigures,
  signIn,
  visit,
} from './support/board-bench.js';
import { OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';

if (CHROMIUM === undefined && process.env.CI === 'true')
  t.fail('Chromium is not installed; CI must install it');
const skip = CHROMIUM === undefined ? 'needs chromium' : false;

const senderOf = (project: string, key: string): Sender => {
  const place = (member: string) => ({
    ...{ setting: 'SET', file: '/srv/culprit/secrets.json', exists: true },
    members: ['projects', project, member],
  });
  return { project, key, service_token: place('serviceToken'), hook_secret: place('trackerHookSecret') };
};
const SENDERS = [senderOf('shop', 'fedcba9876543210'), senderOf('cart', '0123456789abcdef')];

t.test('keyboard only: from the first crash to the published issue', { skip }, async (t) => {
  const { core, engine, repository, host } = await boardBench(t, {
    dataDirectory: '/srv/culprit',
    senders: SENDERS,
  });
  const { page, problems, requests } = await visit(t, core.url);
  await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
  t.same(await axe(page), [], 'sign-in');
  await page.getByLabel('Reviewer token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('Unknown reviewer token').waitFor();
  await signIn(page);
  await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
  t.match(await page.locator('.blank .code').first().textContent(), /tracker-hook-signature: \$SIGNATURE/);
  await sendGuardFigures(core, { url: 'http://0.0.0.0:8123' });
  await page.locator('.blank .code', { hasText: 'curl -sS http://127.0.0.1:8123/webhook' }).waitFor();
  await sendGuardFigures(core, { url: 'http://$(id):8123' });
  await page.locator('.blank .code', { hasText: 'curl -sS http://127.0.0.1:8001/webhook' }).waitFor();
  const commands = await page.locator('.blank .code').allTextContents();
  for (const command of commands) t.match(command, /require\("\/srv\/culprit\/secrets\.json"\)/);
  t.equal(await page.getByRole('button', { name: 'Copy command' }).count(), 1);
  t.same(await axe(page), [], 'empty inbox');
  await page.getByRole('link', { name: 'Send crashes' }).click();
  await page.getByRole('combobox', { name: 'Project' }).selectOption('cart');
  await page.getByRole('combobox', { name: 'Program' }).selectOption('python');
  await page.locator('.code', { hasText: 'dsn="http://0123456789abcdef@127.0.0.1:8001/1"' }).waitFor();
  await page.getByText('"projects.cart.serviceToken" in /srv/culprit/secrets.json').waitFor();
  t.same(await axe(page), [], 'send crashes');
  await page.getByRole('link', { name: /^Inbox/ }).click();

  await engine.ingest({ crash: cartCrash('crash-1', repository.head) });
  await page.locator('.row', { hasText: 'rate' }).waitFor();
  await engine.ingest({ crash: cartCrash('crash-2', repository.head) });
  await page.locator('.row', { hasText: '×2' }).waitFor();
  t.equal(await page.title(), '(1) Culprit', 'the title shows the number of runs to review');
  await page.keyboard.press('j');
  await page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
  await page.locator('.facts .spark').waitFor();
  t.match(await page.locator('.facts .spark').getAttribute('aria-label'), /^2 crashes in 24 hours/);
  t.same(await axe(page), [], 'run at Gate 1');
  await decisionKey(page, 'a');
  await page.getByRole('dialog').waitFor();
  t.same(await axe(page), [], 'confirmation dialog');
  await page.keyboard.press('Enter');
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  const first = page.locator('.suspect').first();
  t.match(await first.textContent(), repository.culprit.slice(0, 10));
  t.match(await page.locator('.hunk .line.crashed').first().textContent(), /tax\.rate.*crashed here/);
  const frame = page.locator('.frame.own').first();
  t.match(
    await frame.locator('.place a').getAttribute('href'),
    new RegExp(`${repository.head}/src/cart.js#L4`),
  );
  t.match(await frame.locator('.line.crashed').textContent(), /tax\.rate/, 'the frame shows its source');
  await page.locator('.claims .chip', { hasText: 'cart.js:4' }).first().focus();
  await page.locator('.frame[data-lit]').waitFor();
  t.match(
    await page.locator('.checklist li:not([data-ok])').allTextContents(),
    [/Suspect possible/],
    'in a repository of three commits no verdict was measured',
  );
  t.same(await axe(page), [], 'run at Gate 2, light');
  await page.emulateMedia({ colorScheme: 'dark' });
  t.same(await axe(page), [], 'run at Gate 2, dark');
  for (const tab of ['Raw', 'Exact bytes', 'Changes', 'Preview']) {
    await page.getByRole('tab', { name: tab }).click();
    await page
      .locator(`#draft-panel[aria-labelledby="tab-${tab.toLowerCase().split(' ').at(-1)}"] > *`)
      .first()
      .waitFor();
    t.same(await axe(page), [], tab);
  }
  await page.setViewportSize({ width: 320, height: 720 });
  t.equal(await overflow(page), 0, 'no horizontal overflow at 320 px');
  t.same(await axe(page), [], '320 px');
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.locator('#run-title').focus();
  await page.keyboard.press('e');
  await page.locator('#draft-title').fill('Totals break without tax');
  t.same(await axe(page), [], 'editor');
  await page.keyboard.press('Control+Enter');
  await page.locator('.issue-title', { hasText: 'Totals break' }).waitFor();
  await page.getByRole('tab', { name: 'Changes' }).click();
  await page.locator('#draft-panel ins', { hasText: 'Totals break' }).waitFor();
  await page.locator('#run-title').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  t.same(await axe(page), [], 'keyboard shortcuts');
  await page.keyboard.press('Escape');
  await decisionKey(page, 'a');
  t.equal(await page.getByRole('dialog').count(), 0, 'the key of Gate 1 does not sign');
  await decisionKey(page, 'Shift+A');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  t.equal(await page.getByRole('dialog').count(), 1, 'Enter alone does not sign');
  await page.keyboard.press('Control+Enter');
  await page.locator('.gate-bar[data-gate=Published] a').waitFor();
  t.same(await axe(page), [], 'published');
  const [run] = (await engine.runs({ limit: 1 })).runs;
  const fix = { commit: 'abcdef1'.padEnd(40, '0'), missing_in: ['2.2.0', '2.3.0'], occurrences: 4 };
  const pull_request = { number: 7, url: 'https://github.example/acme/shop/pull/7' };
  const address = `**/api/v1/runs/${run?.run_id}`;
  await page.route(address, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), fix: { ...fix, pull_request } } });
  });
  await page.reload();
  const bar = page.locator('.gate-bar[data-gate=Published]', { hasText: 'Fixed by' });
  t.match(
    await bar.textContent(),
    /Fixed by #7 in abcdef1; still 4 crashes in 2\.2\.0, 2\.3\.0, which do not contain the fix\./,
  );
  t.same(await axe(page), [], 'fixed');
  await page.unroute(address);
  await page.reload();
  await page.locator('.gate-bar[data-gate=Published] a').waitFor();
  const { draft, publication } = await engine.run(run?.run_id ?? '');
  const entries = await engine.history(run?.run_id ?? '');
  t.match(
    entries.find(({ name }) => name === 'gate2.approve'),
    { by: 'ada', via: 'board', digest: draft?.digest },
  );
  t.equal(draft?.title, 'Totals break without tax');
  await page.locator('.timeline .decision', { hasText: 'Signed at Gate 2' }).waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await sendGuardFigures(core, {
    spool: { depth: 3, bytes: 2048, oldest_age_ms: 1500 },
    limits: [
      {
        name: 'key_rate',
        door: null,
        unit: 'per_second',
        value: 1000,
        allowed: 12,
        refused: 4,
        active_keys: 2,
      },
    ],
    outcomes: { native: { accepted: 12, rate_limited: 4 } },
    forwarder: { state: 'sending' },
    dead_letters: 0,
  });
  await page.locator('.edge', { hasText: 'key rate' }).waitFor();
  t.match(await page.locator('.edge').textContent(), /Spool3 2 KiB.*1\.5 s/);
  const quotas = page.getByRole('region', { name: 'Quotas' });
  await quotas.getByText('of 4,000').waitFor();
  t.match(await quotas.textContent(), /project.*default.*all.*of 100,000.*of 4 GiB/);
  t.same(await axe(page), [], 'edges');
  await page.goto(publication?.issue_url ?? '');
  await page.getByText('Totals break without tax').first().waitFor();
  await page.goto(`${core.url}/#${run?.run_id}`);
  await page.locator('.gate-bar[data-gate=Published]').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
  t.same(problems, [], 'no errors and no policy violations in the console');
  t.same([...new Set(requests.map((url) => new URL(url).host))], [host], 'no requests to other hosts');
});

t.test('a sign-in link opens the board once, after a click; then the page says so', { skip }, async (t) => {
  const { core } = await boardBench(t);
  const { url } = await createClient({ url: core.url }).makeSignInLink({ token: TOKEN });
  const { page, problems, requests } = await visit(t, url);
  const accept = (one: typeof page, name: string) =>
    one.getByRole('button', { name: `Sign in as ${name}` }).click();
  await page.getByRole('heading', { name: 'Sign in as ada?' }).waitFor();
  t.equal(page.url(), `${core.url}/`, 'the secret is not in the address');
  t.same(await page.context().cookies(), [], 'nobody is signed in without a click');
  t.same(await axe(page), []);
  await accept(page, 'ada');
  await page.locator('.connection[data-state=live]').waitFor();
  await page.goBack();
  t.notMatch(page.url(), /sign-in/, 'nor in the history');
  await page.goto(core.url);
  const secret = url.split('=')[1] ?? '';
  t.same(
    requests.filter((address) => address.includes(secret)),
    [],
    'nor in any request line',
  );
  await page.reload();
  await page.locator('.connection[data-state=live]').waitFor();
  t.same(problems, []);

  const second = await visit(t, url);
  await second.page.getByText('This sign-in link was used before').waitFor();
  await second.page.getByText('Ask the person who runs Culprit for a sign-in link or a token.').waitFor();
  t.equal(await second.page.getByText('REVIEWER_TOKENS').count(), 0, 'nothing that an operator configures');
  t.same(await axe(second.page), []);
  const fresh = await createClient({ url: core.url }).makeSignInLink({ token: OTHER_TOKEN });
  await second.page.evaluate(`location.href = ${JSON.stringify(fresh.url)}`);
  await accept(second.page, 'grace');
  await second.page.locator('.connection[data-state=live]').waitFor();
  const other = await createClient({ url: core.url }).makeSignInLink({ token: TOKEN });
  await second.page.evaluate(`location.href = ${JSON.stringify(other.url)}`);
  await second.page.waitForURL(`${core.url}/`);
  await second.page.locator('.connection[data-state=live]').waitFor();
  t.match(
    await second.page.evaluate('fetch("/api/v1/session").then((answer) => answer.json())'),
    { name: 'grace' },
    'a session is not replaced',
  );
  t.same(second.problems, []);
});
