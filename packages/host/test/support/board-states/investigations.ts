import type { Finding } from '@culprit/core/internal/domain/investigation';
import { CULPRIT_TITLE } from '../../../src/demo/webshop.js';
import { editDraft, signIn } from '../board-bench.js';
import { ADA, atGate, openRun, press } from './on-page.js';
import { morning } from './shop.js';
import type { Scene } from './state.js';
import type { World } from './world.js';

let shop = '';

/** A model investigates the cause of the web shop's crash. */
export const INVESTIGATIONS: Scene = {
  title: 'Investigations',
  world: { investigator: true },
  states: [
    {
      name: 'investigation-running',
      says: 'A model asks the repository; the page follows.',
      from: '#investigation',
      async reach(world) {
        const { page, engine } = world;
        await signIn(page);
        shop = await morning(world);
        await engine.approveGateOne(shop, ADA);
        await openRun(world, shop, 'Gate 2');
        await press(page, 'i');
        await page.locator('#investigation').waitFor();
        await asked(world, 1, {
          name: 'read_source',
          input: { path: 'src/pricing/discounts.js', from: 1, to: 30 },
        });
        await asked(world, 2, { name: 'show_commit', input: { sha: sha(world, CULPRIT_TITLE) } });
        await asked(world, 3, { name: 'read_source', input: { path: 'src/pricing/prices.js' } });
        await asked(world, 4, {
          name: 'search_history',
          input: { text: 'vouchers.find', since: '2026-02-01' },
        });
      },
    },
    {
      name: 'investigation-used',
      says: 'The draft follows the finding: what core has checked, what the model only states, and the ranking’s own order.',
      from: '#investigation',
      async reach(world) {
        const { page } = world;
        world.investigator?.conclude(finding(world));
        await page.locator('.changed', { hasText: 'The investigation has found a cause' }).waitFor();
        await press(page, 'u');
        await state(world, 'used');
        await page.getByText('The ranking’s order').click();
      },
    },
    {
      name: 'investigation-trail',
      says: 'Every question with its answer, which is text from outside.',
      from: '.finding',
      async reach({ page }) {
        await page.getByText('The ranking’s order').click();
        await page.getByText('Questions and answers').click();
        await page.locator('.trail summary').nth(1).click();
        await page.locator('.trail summary').nth(2).click();
      },
    },
    {
      name: 'investigation-offered',
      says: 'A finding does not replace a draft that a reviewer has edited; it is offered.',
      from: '#investigation',
      async reach(world) {
        const { page, engine } = world;
        await press(page, 'p');
        await state(world, 'offered');
        await press(page, 'i');
        await state(world, 'running');
        await editDraft(engine, shop, 'Vouchers of a campaign crash the checkout', ADA);
        await page.locator('.changed', { hasText: 'ada edited the draft' }).waitFor();
        await press(page, 'u');
        await asked(world, 1, { name: 'show_commit', input: { sha: sha(world, CULPRIT_TITLE) } });
        world.investigator?.conclude(finding(world));
        await state(world, 'offered');
        await atGate(page, 'Gate 2');
      },
    },
    {
      name: 'investigation-failed-check',
      says: 'A finding that fails a check changes nothing.',
      from: '#investigation',
      async reach(world) {
        await press(world.page, 'i');
        await state(world, 'running');
        await asked(world, 1, {
          name: 'blame_lines',
          input: { path: 'src/pricing/discounts.js', from: 1, to: 9 },
        });
        world.investigator?.conclude({
          ...finding(world),
          quote: 'return Math.round(cents * voucher.share)',
        });
        await state(world, 'no effect');
      },
    },
  ],
};

/** Lets the model ask, and waits until the page shows it. */
async function asked(world: World, number: number, question: { name: string; input: object }): Promise<void> {
  await world.later(0.05);
  world.investigator?.ask(question);
  await section(world).getByText(`${number} question`).first().waitFor();
  await section(world).getByText('asked for').waitFor();
}

function state(world: World, words: string): Promise<void> {
  return section(world).locator('.pill', { hasText: words }).waitFor();
}

function section({ page }: World) {
  return page.locator('section[aria-labelledby=investigation]');
}

function sha({ commits }: World, title: string): string {
  return commits.find((commit) => commit.title === title)?.sha ?? '';
}

function finding(world: World): Finding {
  return {
    commits: [sha(world, CULPRIT_TITLE), sha(world, 'Move discounts to src/pricing')],
    mechanism: 'A voucher that is not in the campaign file is no longer ignored: find() gives undefined.',
    place: { path: 'src/pricing/discounts.js', line: 6 },
    quote: 'const voucher = campaign.vouchers.find((item) => item.code === code)',
    probability: 0.93,
    none_probability: 0.02,
  };
}
