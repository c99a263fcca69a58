import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { injectionCases } from '../../core/test/support/injection-corpus.js';
import { hides } from '../../core/test/support/markdown-tree.js';
import { main } from '../src/cli/main.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import { checkDescribed } from './support/described-answers.js';
import { until } from './support/edge-kit.js';
import { type Answers, hostileAnswers, RUN } from './support/hostile-answers.js';
import { BIN } from './support/run-culprit.js';

t.setTimeout(600_000);

/** Commands that print one thing, each with the state of the run. */
const SINGLE = [
  ['staged_draft', `runs show ${RUN}`],
  ['published', `runs show ${RUN}`],
  ['staged_draft', `runs show ${RUN} --diff`],
  ['staged_draft', `runs show ${RUN} --preview`],
  ['staged_draft', `runs approve ${RUN} --digest ${'a'.repeat(12)}`],
  ['staged_draft', `runs claim ${RUN}`],
  ['published', `runs resolve ${RUN}`],
  ['published', `verify ${RUN}`],
  ['staged_draft', 'webhooks show wh_0'],
  ['staged_draft', 'edges show edge-0'],
] as const;

/** Commands that print a list, with one entry for each case. */
const LISTS = [
  'runs list',
  `runs show ${RUN} --history`,
  `runs show ${RUN} --story`,
  `runs occurrences ${RUN}`,
  'token list',
  'token revoke tok_0',
  'sessions --everybody',
  'sourcemaps list',
  'releases list',
  'releases show 1.0.0',
  'webhooks list',
  'webhooks dead wh_0',
  'notifications',
  'edges',
  'quotas',
  'digest',
];

/** A core that answers with these; without an answer, with a problem document whose every text is `problem`. */
async function answeringCore(t: Test) {
  let answers: Answers = () => undefined;
  let problem = 'Nothing is here.';
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const found = answers(request.method ?? '', path);
    asked.add(`${request.method} ${path}`);
    request.resume();
    if (found !== undefined)
      return void response
        .writeHead(200, { 'content-type': 'application/json', etag: '"1"' })
        .end(JSON.stringify(found));
    const body = { type: 'about:blank', status: 404, code: 'not_found', title: problem, detail: problem };
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next: Answers, text = problem) {
      answers = next;
      problem = text;
    },
  };
}

