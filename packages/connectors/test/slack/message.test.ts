import type { RunStory } from '@culprit/core';
import type { Run, Trust } from '@culprit/core/connector';
import type { Door } from '@culprit/core/internal/domain/event';
import type { Source } from '@culprit/core/internal/domain/source';
import { makeDraft, makeOwnership, makeSuspect } from '@culprit/core/internal/testing/make-run';
import { hostileRun, hostileStory } from '@culprit/core/internal/testing/notifier-contract';
import { makeEvent, makeRun } from '@culprit/core/testing';
import { wrongBlocks } from '@culprit/doubles/slack';
import fc from 'fast-check';
import t from 'tap';
import { renderMessage } from '../../src/slack/message.js';

const BOARD = 'http://127.0.0.1:8000';

t.test('Gate 1 says how crashes came, and warns if anyone could have sent some', async (t) => {
  const shown = (more: Partial<Run>) =>
    textsOf(renderMessage(makeRun('staged_raw', more), { boardUrl: null, buttons: true }).blocks).join('\n');
  const source = (door: Door, trust: Trust, occurrences: number): Source => ({
    ...{ door, trust, occurrences, event_id: null },
    ...{ first_seen: '2026-01-05T09:00:00.000Z', last_seen: '2026-01-05T09:00:00.000Z' },
  });
  const signed = source('webhook', 'trusted', 3);
  const open = source('sdk', 'untrusted', 40);
  t.match(shown({ occurrences: 3, doors: ['webhook'], sources: [signed] }), /through webhook ×3\n/);
  t.notMatch(shown({ occurrences: 3, doors: ['webhook'], sources: [signed] }), /public key/);
  const mixed = shown({ occurrences: 43, doors: ['webhook', 'sdk'], sources: [signed, open] });
  t.match(mixed, /through webhook ×3, sdk \(public key\) ×40\n/);
  t.match(
    mixed,
    /\*40 of 43 crashes came with a public key.*\* Culprit shows and analyses a trusted crash\./,
  );
  const event = makeEvent({ door: 'sdk', trust: 'untrusted' });
  const drafted = (trust: Trust) =>
    renderMessage(makeRun('staged_draft', { draft: { ...makeDraft(), trust }, sources: [open, signed] }), {
      ...{ boardUrl: null, buttons: true },
    });
  t.match(
    textsOf(drafted('untrusted').blocks).join('\n'),
    /draft is about a crash that anyone could have sent/,
  );
  t.notMatch(textsOf(drafted('trusted').blocks).join('\n'), /draft is about a crash/);
  const junk = shown({ occurrences: 40, doors: ['sdk'], sources: [open], event });
  t.match(junk, /\*All crashes came with a public key.*\* Check that the crash is real/);
  t.match(
    shown({ doors: ['sdk'], event }),
    /All crashes came with a public key/,
    'a run of an older version',
  );
});

