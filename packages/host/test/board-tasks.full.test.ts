import type { Connector } from '@culprit/core';
import { memoryPublisher } from '@culprit/core/testing';
import type { Page } from 'playwright-core';
import t from 'tap';
import { axe, boardBench, CHROMIUM, editDraft, overflow, signIn, visit } from './support/board-bench.js';
import type { CoreBench } from './support/core-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const ADA = { name: 'ada', via: 'board' } as const;
const HOSTILE = '<img src=x onerror="window.pwned=1"> \u202Eevil';

const dialog = (page: Page) => page.getByRole('dialog');
const gate = (page: Page, name: string) => page.locator(`.gate-bar[data-gate="${name}"]`);

async function openRun(page: Page, id: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(id)}`);
  await page.locator('.run[aria-busy=false] .run-id', { hasText: id }).waitFor();
}

/** The page of a session with these scopes only. What core refuses is in access.full.test.ts. */
async function visitWith(
  t: Parameters<typeof visit>[0],
  { core, api }: CoreBench,
  scopes: readonly string[],
) {
  const seen = await visit(t, core.url);
  const { json } = await api({ path: '/api/v1/session' });
  await seen.page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { ...json, scopes, grants: [{ scopes, projects: null }] } })
      : route.fallback(),
  );
  await signIn(seen.page);
  return seen;
}

t.test(
  'a triager proposes a change of the draft; the draft stays, also if it changed meanwhile',
  {
    skip,
  },
  async (t) => {
    const bench = await boardBench(t);
    const { engine, stage, api } = bench;
    const id = await stage();
    await engine.approveGateOne(id, ADA);
    const { draft } = await engine.run(id);
    const { page, problems } = await visitWith(t, bench, ['read', 'comment']);
    await openRun(page, id);
    await page.locator('#run-title').focus();
    await page.keyboard.press('e');
    await page.locator('#draft-body:focus').waitFor();
    t.equal(await page.locator('#draft-labels').count(), 0, 'a proposal has no labels');
    await page.locator('#draft-title').fill(`Carts crash ${HOSTILE}`);
    await page.locator('#draft-note').fill(`Names the cart ${HOSTILE}`);
    await editDraft(engine, id, 'Saved meanwhile');
    await page.getByRole('alert').filter({ hasText: 'grace changed this draft' }).waitFor();
    t.ok(await page.locator('.editor [type=submit]').isDisabled());
    t.same(await axe(page), []);
    await page.getByRole('button', { name: 'Propose mine all the same' }).click();
    await page.locator('.proposals li', { hasText: 'Names the cart' }).waitFor();
    t.equal(await page.locator('.proposals img').count(), 0);
    t.equal(await page.evaluate('window.pwned'), undefined);
    const now = (await engine.run(id)).draft;
    t.match(now, { title: 'Saved meanwhile', body: draft?.body });
    const { json } = await api({ path: `/api/v1/runs/${id}/proposals` });
    t.match(json.proposals, [{ by: 'ada', title: /^Carts crash/, body: draft?.body, digest: now?.digest }]);
    t.same(problems, []);
  },
);

t.test('a session that only reads has no editor, and says why it records no release', { skip }, async (t) => {
  const bench = await boardBench(t);
  const id = await bench.stage();
  await bench.engine.approveGateOne(id, ADA);
  const { page } = await visitWith(t, bench, ['read']);
  await openRun(page, id);
  await page.getByRole('tab', { name: 'Preview' }).waitFor();
  t.equal(await page.getByRole('tab', { name: /Edit|Propose/ }).count(), 0);
  await page.evaluate("location.hash = '#/releases'");
  await page.getByText('It needs the scope “release”.').waitFor();
  t.equal(await page.getByRole('button', { name: 'Record a release' }).count(), 0);
});

t.test('a published issue is compared with its evidence, by keyboard and on a phone', { skip }, async (t) => {
  const publisher = memoryPublisher();
  const change = (real: readonly Connector[]): readonly Connector[] => [
    ...real.filter(({ id }) => id !== 'outbox'),
    { id: 'github', setup: () => ({ publisher }) },
  ];
  const { core, engine, stage } = await boardBench(t, { change, publishRepository: 'acme/shop' });
  const id = await stage();
  await engine.approveGateOne(id, ADA);
  const { draft } = await engine.run(id);
  await engine.approveGateTwo(id, ADA, draft?.digest);
  const { page, problems } = await visit(t, core.url, 390, 800);
  await signIn(page);
  await openRun(page, id);
  await gate(page, 'Published').waitFor();
  await page.keyboard.press('v');
  await dialog(page).getByText('matches its evidence and signature.').waitFor();
  t.equal(await dialog(page).locator('.checks [data-ok]').count(), 6);
  t.same(await axe(page), []);
  t.equal(await overflow(page), 0);

  Object.assign(publisher.issues[0] ?? {}, { title: HOSTILE, labels: [HOSTILE] });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('was changed on the code host: title, labels.').waitFor();
  await dialog(page).locator('.checks li', { hasText: '⟨202e⟩evil' }).waitFor();
  t.equal(await page.evaluate('window.pwned'), undefined);

  publisher.failNextLook();
  await dialog(page).getByRole('button', { name: 'Compare again' }).click();
  await dialog(page).getByText('Not compared: The code host did not respond.').waitFor();
  publisher.removeIssue(1);
  await dialog(page).getByRole('button', { name: 'Compare again' }).click();
  await dialog(page).getByText('no longer exists').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  t.equal((await engine.run(id)).state, 'published');
  t.same(problems, []);
});

t.test(
  'releases and deploys are recorded by keyboard, and a refusal stands at its field',
  {
    skip,
  },
  async (t) => {
    const { core, engine, repository, api } = await boardBench(t, { moreProjects: ['shop'] });
    const { page } = await visit(t, core.url);
    await signIn(page);
    await page.evaluate("location.hash = '#/releases?project=shop'");
    await page.getByRole('button', { name: 'Record a release' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#release-version:focus').waitFor();
    await page.keyboard.insertText('shop@2.4.1');
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('no such tag');
    await page.keyboard.press('Enter');
    await page.locator('#release-commit:focus[aria-invalid=true]').waitFor();
    await page
      .locator('#release-commit-problem', { hasText: 'must be a SHA or the name of a tag' })
      .waitFor();
    t.same(await axe(page), []);
    await page.locator('#release-commit').fill(repository.head);
    await page.getByLabel('Deployed to').fill('production');
    await page.getByLabel('Deployed at').fill('2026-11-20T09:30');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop@2.4.1' }).waitFor();
    const recorded = async (version: string) =>
      (await api({ path: `/api/v1/releases/shop/${encodeURIComponent(version)}` })).json.release;
    t.match(await recorded('shop@2.4.1'), {
      commit: repository.head,
      deploys: [{ environment: 'production', finished_at: '2026-11-20T09:30:00.000Z' }],
    });

    await page.getByRole('button', { name: 'Record a deploy' }).click();
    await page.locator('#deploy-environment:focus').waitFor();
    await page.keyboard.insertText('a\u0007b');
    await page.keyboard.press('Enter');
    await page.locator('#deploy-environment-problem').waitFor();
    t.same(await axe(page), []);
    await page.locator('#deploy-environment').fill('staging');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'staging' }).waitFor();
    await page.getByRole('button', { name: 'Record a deploy' }).waitFor();

    await engine.ingest({
      crash: { event_id: 'named-by-a-crash', message: 'boom', release: 'shop@2.5.0' },
      project: 'shop',
    });
    await page.evaluate("location.hash = '#/releases/shop/shop%402.5.0'");
    await page.getByRole('button', { name: 'Record this release' }).click();
    await page.locator('#release-version:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Deploys' }).waitFor();
    t.equal((await recorded('shop@2.5.0')).version, 'shop@2.5.0');
  },
);
