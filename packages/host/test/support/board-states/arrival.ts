import { signIn } from '../board-bench.js';
import { guardFigures } from './guard-figures.js';
import { ADA, atGate, dialog, openRun, press } from './on-page.js';
import { morning, strangerCrash } from './shop.js';
import type { Scene } from './state.js';
import type { World } from './world.js';

let shop = '';

/** From the first visit to the list of a morning. */
export const ARRIVAL: Scene = {
  title: 'The first visit',
  states: [
    {
      name: 'sign-in',
      says: 'The board asks for a reviewer token.',
      reach: ({ page }) => page.getByRole('heading', { name: 'Sign in to review' }).waitFor(),
    },
    {
      name: 'sign-in-refused',
      says: 'No reviewer has this token.',
      async reach({ page }) {
        await page.getByLabel('Reviewer token').fill('wrong');
        await page.keyboard.press('Enter');
        await page.getByText('Unknown reviewer token').waitFor();
      },
    },
    {
      name: 'inbox-empty',
      says: 'No run is open: the page says how to send a first crash.',
      async reach({ page }) {
        await signIn(page);
        await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
      },
    },
    {
      name: 'edges-none',
      says: 'No edge has connected yet.',
      async reach({ page }) {
        await page.evaluate("location.hash = '#/edges'");
        await page.getByText('No edge has connected').waitFor();
      },
    },
    {
      name: 'edges',
      says: 'A healthy edge, with an hour of its figures.',
      async reach(world) {
        for (let step = 0; step < 30; step++) {
          await world.report('edge-7f3a', guardFigures(world.ago(30), step));
          if (step < 29) await world.later(2);
        }
        await world.page.reload();
        await world.page.locator('.edge .axis-x', { hasText: '58 min ago' }).first().waitFor();
      },
    },
    {
      name: 'inbox',
      says: 'Runs in several states, drafts first. No run is selected.',
      async reach(world) {
        const { engine, page } = world;
        shop = await morning(world);
        const stranger = await world.crash(strangerCrash('The relay closed the connection'));
        await engine.approveGateOne(stranger, ADA);
        await page.evaluate("location.hash = '#/'");
        await page.locator('.row').nth(6).waitFor();
        await page.locator('.row .spark').first().waitFor();
        await page.locator('.blank .tiles').waitFor();
        await page.reload();
        await page.locator('.row .spark').nth(6).waitFor();
      },
    },
    {
      name: 'search',
      says: 'A search with results.',
      async reach({ page }) {
        await page.locator('#search').fill('cart');
        await page.locator('.row', { hasText: 'NullPointerException' }).waitFor();
      },
    },
    {
      name: 'search-without-result',
      says: 'No run matches the search.',
      async reach({ page }) {
        await page.locator('#search').fill('nothing like it');
        await page.getByText('No matching runs').waitFor();
      },
    },
    {
      name: 'keyboard-shortcuts',
      says: 'The sheet of all shortcuts.',
      async reach({ page }) {
        await page.locator('#search').fill('');
        await page.locator('.row').nth(6).waitFor();
        await press(page, '?');
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      },
    },
    {
      name: 'gate-1',
      says: 'A run before its analysis.',
      async reach(world) {
        await world.page.keyboard.press('Escape');
        await openRun(world, shop, 'Gate 1');
        await world.page.locator('.facts .spark').waitFor();
      },
    },
    {
      name: 'gate-1-dialog',
      says: 'Approving Gate 1 starts the analysis.',
      async reach({ page }) {
        await press(page, 'a');
        await dialog(page).waitFor();
      },
    },
    {
      name: 'analysing',
      says: 'The steps of a running analysis.',
      async reach(world) {
        world.holdAnalyses(true);
        await world.page.keyboard.press('Enter');
        // The next run opens after a decision.
        await world.page.locator('.row [data-state=analyzing]').waitFor();
        await openRun(world, shop, 'Analysing');
        await world.page.locator('.steps li', { hasText: 'blamed' }).waitFor();
      },
    },
    {
      name: 'gate-2',
      says: 'A run with suspects, an explanation and a draft.',
      reach: (world) => drafted(world),
    },
    {
      name: 'draft',
      says: 'The draft as GitHub renders it, and its checklist.',
      from: '#draft',
      reach: ({ page }) => page.locator('.markdown h4').first().waitFor(),
    },
    {
      name: 'crash',
      says: 'The stack, with source at the crashed commit.',
      from: '#crash',
      reach: ({ page }) => page.locator('.frame.own .line.crashed').first().waitFor(),
    },
    {
      name: 'breadcrumbs',
      says: 'What the program did before the crash, and the request, user and contexts.',
      from: '#breadcrumbs',
      reach: ({ page }) => page.locator('.breadcrumbs').waitFor(),
    },
    {
      name: 'occurrences',
      says: 'Every crash of the run, with a chart, tags and users.',
      from: '#occurrences',
      reach: ({ page }) => page.locator('.crash-chart figcaption').waitFor(),
    },
    {
      name: 'timeline',
      says: 'Every step and decision of the run.',
      from: '#timeline',
      reach: ({ page }) => page.locator('.timeline .decision').first().waitFor(),
    },
  ],
};

async function drafted(world: World): Promise<void> {
  world.holdAnalyses(false);
  await atGate(world.page, 'Gate 2');
  await world.page.locator('.suspect').first().waitFor();
}
