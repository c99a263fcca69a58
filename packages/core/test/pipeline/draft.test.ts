import fc from 'fast-check';
import t from 'tap';
import { DRAFT_LIMITS } from '../../src/domain/draft.js';
import type { Door, Event } from '../../src/domain/event.js';
import type { Source } from '../../src/domain/source.js';
import type { Suspect } from '../../src/domain/suspect.js';
import type { Trust } from '../../src/domain/trust.js';
import { composeDraft, joined } from '../../src/pipeline/draft/compose-draft.js';
import type { DraftSource } from '../../src/pipeline/draft/draft-source.js';
import {
  codeSpan,
  fence,
  permanentLink,
  safeTitle,
  safeUrl,
  tableCell,
} from '../../src/pipeline/draft/safe-markdown.js';
import { publishedBody, trailerOf, withSigner } from '../../src/pipeline/draft/trailer.js';
import { checkExplanation } from '../../src/pipeline/explain/check-explanation.js';
import { reason } from '../../src/pipeline/rank/reason-wording.js';
import { makeFrame } from '../../src/testing/builders.js';
import { makeEvent } from '../../src/testing/index.js';
import { shopInput } from './shop-history.js';

/** Markdown without code: fences removed by CommonMark's rule, then code spans by theirs, line by line. */
function outsideCode(markdown: string): string {
  const out: string[] = [];
  let open = 0;
  for (const line of markdown.split('\n')) {
    const ticks = /^`{3,}/.exec(line)?.[0].length ?? 0;
    if (open > 0) {
      if (ticks >= open && /^`+\s*$/.test(line)) open = 0;
      continue;
    }
    if (ticks > 0 && !line.slice(ticks).includes('`')) {
      open = ticks;
      continue;
    }
    out.push(withoutSpans(line));
  }
  return out.join('\n');
}

function withoutSpans(line: string): string {
  let rest = line;
  let out = '';
  for (;;) {
    const run = /`+/.exec(rest);
    if (run === null) return out + rest;
    const after = rest.slice(run.index + run[0].length);
    const close = [...after.matchAll(/`+/g)].find((match) => match[0].length === run[0].length);
    out += rest.slice(0, run.index);
    if (close === undefined) {
      out += run[0];
      rest = after;
    } else rest = after.slice(close.index + close[0].length);
  }
}

const HOSTILE = [
  'EVIL @everyone #1 GH-2 fixes #3 https://evil.example <img src=x> <!-- x -->',
  'EVIL ``` \n```\n@octocat\n# EVIL\n',
  'EVIL `a` ``b`` ```c``` `',
  '`EVIL',
  'EVIL | @x | `| EVIL',
  'EVIL \u202e\u2066 bidi \u200b \u0000 \u0007 \r\n \u2028 EVIL',
  'EVIL </details></summary> -->\n\n---\n\n## EVIL',
  '~~~ EVIL\n~~~\n[EVIL](https://evil.example) ![EVIL](x)',
  '\\`EVIL\\` \\| EVIL',
  '',
  '\ud800 EVIL',
  'EVIL $`x`$ :smile: EVIL',
];

const suspect = (text: string): Suspect => ({
  sha: '0123456789abcdef0123456789abcdef01234567',
  author: { name: text },
  committed_at: '2026-01-01T00:00:00.000Z',
  title: text,
  url: `https://code.example/${text}`,
  score: 1,
  components: { near: 1 },
  probability: 0.9,
  verdict: 'auto',
  reasons: [reason({ code: 'last_changed_line', path: text, line: 1, role: 'crashed' })],
  frames: [0],
  hunk: {
    path: text,
    header: `@@ -1,1 +1,1 @@ ${text}`,
    lines: [{ kind: 'added', text, line: 1, crashed: true }],
  },
  pull_request: { number: 3, url: `javascript:${text}`, title: text },
});

