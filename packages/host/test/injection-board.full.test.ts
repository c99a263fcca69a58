import type { Run } from '@culprit/core';
import { reason } from '@culprit/core/internal/pipeline/rank/reason-wording';
import { makeFrame } from '@culprit/core/internal/testing/builders';
import { makeSuspect } from '@culprit/core/internal/testing/make-run';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { injectionCases } from '../../core/test/support/injection-corpus.js';
import { HIDING } from '../../core/test/support/markdown-tree.js';
import { boardBench, CHROMIUM, sendGuardFigures, signIn, type Visit, visit } from './support/board-bench.js';
import { type Answers, hostileAnswers, RUN } from './support/hostile-answers.js';

t.setTimeout(600_000);

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const TEXTS = injectionCases().map(({ text }) => text);
const LINK = 'https://links.example/of-a-field-that-is-an-address';

/** What an edge may report; core checks its shape only. */
const FIGURES = {
  url: TEXTS[0],
  started_at: TEXTS[0],
  spool: { depth: 1, bytes: 1, oldest_age_ms: 1, fault: TEXTS.join(' ') },
  forwarder: { state: TEXTS.join(' '), last_error: TEXTS.join(' '), circuit: 'closed' },
  dead_letters: 1,
  crashes: 1,
  limits: TEXTS.map((text) => ({
    ...{ name: text, door: text, unit: text, value: 1, allowed: 1, refused: 1, active_keys: 1 },
  })),
  outcomes: Object.fromEntries(TEXTS.map((text) => [text, { [text]: 1 }])),
  dropped: Object.fromEntries(TEXTS.map((text) => [text, 1])),
};

interface Place {
  readonly hash: string;
  readonly items: string;
  readonly state?: Run['state'];
  readonly before?: (page: Page) => unknown;
  /** `count`: texts in each list. */
  readonly open?: (page: Page, count: number) => unknown;
}

/** The pages, what shows that everything is there, and what opens further parts. */
const PAGES: readonly Place[] = [
  {
    hash: '#/',
    items: '.views li',
    before: (page) => page.getByRole('button', { name: 'Filters', exact: true }).click(),
  },
  { hash: '#/settings/tokens', items: '.cards > li' },
  { hash: '#/settings/sessions', items: '.cards > li' },
  { hash: '#/settings/source-maps', items: '.cards > li' },
  { hash: '#/settings/model', items: '.cards > li' },
  {
    hash: '#/settings/webhooks',
    items: '.cards > li',
    open: async (page, count) => {
      const first = page.locator('.cards > li').first();
      for (const name of [/^Dead deliveries/, /^Change/]) await first.getByRole('button', { name }).click();
      await page
        .getByRole('list', { name: /^Dead deliveries/ })
        .locator('li')
        .nth(count - 5)
        .waitFor();
    },
  },
  { hash: '#/settings/health', items: '.cards > li' },
  { hash: '#/releases', items: '.page tbody tr' },
  // A release shows 100 commits.
  ...[0, 100, 200, 300].map((from) => ({
    hash: `#/releases/shop/${from}`,
    items: '[aria-label=Deploys] li',
  })),
  { hash: '#/digest', items: '#main li' },
  { hash: '#/edges', items: '#main tbody tr' },
  { hash: `#${RUN}`, items: '.timeline > li', state: 'staged_draft', open: unfold },
  { hash: `#${RUN}`, items: '.timeline > li', state: 'published', open: unfold },
];

/** Opens everything that folds. */
async function unfold(page: Page): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++)
    await page.evaluate(`(() => {
      for (const details of document.querySelectorAll('#main details')) details.open = true;
      for (const button of document.querySelectorAll('#main button[aria-expanded=false]')) button.click();
    })()`);
}

/** A signed-in board whose core answers reads like this. */
async function board(t: Test, answersOf: () => Answers): Promise<Visit & { readonly host: string }> {
  const { core, host } = await boardBench(t);
  await sendGuardFigures(core, FIGURES);
  const visited = await visit(t, core.url);
  await visited.page.route('**/api/v1/**', async (route) => {
    const request = route.request();
    const json = answersOf()(request.method(), new URL(request.url()).pathname);
    if (json === undefined) await route.continue();
    else await route.fulfill({ json, headers: { etag: '"1"' } });
  });
  await signIn(visited.page);
  return { ...visited, host };
}

/** Every part of the run that has a list, with one entry for each text. */
function wide(run: Run, texts: readonly string[]): Run {
  const exceptions = texts.slice(0, 5).map((text) => ({
    ...{ type: text, value: text, module: text, handled: null, synthetic: false, mechanism: null },
    frames: texts.map((one, n) =>
      makeFrame({ file: one, function: one, module: one, line: n + 1, in_app: true, vars: { [one]: one } }),
    ),
  }));
  const members = Object.fromEntries(texts.map((text) => [text, text]));
  return {
    ...run,
    event: {
      ...run.event,
      exceptions,
      tags: members,
      extra: members,
      contexts: { [texts[0] ?? '']: members },
      request: members,
      breadcrumbs: texts.map((text) => ({ category: text, message: text, type: text, level: text })),
    },
    suspects: texts.map((title, n) =>
      makeSuspect({
        sha: n.toString(16).padStart(40, '0'),
        ...{ title, author: { name: title }, pull_request: { number: 3, url: title, title } },
        reasons: [reason({ code: 'last_changed_line', path: title, line: 1, role: 'crashed' })],
      }),
    ),
    explanation: {
      source: 'model',
      model: texts[0] ?? '',
      claims: texts.map((text) => ({ text, cites: [{ evidence: text, quote: text }] })),
      insufficient: false,
      note: texts[0] ?? '',
    },
  };
}

