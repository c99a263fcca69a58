import { CulpritError } from '@culprit/core';
import { signIn } from '../board-bench.js';
import { guardFigures } from './guard-figures.js';
import { atGate, dialog, openRun, press } from './on-page.js';
import { morning } from './shop.js';
import type { BoardState, Scene } from './state.js';

let shop = '';

const EDGES: readonly BoardState[] = [
  {
    name: 'inbox-in-trouble',
    says: 'An edge cannot reach core: the inbox says so.',
    async reach(world) {
      const { page } = world;
      world.deafen(true);
      await signIn(page);
      shop = await morning(world);
      for (let step = 0; step < 30; step++) {
        if (step > 0) await world.later(2);
        await world.report('edge-7f3a', guardFigures(world.ago(30), step));
        await world.report('edge-b210', { ...guardFigures(world.ago(30), step), ...ILL });
      }
      await page.reload();
      await page.locator('.trouble', { hasText: 'edge-b210' }).waitFor();
      await page.locator('.row .spark').nth(4).waitFor();
    },
  },
  {
    name: 'edges-in-trouble',
    says: 'The worst edge is first: an open circuit, a growing spool, dead letters.',
    async reach({ page }) {
      await page.locator('.trouble').click();
      await page.locator('.edge').nth(1).locator('.axis-x').first().waitFor();
    },
  },
  {
    name: 'failed-notifications',
    says: 'Messages that Slack did not accept, with a button to retry, and the quotas.',
    from: 'section[aria-label="Failed notifications"]',
    reach: ({ page }) =>
      page
        .getByRole('button', { name: /^Retry/ })
        .first()
        .waitFor(),
  },
];

const ILL = {
  spool: { depth: 18_211, bytes: 41_943_040, oldest_age_ms: 912_000 },
  forwarder: { state: 'waiting', circuit: 'open', last_error: 'connect ECONNREFUSED 10.0.3.7:8000' },
};

const REFUSED: readonly BoardState[] = [
  {
    name: 'analysis-failed',
    says: 'The last analysis failed; Gate 1 can be approved again.',
    async reach(world) {
      const { page, engine } = world;
      await page.evaluate("location.hash = '#/'");
      await page.locator('.row').nth(4).waitFor();
      world.failAnalyses(
        new CulpritError('code_host_unavailable', 'GitHub responded 502 Bad Gateway three times.'),
      );
      await engine.approveGateOne(shop, { name: 'ada', via: 'board' }).catch(() => {});
      world.failAnalyses(null);
      await openRun(world, shop, 'Gate 1');
      await page.locator('.callout', { hasText: 'The analysis failed.' }).waitFor();
    },
  },
  {
    name: 'decision-refused',
    says: 'A decision that core has refused is reported at the top.',
    async reach({ page }) {
      await page.route('**/gate1/approve', (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            type: 'about:blank',
            title: 'Storage unavailable',
            status: 503,
            code: 'storage_unavailable',
            detail: 'The storage does not respond. Try again.',
            retryable: true,
          }),
        }),
      );
      await press(page, 'a');
      await dialog(page).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.banner[role=alert]').waitFor();
      await page.unroute('**/gate1/approve');
    },
  },
  {
    name: 'run-not-found',
    says: 'The link names no run.',
    async reach({ page }) {
      await page.evaluate("location.hash = '#run_00000000000000000000000404'");
      await page.getByRole('heading', { name: 'Run not found' }).waitFor();
    },
  },
];

const AWAY: readonly BoardState[] = [
  {
    name: 'no-data',
    says: 'Core sends nothing, not even heartbeats: decisions are disabled.',
    async reach(world) {
      await openRun(world, shop, 'Gate 1');
      world.mute(true);
      await world.later(1);
      await world.page.locator('.connection', { hasText: /No data for \d+ s/ }).waitFor();
      await world.page.getByText(/Decisions are disabled/).waitFor();
    },
  },
  {
    name: 'session-ended',
    says: 'The session has ended: nothing of the run stays on the screen.',
    async reach(world) {
      world.mute(false);
      await world.later(13 * 60);
      await world.page.getByText('Your session has ended').waitFor();
    },
  },
  {
    name: 'disconnected',
    says: 'Core is away: the page says when it heard from it.',
    async reach(world) {
      await signIn(world.page);
      await atGate(world.page, 'Gate 1');
      await world.core.close();
      await world.later(2);
      await world.page
        .locator('.connection:not([data-state=live])', { hasText: 'last update 2 min ago' })
        .waitFor();
    },
  },
];

/** What goes wrong, and how it looks. */
export const TROUBLE: Scene = { title: 'Trouble', states: [...EDGES, ...REFUSED, ...AWAY] };
