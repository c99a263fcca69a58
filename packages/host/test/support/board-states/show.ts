import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { axe, CHROMIUM, COLOUR_RULES, overflow } from '../board-bench.js';
import { contactPage } from './contact-page.js';
import { IN_PAGES } from './in-pages.js';
import { camera, type Picture, sheetOf, THEMES, VIEWS } from './picture.js';
import { SCENES } from './scenes.js';
import type { BoardState, Scene } from './state.js';
import { createWorld, type World } from './world.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const COMMITTED = join(import.meta.dirname, '../../../../../docs/pictures');
/** `npm run pictures` sets it to the folder of the committed pictures. */
const TO = process.env.BOARD_PICTURES;
/** Where every view goes in full size. */
const LARGE = process.env.BOARD_VIEWS;
/** A picture costs as much as all checks of its view, so none is taken that nobody keeps. */
const KEPT = TO !== undefined || LARGE !== undefined;

/** Adds a test for each scene, which visits its states. With `BOARD_PICTURES` it also draws them. */
export function showScenes(scenes: readonly Scene[]): void {
  if (TO !== undefined) {
    mkdirSync(join(TO, 'states'), { recursive: true });
    writeFileSync(join(TO, 'states/README.md'), contactPage(SCENES));
  }
  if (LARGE !== undefined) mkdirSync(LARGE, { recursive: true });
  for (const { title, world: options = {}, states } of scenes) {
    t.test(`states of the board: ${title}`, { skip }, async (t) => {
      const world = await createWorld(t, options);
      for (const state of states) {
        await state.reach(world);
        await views(t, world, state);
      }
      t.same(world.problems, []);
    });
  }
}

/** Adds a test that compares the states with the committed pictures. */
export function comparePictures(): void {
  t.test('every state has a picture, and every picture a state', async (t) => {
    const names = SCENES.flatMap(({ states }) => states.map(({ name }) => name));
    t.same(picturesIn('states'), names.sort(), 'run npm run pictures');
    t.same(picturesIn('.'), Object.values(IN_PAGES).sort());
    t.equal(
      readFileSync(join(COMMITTED, 'states/README.md'), 'utf8'),
      contactPage(SCENES),
      'run npm run pictures',
    );
  });
}

function picturesIn(folder: string): readonly string[] {
  const files = readdirSync(join(COMMITTED, folder)).filter((name) => name.endsWith('.webp'));
  return files.map((name) => name.slice(0, -'.webp'.length)).sort();
}

/** Shows one state at every width in both themes, checks each view with axe, and draws the picture if it is kept. */
async function views(t: Test, { page }: World, { name, from }: BoardState): Promise<void> {
  const pictures: Picture[] = [];
  const drawing = KEPT ? await camera(page) : null;
  for (const { width, height } of VIEWS) {
    await page.setViewportSize({ width, height });
    let checked: unknown = null;
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate(TO_TOP);
      if (from !== undefined) await page.locator(from).evaluate((part) => part.scrollIntoView());
      await page.evaluate(FRAME);
      const view = `${name}-${width}-${theme}`;
      // Where a theme changes only colours, axe's other rules would see the same page again.
      const shape = await page.evaluate(SHAPE);
      t.same(await (shape === checked ? axe(page, COLOUR_RULES) : axe(page)), [], view);
      checked = shape;
      t.equal(await overflow(page), 0, `${view}: no horizontal overflow`);
      t.equal(await page.evaluate(BELOW), 0, `${view}: only panes scroll`);
      t.same(await page.evaluate(CUT), [], `${view}: no title runs over what follows it`);
      const bytes = await drawing?.take();
      if (bytes === undefined) continue;
      pictures.push({ theme, width, bytes });
      if (LARGE !== undefined) writeFileSync(join(LARGE, `${view}.webp`), bytes);
      const shown = IN_PAGES[view];
      if (TO !== undefined && shown !== undefined) writeFileSync(join(TO, `${shown}.webp`), bytes);
    }
  }
  await drawing?.close();
  await page.setViewportSize(VIEWS[0]);
  await page.emulateMedia({ colorScheme: 'light' });
  if (TO !== undefined) writeFileSync(join(TO, `states/${name}.webp`), await sheetOf(page, pictures));
}

const CUT = `[...document.querySelectorAll('.row .title')]
  .filter((title) => title.scrollWidth > title.clientWidth + 1)
  .map((title) => title.textContent)`;
const TO_TOP = "document.getElementById('main')?.scrollTo(0, 0)";
const FRAME = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
/** Everything that axe can see of a page, except colours. */
const SHAPE = `document.documentElement.outerHTML + [...document.querySelectorAll('*')].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  const { display, visibility, opacity, fontSize, fontWeight } = getComputedStyle(one);
  return [x, y, width, height, display, visibility, opacity, fontSize, fontWeight, one.value, one.checked];
}).join('\\n')`;
const BELOW = 'document.documentElement.scrollHeight - window.innerHeight';