/** The same with one link in every member that is an address. */
function linked(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => linked(one, name));
  if (typeof value === 'string') return /url$/.test(name) ? LINK : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, linked(one, key)]));
}

/** What only a text from outside can have made, and texts and attributes that hide something. */
const FOUND = `(() => {
  const hides = ${HIDING};
  const all = [...document.querySelectorAll('#board *')];
  const made = all
    .filter((element) => element.matches('img, script, style, iframe, object, embed, base, link, meta, form[action]')
      || element.getAttributeNames().some((name) => name.startsWith('on')))
    .map((element) => 'made: ' + element.outerHTML);
  const links = all.filter((element) => element.matches('a[href]') && element.host !== location.host && element.href !== '${LINK}')
    .map((element) => 'links: ' + element.outerHTML);
  const texts = document.createTreeWalker(document.querySelector('#board'), NodeFilter.SHOW_TEXT);
  const shown = [document.title];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) shown.push(node.data);
  for (const element of all)
    for (const { name, value } of element.attributes)
      // The value of an option is not shown.
      if (name !== 'value' || !element.matches('option')) shown.push(value);
  const hidden = shown.filter((text) => hides.test(text)).map((text) => 'hides: ' + escape(text));
  return [...made, ...links, ...hidden, ...(window.pwned === undefined ? [] : ['a script ran'])];
})()`;

t.test('every case on every page: text, no element, no link, nothing hidden', { skip }, async (t) => {
  let state: Run['state'] = 'staged_draft';
  const answers = new Map<string, Answers>();
  for (const one of ['staged_draft', 'published'] as const) {
    const plain = await hostileAnswers(TEXTS, one);
    answers.set(one, (method, path) => {
      const json = plain(method, path);
      const from = Number(/releases\/shop\/(\d+)$/.exec(path)?.[1] ?? 0);
      if (from > 0) {
        const { commits, ...rest } = json as { readonly commits: readonly object[] };
        return linked({ ...rest, commits: commits.slice(from) });
      }
      return linked(path === `/api/v1/runs/${RUN}` ? wide(json as Run, TEXTS) : json);
    });
  }
  const { page, problems, requests, host } = await board(t, () => answers.get(state) ?? (() => undefined));
  for (const { hash, items, before, open, state: wanted = 'staged_draft' } of PAGES) {
    state = wanted;
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.reload();
    await before?.(page);
    await page
      .locator(items)
      .nth(TEXTS.length - 2)
      .waitFor({ state: 'attached' });
    await open?.(page, TEXTS.length);
    const found = (await page.evaluate(FOUND)) as string[];
    t.same(found.slice(0, 5), [], `${hash} ${wanted}`);
    t.comment(`${hash}: ${await page.locator(items).count()} of ${items}`);
  }
  t.same(problems, [], 'no error and no violation of the policy');
  t.same([...new Set(requests.map((url) => new URL(url).host))], [host], 'no request to another host');
});

/** What a field for an address may contain. Only the last is one that may be a link. */
const ADDRESSES = [
  'javascript:alert(document.domain)',
  ' JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://links.example/1',
  'file:///etc/passwd',
  'https://github.com@evil.example/acme/shop/issues/1',
  'https://user:password@links.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  'https:\\\\evil.example/',
  'https://links.exam\u202eple/',
  LINK,
] as const;

/** Addresses of the page: those to core, to the allowed one and to the repository of the answers, and the wrong ones. */
const HREFS = `(() => [...document.querySelectorAll('#board [href], #board [src], #board [action], #board [formaction]')].map((element) => {
  const raw = ['href', 'src', 'action', 'formaction'].map((name) => element.getAttribute(name)).find((value) => value !== null);
  let url = null;
  try { url = new URL(raw, location.href); } catch {}
  const fine = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    && (url.host === location.host || url.href === '${LINK}' || url.href.startsWith('https://github.com/acme/shop/'));
  return fine ? url.href : 'wrong: ' + element.outerHTML;
}))()`;

t.test('every hostile address in every field: no link is anything but http or https', { skip }, async (t) => {
  let answers: Answers = () => undefined;
  const { page, problems, requests, host } = await board(t, () => answers);
  const shown = async (first: string, { hash, items, before, open, state = 'staged_draft' }: Place) => {
    const texts = [first, ...ADDRESSES.filter((one) => one !== first)];
    const plain = await hostileAnswers(texts, state);
    answers = (method, path) => {
      if (path === '/api/v1/views')
        return { views: texts.map((name) => ({ name, address: name })), next: null };
      const json = plain(method, path);
      return path === `/api/v1/runs/${RUN}` ? wide(json as Run, texts) : json;
    };
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.reload();
    await before?.(page);
    const last = texts.length - 2;
    await page.locator(items).nth(last).waitFor({ state: 'attached' });
    await open?.(page, texts.length);
    const found = (await page.evaluate(HREFS)) as string[];
    t.same(
      found.filter((one) => one.startsWith('wrong')).slice(0, 5),
      [],
      `${hash} ${state}: ${JSON.stringify(first)}`,
    );
    return found;
  };
  const places = PAGES.filter(({ hash }) => !/shop\/[1-9]/.test(hash));
  let links = 0;
  for (const place of places) links += (await shown(LINK, place)).filter((one) => one === LINK).length;
  t.ok(links > 10, 'the one that may be a link is one, in many places');
  for (const place of places.filter(({ hash }) => hash === `#${RUN}` || hash === '#/digest'))
    for (const address of ADDRESSES) await shown(address, place);
  t.same(problems, []);
  t.same([...new Set(requests.map((url) => new URL(url).host))], [host], 'no request to another host');
});
