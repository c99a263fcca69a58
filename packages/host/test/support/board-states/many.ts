import { decisionKey, signIn } from '../board-bench.js';
import { ADA, dialog, GRACE, press } from './on-page.js';
import { morning } from './shop.js';
import type { Scene } from './state.js';

/** Decisions on several runs, and what a shift leaves behind. */
export const MANY: Scene = {
  title: 'Many runs',
  states: [
    {
      name: 'many-selected',
      says: 'Runs are selected; the bar says what can be done with them.',
      async reach(world) {
        const { page, engine } = world;
        await signIn(page);
        await engine.approveGateOne(await morning(world), GRACE);
        await page.locator('.row .spark').nth(5).waitFor();
        await page.getByRole('button', { name: 'Select' }).last().click();
        for (const run of ['KeyError', 'NullPointer', 'Deprecated', 'panic']) {
          await page.locator('li', { hasText: run }).getByRole('checkbox').check();
        }
        await page.locator('.picked', { hasText: '4 selected' }).waitFor();
      },
    },
    {
      name: 'many-dialog',
      says: 'One reason for all of them.',
      async reach({ page }) {
        await press(page, 'r');
        await dialog(page).getByRole('textbox').fill('Noise of a load test.');
      },
    },
    {
      name: 'many-failed',
      says: 'Another reviewer was faster with one of them: it is not changed, and listed.',
      async reach({ page, engine }) {
        const { runs } = await engine.runs({ states: ['staged_raw'], limit: 20 });
        await engine.approveGateOne(runs.find(({ platform }) => platform === 'java')?.run_id ?? '', GRACE);
        await page.keyboard.press('Control+Enter');
        await page.locator('.job[aria-busy=false]', { hasText: 'Rejected: 3 of 4. 1 failed' }).waitFor();
      },
    },
    {
      name: 'digest',
      says: 'A shift: what waits, who decided, how long each gate took, what was published.',
      async reach(world) {
        const { page, engine } = world;
        const { runs } = await engine.runs({ states: ['staged_draft'], limit: 20 });
        const { draft, run_id } = await engine.run(
          runs.find(({ platform }) => platform === 'node')?.run_id ?? '',
        );
        await world.later(40);
        await engine.approveGateTwo(run_id, ADA, { digest: draft?.digest });
        await world.later(5);
        await press(page, 'g');
        await decisionKey(page, 'd');
        await page.locator('.page .tiles').waitFor();
      },
    },
  ],
};
