import type { RunState } from '@culprit/core';
import type { Page } from 'playwright-core';
import t from 'tap';
import { boardBench, CHROMIUM, decisionKey, signIn, visit } from './support/board-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const DRAFTS = 6;
const RAW = 24;
const SIGNED = 3;
const REASON = 'junk';

/** As documented in docs/guides/board.md; a reason adds its characters. */
const PRESSES = { open: 1, approve: 2, reject: 2, snooze: 2, sign: 2 } as const;
/** What happens to the runs at Gate 1, in turn. */
const TURNS = ['reject', 'approve', 'snooze'] as const;
const KEYS = { reject: 'r', approve: 'a', snooze: 's' } as const;

t.test('keyboard only: thirty runs are triaged, and nothing is published by mistake', { skip }, async (t) => {
  const { core, engine, stage } = await boardBench(t);
  for (let n = 0; n < DRAFTS; n++) {
    await engine.approveGateOne(await stage(`draft ${n}`), { name: 'grace', via: 'api' });
  }
  for (let n = 0; n < RAW; n++) await stage(`crash ${n}`);
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.locator('.group', { hasText: String(RAW) }).waitFor();
  let presses = 0;
  const press = async (key: string) => {
    presses += 1;
    await decisionKey(page, key);
  };
  const onward = async () => {
    await page.getByRole('button', { name: 'Next run' }).waitFor();
    await press('j');
  };

  await press('j');
  let at = await nextRun(page, '', 'Gate 2');
  const signed: string[] = [];
  for (let n = 0; n < SIGNED; n++) {
    signed.push(at);
    await press('Shift+A');
    await page.getByRole('dialog').waitFor();
    await press('Control+Enter');
    await onward();
    at = await nextRun(page, at, 'Gate 2');
  }
  for (let left = DRAFTS - SIGNED; left > 0; left--) {
    await press('j');
    at = await nextRun(page, at, left > 1 ? 'Gate 2' : 'Gate 1');
  }
  const triaged: Record<(typeof TURNS)[number], string[]> = { reject: [], approve: [], snooze: [] };
  for (let n = 0; n < RAW; n++) {
    const act = TURNS[n % TURNS.length] ?? 'reject';
    triaged[act].push(at);
    await press(KEYS[act]);
    await page.getByRole('dialog').waitFor();
    if (act === 'reject') {
      await page.keyboard.type(REASON);
      presses += REASON.length;
    }
    await press(act === 'reject' ? 'Control+Enter' : 'Enter');
    if (n === RAW - 1) break;
    await onward();
    at = await nextRun(page, at, 'Gate 1');
  }
  await page.locator('.decided', { hasText: 'Snoozed' }).waitFor();

  const ids = async (...states: RunState[]) =>
    (await engine.runs({ states, limit: 100 })).runs.map(({ run_id }) => run_id).sort();
  t.same(await ids('published', 'publishing'), signed.sort(), 'exactly the signed drafts');
  t.same(await ids('rejected'), triaged.reject.sort());
  t.same(await ids('snoozed'), triaged.snooze.sort());
  t.same(await ids('staged_raw'), []);
  const { open, sign, approve, reject, snooze } = PRESSES;
  const skipped = DRAFTS - SIGNED;
  const turns = RAW / TURNS.length;
  const documented =
    open +
    SIGNED * (sign + open) +
    skipped * open +
    (RAW - 1) * open +
    turns * (approve + reject + REASON.length + snooze);
  t.equal(presses, documented, 'no more key presses than documented');
  t.same(problems, []);
});

/** Waits for a run other than the last one, with the focus on its title and the bar of its gate. */
async function nextRun(page: Page, before: string, gate: string): Promise<string> {
  await page.waitForURL((url) => url.hash.length > 1 && url.hash !== `#${before}`);
  const id = new URL(page.url()).hash.slice(1);
  await page.locator('.run[aria-busy=false] .run-id', { hasText: id }).waitFor();
  await page.locator('#run-title:focus').waitFor();
  await page.locator(`.gate-bar[data-gate="${gate}"]`).waitFor();
  return id;
}