t.test('why a run is back, as text', async (t) => {
  const past = makeRun('published', { came_back_as: 'run_2' });
  const shown = (run: Run, story?: RunStory) =>
    textsOf(renderMessage(run, { boardUrl: null, buttons: true }, story).blocks).join('\n');
  const story = hostileStory('run_2');
  const now = makeRun('staged_raw', { run_id: 'run_2', regression_of: 'run_before' });
  t.match(shown(now, story), /:repeat: \*Regression\*: published as #7, fixed by #8 in fffffff in `/);
  t.match(shown(now), /:repeat: \*Regression\* of a published run/);
  t.match(shown(past, story), /:repeat: \*Came back\* in `.*` as `run_2`/s);
  const returned = { at: '2026-01-05T10:00:00.000Z', by: 'grace', reason: 'The wrong *commit*.' };
  t.match(shown({ ...now, returned }), /\*Returned by `grace`\.\*\n```\w*\nThe wrong \*commit\*\.\n```/);
  const last_error = { code: 'code_host_unavailable', detail: 'GitHub is down.', retryable: true };
  t.match(shown({ ...now, last_error }), /\*Analysis failed\.\* `GitHub is down\.`/);
});

t.test('Gate 2 shows what publishing adds to the draft, and to the earlier issue', async (t) => {
  const text = (run: Run, trailer?: string) =>
    textsOf(renderMessage(run, { boardUrl: null, buttons: true }, undefined, trailer).blocks).join('\n');
  const issue = { repository: 'acme/shop<!here>', number: 7, url: 'https://issues.example/7' };
  const draft = makeRun('staged_draft', { link_back: { issue } });
  const trailer =
    '\n\n---\n<sub>Culprit run `r` · signed by `the person who approves`</sub>\n<!-- culprit:v1 -->\n';
  const shown = text(draft, trailer);
  t.match(
    shown,
    /\*Added at its end\*\n```[^`]*&lt;sub&gt;Culprit run ˋrˋ · signed by [^`]*culprit:v1 --&gt;\n```/,
  );
  t.match(shown, /A comment on issue 7 of `acme\/shop&lt;!here&gt;` will link the new issue\. <https/);
  t.notMatch(text(draft), /Added at its end/);
  const change = {
    ...{ number: 1, comment: 'x', set: null, at: '', comment_url: null, done_at: null },
    progress: { attempts: 0, ambiguous: false, looks: 0, failures: 0, not_before: null },
  };
  const error = { code: 'publish_refused', detail: 'it is locked <!here>', retryable: false };
  const published = (state: 'done' | 'failed') =>
    text(makeRun('published', { link_back: { issue, change: { ...change, state, error } } }));
  t.match(published('failed'), /is to link the new issue.*`it is locked &lt;!here&gt;`/);
  t.notMatch(published('done'), /new issue/);
});

t.test('why there is no suspect: what a crash names is code', async (t) => {
  const detail =
    'There is no source map for *x* <!here> `a`.min.js. Upload it: culprit sourcemaps upload dist';
  const run = makeRun('staged_draft', { suspects: [], no_suspect: { code: 'no_mapped_frame', detail } });
  const texts = textsOf(renderMessage(run, { boardUrl: null, buttons: true }).blocks).join('\n');
  t.match(
    texts,
    /\*No suspect\.\* No frame in the stack trace maps to a file in the repository\. `There is no source map for \*x\*/,
  );
});

t.test('property: untrusted text creates no links and no mentions, and respects limits', async (t) => {
  const specials = /<(?!https:\/\/github\.com\/|http:\/\/127\.0\.0\.1:8000\/)[^>]*>/;
  const check = (run: Run) => {
    const { text, blocks } = renderMessage(run, { boardUrl: BOARD, buttons: true }, hostileStory(run.run_id));
    const wrong = wrongBlocks(blocks);
    if (wrong !== null) throw new Error(wrong);
    for (const piece of textsOf(blocks)) {
      if (specials.test(piece)) throw new Error(`a link or a mention: ${piece}`);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
      if (/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(piece)) throw new Error('unseen');
    }
    if (/<|@(?:channel|here|everyone)/.test(text)) throw new Error(text);
    return blocks;
  };
  const blocks = check(hostileRun());
  t.notMatch(JSON.stringify(blocks), /<https:\/\/evil|<!|<@/);
  for (const block of blocks)
    if (block.type === 'section') t.equal(block.text?.type === 'mrkdwn' && block.text.verbatim, true);
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom(
      '<!here>',
      '```',
      '`',
      '*',
      '&lt;',
      '<https://evil.example|x>',
      '\u202e',
      '|',
      '\n',
      '<@U1>',
      '<#C1>',
    ),
  );
  const wild = fc.array(piece, { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(
      wild,
      wild,
      fc.constantFrom('staged_raw', 'staged_draft', 'published', 'rejected'),
      (one, two, state) => {
        const draft = makeDraft({ title: one, body: two, repository: one, edited_by: two });
        const suspects = [
          makeSuspect({
            title: two,
            author: { name: one },
            reasons: [one, two].map((text) => ({ code: 'text_only' as const, text })),
          }),
        ];
        const last_error = { code: 'internal', detail: two, retryable: false };
        const returned = { at: '2026-01-05T10:00:00.000Z', by: one, reason: two };
        check(
          hostileRun({
            state,
            returned,
            title: one,
            platform: two,
            project: one,
            draft,
            suspects,
            ownership: makeOwnership(one, two),
            last_error,
          }),
        );
        return true;
      },
    ),
    { numRuns: 120 },
  );
  const link = makeSuspect({ url: 'https://evil.example/|x><!channel>' });
  const owned = check(makeRun('staged_draft', { suspects: [link], ownership: makeOwnership() }));
  t.match(textsOf(owned).join('\n'), 'is owned by `@acme/payments` (CODEOWNERS line 2)');
});

/** The texts of Slack's blocks, in their order. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = value as { type?: unknown; text?: unknown };
  if ((type === 'mrkdwn' || type === 'plain_text') && typeof text === 'string') return [text];
  return Object.values(value).flatMap(textsOf);
}
