import { silentLogger } from '@culprit/core';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import t from 'tap';
import { seed } from '../../../bench/faults/lib/random.mjs';
import { openSpool } from '../src/edge/spool/spool.js';
import {
  axe,
  boardBench,
  CHROMIUM,
  decisionKey,
  editDraft,
  overflow,
  signIn,
  visit,
} from './support/board-bench.js';
import { GATEWAY, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';
import { edge, scratch } from './support/edge-kit.js';
import { held } from './support/held.js';

const HOSTILE = `<img src=x onerror="document.title='pwned'"> </script><script>document.title='pwned'</script> \u202egnp`;

if (CHROMIUM === undefined && process.env.CI === 'true')
  t.fail('Chromium is not installed; CI must install it');
/** The height of the top bar in lines. */
const LINES = `(() => {
  const bar = document.querySelector('.top');
  return bar.offsetHeight / Number.parseFloat(getComputedStyle(bar).minHeight);
})()`;
const skip = CHROMIUM === undefined ? 'needs chromium' : false;

t.test(
  'two browsers on one run: changes by others raise a notice and do not replace the page',
  { skip },
  async (t) => {
    const { core, engine, repository } = await boardBench(t);
    const { run_id: id } = await engine.ingest({ crash: cartCrash('crash-1', repository.head) });
    const ada = await visit(t, `${core.url}/#${id}`);
    const grace = await visit(t, `${core.url}/#${id}`);
    await signIn(ada.page, TOKEN);
    await signIn(grace.page, OTHER_TOKEN);
    await grace.page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
    await ada.page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
    await decisionKey(ada.page, 'a');
    await ada.page.getByRole('dialog').waitFor();
    await ada.page.keyboard.press('Enter');
    await grace.page.locator('.changed', { hasText: 'ada' }).waitFor();
    await grace.page.keyboard.press('u');
    await grace.page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
    await ada.page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();

    const release = await holdFrames(grace.page);
    await grace.page.keyboard.press('e');
    await grace.page.locator('#draft-title').focus();
    await release();
    await grace.page.keyboard.press('ControlOrMeta+A');
    await grace.page.keyboard.type('Grace is writing');
    t.equal(
      await grace.page.locator('#draft-body').inputValue(),
      (await engine.run(id ?? '')).draft?.body,
      'what is typed right after the form has opened stays in its field',
    );
    await editDraft(engine, id ?? '', 'Somebody was faster');
    await ada.page.locator('.changed', { hasText: 'grace edited the draft' }).waitFor();
    t.notMatch(
      await ada.page.locator('.issue-title').textContent(),
      /faster/,
      'the page keeps the draft that is being read',
    );
    t.equal(await ada.page.getByRole('button', { name: 'Sign and publish' }).isDisabled(), true);
    t.same(await axe(ada.page), [], 'stale draft');
    await grace.page.locator('.editor .callout', { hasText: 'Somebody was faster' }).waitFor();
    t.equal(
      await grace.page.locator('#draft-title').inputValue(),
      'Grace is writing',
      'the typed text is kept',
    );
    await grace.page.getByRole('button', { name: 'Save mine over theirs' }).click();
    await grace.page.locator('.issue-title', { hasText: 'Grace is writing' }).waitFor();
    await ada.page.locator('.changed b').nth(1).waitFor();
    await ada.page.keyboard.press('u');
    await ada.page.locator('.issue-title', { hasText: 'Grace is writing' }).waitFor();

    await decisionKey(ada.page, 'Shift+A');
    const dialog = ada.page.getByRole('dialog', { name: 'Sign and publish this draft?' });
    await dialog.locator('.issue-title', { hasText: 'Grace is writing' }).waitFor();
    await dialog.locator('.markdown h4').first().waitFor();
    t.same(
      await dialog.locator('.checks .name').allTextContents(),
      [
        'Repository',
        'Mentions',
        'References',
        'Images and markup',
        'Links',
        'Redactions',
        'Labels',
        'Assignees',
        'Suspect',
        'Untrusted crashes',
        'Source',
      ],
      'the dialog repeats the checklist',
    );
    t.same(await axe(ada.page), [], 'sign dialog');
    await ada.page.setViewportSize({ width: 320, height: 720 });
    t.equal(await overflow(ada.page), 0, 'sign dialog at 320 px');
    await ada.page.setViewportSize({ width: 1440, height: 900 });
    await editDraft(engine, id ?? '', 'Changed while the question was open');
    await ada.page.keyboard.press('Control+Enter');
    const conflict = ada.page.getByRole('dialog', { name: 'The draft has changed. Sign the new version?' });
    await conflict.locator('del', { hasText: 'Grace is writing' }).waitFor();
    await conflict.locator('ins', { hasText: 'Changed while the question was open' }).waitFor();
    t.same(await axe(ada.page), [], 'sign dialog after a conflict');
    await ada.page.keyboard.press('Enter');
    t.equal(await conflict.isVisible(), true, 'Enter alone does not sign the new version');
    t.equal((await engine.run(id ?? '')).state, 'staged_draft', 'a draft that was not shown is not signed');
    await ada.page.keyboard.press('Escape');
    await grace.page.getByRole('button', { name: 'Sign out' }).click();
    await grace.page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
    await ada.page.locator('.connection[data-state=live]').waitFor();
    t.same([...ada.problems, ...grace.problems], []);
  },
);

t.test('second person; analysing, publishing, rejected; dead letters', { skip }, async (t) => {
  const analysis = held();
  const { api, core, engine, repository, stage } = await boardBench(t, {
    change: (real) => [analysis.connector, ...real.filter(({ id }) => id !== 'outbox')],
    // The publisher asks for an hour, so the response to the signature need not wait for it.
    policy: { requireSecondPerson: true, publishWaitMs: 0 },
  });
  const { run_id } = await engine.ingest({ crash: cartCrash('cart-1', repository.head) });
  const id = run_id ?? '';
  const ada = await visit(t, `${core.url}/#${id}`);
  await signIn(ada.page, TOKEN);
  await ada.page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
  await decisionKey(ada.page, 'a');
  await ada.page.getByRole('dialog').waitFor();
  await ada.page.keyboard.press('Enter');
  const grace = await visit(t, `${core.url}/#${id}`);
  await signIn(grace.page, OTHER_TOKEN);
  await grace.page.locator('.gate-bar[data-gate=Analysing]').waitFor();
  t.same(await axe(grace.page), [], 'analysing, seen by another reviewer');
  t.same(await axe(ada.page), [], 'analysing, seen by the reviewer who approved');
  analysis.finish();

  await ada.page.locator('.gate-bar', { hasText: 'another reviewer must approve Gate 2' }).waitFor();
  const sign = (page: typeof ada.page) => page.getByRole('button', { name: 'Sign and publish' });
  t.equal(await sign(ada.page).isDisabled(), true);
  await decisionKey(ada.page, 'Shift+A');
  t.equal(await ada.page.getByRole('dialog').count(), 0, 'not by keyboard either');
  t.same(await axe(ada.page), [], 'signing disabled');
  await grace.page.locator('.gate-bar[data-gate="Gate 2"]').waitFor();
  t.equal(await sign(grace.page).isDisabled(), false);
  await decisionKey(grace.page, 'Shift+A');
  await grace.page.getByRole('dialog').waitFor();
  await grace.page.keyboard.press('Control+Enter');
  await grace.page.locator('.gate-bar[data-gate=Publishing]').waitFor();
  await ada.page.locator('.changed', { hasText: 'grace' }).waitFor();
  await ada.page.keyboard.press('u');
  await ada.page.locator('.gate-bar[data-gate=Publishing]').waitFor();
  t.same(await axe(grace.page), [], 'publishing, seen by the signer');
  t.same(await axe(ada.page), [], 'publishing, seen by another reviewer');
  t.equal((await engine.run(id)).state, 'publishing');
  const signed = (await engine.history(id)).filter(({ name }) => name.startsWith('gate'));
  t.match(signed, [
    { name: 'gate1.approve', by: 'ada' },
    { name: 'gate2.approve', by: 'grace' },
  ]);

  const second = await stage('of no use');
  await grace.page.locator('.row', { hasText: 'of no use' }).click();
  await grace.page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
  await decisionKey(grace.page, 'r');
  await grace.page.getByRole('dialog').getByRole('textbox').fill('a test');
  t.same(await axe(grace.page), [], 'confirmation dialog with a reason');
  await grace.page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await grace.page.locator('.gate-bar[data-gate=Rejected]').waitFor();
  t.same(await axe(grace.page), [], 'rejected');
  t.equal((await engine.run(second)).state, 'rejected');

  const spoolDirectory = await scratch(t);
  const spool = await openSpool({ directory: spoolDirectory, limits: {}, logger: silentLogger });
  await spool.deadLetters.add([letter(1, 'good', { message: 'buried alive' }), letter(2, '<b>bad</b>', {})]);
  await spool.close();
  await edge(t, {
    coreUrl: core.url,
    internalSecret: GATEWAY,
    spoolDirectory,
    forwarder: { heartbeatMs: 50 },
  });
  await ada.page.evaluate("location.hash = '#/edges'");
  await ada.page.getByRole('button', { name: 'Resend <b>bad</b>' }).waitFor();
  t.same(await axe(ada.page), [], 'dead letters');
  await ada.page.setViewportSize({ width: 320, height: 720 });
  t.equal(await overflow(ada.page), 0, 'dead letters at 320 px');
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await ada.page.getByRole('button', { name: 'Resend good' }).click();
  await ada.page.getByRole('list', { name: 'Commands' }).getByText('done').waitFor();
  t.same(await axe(ada.page), [], 'commands to the edge');
  const edges = /\/api\/v1\/edges(?:\?|$)/;
  await ada.page.route(edges, (route) => route.fulfill({ json: { edges: [], next: null } }));
  await ada.page.getByRole('button', { name: 'Change a limit' }).click();
  await ada.page.getByText('This edge has reported no limits').waitFor();
  await ada.page.unroute(edges);
  await ada.page.getByRole('button', { name: 'Change a limit' }).click();
  await ada.page.getByLabel('Limit', { exact: true }).selectOption('keyRate');
  await ada.page.getByText(/^It is [\d,]+, and [\d,]+ is configured/).waitFor();
  await ada.page.getByLabel('New value').fill('700');
  t.same(await axe(ada.page), [], 'a limit of the edge');
  await ada.page.keyboard.press('Enter');
  await ada.page.getByRole('button', { name: 'Change a limit' }).waitFor();
  await ada.page.getByRole('list', { name: 'Commands' }).getByText('limits, by ada').waitFor();
  const limits = async () => (await api({ path: '/api/v1/edges' })).json.edges[0].limits;
  for (let found = await limits(); found.keyRate.value !== 700; found = await limits());
  await ada.page.getByRole('button', { name: 'Send a test crash' }).click();
  await ada.page.locator('.edge').getByText('The edge accepted it. Its run appears in the inbox.').waitFor();
  t.same(await axe(ada.page), [], 'a test crash was sent');
  await ada.page.getByRole('button', { name: 'Drop <b>bad</b>' }).click();
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
  await ada.page.getByText('Core has accepted every delivery of this edge').waitFor();
  await ada.page.keyboard.press('g');
  await ada.page.keyboard.press('i');
  await ada.page.locator('.row', { hasText: 'buried alive' }).waitFor();
  await ada.page.locator('.row', { hasText: 'This crash was sent by an operator' }).waitFor();
  t.same([...ada.problems, ...grace.problems], []);
});

t.test('hostile text is rendered as text, everywhere and at every width', { skip }, async (t) => {
  const { core, engine, repository, host } = await boardBench(t);
  const texts = [
    HOSTILE,
    '"><svg onload=alert(1)>',
    '{{7*7}}<%= 7*7 %>',
    'javascript:alert(1)',
    `${'W'.repeat(4_000)}`,
    '\u202e\u2066\u0007\u0000\u200b'.repeat(40),
    '[x](javascript:alert(1)) ![y](https://evil.example/z.png) @everyone fixes #1',
    '</pre></code></details><style>*{display:none}</style>',
    '😀'.repeat(500),
    'ก็็็็็็็็็็็็็็็็็็็็'.repeat(50),
    ...randomTexts(),
  ];
  const ids: string[] = [];
  for (const [index, text] of texts.entries()) {
    const frame = {
      filename: text,
      function: text,
      module: text,
      lineno: 4,
      in_app: index % 2 === 0,
      context_line: text,
    };
    const known = cartCrash('x', repository.head).exception.values[0]?.stacktrace.frames ?? [];
    const { run_id } = await engine.ingest({
      crash: {
        event_id: `hostile-${index}`,
        platform: 'node',
        release: repository.head,
        environment: text.slice(0, 100),
        transaction: text,
        server_name: text,
        tags: { [text.slice(0, 30)]: text.slice(0, 200) },
        fingerprint: [`hostile-${index}`],
        exception: {
          values: [{ type: text.slice(0, 200), value: text, stacktrace: { frames: [frame, ...known] } }],
        },
      },
    });
    if (run_id !== null) ids.push(run_id);
  }
  t.equal(ids.length, texts.length);
  const { page, problems, requests } = await visit(t, core.url);
  await signIn(page);
  for (const [index, id] of ids.entries()) {
    if (index < 4) await engine.approveGateOne(id, { name: 'ada', via: 'api' });
    await page.evaluate(`location.hash = '#${id}'`);
    await page.locator('.run[aria-busy=false] .run-id', { hasText: id }).waitFor();
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 900 });
      t.equal(await overflow(page), 0, `text ${index} at ${width} px`);
    }
    const made = await page.evaluate(
      `[document.title === 'pwned', document.querySelectorAll('#board img, #board script, #board style, #board iframe, #board a[href^="javascript"]').length]`,
    );
    t.same(made, [false, 0], `text ${index} made nothing`);
  }
  await page.evaluate(`location.hash = '#${ids[0]}'`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator('.run .run-id', { hasText: ids[0] ?? '' }).waitFor();
  t.match(await page.locator('.raised').first().textContent(), /⟨202e⟩gnp/, 'hidden characters show');
  t.same(await axe(page), [], 'a hostile run');
  t.same(problems, []);
  t.same([...new Set(requests.map((url) => new URL(url).host))], [host], 'no requests to other hosts');
});

