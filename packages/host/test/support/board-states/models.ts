import { signIn } from '../board-bench.js';
import { ADA, dialog, openRun } from './on-page.js';
import { morning } from './shop.js';
import type { Scene } from './state.js';

/** The model beside the template. */
export const MODELS: Scene = {
  title: 'The model',
  world: { model: true },
  states: [
    {
      name: 'explained-by-model',
      says: 'An explanation by a model: two of its claims had no citation. A button compares it with the template’s.',
      from: '#explanation',
      async reach(world) {
        const { page, engine } = world;
        await signIn(page);
        const shop = await morning(world);
        await engine.approveGateOne(shop, ADA);
        await openRun(world, shop, 'Gate 2');
        await page.getByRole('button', { name: 'Compare with the model' }).waitFor();
      },
    },
    {
      name: 'compared',
      says: 'The template’s and the model’s explanation of one run, with the claims that were refused and why.',
      async reach({ page }) {
        await page.getByRole('button', { name: 'Compare with the model' }).click();
        await dialog(page).getByRole('heading', { name: 'qwen3-8b' }).waitFor();
      },
    },
    {
      name: 'settings-model',
      says: 'The configured model: its version, what it keeps to, and what is degraded.',
      async reach({ page }) {
        await dialog(page).getByRole('link', { name: 'About the model' }).click();
        await page.getByRole('heading', { name: 'qwen3-8b' }).waitFor();
      },
    },
  ],
};
