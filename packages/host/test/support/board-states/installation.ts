import { setTimeout as pause } from 'node:timers/promises';
import { signIn } from '../board-bench.js';
import { OTHER_TOKEN } from '../core-bench.js';
import { morning, strangerCrash } from './shop.js';
import type { BoardState, Scene } from './state.js';
import type { World } from './world.js';

const CANDIDATE = 'webshop-checkout@2.5.0-rc.1+20261120140512.sha.4f1c9a7be2d0';
const FIREFOX = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.6; rv:140.0) Gecko/20100101 Firefox/140.0';

const RELEASES: readonly BoardState[] = [
  {
    name: 'releases',
    says: 'Releases, newest first: where each is deployed, and what crashed in it.',
    async reach(world) {
      const { page, engine, commits } = world;
      const { releases } = engine;
      await releases.record('default', 'v2.3.0');
      await releases.setCommits('default', 'v2.3.0', { commit: commits.at(-6)?.sha ?? '' });
      await releases.deploy('default', 'v2.3.0', { environment: 'production' });
      await world.later(3 * 24 * 60 + 40);
      await releases.record('default', 'v2.4.0', { url: 'https://ci.example/webshop/412' });
      await releases.setCommits('default', 'v2.4.0', { commit: commits.at(-1)?.sha ?? '' });
      await releases.deploy('default', 'v2.4.0', { environment: 'staging', name: 'rehearsal' });
      await world.later(95);
      await releases.deploy('default', 'v2.4.0', {
        environment: 'production',
        name: 'blue',
        url: 'https://ci.example/webshop/415',
      });
      await world.later(26 * 60);
      await page.reload();
      await signIn(page);
      await morning(world);
      await world.crash({ ...strangerCrash('The relay closed the connection'), release: CANDIDATE });
      await page.evaluate("location.hash = '#/releases'");
      await page.getByRole('link', { name: 'v2.3.0' }).waitFor();
    },
  },
  {
    name: 'release',
    says: 'One release: its runs, deploys and commits.',
    async reach({ page }) {
      await page.getByRole('link', { name: 'v2.4.0' }).click();
      await page.getByRole('heading', { name: 'Deploys' }).waitFor();
      await page.getByRole('heading', { name: /commits$/ }).waitFor();
      await page.getByText('first seen').first().waitFor();
    },
  },
];

const SETTINGS: readonly BoardState[] = [
  {
    name: 'settings-tokens',
    says: 'API tokens: what each may do, when it was used, and a form that makes one.',
    async reach(world) {
      await post(world, '/api/v1/tokens', {
        ...{ name: 'release job', scopes: ['release'], projects: ['default'], expires_in_days: 90 },
      });
      await post(world, '/api/v1/tokens', {
        ...{ name: 'coding agent of the payments team, for fix briefs', scopes: ['read', 'comment'] },
        ...{ projects: null, expires_in_days: 30 },
      });
      await post(world, '/api/v1/tokens', {
        ...{ name: 'wall screen', scopes: ['read'], projects: null, expires_in_days: null },
      });
      await openTab(world, 'tokens', 'wall screen');
    },
  },
  {
    name: 'settings-sessions',
    says: 'The browsers that are signed in; an operator sees those of everybody.',
    async reach(world) {
      await post(world, '/api/v1/session', { token: OTHER_TOKEN }, { 'user-agent': FIREFOX });
      await openTab(world, 'sessions', 'this browser');
      await world.page.getByRole('checkbox').check();
      await world.page.getByRole('listitem').filter({ hasText: 'grace' }).waitFor();
    },
  },
  {
    name: 'settings-source-maps',
    says: 'Uploaded source maps, and how much of the quota they use.',
    async reach(world) {
      await world.maps?.upload('v2.4.0', ['assets/main.min.js', 'assets/checkout.min.js']);
      await world.maps?.upload(CANDIDATE, ['assets/checkout.min.js']);
      await openTab(world, 'source-maps', CANDIDATE);
    },
  },
  {
    name: 'settings-webhooks',
    says: 'Outgoing webhooks: one is off, and one could not deliver.',
    async reach(world) {
      const levels: string[] = [];
      const all = { events: ['run.created', 'issue.published'], projects: [], environments: [], levels };
      await post(world, '/api/v1/webhooks', {
        ...{ ...all, name: 'deploy gate', url: 'https://ci.example/hooks/culprit', enabled: false },
      });
      await post(world, '/api/v1/webhooks', {
        ...{ ...all, name: 'on-call of the payments team', url: 'https://ops.example/culprit?team=payments' },
        levels: ['fatal', 'error'],
      });
      await world.later(1);
      await world.crash(strangerCrash('The queue is full'));
      await untilDead(world);
      await openTab(world, 'webhooks', 'dead');
    },
  },
  {
    name: 'settings-health',
    says: 'Health: what core found out about itself, worst first, with how to fix it.',
    async reach(world) {
      await openTab(world, 'health', 'storage');
    },
  },
  {
    name: 'settings-history',
    says: 'History: all histories were verified, and one was changed.',
    async reach(world) {
      const { page } = world;
      await page.route('**/api/v1/audit/verification*', (route) => route.fulfill({ json: CHANGED_HISTORY }));
      await page.evaluate("location.hash = '#/settings/history'");
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('list', { name: 'What was changed' }).waitFor();
    },
  },
  {
    name: 'settings-erase',
    says: 'Erasing a person: what was found, and the field that confirms it.',
    async reach(world) {
      const { page } = world;
      await world.crash({ ...strangerCrash('The coupon was used twice'), user: { id: 'u-77310' } });
      await page.evaluate("location.hash = '#/settings/erase'");
      await page.getByLabel('User id, e-mail address or name').fill('u-77310');
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByLabel('To confirm, type').waitFor();
    },
  },
];

const CHANGED_HISTORY = {
  ...{ runs: 1_311, entries: 14_203, erased: 2, unsealed: 0, next: null },
  ...{ first_at: '2026-02-03T08:11:42.000Z', last_at: '2026-11-20T14:05:00.000Z' },
  findings: [
    {
      ...{ run_id: 'run_01m84ph20r16makwvr26nks0t2', kind: 'edited', sequence: 4 },
      detail: 'entry 4 (gate2.approve) was changed after it was sealed',
    },
  ],
};

/** The pages besides the inbox. */
export const INSTALLATION: Scene = {
  title: 'Releases and settings',
  world: { installation: true },
  states: [...RELEASES, ...SETTINGS],
};

async function openTab({ page }: World, tab: string, text: string): Promise<void> {
  await page.evaluate(`location.hash = '#/settings/${tab}'`);
  await page.locator('.cards li', { hasText: text }).first().waitFor();
}

async function post({ api }: World, path: string, body: object, headers = {}): Promise<void> {
  const { status, text } = await api({ method: 'POST', path, body, headers });
  if (status >= 300) throw new Error(text);
}

/** Waits until core has given up a delivery. */
async function untilDead({ api }: World): Promise<void> {
  for (;;) {
    const { json } = await api({ path: '/api/v1/webhooks' });
    if (json.webhooks.some(({ dead }: { readonly dead: number }) => dead > 0)) return;
    await pause(50);
  }
}
