import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import { publisherContract } from '@culprit/core/testing';
import fc from 'fast-check';
import t from 'tap';
import {
  issuePageCss,
  listOutboxIssues,
  type OutboxIssue,
  outbox,
  readOutboxIssue,
  renderIssuePage,
} from '../../src/git/index.js';
import {
  issueFileName,
  numberOfFile,
  readIssueFile,
  writeIssueFile,
} from '../../src/git/outbox/issue-folder.js';
import { context, publisherOf, signal } from './support/context.js';

const BASE = 'http://127.0.0.1:8000';
const WRITER = fileURLToPath(new URL('./support/outbox-writer.js', import.meta.url));

const issue: OutboxIssue = {
  number: 7,
  repository: '/srv/shop',
  title: 'TypeError: `x` is <b>undefined</b>',
  state: 'open',
  created_at: '2026-01-05T10:00:00.000Z',
  labels: ['culprit', 'suspect:auto'],
  assignees: [],
  body: 'It crashed.',
};
const asked = { ...issue, body: markedBody('It crashed.', 'marker_1'), marker: 'marker_1' };

async function open(directory: string) {
  return publisherOf(await outbox({ directory, baseUrl: `${BASE}/` }).setup(context));
}

for (const law of publisherContract) {
  t.test(`contract: ${law.name}`, async (t) => {
    const directory = join(t.testdir(), 'made', 'when', 'missing');
    await law.run(async () => ({ publisher: await open(directory), repository: '/srv/shop' }));
  });
}

t.test('an issue is a readable Markdown file', async (t) => {
  const directory = t.testdir({ 'README.md': '# Mine', '0009-not-ours.md': 'by hand', '0010-.md': '' });
  chmodSync(directory, 0o755);
  const publisher = await open(directory);
  const created = await publisher.create(asked, signal);
  t.equal(statSync(directory).mode & 0o777, 0o700, 'only its owner may read it, even if it already existed');
  t.match(created, { number: 10, url: `${BASE}/outbox/10`, state: 'open' });
  const text = readFileSync(join(directory, '0010-typeerror-x-is-b-undefined-b.md'), 'utf8');
  t.match(
    text,
    /^---\n\{\n[\s\S]*"labels"[\s\S]*\}\n---\n\n# TypeError: \\`x\\` is \\<b\\>undefined\\<\/b\\>\n\nIt crashed\.\n\n---\n/,
  );

  writeFileSync(
    join(directory, '0010-typeerror-x-is-b-undefined-b.md'),
    text.replace('"state": "open"', '"state": "closed"'),
  );
  t.match(await publisher.read('/srv/shop', 10, signal), { state: 'closed' });
  t.match(await publisher.find('/srv/shop', 'marker_1', '2000-01-01T00:00:00Z', signal), {
    number: 10,
    state: 'closed',
  });
  t.equal(await publisher.read('/srv/other', 10, signal), null);
  t.equal(await publisher.find('/srv/other', 'marker_1', '2000-01-01T00:00:00Z', signal), null);
  t.match(await readOutboxIssue(directory, 10), { number: 10, repository: '/srv/shop', body: 'It crashed.' });
  t.equal(await readOutboxIssue(directory, 9), null);
  t.same(
    (await listOutboxIssues(directory)).map(({ number }) => number),
    [10],
  );
  t.same(await listOutboxIssues(join(directory, 'nowhere')), []);
});

t.test('property: any issue is read back from its file unchanged', async (t) => {
  const text = fc
    .string({ unit: 'binary', maxLength: 60 })
    .filter((value) => Buffer.from(value).toString() === value);
  const lines = fc.array(fc.oneof(text, fc.constantFrom('---', '# x', '{}', '\r', '\n\n', '\ufeff')), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      text,
      lines,
      fc.array(text, { maxLength: 3 }),
      fc.integer({ min: 1, max: 99_999 }),
      (title, body, labels, number) => {
        const made = { ...issue, number, title, body: body.join('\n'), labels, assignees: labels };
        t.strictSame(readIssueFile(writeIssueFile(made)), made);
        t.equal(numberOfFile(issueFileName(number, title)), number);
      },
    ),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (rest) => {
      t.doesNotThrow(() => readIssueFile(`---\n${rest}`));
    }),
    { numRuns: 200 },
  );
});

