import { execFileSync } from 'node:child_process';
import type { Finding } from '@culprit/core/internal/domain/investigation';
import { DEFAULT_POLICY } from '@culprit/core/internal/policy';
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
import { ledInvestigator } from './support/led-investigator.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const ADA = { name: 'ada', via: 'api' } as const;

const section = (page: Page) => page.locator('section[aria-labelledby=investigation]');
const state = (page: Page, words: string) => section(page).locator('.pill', { hasText: words }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: false });

t.test(
  'an investigation by keyboard: started, followed, opened, used, preferred and offered',
  { skip },
  async (t) => {
    const model = ledInvestigator();
    const investigation = { ...DEFAULT_POLICY.investigation, when: 'ask' as const };
    const { core, engine, stage, repository } = await boardBench(t, {
      change: (real) => [...real, model.connector],
      policy: { investigation },
    });
    const id = await stage();
    await engine.approveGateOne(id, ADA);
    const first = execFileSync('git', ['rev-parse', `${repository.culprit}^`], { cwd: repository.directory });
    const finding: Finding = {
      commits: [first.toString().trim()],
      mechanism: '<img src=x onerror="window.pwned=1"> read_totals',
      place: { path: 'src/cart.js', line: 4 },
      quote: 'return sum;',
      probability: 0.9,
      none_probability: 0.01,
    };
    const { page, problems } = await visit(t, core.url);
    await signIn(page);
    await page.evaluate(`location.hash = '${id}'`);
    await button(page, 'Investigate').waitFor();
    await decisionKey(page, 'i');
    await state(page, 'running');
    t.equal(await page.locator('.changed').count(), 0, 'a start is no reason to read the run again');

    model.ask({ name: 'search_history', input: { text: 'tax', path: 'src' } });
    await section(page).getByText('asked for commits with “tax” in src').waitFor();
    model.ask(
      { name: 'read_source', input: { path: 'src/cart.js' } },
      { name: 'read_source', input: { path: '.env' } },
    );
    await page.locator('.turns').getByText('Investigating: 3 questions').waitFor();
    await section(page)
      .getByText(/^3 questions, .* tokens$/)
      .waitFor();
    await section(page).locator('summary', { hasText: 'Questions' }).focus();
    await page.keyboard.press('Enter');
    await section(page).locator('.trail > li').nth(2).getByText('no answer').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const answer = section(page).getByLabel('Answer 2');
    t.match(await answer.innerText(), '<b>not markup</b>');
    t.equal(await answer.locator('b').count(), 0, 'an answer is text');
    t.same(await axe(page), []);

    model.conclude(finding);
    await page.locator('.changed', { hasText: 'The investigation has found a cause' }).waitFor();
    await page.keyboard.press('u');
    await state(page, 'used');
    t.equal(await section(page).locator('[data-check=passed]').count(), 3);
    t.match(await section(page).locator('q').textContent(), finding.mechanism);
    const suspect = page.locator('.suspect').first();
    t.match(await suspect.innerText(), /not measured with this model.*found by asking/s);
    t.match(await page.locator('.checklist').innerText(), /by the model qwen3-32b, 3 of 3 checks passed/);
    await decisionKey(page, 'p');
    await button(page, 'Prefer the finding').waitFor();
    t.equal((await engine.run(id)).suspects[0]?.found_by, undefined);
    await decisionKey(page, 'p');
    await button(page, 'Prefer the ranking').waitFor();
    t.ok((await engine.run(id)).suspects[0]?.found_by);
    await decisionKey(page, 'p');
    await button(page, 'Investigate again').waitFor();

    await decisionKey(page, 'i');
    await state(page, 'running');
    await editDraft(engine, id, 'Totals crash', ADA);
    await page.locator('.changed', { hasText: 'ada edited the draft' }).waitFor();
    await page.keyboard.press('u');
    model.conclude(finding);
    await section(page).getByText('You have edited the draft, so this finding is only offered.').waitFor();
    t.equal((await engine.run(id)).draft?.title, 'Totals crash');
    await page.setViewportSize({ width: 390, height: 800 });
    t.equal(await overflow(page), 0);
    t.same(await axe(page), []);
    await decisionKey(page, 'p');
    await page.getByRole('dialog').getByText('The edit by ada is lost.').waitFor();
    await page.keyboard.press('Enter');
    await state(page, 'used');

    await decisionKey(page, 'p');
    await button(page, 'Investigate again').waitFor();
    await decisionKey(page, 'i');
    await state(page, 'running');
    await page.keyboard.press('i');
    await page.getByRole('dialog').getByText('Stop this investigation?').waitFor();
    await page.keyboard.press('Enter');
    await section(page).getByText('A reviewer stopped it.').waitFor();
    t.equal(await page.evaluate('window.pwned'), undefined);
    t.same(problems, []);
  },
);

t.test('without a model, no button asks for one, and the key says what to set', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  const id = await stage();
  await engine.approveGateOne(id, ADA);
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.evaluate(`location.hash = '${id}'`);
  await page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.equal(await button(page, 'Investigate').count(), 0);
  await decisionKey(page, 'i');
  await page.getByText('Set OPENAI_MODEL').waitFor();
  t.same(problems, []);
});
