import type { EvidenceItem, ExplainRequest } from '@culprit/core/connector';
import type { HunkLine } from '@culprit/core/internal/domain/suspect';
import { checkExplanation } from '@culprit/core/internal/pipeline/explain/check-explanation';
import { segmentsOf } from '@culprit/core/internal/pipeline/explain/phrases';
import { reason } from '@culprit/core/internal/pipeline/rank/reason-wording';
import { makeExplainRequest } from '@culprit/core/internal/testing/explainer-contract';
import { explainerContract } from '@culprit/core/testing';
import t from 'tap';
import { template, templateExplainer } from '../../src/template/index.js';
import { missingValue } from '../../src/template/known-errors.js';

const signal = new AbortController().signal;
const request = makeExplainRequest();
const { evidence } = request;
const [suspect] = request.suspects;
if (!suspect) throw new Error('no suspect');

t.test('fulfils the contract', async (t) => {
  for (const law of explainerContract) {
    await t.test(law.name, () => law.run(async () => ({ explainer: templateExplainer })));
  }
});

t.test('states what the evidence shows, with verbatim quotes', async (t) => {
  const said = await templateExplainer.explain(request, signal);
  t.strictSame(checkExplanation(said, evidence), said, 'the check removes nothing');
  t.strictSame(
    said.claims.map(({ text }) => text),
    [
      '`item.price` was `undefined` when `amount` was read from it in `total` at `src/cart.js:11`: `sum += item.price.amount;`.',
      'Commit `0123456` (`Price items in several currencies`) is very likely the cause. It rewrote the crashed line, which was `sum += item.amount` before.',
    ],
  );
  t.strictSame(said, await templateExplainer.explain(structuredClone(request), signal), 'deterministic');
});

t.test('states less with less evidence', async (t) => {
  const alone = await templateExplainer.explain({ ...request, suspects: [], occurrences: 1 }, signal);
  t.equal(alone.insufficient, false);
  t.equal(alone.claims.length, 1);
  const said = [{ id: 'exception:0', label: 'Exception', text: 'Oddity: all is strange' }];
  const bare = { ...request, suspects: [], evidence: said };
  t.strictSame(await templateExplainer.explain(bare, signal), {
    source: 'template',
    model: null,
    claims: [],
    insufficient: true,
    note: null,
  });
  const recent = { ...suspect, verdict: 'recent' as const, reasons: [], hunk: null };
  const open = await templateExplainer.explain({ ...request, suspects: [recent] }, signal);
  t.match(open.claims[1]?.text, 'No commit stands out. The top candidate is commit `0123456` (`Price items');
});

const textsOf = async (more: Partial<ExplainRequest>): Promise<readonly string[]> => {
  const asked = { ...request, ...more };
  const said = await templateExplainer.explain(asked, signal);
  t.strictSame(checkExplanation(said, asked.evidence), said, 'every quote is in the evidence');
  for (const { text } of said.claims) t.ok(segmentsOf(text), text);
  return said.claims.map(({ text }) => text);
};
const at = (place: string, line: number | null, name: string | null) => ({ place, line, function: name });
const items = (
  ...texts: readonly (readonly [string, string, string, ReturnType<typeof at>?])[]
): readonly EvidenceItem[] =>
  texts.map(([id, label, text, location]) => ({ id, label, text, ...(location && { location }) }));

t.test('names the missing value and the line that sets it', async (t) => {
  const source =
    'src/a.js\n6: if (voucher == null) log()\n7: const voucher = find(code)\n8: pay(voucher.percent)\n9: voucher = 1';
  const evidence = items(
    ['exception:0', 'Exception', "TypeError: Cannot read properties of undefined (reading 'percent')"],
    ['frame:1', 'Frame', 'src/a.js:8 in pay\npay(voucher.percent)', at('src/a.js:8', 8, 'pay')],
    ['source', 'Source around the crash', source],
  );
  t.strictSame(await textsOf({ suspects: [], evidence }), [
    '`voucher` was `undefined` when `percent` was read from it in `pay` at `src/a.js:8`. It is set on line 7: `const voucher = find(code)`.',
  ]);
  const missing = (error: string, line: string) => {
    const found = missingValue(error, line);
    return found && `${found.value} ${found.state} ${found.how} ${found.member}`;
  };
  const v8 = "TypeError: Cannot read properties of null (reading 'x')";
  t.equal(missing(v8, 'return a.b.x + c.y'), 'a.b null read x');
  t.equal(missing(v8, 'return a.x + b.x'), null, 'two values are possible');
  t.equal(missing(v8, 'return f().x'), null, 'the value has no name');
  t.equal(missing(v8, 'return a.xy'), null, 'another member');
  t.equal(missing("TypeError: Cannot read property 'x' of undefined", 'a.x'), 'a undefined read x');
  t.equal(missing("Cannot set properties of undefined (setting 'x')", 'o.a.x = 1'), 'o.a undefined set x');
  t.equal(missing(`TypeError: can't access property "x", a is null`, 'a.x()'), 'a null read x');
  t.equal(
    missing("'NoneType' object has no attribute 'rate'", 'self.bank.rate(1)'),
    'self.bank None read rate',
  );
  t.equal(missing("undefined method `name' for nil:NilClass", '@user.name'), '@user nil called name');
  t.equal(
    missing("undefined method 'up' for nil", 'order[:a].first.up'),
    null,
    'only part of the expression has a name',
  );
  t.equal(missing('TypeError: x is not a function', 'x()'), null);
});