t.test('concurrent processes get different numbers', async (t) => {
  const directory = t.testdir();
  const numbers = await Promise.all(
    [12, 12].map(async (count) => (await finished(write(directory, count))).numbers),
  );
  const all = numbers.flat().sort((a, b) => a - b);
  t.same(
    all,
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
  t.equal((await listOutboxIssues(directory)).length, 24);
});

t.test('kill -9 at any time leaves no partial issue and loses no acknowledged one', async (t) => {
  const directory = t.testdir();
  const killed = [1, 3, 7].map(async (after) => {
    const child = write(directory, 100_000);
    return finished(child, (count) => {
      if (count === after) child.kill('SIGKILL');
    });
  });
  const acknowledged = (await Promise.all(killed)).flatMap(({ numbers }) => numbers);
  const files = readdirSync(directory).filter((name) => name.endsWith('.md'));
  const issues = await listOutboxIssues(directory);
  t.equal(issues.length, files.length, 'every visible file is a complete issue');
  const torn = issues.filter(
    ({ body }) => !/^x{50000}\n\n---\n.* marker=marker_\d+_\d+\. -->\n$/s.test(body),
  );
  t.same(torn, [], 'every issue is complete');
  const there = new Set(issues.map(({ number }) => number));
  t.same(
    acknowledged.filter((number) => !there.has(number)),
    [],
  );
  t.equal(there.size, issues.length);

  for (const name of readdirSync(directory).filter((each) => each.startsWith('.draft-')))
    utimesSync(join(directory, name), 1, 1);
  writeFileSync(join(directory, '.draft-00000000-0000-0000-0000-000000000000'), 'half');
  utimesSync(join(directory, '.draft-00000000-0000-0000-0000-000000000000'), 1, 1);
  await (await open(directory)).create(asked, signal);
  t.same(
    readdirSync(directory).filter((name) => name.startsWith('.draft-')),
    [],
    'old partial issues are removed',
  );
});

t.test('a folder that is not writable is reported, and nothing is created', async (t) => {
  const directory = t.testdir({ taken: 'a file' });
  const taken = outbox({ directory: join(directory, 'taken'), baseUrl: BASE });
  const parts = await taken.setup(context);
  t.match(await parts.check?.(signal), [{ name: 'outbox', ok: false, detail: /is not writable/ }]);
  await t.rejects(publisherOf(parts).create(asked, signal), {
    code: 'publish_refused',
    message: /approve again/,
  });
  await t.rejects(publisherOf(parts).find('/srv/shop', 'm', '2000-01-01T00:00:00Z', signal), {
    code: 'code_host_unavailable',
  });
  await t.rejects(publisherOf(parts).read('/srv/shop', 1, signal), { code: 'code_host_unavailable' });
  const fine = await outbox({ directory: join(directory, 'new'), baseUrl: BASE }).setup(context);
  t.match(await fine.check?.(signal), [{ name: 'outbox', ok: true }]);

  const aborting = new AbortController();
  const creating = publisherOf(fine).create(asked, aborting.signal);
  aborting.abort();
  await t.rejects(creating, { code: 'publish_ambiguous' });
  t.same(
    readdirSync(join(directory, 'new')).filter((name) => name !== '.claims'),
    [],
    'an abort leaves no file',
  );

  mkdirSync(join(directory, 'claimed', '.claims'), { recursive: true });
  if (process.getuid?.() !== 0) {
    chmodSync(join(directory, 'claimed'), 0o500);
    await t.rejects((await open(join(directory, 'claimed'))).create(asked, signal), {
      code: 'publish_refused',
    });
  }
  t.throws(() => outbox({ directory: '', baseUrl: BASE }), { code: 'configuration' });
  t.throws(() => outbox({ directory, baseUrl: 'ftp://x' }), { code: 'configuration' });
});

t.test('the page shows the issue and executes nothing in it', async (t) => {
  const body = [
    '## What happened',
    '| Suspect | Score |',
    '|:--|--:|',
    '| `abc` | 0.9 |',
    '',
    '```diff',
    '@@ -1 +1 @@',
    '-old <b>',
    '+new',
    ' same',
    '```',
    '<details>',
    '<summary>More</summary>',
    '',
    'Hidden *text* [link](https://example.org/a) [bad](javascript:alert(1)) ![i](https://evil.example/x.png)',
    '',
    '</details>',
    '',
    '<script>alert(1)</script> <img src=x onerror=alert(1)> <details open onclick=x>',
    '<!-- culprit:marker -->',
  ].join('\n');
  const page = renderIssuePage({ ...issue, body, labels: ['culprit', '"><script>'], assignees: ['ada'] });
  for (const part of [
    '<title>TypeError: `x` is &lt;b&gt;undefined&lt;/b&gt; · Issue #7</title>',
    '<link rel="stylesheet" href="issue.css">',
    '<th class="align-right">Score</th>',
    '<pre tabindex="0" class="diff"><code><span class="hunk">@@ -1 +1 @@\n</span><span class="removed">-old &lt;b&gt;\n</span><span class="added">+new\n</span><span class="context"> same\n</span></code></pre>',
    '<details>\n<summary>More</summary>',
    '<a href="https://example.org/a" rel="nofollow noopener noreferrer">link</a>',
    '[bad](javascript:alert(1))',
    '<span class="state open">Open</span>',
    '<time datetime="2026-01-05T10:00:00.000Z">2026-01-05 10:00 UTC</time>',
    '<li class="label culprit">culprit</li>',
    '<li class="assignee">ada</li>',
  ]) {
    t.ok(page.includes(part), part);
  }
  t.same(unsafeParts(page), []);
  t.notOk(page.includes('culprit:marker'), 'comments are not shown');
  t.match(issuePageCss, /prefers-color-scheme: dark/);
});

t.test('property: any text yields only harmless markup, in reasonable time', async (t) => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '`',
    '```',
    '\n',
    '\n\n',
    '<script>',
    '</script>',
    '<details>',
    '</details>',
    '<!--',
    '-->',
    '<style>',
    '<img src=x onerror=1>',
    '<a href="javascript:1">',
    '[x](',
    'javascript:alert(1)',
    'https://e.example',
    ')',
    '![',
    ']',
    '|',
    '|--|',
    'onclick=',
    '<summary',
    '<br>',
    '&lt;',
    '<svg/onload=1>',
    '    ',
    '* ',
    '[a]: javascript:1\n',
    '<![CDATA[',
    '<?x',
    '<details ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      t.same(
        unsafeParts(
          renderIssuePage({
            ...issue,
            title: text,
            body: text,
            labels: [text],
            repository: text,
            created_at: text,
          }),
        ),
        [],
      );
    }),
    { numRuns: 1_000 },
  );
  const long = ['[', '![', '*a_', '<!--', '`', '> ', '|a', '&', '<details>', '- ', '\\', '[a](', '<a '].map(
    (unit) => unit.repeat(Math.floor(65_000 / unit.length)),
  );
  for (const body of long) {
    const from = process.cpuUsage();
    renderIssuePage({ ...issue, body });
    const ms = process.cpuUsage(from).user / 1_000;
    t.ok(ms < 3_000, `${body.slice(0, 9)}… took ${Math.round(ms)} ms`);
  }
});

