import type { Page } from 'playwright-core';
import { decisionKey } from '../board-bench.js';
import type { World } from './world.js';

export const ADA = { name: 'ada', via: 'board' } as const;
export const GRACE = { name: 'grace', via: 'board' } as const;

/** Opens a run at one of its gates. */
export async function openRun({ page }: World, run: string, gate: string): Promise<void> {
  await page.evaluate(`location.hash = '#${run}'`);
  await page.locator('.run[aria-busy=false] .run-id', { hasText: run }).waitFor();
  await atGate(page, gate);
}

export function atGate(page: Page, gate: string): Promise<void> {
  return page.locator(`.gate-bar[data-gate="${gate}"]`).waitFor();
}

/** Presses a key outside of every field. */
export async function press(page: Page, key: string): Promise<void> {
  await page.evaluate('document.activeElement?.blur()');
  await decisionKey(page, key);
}

export function dialog(page: Page) {
  return page.getByRole('dialog');
}
