import { checkExplanation, codeSpan, type ExplainRequest, segmentsOf } from '@culprit/core';
import { explainerContract, makeExplainRequest } from '@culprit/core/testing';
import t from 'tap';
import { template, templateExplainer } from '../../src/template/index.js';

const signal = new AbortController().signal;
const request = makeExplainRequest();
const { evidence } = request;
const [suspect] = request.suspects;
if (!suspect) throw new Error('no suspect');

t.test('obeys the contract', async (t) => {
  for (const law of explainerContract) {
    await t.test(law.name, () => law.run(async () => ({ explainer: templateExplainer })));
  }
});

t.test('says what the evidence shows, with quotes that stand in it', async (t) => {
  const said = await templateExplainer.explain(request, signal);
  t.strictSame(checkExplanation(said, evidence), said, 'nothing is left out by the check');
  t.strictSame(
    said.claims.map(({ text }) => text),
    [
      '`TypeError` was raised in `total`, at `src/cart.js:11`, on the line `sum += item.price.amount;`.',
      'The very likely cause is commit `0123456`: `Price items in several currencies`. It owns line 11 of `src/cart.js`, the crashed line.',
      'That commit wrote the line that crashed. Before, the line was `sum += item.amount`.',
      'The error names `amount`, and the change touches it.',
      'A value that the code takes for an object was missing when the line ran.',
      'It is no single case: it was counted 3 times.',
    ],
  );
  t.strictSame(said, await templateExplainer.explain(structuredClone(request), signal), 'the same words');
});

t.test('says less where there is less', async (t) => {
  const alone = await templateExplainer.explain({ ...request, suspects: [], occurrences: 1 }, signal);
  t.equal(alone.insufficient, false);
  t.equal(alone.claims.length, 2);
  const bare = { ...request, suspects: [], evidence: evidence.slice(0, 2) };
  t.strictSame(await templateExplainer.explain(bare, signal), {
    source: 'template',
    model: null,
    claims: [],
    insufficient: true,
    note: null,
  });
  const recent = { ...suspect, verdict: 'recent' as const, reasons: [], hunk: null };
  const open = await templateExplainer.explain({ ...request, suspects: [recent] }, signal);
  t.match(open.claims[1]?.text, 'No commit stands out; the first in the list is `0123456`: `Price items');
});

t.test('hostile evidence breaks nothing', async (t) => {
  for (const text of [
    '',
    '\n',
    "'".repeat(5_000),
    `"${'a.'.repeat(200)}"`,
    '\ud800'.repeat(90),
    'x'.repeat(100_000),
  ]) {
    const items = evidence.map((item) => ({ ...item, text }));
    const hostile = {
      ...suspect,
      reasons: [`owns line 1 of ${codeSpan(text)}, the crashed line`],
      hunk: { path: text, header: text, lines: [{ kind: 'added' as const, text, line: 1, crashed: true }] },
    };
    const asked: ExplainRequest = { ...request, suspects: [hostile], evidence: items };
    const said = await templateExplainer.explain(asked, signal);
    for (const { text: words, cites } of said.claims) {
      t.ok(segmentsOf(words), words);
      t.ok(cites.length > 0);
      for (const { quote } of cites) t.ok(quote.length <= 80 && text.includes(quote));
    }
  }
});

t.test('is a connector without configuration', async (t) => {
  const connector = template();
  t.equal(connector.id, 'template');
  t.throws(() => template({ model: 'x' } as never), { code: 'configuration' });
  const parts = await connector.setup({ fetch, logger: {} as never, signal });
  t.equal(parts.explainer, templateExplainer);
  t.match(await parts.check?.(signal), [{ name: 'template', ok: true }]);
});