/** What the command writes to a terminal that shows colours. */
async function printed(args: readonly string[]): Promise<string> {
  const streams = [process.stdout, process.stderr];
  const before = streams.map(({ write, isTTY }) => ({ write, isTTY }));
  let out = '';
  for (const stream of streams) {
    stream.isTTY = true;
    stream.write = (chunk: unknown) => {
      out += String(chunk);
      return true;
    };
  }
  try {
    await main(args);
  } finally {
    for (const [n, stream] of streams.entries()) Object.assign(stream, before[n]);
  }
  return out;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the styles of the command line
const STYLE = /\u001b\[\d{1,2}m/g;

/** What text from outside must not change: the lines, the styles and their order. */
function shapeOf(out: string) {
  return { lines: out.split('\n').length, styles: (out.match(STYLE) ?? []).join('') };
}

Object.assign(process.env, { CULPRIT_TOKEN: TOKEN, TERM: 'xterm' });
delete process.env.NO_COLOR;
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

const nothing: Answers = () => undefined;
const run = async (url: string, command: string) => printed([...command.split(' '), '--url', url]);

t.test('one thing: no text from outside hides, styles or forges a line', async (t) => {
  const core = await answeringCore(t);
  const answersTo = async (text: string) => ({
    staged_draft: await hostileAnswers([text], 'staged_draft'),
    published: await hostileAnswers([text], 'published'),
  });
  const harmless = await answersTo('text');
  const shapes = new Map<string, object>();
  for (const [state, command] of SINGLE) {
    core.answer(harmless[state]);
    const out = await run(core.url, command);
    t.match(out, /text/, `${command} shows it`);
    t.notMatch(out, /^culprit:/m, command);
    shapes.set(`${state} ${command}`, shapeOf(out));
  }
  for (const { id, text } of injectionCases()) {
    const answers = await answersTo(text);
    const found: string[] = [];
    for (const [state, command] of SINGLE) {
      core.answer(answers[state]);
      const out = await run(core.url, command);
      if (hides(out.replace(STYLE, ''))) found.push(`${command} hides: ${JSON.stringify(out)}`);
      const same = JSON.stringify(shapeOf(out)) === JSON.stringify(shapes.get(`${state} ${command}`));
      if (!same) found.push(`${command} forges: ${JSON.stringify(out)}`);
    }
    core.answer(nothing, text);
    const refused = await run(core.url, `runs show ${RUN}`);
    if (hides(refused) || shapeOf(refused).lines !== 2) found.push(`an error: ${JSON.stringify(refused)}`);
    t.same(found.slice(0, 3), [], id);
  }
});

t.test('lists: each text is one cell of one row', async (t) => {
  const core = await answeringCore(t);
  const texts = injectionCases().map(({ text }) => text);
  const harmless = await hostileAnswers(
    // More than one project, as with hostile texts, so that lists name it.
    texts.map((_, index) => `text ${index % 2}`),
    'staged_draft',
  );
  const hostile = await hostileAnswers(texts, 'staged_draft');
  for (const command of LISTS) {
    core.answer(harmless);
    const wanted = await run(core.url, command);
    t.match(wanted, /text/, `${command} shows it`);
    core.answer(hostile);
    const out = await run(core.url, command);
    t.same(shapeOf(out), shapeOf(wanted), command);
    t.same(
      out
        .replace(STYLE, '')
        .split('\n')
        .filter((line) => hides(line)),
      [],
      command,
    );
  }
});

t.test('the answers of this test are answers of core', async (t) => {
  const core = await answeringCore(t);
  for (const state of ['staged_draft', 'published'] as const) {
    const answers = await hostileAnswers(['text', 'more'], state);
    core.answer(answers);
    core.asked.clear();
    for (const command of [...SINGLE.map(([, one]) => one), ...LISTS]) await run(core.url, command);
    for (const one of core.asked) {
      const [method = '', path = ''] = one.split(' ');
      const json = answers(method, path);
      const answer = {
        status: 200,
        headers: { 'content-type': 'application/json', etag: '"1"' },
        text: JSON.stringify(json),
        json,
      };
      t.ok(json, one);
      t.doesNotThrow(() => checkDescribed({ method, path, answer }), one);
    }
  }
});

t.test('--json is the same document, without a hidden character', async (t) => {
  const core = await answeringCore(t);
  const answers = await hostileAnswers(
    injectionCases().map(({ text }) => text),
    'staged_draft',
  );
  core.answer(answers);
  for (const [command, path] of [
    ['runs list', '/api/v1/runs'],
    [`runs show ${RUN}`, `/api/v1/runs/${RUN}`],
    ['releases list', '/api/v1/releases'],
    ['sourcemaps list', '/api/v1/source-maps'],
    ['token list', '/api/v1/tokens'],
  ] as const) {
    const out = await run(core.url, `${command} --json`);
    t.notOk(hides(out), command);
    t.has(JSON.parse(JSON.stringify(answers('GET', path))), JSON.parse(out), command);
  }
});

async function linesOf(look: () => readonly string[] | false): Promise<readonly string[]> {
  let found: readonly string[] | false = false;
  await until(() => {
    found = look();
    return found !== false;
  });
  return found || [];
}

t.test('culprit listen and runs list of a real core: one line for each run', async (t) => {
  const { core, engine, close } = await coreBench();
  t.teardown(close);
  const cases = injectionCases();
  const child = spawn(process.execPath, [BIN, 'listen', '--url', core.url], {
    env: { PATH: process.env.PATH, CULPRIT_TOKEN: TOKEN },
  });
  t.teardown(() => child.kill());
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await until(() => out.includes('following changes'));
  for (const [n, { text }] of cases.entries()) {
    const crash = {
      event_id: `c-${n}`,
      message: text,
      fingerprint: [`c-${n}`],
      release: `r-${text.slice(0, 50)}`,
    };
    await engine.ingest({ crash });
  }
  const [head = '', ...lines] = await linesOf(() => {
    const found = out.split('\n').slice(0, -1);
    return found.length > cases.length && found;
  });
  t.match(head, /^-- 0 open runs, following changes/);
  const line = /^\d\d:\d\d:\d\d {2}staged_raw {4}run_[0-9a-z]{26} {2}×1 {2}.{1,80}$/u;
  t.same(
    lines.filter((one) => !line.test(one) || hides(one)),
    [],
  );
  t.equal(lines.length, cases.length);
  const list = await run(core.url, 'runs list --limit 200');
  const row = /^run_[0-9a-z]{26} {2}staged_raw {2}1 +[–\d]+ +\d{4}-\d\d-\d\d \d\d:\d\d {2}.{1,70}$/u;
  const rows = list.replace(STYLE, '').split('\n').slice(1, 201);
  t.same(
    rows.filter((one) => !row.test(one) || hides(one)),
    [],
  );
});
