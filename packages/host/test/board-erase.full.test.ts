import { readFileSync } from 'node:fs';
import { createClient } from '@culprit/client';
import type { Check } from '@culprit/core';
import { manualClock } from '@culprit/core/testing';
import type { Page } from 'playwright-core';
import t from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { makeToken } from './support/access-kit.js';
import {
  axe,
  boardBench,
  CHROMIUM,
  overflow,
  sendGuardFigures,
  signIn,
  visit,
} from './support/board-bench.js';
import { coreBench, TOKEN } from './support/core-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
/** Found in nothing that a core is made of. */
const PERSON = 'u-okafor-7731';

const openPage = (page: Page) => page.evaluate("location.hash = '#/settings/erase'");
const heading = (page: Page, name: RegExp) => page.getByRole('heading', { name }).waitFor();

async function count(page: Page, person: string): Promise<void> {
  await page.getByLabel('User id, e-mail address or name').fill(person);
  await page.keyboard.press('Enter');
}

t.test('an operator counts, confirms by typing and erases, by keyboard', { skip }, async (t) => {
  const bench = await boardBench(t);
  const id = await bench.stage(`cart of ${PERSON}`);
  const { page, problems, requests } = await visit(t, bench.core.url);
  await signIn(page);
  await openPage(page);
  await count(page, PERSON);
  await heading(page, /^Found in 1 run\. Nothing was changed\.$/);
  await page.getByText('Found in 1 run').first().waitFor();
  t.equal(await page.locator('[aria-live]', { hasText: 'Found in 1 run' }).count(), 1, 'is announced');
  t.match(await page.locator('.erasure').innerText(), /Runs\s+1\s+Stored crashes\s+1/);
  t.same(await axe(page), []);
  t.ok((await overflow(page)) <= 0);

  const erase = page.getByRole('button', { name: 'Erase', exact: true });
  t.ok(await erase.isDisabled(), 'nothing is typed');
  await page.getByLabel('To confirm, type').fill(PERSON.slice(0, -1));
  t.ok(await erase.isDisabled(), 'something else is typed');

  const later = await bench.stage(`receipt for ${PERSON}`);
  await page.getByLabel('To confirm, type').fill(PERSON);
  await page.keyboard.press('Enter');
  await heading(page, /^Nothing was erased: the count has changed\. Now found in 2 runs\.$/);
  t.match((await bench.engine.run(id)).title, PERSON);

  await page.getByLabel('To confirm, type').fill(PERSON.toUpperCase());
  await page.keyboard.press('Enter');
  await heading(page, /^Erased from 2 runs\.$/);
  for (const run of [id, later])
    t.notOk(JSON.stringify(await bench.engine.run(run)).includes(PERSON), 'the runs do not name them');
  await heading(page, /^Latest erasures$/);
  t.equal(await page.locator('.cards li', { hasText: '2 runs by ada' }).count(), 1);
  t.same(await axe(page), []);
  t.notOk(
    requests.some((url) => url.includes('okafor')),
    'whom is in no address',
  );
  t.same(problems, []);
});

t.test(
  'what core refuses is said at the field; a running erasure is shown after a reload',
  { skip },
  async (t) => {
    const bench = await boardBench(t);
    await bench.stage(`cart of ${PERSON}`);
    const { page, problems } = await visit(t, bench.core.url);
    await signIn(page);
    await openPage(page);
    await count(page, 'ab');
    const field = page.getByLabel('User id, e-mail address or name');
    await page.getByText(/must have at least 3 characters/).waitFor();
    t.equal(await field.getAttribute('aria-invalid'), 'true');
    t.equal(await page.evaluate('document.activeElement?.id'), 'count-person', 'has the focus');

    let counted = 0;
    await page.route('**/api/v1/erasures', async (route) => {
      const answer = await route.fetch();
      if (route.request().method() !== 'GET') return route.fulfill({ response: answer });
      const { erasures } = (await answer.json()) as { erasures: object[] };
      counted += 1;
      return route.fulfill({ json: { erasures: erasures.map((one) => ({ ...one, state: 'counting' })) } });
    });
    await createClient({ url: bench.core.url, token: TOKEN }).countErasure({ person: PERSON });
    await page.reload();
    await openPage(page);
    await heading(page, /^Found in 1 run\./);
    t.ok(counted > 0, 'followed from the list');
    t.equal(
      await page.getByLabel('To confirm, type').count(),
      0,
      'nobody knows here who it was: count again',
    );
    const unexpected = problems.filter((one) => !/status of 400/.test(one));
    t.same(unexpected, []);
  },
);

t.test('without the scope there is no page', { skip }, async (t) => {
  const bench = await boardBench(t);
  const { page, problems } = await visit(t, bench.core.url);
  const { json } = await bench.api({ path: '/api/v1/session' });
  const scopes = ['read', 'gate1', 'gate2'];
  await page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { ...json, scopes, grants: [{ scopes, projects: null }] } })
      : route.fallback(),
  );
  await signIn(page);
  await openPage(page);
  await page.getByRole('link', { name: 'Sessions' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Erase a person' }).count(), 0);
  t.same(problems, []);
});

