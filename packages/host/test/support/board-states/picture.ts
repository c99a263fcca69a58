import type { CDPSession, Page } from 'playwright-core';

/** Width and height of each view, px. */
export const VIEWS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;
export const THEMES = ['light', 'dark'] as const;

/** The quality of WebP, out of 100, at which small text stays sharp. */
const QUALITY = 80;
const SHEET_QUALITY = 35;
/** The views on a sheet are this much smaller. */
const SCALE = 0.45;
const GAP = 12;

/** Room for the views of one state. */
const SHEET = {
  width: Math.ceil(GAP + VIEWS.reduce((sum, { width }) => sum + width * SCALE + GAP, 0)),
  height: Math.ceil(THEMES.length * (VIEWS[0].height * SCALE + 2 * GAP)),
};
const STYLE = `body { margin: 0 }
div { display: flex; align-items: flex-start; gap: ${GAP}px; padding: ${GAP}px; height: ${VIEWS[0].height * SCALE}px }
.light { background: #d8dbe2 }
.dark { background: #33363f }`;

export interface Picture {
  readonly theme: (typeof THEMES)[number];
  readonly width: number;
  /** WebP. */
  readonly bytes: Buffer;
}

/** Takes pictures of one page. */
export async function camera(page: Page) {
  const session = await page.context().newCDPSession(page);
  return {
    take: () => capture(session, QUALITY),
    close: () => session.detach(),
  };
}

async function capture(session: CDPSession, quality: number): Promise<Buffer> {
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  return Buffer.from(data, 'base64');
}

/** Draws the views of one state on one picture: a row for each theme. */
export async function sheetOf(page: Page, pictures: readonly Picture[]): Promise<Buffer> {
  const rows = THEMES.map((theme) => {
    const own = pictures.filter((picture) => picture.theme === theme);
    return `<div class="${theme}">${own.map(({ bytes, width }) => `<img width="${width * SCALE}" src="data:image/webp;base64,${bytes.toString('base64')}">`).join('')}</div>`;
  });
  // A window of its own, because a page's window would get the size of the sheet.
  const context = await page.context().browser()?.newContext({ viewport: SHEET });
  if (context === undefined) throw new Error('The browser has gone.');
  try {
    const paper = await context.newPage();
    await paper.setContent(`<style>${STYLE}</style>${rows.join('')}`);
    await paper.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
    return await capture(await context.newCDPSession(paper), SHEET_QUALITY);
  } finally {
    await context.close();
  }
}