/** Keeps the page's animation frames back, as a busy machine does, until the returned function is called. */
async function holdFrames(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(`
    window.heldFrames = [];
    window.requestOwnFrame = window.requestAnimationFrame;
    window.requestAnimationFrame = (frame) => heldFrames.push(frame);`);
  return () =>
    page.evaluate(`
      window.requestAnimationFrame = requestOwnFrame;
      for (const frame of heldFrames) frame(performance.now());`);
}

/** Markup, Markdown and any characters in any order; other ones for each seed. */
function randomTexts(): readonly string[] {
  const markup = fc.constantFrom(
    '<img src=x onerror=alert(1)>',
    '</pre>',
    '<style>',
    '<!--',
    '```',
    '`',
    '](javascript:alert(1))',
    '![',
    '&lt;',
    '\n\n',
    '| a |',
    '@team',
    '\u202e',
    ' ',
  );
  const parts = fc.array(fc.oneof(markup, fc.string({ unit: 'binary', maxLength: 40 })), {
    minLength: 1,
    maxLength: 40,
  });
  const count = Number(process.env.BOARD_RUNS ?? 4);
  return fc.sample(
    parts.map((some) => `x${some.join('')}`),
    { seed, numRuns: count },
  );
}

function letter(sequence: number, event_id: string, crash: object) {
  const at = '2026-11-21T10:00:00.000Z';
  return {
    at,
    sequence,
    detail: 'Core could not parse it.',
    delivery: {
      event_id,
      sequence,
      project: 'default',
      door: 'native' as const,
      tracker: 'native',
      received_at: at,
      raw_sha256: '0'.repeat(64),
      headers: {},
      attachments: [],
      redactions: 0,
      crash: { ...crash },
    },
  };
}

t.test('a long name leaves the top bar on one line; its title has the whole name', { skip }, async (t) => {
  const name = 'Anneliese-Katharina von Hohenstein-Wittgenstein (payments)';
  const { core } = await boardBench(t, { reviewers: [{ name, token: TOKEN }] });
  const { page } = await visit(t, core.url, 1024, 768);
  await signIn(page);
  const lines = () => page.evaluate<number>(LINES);
  for (const width of [1440, 1024, 800]) {
    await page.setViewportSize({ width, height: 768 });
    t.ok((await lines()) <= 1, `${width} px`);
    t.ok((await overflow(page)) <= 0, `${width} px: no overflow`);
  }
  t.equal(await page.locator('.who').getAttribute('title'), name);
});