t.test('states the root cause, the members of a group, and the wrapper', async (t) => {
  const frame = [
    'frame:1',
    'Frame',
    'billing/invoice.py:14 in total',
    at('billing/invoice.py:14', 14, 'total'),
  ] as const;
  const chain = items(
    [
      'exception:0',
      'Cause',
      "KeyError: 'chf'\nbilling/rates.py:14 in rate",
      at('billing/rates.py:14', 14, 'rate'),
    ],
    [
      'exception:1',
      'Cause',
      'RateError: none\nbilling/rates.py:20 in rate',
      at('billing/rates.py:20', 20, 'rate'),
    ],
    ['exception:2', 'Exception', 'InvoiceError: no rate'],
    ['exception:3', 'Wrapper', 'JobFailed: billing\nNet.java in bind0', at('Net.java', null, 'bind0')],
    frame,
  );
  t.strictSame(await textsOf({ suspects: [], evidence: chain }), [
    '`InvoiceError` was raised in `total` at `billing/invoice.py:14`.',
    "The root cause was `KeyError: 'chf'`, raised in `rate` at `billing/rates.py:14`.",
    'It was reported as `JobFailed: billing`, raised in `bind0` at `Net.java`.',
    'The key does not exist.',
  ]);
  const group = items(
    ['exception:0', 'Member', 'ValueError: a'],
    ['exception:1', 'Exception', 'ExceptionGroup: two'],
    frame,
  );
  t.equal((await textsOf({ suspects: [], evidence: group }))[1], 'The group contains `ValueError: a`.');
});

t.test(
  'states what a change did next to the crashed line, and which commit last changed that line',
  async (t) => {
    const line = (kind: HunkLine['kind'], text: string, crashed = false): HunkLine => ({
      kind,
      text,
      line: 1,
      crashed,
    });
    const claimsOf = async (lines: readonly HunkLine[]) => {
      const hunk = { path: 'a.js', header: '@@ -1,3 +1,3 @@', lines };
      const owner = { ...suspect, sha: 'b'.repeat(40) };
      const evidence = [
        ...request.evidence.filter(({ id }) => !id.startsWith('hunk:')),
        ...items(
          [`hunk:${suspect.sha}`, 'Diff', lines.map(({ text }) => ` ${text}`).join('\n')],
          [`commit:${owner.sha}`, 'Commit', 'Start'],
        ),
      ];
      const suspects = [
        {
          ...suspect,
          reasons: [reason({ code: 'changed_nearby', path: 'a.js', line: 3, role: 'crashed', distance: 1 })],
          hunk,
        },
        owner,
      ];
      return (await textsOf({ suspects, evidence })).slice(1);
    };
    const crashed = line('context', 'menu.open()', true);
    const [main, owner] = await claimsOf([
      line('removed', "const menu = get('#menu')"),
      line('added', 'const menu = get(id)'),
      crashed,
    ]);
    t.match(
      main,
      / Next to the crashed line, it changed `const menu = get\('#menu'\)` to `const menu = get\(id\)`\.$/,
    );
    t.equal(owner, 'The crashed line itself was last changed by commit `bbbbbbb` (`Start`).');
    t.match(
      (await claimsOf([crashed, line('removed', 'close()')]))[0],
      / Next to the crashed line, it removed `close\(\)`\.$/,
    );
    t.match(
      (await claimsOf([line('added', 'close()'), crashed]))[0],
      / Next to the crashed line, it added `close\(\)`\.$/,
    );
    const far = [crashed, ...Array.from({ length: 4 }, () => line('context', 'x')), line('added', 'close()')];
    t.match(
      (await claimsOf(far))[0],
      / It changed code 1 line away from line 3 of `a\.js`, the crashed line\.$/,
    );
    const rewritten = [
      line('removed', 'decimal price;'),
      line('removed', 'return zones[country];'),
      line('added', 'return zones[upper];', true),
    ];
    t.match(
      (await claimsOf(rewritten))[0],
      / It rewrote the crashed line, which was `return zones\[country\];` before\.$/,
    );
  },
);

t.test('handles hostile evidence', async (t) => {
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
      reasons: [reason({ code: 'last_changed_line', path: text, line: 1, role: 'crashed' })],
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
