import { existsSync, readFileSync } from 'node:fs';
import type { Engine, Reviewer } from '@culprit/core';
import { type Browser, chromium, type Page } from 'playwright-core';
import tap, { type Test } from 'tap';
import type { CoreServer } from '../../src/server/server.js';
import { type CoreBench, type CoreBenchOptions, coreBench, GATEWAY, TOKEN } from './core-bench.js';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
export const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Long enough for a busy machine; a page that never shows the expected content still fails. */
export const PATIENCE_MS = Number(process.env.BOARD_PATIENCE_MS ?? 180_000);
const AXE = new URL('../../../../node_modules/axe-core/axe.min.js', import.meta.url);

let browser: Promise<Browser> | null = null;

/** The browser of this test file. It starts with the first visit and ends with the file. */
function sharedBrowser(): Promise<Browser> {
  if (browser === null) {
    const started = chromium.launch({ executablePath: CHROMIUM ?? '', args: BROWSER_ARGS });
    tap.teardown(async () => (await started).close());
    browser = started;
  }
  return browser;
}

export interface Visit {
  readonly page: Page;
  /** Script and console errors, including policy violations. */
  readonly problems: string[];
  readonly requests: string[];
}

/** Core for a test that visits its board. Both end with the test, the pages first. */
export async function boardBench(t: Test, options: CoreBenchOptions = {}): Promise<CoreBench> {
  const bench = await coreBench(options);
  t.teardown(bench.close);
  return bench;
}

/** A page in its own browser context, which shares no cookies with others and ends with the test. */
export async function visit(t: Test, url: string, width = 1440, height = 900): Promise<Visit> {
  const context = await (await sharedBrowser()).newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  t.teardown(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // The tests refuse requests and cut connections on purpose; the browser reports each.
    if (
      message.type() !== 'error' ||
      /status of (401|403|404|409|412|503)|net::ERR_|WebSocket/.test(message.text())
    )
      return;
    problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, problems, requests };
}

export async function signIn(page: Page, token = TOKEN): Promise<void> {
  await page.getByLabel('Reviewer token').fill(token);
  await page.keyboard.press('Enter');
  await page.locator('.connection[data-state=live]').waitFor();
}

/** Presses a key that decides, once the page takes it: not for a second after it shows another run or state. */
export async function decisionKey(page: Page, key: string): Promise<void> {
  await page.locator('html[data-settled]').waitFor({ state: 'attached' });
  await page.keyboard.press(key);
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** axe's rules that look at colours. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** False for a target that the gate bar covers at this scroll position: axe measures what the bar's buttons leave of it. */
const IN_VIEW = `({ target }) => {
  const bar = document.querySelector('.gate-bar');
  const part = document.querySelector(target.at(-1));
  return bar === null || bar.contains(part) || part.getBoundingClientRect().bottom <= bar.getBoundingClientRect().top;
}`;

/** Violations of WCAG 2.2 AA, or of some rules of it, that axe finds on the page. */
export async function axe(page: Page, runOnly: readonly string[] = WCAG): Promise<string[]> {
  // The debugger bypasses the page's content security policy.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const found =
    await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })
    .then(({ violations }) => violations.map((one) => one.id === 'target-size' ? { ...one, nodes: one.nodes.filter(${IN_VIEW}) } : one))
    .then((all) => all.filter(({ nodes }) => nodes.length > 0).map(({ id, help, nodes }) => id + ': ' + help + ' at ' + nodes.map(({ target, failureSummary }) => target.join(' ') + ' ' + failureSummary).join(' | ')))`);
  return found as string[];
}

/** Horizontal overflow of the page in px. */
export async function overflow(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')) as number;
}

/** Sends guard figures as an edge does with each batch. */
export async function sendGuardFigures(core: CoreServer, figures: object, edge = 'edge-7f3a'): Promise<void> {
  await fetch(`${core.url}/internal/v1/deliveries`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ edge, deliveries: [], guard: figures }),
  });
}

export async function editDraft(
  engine: Engine,
  id: string,
  title: string,
  by: Reviewer = { name: 'grace', via: 'api' },
): Promise<void> {
  const { draft } = await engine.run(id);
  if (draft === null) throw new Error('no draft');
  await engine.editDraft(id, by, { ...draft, title, digest: draft.digest });
}
