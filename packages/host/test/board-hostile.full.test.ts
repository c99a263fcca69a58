import type { Engine } from '@culprit/core';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import {
  axe,
  boardBench,
  CHROMIUM,
  overflow,
  sendGuardFigures,
  signIn,
  visit,
} from './support/board-bench.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const ADA = { name: 'ada', via: 'api' } as const;

const TEXTS: Readonly<Record<string, string>> = {
  markup: `<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script><svg onload=window.pwned=1>`,
  closing:
    '</pre></code></details></dd></dl><style>*{display:none}</style><base href="https://evil.example/">',
  markdown:
    '[x](javascript:window.pwned=1) ![y](https://evil.example/z.png) <details open> @everyone fixes #1',
  address: 'javascript:window.pwned=1',
  invisible: '\u202egnp.exe\u2066\u200b\u0007\ufeff\u2028',
  wide: 'W'.repeat(2_000),
};

t.test('a hostile crash in every field stays text on every page, at every width', { skip }, async (t) => {
  const { core, engine, repository, host } = await boardBench(t);
  const { page, problems, requests } = await visit(t, core.url);
  await signIn(page);
  for (const [name, text] of Object.entries(TEXTS)) {
    const run = await hostileRun(engine, name, text, repository.head);
    await sendGuardFigures(core, hostileFigures(text), `edge-${name}`);
    await t.test(name, async (t) => {
      await page.evaluate(`location.hash = '#${run}'`);
      await page.locator('.run[aria-busy=false] .run-id', { hasText: run }).waitFor();
      for (const gate of ['Gate 2', 'Rejected']) {
        if (gate === 'Rejected') {
          await engine.rejectGateTwo(run, ADA, { reason: text, to: 'rejected' });
          await page.reload();
        }
        await page.locator(`.gate-bar[data-gate="${gate}"]`).waitFor();
        await unfold(page);
        await holds(t, page, `${name}, ${gate}`);
      }
      t.same(await axe(page), [], name);
    });
  }
  await page.evaluate("location.hash = '#/edges'");
  await page
    .locator('.edge')
    .nth(Object.keys(TEXTS).length - 1)
    .waitFor();
  await holds(t, page, 'edges');
  t.same(problems, [], 'no errors and no policy violations');
  t.same([...new Set(requests.map((url) => new URL(url).host))], [host], 'no requests to other hosts');
});

/** A run at Gate 2 with the text in every field of its crash, and in what reviewers wrote. */
async function hostileRun(engine: Engine, name: string, text: string, head: string): Promise<string> {
  const { run_id } = await engine.ingest({ crash: hostileCrash(name, text, head) });
  const run = run_id ?? '';
  await engine.comment(run, ADA, { comment: text });
  await engine.snooze(run, ADA, { until: { kind: 'release' }, reason: text });
  await engine.wake(run, ADA);
  await engine.approveGateOne(run, ADA);
  await engine.rejectGateTwo(run, ADA, { reason: text, to: 'staged_raw' });
  await engine.approveGateOne(run, ADA);
  const { draft } = await engine.run(run);
  if (draft === null) throw new Error('no draft');
  await engine.editDraft(run, ADA, {
    ...draft,
    title: `x ${text}`.slice(0, 200),
    body: `${draft.body}\n\n${text}`,
    digest: draft.digest,
  });
  return run;
}

/** As the Sentry SDKs name the fields. */
function hostileCrash(name: string, text: string, head: string) {
  const few = (length: number) => text.slice(0, length);
  const frame = (filename: string, own: boolean) => ({
    filename,
    abs_path: text,
    function: own ? text : 'total',
    module: text,
    lineno: 4,
    colno: 2,
    in_app: own,
    pre_context: [text, text],
    context_line: text,
    post_context: [text],
    vars: { [few(60)]: text, nested: { [few(60)]: [text] } },
  });
  const frames = [frame(text, true), frame('node_modules/x/index.js', false), frame('src/cart.js', true)];
  return {
    event_id: `hostile-${name}`,
    platform: 'node',
    level: 'error',
    logger: text,
    release: head,
    dist: few(60),
    environment: few(60),
    transaction: text,
    server_name: text,
    culprit: text,
    fingerprint: [`hostile-${name}`],
    tags: { [few(30)]: few(200), plain: few(200) },
    user: { id: few(100), username: text, email: text, ip_address: few(40), [few(40)]: text },
    request: {
      url: text,
      method: few(20),
      query_string: text,
      data: { [few(60)]: text },
      headers: { 'User-Agent': text, [few(60)]: text },
      cookies: text,
      env: { [few(60)]: text },
    },
    contexts: {
      [few(40)]: { [few(40)]: text },
      os: { name: text, version: text },
      trace: { trace_id: text },
    },
    extra: { [few(60)]: text, list: [text, { [few(60)]: text }] },
    modules: { [few(60)]: few(60) },
    sdk: { name: few(60), version: few(20) },
    breadcrumbs: {
      values: [
        { type: text, category: text, level: text, message: text, data: { [few(60)]: text } },
        { type: 'http', category: 'fetch', data: { url: text, method: text, status_code: text } },
      ],
    },
    message: { formatted: text, message: text, params: [text] },
    exception: {
      values: [
        { type: few(200), value: text, module: text, mechanism: { type: text, data: { [few(60)]: text } } },
        { type: 'TypeError', value: text, stacktrace: { frames } },
      ],
    },
  };
}

/** What an edge may report; core checks its shape only. */
function hostileFigures(text: string): object {
  return {
    url: text,
    started_at: text,
    spool: { depth: 1, bytes: 1, oldest_age_ms: 1, fault: text },
    forwarder: { state: text, last_error: text, circuit: text },
    dead_letters: 1,
    crashes: 1,
    limits: [{ name: text, door: text, unit: text, value: 1, allowed: 1, refused: 1, active_keys: 1 }],
    outcomes: { [text]: { [text]: 1 } },
    dropped: { [text]: 1 },
  };
}

/** Opens everything that folds, so that all of it is rendered. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    for (const details of document.querySelectorAll('#main details')) details.open = true;
    for (const button of document.querySelectorAll('#main button[aria-expanded=false]')) button.click();
  })()`);
  for (const tab of await page.locator('#main [role=tab]').all()) {
    if ((await tab.textContent()) !== 'Edit') await tab.click();
  }
}

async function holds(t: Test, page: Page, where: string): Promise<void> {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    t.equal(await overflow(page), 0, `${where}, ${width} px: no horizontal overflow`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  t.same(await page.evaluate(MADE), [], `${where}: made nothing`);
}

/** Elements and attributes that only the text could have made. */
const MADE = `[
  ...document.querySelectorAll('#board :is(img, script, style, iframe, object, base, link, a[href^="javascript" i])'),
  ...[...document.querySelectorAll('#board *')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))),
].map((element) => element.outerHTML).concat(window.pwned === undefined ? [] : ['a script ran'])`;
