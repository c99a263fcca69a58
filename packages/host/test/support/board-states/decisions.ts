import { decisionKey, editDraft, signIn } from '../board-bench.js';
import { ADA, atGate, dialog, GRACE, openRun, press } from './on-page.js';
import { morning } from './shop.js';
import type { BoardState, Scene } from './state.js';
import type { World } from './world.js';

let shop = '';

const GATES: readonly BoardState[] = [
  {
    name: 'draft-raw',
    says: 'The draft as Markdown.',
    from: '#draft',
    async reach(world) {
      await signIn(world.page);
      shop = await morning(world);
      await world.engine.approveGateOne(shop, ADA);
      await world.later(3);
      await openRun(world, shop, 'Gate 2');
      await tab(world, 'Raw');
    },
  },
  {
    name: 'draft-exact-bytes',
    says: 'The request that will be sent.',
    from: '#draft',
    reach: (world) => tab(world, 'Exact bytes'),
  },
  {
    name: 'draft-editor',
    says: 'The title and the body of a draft can be edited.',
    from: '#draft',
    async reach({ page }) {
      await page.locator('#run-title').focus();
      await press(page, 'e');
      await page.locator('#draft-title').fill('Orders with a voucher from a campaign crash');
    },
  },
  {
    name: 'draft-changes',
    says: 'What reviewers have changed in the generated draft.',
    from: '#draft',
    async reach(world) {
      await world.page.keyboard.press('Control+Enter');
      await world.page.locator('.issue-title', { hasText: 'Orders with a voucher' }).waitFor();
      await tab(world, 'Changes');
      await world.page.locator('#draft-panel ins').first().waitFor();
    },
  },
  {
    name: 'changed-by-another',
    says: 'Another reviewer has edited the draft; the page keeps what is being read.',
    async reach(world) {
      await world.later(2);
      await tab(world, 'Preview');
      await editDraft(world.engine, shop, 'Vouchers from a campaign crash the checkout');
      await world.page.locator('.changed', { hasText: 'grace edited the draft' }).waitFor();
    },
  },
  {
    name: 'sign-dialog',
    says: 'The dialog shows the text that will be published, and repeats the checklist.',
    async reach({ page }) {
      await press(page, 'u');
      await page.locator('.issue-title', { hasText: 'Vouchers from' }).waitFor();
      await press(page, 'Shift+A');
      await dialog(page).locator('.markdown h4').first().waitFor();
    },
  },
  {
    name: 'sign-conflict',
    says: 'The draft has changed while the dialog was open: it shows what is different.',
    async reach(world) {
      await editDraft(world.engine, shop, 'Campaign vouchers without a percentage crash the checkout');
      await world.page.keyboard.press('Control+Enter');
      await dialog(world.page).locator('ins').first().waitFor();
    },
  },
  {
    name: 'publishing',
    says: 'The draft is signed; the code host has asked Culprit to wait.',
    async reach(world) {
      world.publisher.next('wait');
      await world.page.keyboard.press('Control+Enter');
      await world.page.locator('.row [data-state=publishing]').waitFor();
      await openRun(world, shop, 'Publishing');
    },
  },
];

const CLOSED: readonly BoardState[] = [
  {
    name: 'reject-dialog',
    says: 'A rejection needs a reason.',
    async reach(world) {
      await world.page.locator('.row', { hasText: 'Deprecated' }).click();
      await atGate(world.page, 'Gate 1');
      await world.page.locator('#run-title', { hasText: 'Deprecated' }).waitFor();
      await press(world.page, 'r');
      await dialog(world.page).getByRole('textbox').fill('A warning; the field is removed in May.');
    },
  },
  {
    name: 'rejected-with-undo',
    says: 'The next run opens, and the bar offers to undo the rejection.',
    async reach({ page }) {
      await page.keyboard.press('Control+Enter');
      await page.locator('.decided', { hasText: 'Rejected' }).getByRole('button', { name: 'Undo' }).waitFor();
      await page.locator('.run[aria-busy=false] #run-title').waitFor();
      await page.locator('.run-head .pill').first().waitFor();
    },
  },
  {
    name: 'rejected',
    says: 'A rejected run, in the list of rejected runs.',
    async reach({ page }) {
      await press(page, 'g');
      await decisionKey(page, 'r');
      await page.locator('.row', { hasText: 'Deprecated' }).click();
      await atGate(page, 'Rejected');
    },
  },
  {
    name: 'returned',
    says: 'A reviewer has returned the draft to Gate 1, with the reason.',
    async reach(world) {
      const { engine, page } = world;
      const { runs } = await engine.runs({ states: ['staged_raw'], limit: 20 });
      const run = runs.find(({ platform }) => platform === 'java')?.run_id ?? '';
      await engine.approveGateOne(run, ADA);
      await engine.rejectGateTwo(run, GRACE, {
        reason: 'The release is not in the repository yet.',
        to: 'staged_raw',
      });
      await press(page, 'g');
      await page.keyboard.press('i');
      await openRun(world, run, 'Gate 1');
      await page.locator('.returned', { hasText: 'Returned by grace' }).waitFor();
    },
  },
];

/** Both gates, and what follows them. */
export const DECISIONS: Scene = { title: 'Decisions', states: [...GATES, ...CLOSED] };

function tab({ page }: World, name: string): Promise<void> {
  return page.getByRole('tab', { name }).click();
}
