import { signIn } from '../board-bench.js';
import { ADA, openRun } from './on-page.js';
import { morning } from './shop.js';
import type { Scene } from './state.js';

/** The model that explains. */
export const MODELS: Scene = {
  title: 'The model',
  world: { model: true },
  states: [
    {
      name: 'explained-by-model',
      says: 'An explanation by a model: two of its claims had no citation.',
      from: '#explanation',
      async reach(world) {
        const { page, engine } = world;
        await signIn(page);
        const shop = await morning(world);
        await engine.approveGateOne(shop, ADA);
        await openRun(world, shop, 'Gate 2');
      },
    },
    {
      name: 'settings-model',
      says: 'The configured model: its version, what it keeps to, and what is degraded.',
      async reach({ page }) {
        await page.evaluate("location.hash = '#/settings/model'");
        await page.getByRole('heading', { name: 'qwen3-8b' }).waitFor();
      },
    },
  ],
};