t.test('Health: every check with its state and what mends it, and again on demand', { skip }, async (t) => {
  const clock = manualClock();
  let space: Check = {
    name: 'disk space',
    ok: false,
    optional: true,
    detail: 'Free space, or lower <b>limits.spoolBytes</b>. \u202epassword=hunter2hunter2',
  };
  const bench = await boardBench(t, { clock, checkSurroundings: async () => [space] });
  const { page, problems } = await visit(t, bench.core.url);
  await signIn(page);
  await page.evaluate("location.hash = '#/settings/health'");
  await heading(page, /^1 of \d checks needs attention$/);
  const rows = page.locator('.cards > li');
  const first = await rows.first().innerText();
  t.match(first, /^disk space\s+degraded/);
  t.match(first, /lower <b>limits\.spoolBytes<\/b>/, 'as text');
  t.notMatch(first, /hunter2|\u202e/);
  t.match(await rows.allInnerTexts(), [/disk space/, /storage\s+ok/, /git\s+ok/, /outbox\s+ok/]);
  t.same(await axe(page), []);
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 844 });
    t.ok((await overflow(page)) <= 0, `${width} px`);
  }
  space = { name: 'disk space', ok: true, detail: '7.3 GiB free' };
  await clock.advance(5_000);
  await page.getByRole('button', { name: 'Check again' }).click();
  await heading(page, /^All \d checks passed$/);
  await sendGuardFigures(bench.core, { dead_letters: 2 }, 'edge-a');
  const edges = rows.filter({ hasText: 'edges' });
  await edges.getByRole('link', { name: /^edge-a: .*2 dead letters$/ }).click();
  await heading(page, /^Edges$/);
  t.same(problems, []);
});

t.test('where a coding agent connects is said beside the tokens, to copy', { skip }, async (t) => {
  const bench = await boardBench(t);
  const { page, problems } = await visit(t, bench.core.url);
  await signIn(page);
  await page.evaluate("location.hash = '#/settings/tokens'");
  const agents = page.getByRole('region', { name: 'Connect a coding agent' });
  const address = await agents.getByRole('group', { name: 'Address, over HTTP' }).innerText();
  t.equal(address.trim(), `${bench.core.url}/mcp`);
  const { token } = await makeToken(bench, { name: 'agent', scopes: ['read'] });
  const shown = await agents.getByRole('group', { name: 'Configuration of other clients' }).innerText();
  const { url, headers } = JSON.parse(shown.replace('TOKEN', token)).mcpServers.culprit;
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const accept = 'application/json, text/event-stream';
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept },
    body: JSON.stringify(list),
  });
  t.match(await answer.text(), /get_fix_brief/, 'the configuration works as it is shown');
  t.match(await agents.getByRole('group', { name: /^Command, / }).innerText(), /culprit mcp/);
  t.same(await axe(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  t.ok((await overflow(page)) <= 0);
  t.same(problems, []);
});

t.test('where core does not answer, a list says so and can be read again', { skip }, async (t) => {
  const bench = await boardBench(t);
  const { page, problems } = await visit(t, bench.core.url);
  await signIn(page);
  const tokens = '**/api/v1/tokens*';
  await page.route(tokens, (route) => route.fulfill({ status: 503, json: {} }));
  await page.evaluate("location.hash = '#/settings/tokens'");
  await page.getByText('Core did not answer.').waitFor();
  t.same(await axe(page), []);
  await page.unroute(tokens);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No tokens.').waitFor();
  t.same(problems, []);
});

t.test('History: verified, broken and downloaded', { skip }, async (t) => {
  const bench = await coreBench({}, `file:${temporaryFolder(t, 'history')}`);
  t.teardown(bench.close);
  const id = await bench.stage();
  await bench.engine.approveGateOne(id, { name: 'grace', via: 'api' });
  const { page, problems } = await visit(t, bench.core.url);
  await signIn(page);
  await page.evaluate("location.hash = '#/settings/history'");
  await page.getByRole('button', { name: 'Verify' }).click();
  const result = page.locator('.callout');
  await result.filter({ hasText: /^\d+ entries of 1 run verified\.From 2/ }).waitFor();
  t.same(await axe(page), []);
  t.ok((await overflow(page)) <= 0);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await saving;
  t.match(file.suggestedFilename(), /^culprit-history-\d{4}-\d\d-\d\d\.jsonl$/);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n');
  const names = lines.map((line) => JSON.parse(line).name);
  t.ok(names.includes('gate1.approve'));
  t.equal(lines.length, (await bench.engine.history(id)).length);

  const detail = 'entry 2 was changed <img src=x onerror=alert(1)> \u202e';
  await page.route('**/api/v1/audit/verification*', async (route) => {
    const response = await route.fetch();
    const json = { ...((await response.json()) as object), findings: [finding(id, detail)] };
    return route.fulfill({ response, json });
  });
  await page.getByRole('button', { name: 'Verify' }).click();
  await result.filter({ hasText: /1 run checked: 1 break found\./ }).waitFor();
  const broken = page.getByRole('list', { name: 'What was changed' });
  t.match(await broken.innerText(), /edited\s+entry 2 was changed <img src=x .*⟨202e⟩/);
  t.same(await axe(page), []);
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 844 });
    t.ok((await overflow(page)) <= 0, `${width} px`);
  }
  await broken.getByRole('link').click();
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.same(problems, []);
});

const finding = (run_id: string, detail: string) => ({ run_id, kind: 'edited', sequence: 2, detail });