/** Every tag and attribute of the page that is not on the list. */
function unsafeParts(page: string): readonly string[] {
  const tags =
    /<(?:!doctype html|\/?(?:html|head|body|main|header|article|aside|section|title|h[1-6]|p|span|time|ul|ol|li|div|table|thead|tbody|tr|th|td|pre|code|em|strong|s|blockquote|hr|br|a|details|summary|sub|sup|kbd|meta|link)(?: (?:lang|class|charset|name|content|rel|href|datetime|tabindex|start|title)="[^"<>]*")*)>/g;
  const rest = page.replace(tags, (tag) => (/href="(?!https?:|#|issue\.css")/i.test(tag) ? '<unsafe>' : ''));
  return rest.match(/<.{0,40}/gs) ?? [];
}

function write(directory: string, count: number): ChildProcess {
  const args = [WRITER, directory, String(count)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function finished(
  child: ChildProcess,
  onNumber: (count: number) => void = () => {},
): Promise<{ readonly numbers: readonly number[] }> {
  const numbers: number[] = [];
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) {
      numbers.push(Number(line));
      onNumber(numbers.length);
    }
  }
  await closed;
  return { numbers };
}

t.test('a failed rename is reported', async (t) => {
  const directory = t.testdir();
  mkdirSync(join(directory, issueFileName(1, asked.title), 'in the way'), { recursive: true });
  mkdirSync(join(directory, '.claims'));
  const publisher = await open(directory);
  const created = await publisher.create(asked, signal);
  t.equal(created.number, 2, 'a number whose file name exists is skipped');
  t.ok(existsSync(join(directory, issueFileName(2, asked.title))));
});
