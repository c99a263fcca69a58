import { decisionKey, signIn } from '../board-bench.js';
import { ADA, atGate, dialog, GRACE, openRun, press } from './on-page.js';
import { morning } from './shop.js';
import type { Scene } from './state.js';
import type { World } from './world.js';

let shop = '';
let merged = '';

/** Who looks at a run, what they say, and runs that wait. */
export const TURNS: Scene = {
  title: 'Turns',
  states: [
    {
      name: 'claimed',
      says: 'Another reviewer is looking at the run.',
      async reach(world) {
        await signIn(world.page);
        shop = await morning(world);
        await world.engine.approveGateOne(shop, ADA);
        await world.engine.claim(shop, GRACE);
        await world.later(3);
        await openRun(world, shop, 'Gate 2');
        await world.page.locator('.claimed', { hasText: 'grace has claimed this run' }).waitFor();
      },
    },
    {
      name: 'comments',
      says: 'What reviewers have said about the run; never published.',
      from: '#comments',
      async reach(world) {
        await world.engine.comment(shop, GRACE, {
          comment: 'The campaign file of spring has no percentage. Marketing fills it in by hand.',
        });
        await world.engine.comment(shop, ADA, { comment: 'Then the loader should refuse the file.' });
        await world.page.locator('.comments .said').nth(1).waitFor();
      },
    },
    {
      name: 'snooze-dialog',
      says: 'A snooze lasts until a time, a number of crashes, or a new release.',
      async reach(world) {
        await openRun(world, await waiting(world, 'python'), 'Gate 1');
        await press(world.page, 's');
        await dialog(world.page).locator('input[value=tomorrow]:focus').waitFor();
      },
    },
    {
      name: 'snoozed',
      says: 'A snoozed run, in the list of snoozed runs.',
      async reach(world) {
        const { page } = world;
        const run = await waiting(world, 'python');
        await page.keyboard.press('Enter');
        await page.locator('.decided', { hasText: 'Snoozed until' }).waitFor();
        await press(page, 'g');
        await decisionKey(page, 's');
        await page.locator('.row', { hasText: 'KeyError' }).waitFor();
        await openRun(world, run, 'Snoozed');
      },
    },
    {
      name: 'back-from-a-snooze',
      says: 'The run has crashed in a new release: it waits at its gate again.',
      async reach(world) {
        const run = await waiting(world, 'go');
        await world.engine.snooze(run, ADA, { until: { kind: 'release' } });
        await world.later(30);
        await world.crash({
          message: 'panic: runtime error: index out of range [3] with length 3',
          platform: 'go',
          level: 'fatal',
          fingerprint: ['go'],
          environment: 'production',
          release: 'v2.4.1',
        });
        await openRun(world, run, 'Gate 1');
        await world.page.locator('.callout', { hasText: 'Back from a snooze' }).waitFor();
      },
    },
    {
      name: 'merge-dialog',
      says: 'The runs that look most like this one come first; typing searches.',
      async reach(world) {
        const { page } = world;
        merged = await world.crash({
          message: 'NullPointerException: Cannot invoke "Cart.items()" because "cart" is null',
          platform: 'java',
          level: 'error',
          fingerprint: ['java, elsewhere'],
          environment: 'production',
          release: 'v2.4.1',
        });
        await openRun(world, merged, 'Gate 1');
        await press(page, 'Shift+M');
        await page.locator('#merge-options [aria-selected=true]', { hasText: 'Cart.total()' }).waitFor();
      },
    },
    {
      name: 'merged-link',
      says: 'The link of a merged run leads to the run that counts its crashes, which lists it.',
      async reach(world) {
        const { page } = world;
        await page.locator('#merge-into').press('Enter');
        await dialog(page).getByText('Merge these runs?').waitFor();
        await page.keyboard.press('Enter');
        await page.locator('.decided', { hasText: 'Merged' }).waitFor();
        await page.evaluate("location.hash = '#/'");
        await page.locator('.run').waitFor({ state: 'detached' });
        await page.evaluate(`location.hash = '#${merged}'`);
        await page.locator('.callout', { hasText: 'The run you opened has been merged' }).waitFor();
        await page.locator('.run[aria-busy=false]').waitFor();
      },
    },
    {
      name: 'merged',
      says: 'The merged run itself, with its history and the way back to its gate.',
      async reach({ page }) {
        await page.getByRole('link', { name: 'Show the merged run' }).click();
        await atGate(page, 'Merged');
      },
    },
    {
      name: 'search-suggestions',
      says: 'A qualifier suggests the values that runs have, with their numbers.',
      async reach({ page }) {
        await page.evaluate("location.hash = '#/'");
        await press(page, '/');
        await page.keyboard.type('platform:');
        await page.locator('#suggestions [role=option]').nth(4).waitFor();
      },
    },
  ],
};

async function waiting({ engine }: World, platform: string): Promise<string> {
  const { runs } = await engine.runs({ states: ['staged_raw'], limit: 20 });
  return runs.find((run) => run.platform === platform)?.run_id ?? '';
}
