import { historyGap } from '@culprit/core/internal/domain/history-gap';
import { NO_SUSPECT } from '@culprit/core/internal/domain/suspect';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t from 'tap';
import { axe, boardBench, CHROMIUM, overflow, signIn, visit } from './support/board-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
/** Markup, a script URL, a style, characters that reorder text, and the start of a terminal sequence. */
const HOSTILE =
  '"><img src=x onerror="window.owned=1"><script>window.owned=1</script><a href="javascript:window.owned=1">x</a>\u202e\u001b[31m';
const MARKUP = '<img';
const CRASHES = 30;

/** What an SDK may send, with hostile text in every place that the sender chooses. */
function crash(n: number, text: string) {
  return {
    event_id: `${n}`.padStart(32, 'e'),
    platform: 'python',
    timestamp: `2026-01-05T09:${String(n).padStart(2, '0')}:10.000Z`,
    release: n < 20 ? 'shop@1.0.0' : `shop@1.1.0${text.slice(0, 20)}`,
    environment: 'production',
    server_name: text,
    transaction: text,
    tags: { region: n % 3 === 0 ? 'eu' : 'us', [text]: text, plan: 'pro' },
    user: { id: `user-${n % 5}`, email: 'ada@example.com', note: text },
    request: {
      method: 'POST',
      url: `https://shop.example/pay?token=abc123&next=${text}`,
      headers: { 'X-Note': text, Authorization: 'Bearer 0123456789abcdef0123456789abcdef' },
      cookies: { session: 'secret-session', theme: text },
      data: { basket: [{ sku: text, count: 2 }], password: 'hunter2' },
    },
    contexts: {
      trace: { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331', op: text },
      os: { name: 'Linux', version: '6.1' },
      runtime: { name: 'CPython', version: '3.12.1' },
      [text]: { [text]: text },
    },
    breadcrumbs: {
      values: [
        { timestamp: '2026-01-05T09:00:01.000Z', category: 'auth', message: 'signed in', level: 'info' },
        {
          timestamp: 1_767_603_605,
          category: text,
          type: text,
          level: text,
          message: text,
          data: { [text]: text },
        },
        { category: 'http', data: { url: 'https://shop.example/', status_code: 500 }, level: 'error' },
      ],
    },
    extra: { [text]: { deep: [text] }, attempt: 3 },
    modules: { [text]: '1.0', requests: '2.31.0' },
    exception: {
      values: [
        {
          type: 'ValueError',
          value: 'no price',
          stacktrace: {
            frames: [
              {
                filename: 'shop/cart.py',
                function: 'total',
                lineno: 12,
                in_app: true,
                pre_context: ['def total(items):', '    """Sum of all prices."""'],
                context_line: '    return sum(item.price for item in items)  # may be None',
                post_context: ['', 'class Cart:'],
                vars: { items: [text], [text]: text, password: 'hunter2', [`n${n}`]: n },
              },
            ],
          },
        },
      ],
    },
  };
}

/** 24 crashes in the last 23 hours and 6 before: the chart's hours begin at the full hour, also when one passes meanwhile. */
const hoursAgo = (n: number) => (n > CRASHES - 24 ? (CRASHES - n) * 0.9 : 36 - n);

async function staged(t: Parameters<typeof boardBench>[0]) {
  const bench = await boardBench(t);
  const { sanitiser } = bench.engine;
  for (let n = 1; n <= CRASHES; n++) {
    const { value } = sanitiser.json(crash(n, HOSTILE));
    const delivery = makeDelivery({
      sequence: n,
      event_id: `${n}`.padStart(32, 'e'),
      received_at: new Date(Date.now() - hoursAgo(n) * 3_600_000).toISOString(),
      attachments: [{ name: `${HOSTILE}.txt`, bytes: 2_048 }],
      crash: value as never,
    });
    await bench.engine.ingestBatch({ edge: 'edge-1', deliveries: [delivery] });
  }
  const [run] = (await bench.engine.runs({ limit: 1 })).runs;
  return { ...bench, runId: run?.run_id ?? '' };
}

const SECTIONS = [
  'occurrences',
  'breadcrumbs',
  'request',
  'user',
  'trace',
  'contexts',
  'extra',
  'attachments',
];

t.test('everything an event reports is shown, and hostile values stay text', { skip }, async (t) => {
  const { core, runId } = await staged(t);
  const { page, problems, requests } = await visit(t, core.url);
  await signIn(page);
  await page.goto(`${core.url}/#${runId}`);
  for (const id of SECTIONS) await page.locator(`#${id}`).waitFor();
  await page.locator('#packages').click();
  await page.getByRole('button', { name: 'more tags' }).click();

  const shown = async (selector: string) => (await page.locator(selector).allInnerTexts()).join('\n');
  for (const selector of [
    '.breadcrumbs .kind',
    '.breadcrumbs .what',
    '.breadcrumbs .what dt',
    '.variables dt',
    '.variables dd',
    'section[aria-labelledby=request] dd',
    '.request-line',
    'section[aria-labelledby=user] dd',
    'section[aria-labelledby=contexts] h4',
    'section[aria-labelledby=contexts] dt',
    'section[aria-labelledby=extra] dd',
    'section[aria-labelledby=packages] dt',
    'section[aria-labelledby=attachments] li',
    '.tags dt',
    '.tag-shares h4',
    '.tag-shares .value',
  ]) {
    const text = await shown(selector);
    // In the names of tags, spaces become hyphens.
    t.ok(text.includes(MARKUP), `${selector} shows the markup as text`);
    t.notOk(
      text.includes('\u202e') || text.includes('\u001b'),
      `${selector} shows hidden characters as code points`,
    );
  }
  t.equal(await page.evaluate('window.owned'), undefined, 'nothing ran');
  t.equal(await page.locator('main :is(img, script, iframe, a[href^=javascript])').count(), 0);
  t.ok(
    requests.every((url) => url.startsWith(core.url)),
    'no request to another origin',
  );

  const marks = await page.locator('mark.redacted').allInnerTexts();
  for (const rule of ['email', 'auth', 'password'])
    t.ok(marks.includes(`[redacted:${rule}]`), `${rule} is marked as redacted`);
  t.match(
    await page.locator('mark.redacted').first().getAttribute('title'),
    /^Redacted before storage by the rule/,
  );
  const counted = await shown('section[aria-labelledby=redactions]');
  for (const rule of ['email', 'auth', 'password']) t.match(counted, new RegExp(`${rule}\\s*[1-9]`));
  t.notMatch(
    await page.locator('main').innerText(),
    /hunter2|ada@example\.com|secret-session|0123456789abcdef0123/,
  );
  t.match(await shown('section[aria-labelledby=trace]'), /0af7651916cd43dd8448eb211c80319c/);
  t.match(await shown('.breadcrumbs'), /signed in/);

  await page.locator('.source .code-keyword', { hasText: 'return' }).waitFor();
  t.equal(await shown('.source .code-comment'), '# may be None', 'code has syntax colours');
  t.match(await shown('.source .line.crashed'), /return sum\(item\.price for item in items\)/);

  t.same(await axe(page), []);
  await page.keyboard.press('t');
  t.same(await axe(page), [], 'in the other theme');
  await page.setViewportSize({ width: 390, height: 800 });
  t.ok((await overflow(page)) <= 0, 'no horizontal overflow on a phone');
  t.same(await axe(page), [], 'on a phone');
  t.same(problems, []);
});

t.test('occurrences: chart, tags, users, pages, and the events of earlier crashes', { skip }, async (t) => {
  const { core, runId } = await staged(t);
  const { page, problems } = await visit(t, core.url);
  await signIn(page);
  await page.goto(`${core.url}/#${runId}`);
  await page.locator('#occurrences', { hasText: '30 crashes, 5 users affected' }).waitFor();
  await page.locator('.facts', { hasText: 'new in shop@1.0.0' }).waitFor();

  await page.locator('.crash-chart figcaption', { hasText: '24 crashes in 24 hours' }).waitFor();
  await page.getByRole('button', { name: '7 days' }).click();
  await page.locator('.crash-chart figcaption', { hasText: '30 crashes in 7 days' }).waitFor();
  t.match(
    await page.locator('.chart-marks').innerText(),
    /First crash in shop@1\.0\.0[\s\S]+First crash in shop@1\.1\.0/,
  );
  await page.getByText('The same numbers as a table').click();
  const numbers = await page.locator('.crash-chart tbody td').allInnerTexts();
  t.equal(
    numbers.reduce((sum, text) => sum + Number(text), 0),
    CRASHES,
    'the table has all crashes',
  );
  const region = page.locator('.tag-shares > li', { has: page.getByRole('heading', { name: 'region' }) });
  t.match(await region.innerText(), /us\s+67 %[\s\S]+eu\s+33 %/);

  const rows = page.locator('.occurrence-table tbody tr');
  t.equal(await rows.count(), 25);
  await page.getByRole('button', { name: 'Show older occurrences' }).click();
  await rows.nth(CRASHES - 1).waitFor();
  t.match(await rows.nth(0).innerText(), /^30\s[\s\S]+production\s+native\s+user-0\s+shown$/);

  const length = await page.evaluate<number>('history.length');
  const at = (path: string) => page.waitForURL((url) => url.hash === `#${runId}${path}`);
  const variable = (n: number) => page.locator('.variables dt', { hasText: new RegExp(`^n${n}$`) });
  await variable(CRASHES).waitFor();
  await page.getByRole('button', { name: 'Previous event' }).click();
  await variable(20).waitFor();
  t.match(await page.locator('.event-bar').innerText(), /Crash 20/, 'the first one of the new release');
  await at('/occurrences/20');
  await rows
    .nth(CRASHES - 1)
    .getByRole('link', { name: 'Show crash 1', exact: true })
    .click();
  await variable(1).waitFor();
  t.equal(await page.evaluate('document.activeElement.id'), 'crash', 'the focus is on the crash');
  t.ok(await page.getByRole('button', { name: 'Previous event' }).isDisabled());
  for (const n of [4, 16, 20, CRASHES]) {
    await page.getByRole('button', { name: 'Next event' }).click();
    await variable(n).waitFor();
  }
  t.ok(await page.getByRole('button', { name: 'Next event' }).isDisabled());
  await at('');
  t.equal(await page.evaluate('history.length'), length, 'the browser goes back to the page before');
  t.same(await axe(page), []);

  // A link to an occurrence opens at it; without its event, the page shows the latest one and says so.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Previous event' }).click();
  await variable(20).waitFor();
  await page.locator('.event-bar').getByRole('button', { name: 'Copy link' }).click();
  const link = `${core.url}/#${runId}/occurrences/20`;
  await page.waitForFunction(`navigator.clipboard.readText().then((text) => text === '${link}')`);
  await page.goto('about:blank');
  await page.goto(link);
  await variable(20).waitFor();
  await page.waitForFunction(`(() => {
    const { top, bottom } = document.querySelector('.event-bar').getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight && document.getElementById('main').scrollTop > 0;
  })()`);
  await page.goto('about:blank');
  await page.goto(`${core.url}/#${runId}/occurrences/3`);
  await page.locator('.banner[data-tone=red]').waitFor();
  await variable(CRASHES).waitFor();
  await at('');
  t.same(problems, []);
});

t.test('where the history ends, its command is shown once', { skip }, async (t) => {
  const { core, stage } = await boardBench(t);
  const id = await stage('history');
  const { page } = await visit(t, core.url);
  const gaps = [
    historyGap({ code: 'shallow', since: '2026-01-01T00:00:00Z' }),
    historyGap({ code: 'missing_content' }),
  ];
  await page.route(`**/api/v1/runs/${id}`, async (route) => {
    const response = await route.fetch();
    const no_suspect = { code: 'history_ends', detail: NO_SUSPECT.history_ends };
    const revision = { sha: 'a'.repeat(40), how: 'release', gaps };
    return route.fulfill({ response, json: { ...(await response.json()), no_suspect, revision } });
  });
  await signIn(page);
  await page.goto(`${core.url}/#${id}`);
  const section = page.locator('section[aria-labelledby=suspects]');
  await section.getByText('The history ends here').waitFor();
  t.equal(await section.getByText('git fetch --unshallow').count(), 1);
  t.equal(await section.getByText('git fetch --refetch --no-filter').count(), 1, 'other gaps stay');
});
