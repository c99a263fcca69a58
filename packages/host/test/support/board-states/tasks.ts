import { signIn } from '../board-bench.js';
import { BUNDLE, bundledShop } from './bundle.js';
import { ADA, atGate, dialog, GRACE, openRun, press } from './on-page.js';
import { morning, voucherCrash } from './shop.js';
import type { BoardState, Scene } from './state.js';

let built = '';

const VERIFYING: readonly BoardState[] = [
  {
    name: 'verified',
    says: 'The issue is compared with what was signed and with its evidence.',
    async reach(world) {
      const { page, engine } = world;
      await signIn(page);
      const shop = await morning(world);
      await engine.approveGateOne(shop, ADA);
      const { draft } = await engine.run(shop);
      await openRun(world, shop, 'Gate 2');
      await engine.approveGateTwo(shop, GRACE, { digest: draft?.digest });
      await page.locator('.changed', { hasText: 'grace' }).waitFor();
      await press(page, 'u');
      await atGate(page, 'Published');
      await press(page, 'v');
      await dialog(page).getByText('matches its evidence and signature').waitFor();
    },
  },
  {
    name: 'issue-changed',
    says: 'Somebody has changed the issue on the code host: what, who and when.',
    async reach({ page, publisher }) {
      const labels = [...(publisher.issues[0]?.labels ?? []), 'wontfix'];
      publisher.editIssue(1, 'linus', { title: 'Checkout crashes with vouchers', labels });
      await dialog(page).getByRole('button', { name: 'Compare again' }).click();
      await dialog(page).getByText('was changed on the code host').waitFor();
    },
  },
];

const RECORDING: readonly BoardState[] = [
  {
    name: 'record-release',
    says: 'A release is recorded with its commits and a deploy; what core refuses stands at its field.',
    async reach({ page }) {
      await page.keyboard.press('Escape');
      await page.evaluate("location.hash = '#/releases'");
      await page.getByRole('button', { name: 'Record a release' }).click();
      await page.getByLabel('Version').fill('v2.4.1');
      await page.getByLabel('Commit: ').fill('a tag');
      await page.getByLabel('Deployed to').fill('production');
      await page.keyboard.press('Enter');
      await page.locator('#release-commit-problem').waitFor();
    },
  },
  {
    name: 'record-deploy',
    says: 'A deploy of a recorded release.',
    async reach({ page }) {
      await page.getByLabel('Commit: ').fill('v2.4.0');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Record a deploy' }).click();
      await page.getByLabel('Environment').fill('staging');
    },
  },
];

const MAPPING: readonly BoardState[] = [
  {
    name: 'missing-source-map',
    says: 'Before Gate 1: the crash is in a bundle without a source map, and the command that mends it.',
    from: '#crash',
    async reach(world) {
      const { stderr } = await bundledShop(world);
      built = await world.crash({ ...voucherCrash(stderr, world.ago(0)), fingerprint: ['bundled'] });
      await openRun(world, built, 'Gate 1');
      await world.page.getByText(/There is no source map for .*checkout\.min\.js/).waitFor();
    },
  },
  {
    name: 'source-mapped',
    says: 'With its source map, the stack shows the original code.',
    from: '#crash',
    async reach(world) {
      const { map } = await bundledShop(world);
      await world.maps?.upload('v2.4.0', [BUNDLE], () => map);
      await world.engine.approveGateOne(built, GRACE);
      await world.page.locator('.changed', { hasText: 'grace' }).waitFor();
      await press(world.page, 'u');
      await atGate(world.page, 'Gate 2');
      await world.page.getByRole('button', { name: 'Minified' }).waitFor();
    },
  },
  {
    name: 'minified',
    says: 'The same stack as it was built.',
    from: '#crash',
    async reach({ page }) {
      await page.getByRole('button', { name: 'Minified' }).click();
      await page.locator('.frame', { hasText: 'checkout.min.js' }).first().waitFor();
    },
  },
];

/** What used to need the command line or the API. */
export const TASKS: Scene = {
  title: 'Tasks of the command line',
  world: { installation: true },
  states: [...VERIFYING, ...RECORDING, ...MAPPING],
};