function hostileSource(text: string): DraftSource {
  const { incident } = shopInput();
  const frames = [makeFrame({ file: text, function: text, module: text }), makeFrame({ function: text })];
  const thrown = {
    type: text,
    value: `${text}${text}`,
    module: text,
    handled: null,
    synthetic: false,
    mechanism: null,
    frames,
  };
  return {
    incident: {
      ...incident,
      title: text,
      platform: text,
      releases: [text, `${text}2`],
      environments: [text],
      regression_of: text,
      first_seen: text,
    },
    event: makeEvent({ exceptions: [thrown], transaction: text, server_name: text, tags: { [text]: text } }),
    thrown: { index: 0, exception: thrown },
    located: [{ frame: 1, path: text, line: 3, function: text, how: 'exact', verified: false }],
    links: { commit: 'https://code.example/c/{sha}', line: 'https://code.example/b/{sha}/{path}#L{line}' },
    revision: { sha: 'abcdef0123456789abcdef0123456789abcdef01', how: 'head' },
    excerpt: { path: text, from: 1, crashed: 1, lines: [text] },
    suspects: [suspect(text), suspect(text)],
    no_suspect: null,
    explanation: {
      source: 'model',
      model: text,
      claims: [{ text, cites: [{ evidence: text, quote: text }] }],
      insufficient: false,
      note: text,
    },
  };
}

const CONFIG = {
  publishRepository: 'shop/shop',
  labels: ['team:cart'],
  assignees: ['ada'],
  commitLabels: true,
};
const LIMIT = DRAFT_LIMITS.bodyChars - DRAFT_LIMITS.trailerChars;

