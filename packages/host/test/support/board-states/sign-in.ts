import { signIn } from '../board-bench.js';
import { ADA, openRun } from './on-page.js';
import { morning } from './shop.js';
import type { BoardState, Scene } from './state.js';
import type { World } from './world.js';

const PROBLEMS = {
  cancelled: 'The person cancelled at the provider.',
  provider_unreachable: 'The provider does not respond; tokens still work.',
  client_refused: 'The provider does not accept Culprit’s credentials.',
  no_role: 'The person is known at the provider, and has no role here.',
} as const;

/** The page to which a sign-in leads that has failed. */
const failed = ([problem, says]: readonly [string, string]): BoardState => ({
  name: `sign-in-${problem.replaceAll('_', '-')}`,
  says,
  async reach({ page, core }) {
    await page.goto(`${core.url}/?sign_in_problem=${problem}`);
    await page.locator('.sign-in-provider [role=alert]').waitFor();
  },
});

/** Signing in at an identity provider, and what a role in one project changes. */
export const SIGN_IN: Scene = {
  title: 'Sign in at a provider',
  world: { provider: 'Acme' },
  states: [
    {
      name: 'sign-in-provider',
      says: 'The identity provider is beside the token.',
      reach: ({ page }) => page.getByRole('link', { name: 'Sign in with Acme' }).waitFor(),
    },
    ...Object.entries(PROBLEMS).map(failed),
    {
      name: 'role-in-another-project',
      says: 'A reviewer of another project reads this run; what the role does not include here is disabled, with the reason.',
      async reach(world) {
        const { page, engine } = world;
        await signIn(page);
        await asReviewerOf('payments', world);
        await page.reload();
        const shop = await morning(world);
        await engine.approveGateOne(shop, ADA);
        await openRun(world, shop, 'Gate 2');
        await page.locator('.gate-bar', { hasText: 'in the project default' }).waitFor();
      },
    },
  ],
};

/** From now on the board shows what a reviewer of this project has, who reads the others. Its requests are still ada's. */
async function asReviewerOf(project: string, { page, api }: World): Promise<void> {
  const { json } = await api({ path: '/api/v1/session' });
  const scopes = ['read', 'comment', 'gate1', 'gate2'];
  const grants = [
    { scopes: ['read'], projects: null },
    { scopes, projects: [project] },
  ];
  await page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { ...json, scopes, grants } })
      : route.fallback(),
  );
}
