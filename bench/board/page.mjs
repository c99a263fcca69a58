// What the benchmark of the board measures inside the page.

/** A signed-in page in a browser with an empty cache, once its first row is on the screen. */
export async function coldVisit(browser, { url, token }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.request.post(`${url}/api/v1/session`, { data: { token } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('.row') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        window.firstRow = performance.now();
        window.firstBytes = performance
          .getEntriesByType('resource')
          .concat(performance.getEntriesByType('navigation'))
          .reduce((sum, { transferSize }) => sum + transferSize, 0);
      });
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => window.firstRow !== undefined);
  return page;
}

/** Frame times while scrolling through the whole list. */
export const SCROLL = async () => {
  const box = document.querySelector('.rows');
  const gaps = [];
  let last = performance.now();
  for (let step = 0; step <= 120; step++) {
    box.scrollTop = (box.scrollHeight * step) / 120;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = performance.now();
    gaps.push(now - last);
    last = now;
  }
  return gaps;
};

/** Time from pressing J to the first frame with the next run selected. */
export const KEYS = async () => {
  const took = [];
  for (let n = 0; n < 30; n++) {
    const before = location.hash;
    const start = performance.now();
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    while (
      document.querySelector('.row[aria-current]')?.getAttribute('href') !== location.hash ||
      location.hash === before
    ) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (performance.now() - start > 5_000) break;
    }
    took.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return took;
};

/** Time from the last key of a search to the first frame with its results. A number also matches some hashes. */
export const SEARCH = async (wanted) => {
  const field = document.querySelector('#search');
  const found = () => document.querySelector('.rows li')?.ariaSetSize;
  const type = async (text) => {
    const before = found();
    const start = performance.now();
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    while (found() === before || document.querySelector('.row') === null) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (performance.now() - start > 10_000) break;
    }
    return performance.now() - start;
  };
  const took = await type(wanted);
  await type('');
  return took;
};