function checkBody(t: Tap, source: DraftSource, name: string): void {
  const { body, title } = composeDraft(source, CONFIG);
  const outside = outsideCode(body);
  // Link destinations contain encoded paths; everything else is fixed wording.
  const words = outside.replace(/\]\(https:\/\/code\.example\/[\w%./#-]*\)/g, '](link)');
  t.notMatch(words, /EVIL|@|#\d|GH-\d|evil\.example|<img|<!--|javascript:|\u202e|\u200b/, name);
  t.strictSame(
    [...new Set(words.match(/<\/?[a-z]+/g) ?? [])].filter((tag) => !/^<\/?(?:details|summary)$/.test(tag)),
    [],
    `${name}: no foreign HTML`,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  t.notMatch(body, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/, name);
  t.notMatch(body, /\p{Surrogate}/u, `${name}: whole characters`);
  t.ok(body.length <= LIMIT, `${name}: within the limit`);
  t.notMatch(title, /[@#`<>[\]|]/, name);
  t.ok(title.length > 0 && title.length <= DRAFT_LIMITS.titleChars);
}
type Tap = Pick<typeof t, 'notMatch' | 'strictSame' | 'ok'>;

t.test('property: nothing hostile appears outside code', async (t) => {
  for (const [index, text] of HOSTILE.entries()) checkBody(t, hostileSource(text), `string ${index}`);
  const quiet = { notMatch: must(t, 'notMatch'), strictSame: must(t, 'strictSame'), ok: must(t, 'ok') };
  const pieces = fc.constantFrom(
    'EVIL',
    '`',
    '``',
    '```',
    '\n',
    '|',
    '@',
    '#1',
    '<img',
    '\\',
    '\u202e',
    ' ',
    '~~~',
    '\r',
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      checkBody(quiet as unknown as Tap, hostileSource(`EVIL${text}EVIL`), JSON.stringify(text));
    }),
    { numRuns: 300 },
  );
  t.pass('300 random texts');
});

/** An assertion that throws instead of counting, for use inside a property. */
function must(t: Tap, method: keyof Tap) {
  return (...args: readonly unknown[]) => {
    const [value, other] = args;
    const ok =
      method === 'ok'
        ? Boolean(value)
        : method === 'notMatch'
          ? !(other as RegExp).test(String(value))
          : JSON.stringify(value) === JSON.stringify(other);
    if (!ok) throw new Error(`${method}: ${JSON.stringify(args)} ${t ? '' : ''}`);
    return true;
  };
}

t.test('property: code spans and fences', async (t) => {
  t.equal(codeSpan('a b'), '`a b`');
  t.equal(codeSpan('a`b'), '``a`b``');
  t.equal(codeSpan('`a'), '`` `a ``');
  t.equal(codeSpan(''), '`(empty)`');
  t.equal(codeSpan('a\r\nb\tc'), '`a ⏎ b c`');
  t.equal(codeSpan('x\u202ey\u200b\u0007'), '`x\\u202ey\\u200b\\u0007`');
  t.equal(codeSpan('\u{e0041}x'), '`\\u{e0041}x`');
  t.equal(codeSpan('x'.repeat(500), 10), `\`${'x'.repeat(9)}…\``);
  t.equal(codeSpan('😀😀😀', 4), '`😀…`', 'a surrogate pair is not split');
  t.equal(tableCell(codeSpan('a|b')), '`a│b`');
  t.equal(fence('a\n```\nb', 'diff'), '````diff\na\n```\nb\n````');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      t.equal(outsideCode(fence(text)), '');
      t.equal(outsideCode(codeSpan(text)), '');
    }),
    { numRuns: 200 },
  );
});

t.test('titles', async (t) => {
  const usual = "TypeError: Cannot read properties of undefined (reading 'price')";
  t.equal(safeTitle(usual), usual);
  t.equal(safeTitle('Crash in größe, 日本語'), 'Crash in größe, 日本語');
  t.equal(safeTitle('fixes #12 @octocat `x` <b> [a](b)'), "fixes 12 octocat 'x' b (a)(b)");
  t.equal(
    safeTitle('see https://evil.example/x www.evil.example'),
    'see https: evil.example/x www evil.example',
  );
  t.equal(safeTitle('GH-123 and 0123abcdef0123'), 'GH 123 and 0123ab…');
  t.equal(
    safeTitle("undefined method `name' for nil [1] in A\\B"),
    "undefined method 'name' for nil (1) in A/B",
  );
  t.equal(safeTitle('https:\\\\evil.example'), 'https: evil.example', 'the title contains no link');
  t.equal(safeTitle('\u202e\u200b\n'), 'Crash');
  t.ok(safeTitle('x'.repeat(5_000)).length <= 200);
});

t.test('links', async (t) => {
  const sha = 'a'.repeat(40);
  const template = 'https://h/{sha}/{path}#L{line}';
  t.equal(
    permanentLink(template, { sha, path: 'src/a b)(.js', line: 3 }),
    `https://h/${sha}/src/a%20b%29%28.js#L3`,
  );
  t.equal(permanentLink(template, { sha: 'x)', path: 'a' }), null);
  t.equal(permanentLink(null, { sha }), null);
  t.equal(permanentLink('javascript:{sha}', { sha }), null);
  t.equal(permanentLink(template, { sha, path: '{line}\ud800' }), `https://h/${sha}/%7Bline%7D%EF%BF%BD#L1`);
  t.equal(safeUrl('https://x/a) b'), null);
});

t.test('labels, limits and the digest', async (t) => {
  const source = {
    ...hostileSource('x'),
    suspects: [suspect('x'), { ...suspect('y'), verdict: 'recent' as const }],
  };
  const draft = composeDraft(source, CONFIG);
  t.strictSame(draft.labels, ['culprit', 'suspect:auto', 'team:cart', 'suspect:0123456']);
  t.strictSame(draft.assignees, ['ada']);
  t.equal(draft.digest, composeDraft(source, CONFIG).digest);
  t.not(draft.digest, composeDraft({ ...source, suspects: [] }, CONFIG).digest);
  const none = composeDraft(
    { ...source, suspects: [], no_suspect: { code: 'no_frames', detail: 'The crash has no stack trace.' } },
    CONFIG,
  );
  t.strictSame(none.labels, ['culprit', 'suspect:none', 'team:cart']);
  t.match(none.body, '**No suspect.** The crash has no stack trace. Send the stack trace with the crash.');
  const sdk = composeDraft({ ...source, incident: { ...source.incident, doors: ['sdk'] } }, CONFIG);
  t.match(sdk.body, 'SDK keys are public');
  t.notMatch(draft.body, 'SDK keys are public');
  const section = (name: string, expendable: number) => ({ name, expendable, text: name.repeat(10) });
  const cut = joined([section('aaaa', 0), section('bbbb', 9), section('cccc', 2)], 120);
  t.equal(cut, `${'aaaa'.repeat(10)}\n\n${'cccc'.repeat(10)}\n\nOmitted for length: bbbb.`);
  const huge = hostileSource('\u202e'.repeat(3_000));
  t.ok(composeDraft(huge, CONFIG).body.length <= LIMIT);
});

t.test('a draft warns of crashes that anyone could have sent, and shows a clock that differs', async (t) => {
  const event = makeEvent();
  const bodyOf = (incident: Partial<DraftSource['incident']>, shown: Partial<Event> = {}) => {
    const source = { ...hostileSource('x'), event: { ...event, ...shown } };
    return composeDraft({ ...source, incident: { ...source.incident, occurrences: 5, ...incident } }, CONFIG)
      .body;
  };
  const source = (door: Door, trust: Trust, occurrences: number): Source => ({
    ...{ door, trust, occurrences, event_id: null },
    ...{ first_seen: event.received_at, last_seen: event.received_at },
  });
  const signed = source('webhook', 'trusted', 3);
  const open = source('sdk', 'untrusted', 2);
  t.notMatch(bodyOf({ doors: ['webhook'], sources: [signed] }), /public/);
  const mixed = bodyOf({ doors: ['webhook', 'sdk'], sources: [signed, open] });
  t.match(
    mixed,
    /\n> 2 of 5 crashes were reported with a public key, which anyone may have\. Such crashes are only/,
  );
  t.match(mixed, '| Reported through | the signed webhook: 3, the SDK door (public key): 2 |');
  const named = { ...signed, trackers: ['bugsink', 'own|tracker'] };
  t.match(
    bodyOf({ doors: ['webhook', 'sdk'], sources: [named, { ...open, trackers: ['sentry'] }] }),
    /\| the signed webhook of `bugsink` and `own.*tracker`: 3, the SDK door \(public key\): 2 \|/,
  );
  t.match(
    bodyOf({ doors: ['sdk'], sources: [open] }),
    /\n> This crash was reported only through the SDK door\./,
  );
  const plugin = source('webhook', 'untrusted', 5);
  t.match(
    bodyOf({ doors: ['webhook'], sources: [plugin] }),
    /\n> This crash was reported only with public keys,/,
  );
  const old = [signed, open].map((one) => ({ ...one, occurrences: 0 }));
  t.match(
    bodyOf({ doors: ['webhook', 'sdk'], sources: old }),
    /\n> Some of these crashes were reported with a public/,
  );
  t.notMatch(
    bodyOf({ doors: ['webhook', 'sdk'] }),
    /public key, /,
    'evidence of older versions gives its draft',
  );

  const clock = { timestamp: '2025-11-05T09:00:00.000Z' };
  const differs = '- **Sender’s clock** 2025-11-05 09:00:00 UTC, received 2026-01-05 09:00:01 UTC';
  t.match(bodyOf({ doors: ['webhook'], sources: [signed] }, clock), differs);
  t.notMatch(bodyOf({ doors: ['webhook'], sources: [signed] }), 'Sender’s clock');
  t.notMatch(bodyOf({ doors: ['webhook'] }, clock), 'Sender’s clock', 'evidence of older versions');
});

t.test('the trailer is pure and short', async (t) => {
  const parts = {
    run_id: 'run_1 -->',
    digest: 'd'.repeat(64),
    marker: 'm'.repeat(64),
    explanation: 'model' as const,
    model: '`@x` -->'.repeat(30),
    edited: true,
  };
  const trailer = trailerOf(parts);
  t.equal(trailer, trailerOf({ ...parts }));
  t.ok(trailer.length <= DRAFT_LIMITS.trailerChars);
  t.match(trailer, `marker=${parts.marker} -->`);
  t.equal(
    trailer.match(/<!-- culprit.*-->/)?.[0].indexOf('-->', 5),
    (trailer.match(/<!-- culprit.*-->/)?.[0].length ?? 0) - 3,
  );
  t.equal(publishedBody('body', trailer), `body${trailer}`);
  t.match(trailer, ' · edited and signed by a reviewer · ', 'of versions that named nobody');
  const signed = { ...parts, signer: '\u202e`'.repeat(80), edited: false };
  t.ok(trailerOf(signed).length <= DRAFT_LIMITS.trailerChars);
  for (const signer of ['ada', '@ada', 'ada@shop.example'])
    t.match(trailerOf({ ...signed, signer }), ' · signed by `ada` · ');
  for (const signer of ['ada', '`a` · explanation `b`', '``', '', '@'])
    t.equal(
      withSigner(`body${trailerOf({ ...signed, signer })}`, 'x'),
      `body${trailerOf({ ...signed, signer: 'x' })}`,
    );
  t.equal(withSigner(`body${trailer}`, 'x'), `body${trailer}`, 'nobody is named');
});

t.test('explanations are checked against the evidence', async (t) => {
  const evidence = [{ id: 'frame:1', label: 'Frame', text: 'src/cart.js:12 in total' }];
  const claim = (quote: string, text = 'It failed.') => ({ text, cites: [{ evidence: 'frame:1', quote }] });
  const answer = (claims: unknown) => ({
    source: 'model',
    model: 'm\u0000',
    claims,
    insufficient: false,
    note: null,
  });
  const good = checkExplanation(
    answer([claim('in total', 'It\u202e\n failed. '), claim('not there')]),
    evidence,
  );
  t.strictSame(good.claims, [{ text: 'It failed.', cites: [{ evidence: 'frame:1', quote: 'in total' }] }]);
  t.match(good.note, 'Removed 1 of 2 claims');
  t.equal(good.model, 'm');
  t.strictSame(checkExplanation(answer([]), evidence).insufficient, true);

  const code = [
    {
      id: 'frame:1',
      label: 'Diff',
      text: "src/a.js\n@@ -1,2 +1,2 @@\n-}\n+  x++;\n 12: }\n====== ====\nKeyError: 'chf'",
    },
  ];
  const kept = ['x++;', '+  x++;', 'src/a.js', 'chf', "'chf'", "KeyError: 'c"];
  const tooShort = ['s', '.', '}', 'x++', 'hf', 'rc/', 'Key', 'a.js', '      ', '====== ====', '@@ -1,'];
  for (const quote of kept) t.equal(checkExplanation(answer([claim(quote)]), code).claims.length, 1, quote);
  for (const quote of tooShort)
    t.throws(() => checkExplanation(answer([claim(quote)]), code), { code: 'explainer_failed' }, quote);
  const wrong = [
    null,
    3,
    'x',
    {},
    answer('x'),
    answer([claim('nowhere')]),
    answer([claim('')]),
    answer([{ text: 'x', cites: [] }]),
  ];
  for (const bad of wrong) t.throws(() => checkExplanation(bad, evidence), { code: 'explainer_failed' });
  const long = [{ id: 'frame:1', label: '', text: 'y'.repeat(200) }];
  t.throws(() => checkExplanation(answer([claim('y'.repeat(81))]), long), { code: 'explainer_failed' });
});
