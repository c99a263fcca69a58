import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openai } from '@culprit/connectors/openai';
import { DEFAULT_POLICY } from '@culprit/core';
import t from 'tap';
import {
  type CompletionRequest,
  KEY,
  MODEL,
  openaiDouble,
  type Said,
} from '../../connectors/test/support/openai-double.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import { BIN, culprit } from './support/run-culprit.js';

t.setTimeout(300_000);

/** Fixes in the repository: enough for a fit. */
const FIXES = 32;
/** The model is wrong in one of so many. */
const WRONG = 8;

/** A file for each fix: written by one commit, broken by a later one, and fixed by one that names it. */
function fixedRepository(directory: string): string {
  mkdirSync(directory, { recursive: true });
  let minutes = 0;
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8', env: environment(minutes) }).trim();
  const commit = (message: string) => {
    minutes += 10;
    git('add', '-A');
    git('commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  };
  const write = (n: number, price: string) =>
    writeFileSync(join(directory, `part${n}.py`), `def total${n}(items):\n    return ${price}\n`);
  git('init', '-q', '-b', 'main');
  for (let n = 0; n < FIXES; n++) write(n, `sum(items) + ${n}`);
  commit('Write the parts');
  const broken: string[] = [];
  for (let n = 0; n < FIXES; n++) {
    write(n, `sum(items.prices) + ${n}`);
    broken.push(commit(`Prices of part ${n}`));
  }
  for (let n = 0; n < FIXES; n++) {
    write(n, `sum(items or []) + ${n}`);
    commit(`Fix part ${n}\n\nFixes: ${broken[n]}`);
  }
  return directory;
}

function environment(minutes: number): NodeJS.ProcessEnv {
  const date = new Date(Date.UTC(2026, 2, 1) + minutes * 60_000).toISOString();
  const [name, email] = ['Ada', 'ada@example.org'];
  return {
    ...{ PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
}

/** Asks for the history of the crashed file, then for its newest commit, sometimes for its oldest, and names that. */
function investigates({ messages }: CompletionRequest): Said {
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
  const [, path = '', number = '0'] = /((?:src\/price|part(\d+))\.py)/.exec(all(messages)) ?? [];
  const [history, shown] = answers;
  if (history === undefined) return { calls: [['search_history', { path }]] };
  const listed = history.match(/^[0-9a-f]{12}/gm) ?? [];
  const isWrong = Number(number) % WRONG === WRONG - 1;
  const sha = (isWrong ? listed.at(-1) : listed[0]) ?? '';
  if (shown === undefined) return { calls: [['show_commit', { sha, path }]] };
  const quote = /^\+\s*((?:return|currency) .*)$/m.exec(shown)?.[1] ?? '';
  const probability = isWrong ? 0.3 : 0.9;
  const place = { path, line: 2 };
  const finding = { commits: [sha], mechanism: 'A list has no prices.', place, quote };
  return { calls: [['finding', { ...finding, probability, none_probability: 0.05 }]] };
}

function all(messages: CompletionRequest['messages']): string {
  return messages.map(({ content }) => content ?? '').join('\n');
}

const explains = () => '{"insufficient":true,"claims":[]}';

t.test('a model is measured on the fixes of a repository, and core uses the fit', async (t) => {
  const directory = t.testdir();
  const repository = fixedRepository(join(directory, 'shop'));
  const double = await openaiDouble('llamacpp', explains);
  double.says(investigates);
  const model = openai({ url: double.url, model: MODEL, apiKey: KEY });
  const bench = await coreBench({
    codeIn: repository,
    change: (real) => real.flatMap((one) => (one.id === 'template' ? [model, one] : [one])),
    policy: { investigation: { ...DEFAULT_POLICY.investigation, when: 'ask' } },
  });
  t.teardown(async () => {
    await bench.close();
    await double.close();
  });
  const env = { OPENAI_MODEL: MODEL, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: KEY };
  const page = join(directory, 'page.html');
  const flags = ['--repository', repository, '--data', join(directory, 'data')];
  const run = (...more: readonly string[]) =>
    culprit(['backtest', ...flags, ...more], { env: { ...env, CULPRIT_TOKEN: TOKEN } });
  const save = ['--investigate', '--save', '--url', bench.core.url, '--json'];

  const few = await run(...save, '--most', '3');
  t.equal(few.code, 1, few.stderr);
  t.match(JSON.parse(few.stdout).investigated, { findings: 3, missing: 27, fit: null });
  t.match(few.stderr, /nothing is saved/);
  const asked = double.answered.length;

  const measured = await run(...save, '--html', page);
  t.equal(measured.code, 0, measured.stderr);
  t.match(measured.stderr, /investigates 29 cases; 3 are finished[\s\S]*29\/29 .*found, 4 questions/);
  const { investigated } = JSON.parse(measured.stdout);
  t.match(investigated, {
    model: MODEL,
    ranking: { first: { of: FIXES } },
    investigated: { first: { right: FIXES - FIXES / WRONG, of: FIXES } },
    ...{ questions: 4, cost: null, findings: FIXES, missing: 0 },
    fit: { model: MODEL, cases: FIXES },
  });
  const { reliability } = investigated.fit;
  t.equal(
    reliability.reduce((sum: number, { of }: { of: number }) => sum + of, 0),
    FIXES,
  );
  t.match(reliability[0], { right: 0 }, 'findings that state little are wrong');
  t.equal(reliability.at(-1).right, reliability.at(-1).of);
  t.match(readFileSync(page, 'utf8'), /Investigated by double-8b[\s\S]*<title id="reliability">/);

  t.match((await bench.api({ path: '/api/v1/model' })).json.fit, { cases: FIXES, reliability });
  const before = double.answered.length;
  const text = await run('--investigate');
  t.match(text.stdout, /Investigated by double-8b +88 % \(28 of 32\)[\s\S]*Measured on the 32 findings/);
  t.ok(double.answered.length - before < asked, 'finished cases are not investigated again');

  const revision = execFileSync('git', ['rev-parse', 'HEAD~3'], { cwd: repository, encoding: 'utf8' });
  const frame = { filename: 'part30.py', lineno: 2, in_app: true };
  const value = { type: 'AttributeError', value: 'prices', stacktrace: { frames: [frame] } };
  const crash = { platform: 'python', tags: { commit: revision.trim() }, exception: { values: [value] } };
  const { run_id } = await bench.engine.ingest({ crash });
  const ada = { name: 'ada', via: 'api' } as const;
  await bench.engine.approveGateOne(run_id ?? '', ada);
  let later = await bench.engine.startInvestigation(run_id ?? '', ada, {});
  while (later.investigation?.state === 'running') {
    await pause(50);
    later = await bench.engine.run(run_id ?? '');
  }
  t.match(later.investigation, { state: 'used', measured: true });
});

t.test('an interrupted backtest continues', async (t) => {
  const directory = t.testdir();
  const repository = fixedRepository(join(directory, 'shop'));
  const double = await openaiDouble('llamacpp', explains);
  t.teardown(() => double.close());
  double.says(investigates);
  const results = join(directory, 'results.jsonl');
  const args = ['backtest', '--repository', repository, '--investigate', '--results', results, '--most', '8'];
  const env = { OPENAI_MODEL: MODEL, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: KEY };
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
  });
  let told = '';
  child.stderr.on('data', (data: Buffer) => {
    told += data;
    if (told.includes('2/8')) child.kill('SIGINT');
  });
  t.equal(await new Promise((resolve) => child.once('exit', resolve)), 130, told);
  const kept = readFileSync(results, 'utf8').trim().split('\n').length;
  t.ok(kept >= 2 && kept < 8, `${kept} are kept`);
  writeFileSync(results, '\n{"repository":"cut of', { flag: 'a' });

  const again = await culprit([...args, '--json'], { env, cwd: directory });
  t.equal(again.code, 0, again.stderr);
  t.match(again.stderr, `investigates ${8 - kept} cases; ${kept} are finished`);
  t.match(JSON.parse(again.stdout).investigated, { findings: 8, missing: 22 });

  double.fails((response) => response.writeHead(500).end());
  const failed = await culprit([...args.slice(0, -1), '20'], { env, cwd: directory });
  t.equal(failed.code, 1);
  t.match(failed.stderr, /does not answer|cannot investigate/);
});

t.test('what it can cost is said before it starts, and the limit of a day holds', async (t) => {
  const repository = fixedRepository(join(t.testdir(), 'shop'));
  const double = await openaiDouble('llamacpp', explains);
  t.teardown(() => double.close());
  double.says(investigates);
  const model = { OPENAI_MODEL: MODEL, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: KEY };
  const env = {
    ...model,
    INVESTIGATE: 'off',
    INVESTIGATE_PRICE: '1000/2000',
    INVESTIGATE_COST_PER_DAY: '60',
  };
  const run = (...more: readonly string[]) =>
    culprit(['backtest', '--repository', repository, '--investigate', ...more], { env, cwd: repository });
  const asks = await run();
  t.match(asks, { code: 2, stderr: /investigates 32 cases[\s\S]*at most 12800\.00 in all[\s\S]*Pass --yes/ });
  const first = await run('--yes');
  t.match(first, { code: 1, stderr: /, cost 4\.\d\d\n[\s\S]*limit of cost for today was reached/ });
  const [, finished = ''] = /(\d+)\/32 .*\n.*limit/.exec(first.stderr) ?? [];
  t.ok(Number(finished) >= 4, first.stderr);
  t.match(
    await run('--yes'),
    { code: 1, stderr: /limit of cost for today was reached/ },
    'also for the next',
  );
});

t.test('what is refused', async (t) => {
  const repository = fixedRepository(join(t.testdir(), 'shop'));
  const run = (args: readonly string[], env: object = {}) =>
    culprit(['backtest', '--repository', repository, '--cases', '1', ...args], { env, cwd: repository });
  t.match(await run(['--save']), { code: 2, stderr: /--save needs --investigate/ });
  t.match(await run(['.']), { code: 2, stderr: /takes only flags/ });
  t.match(await run(['--investigate']), { code: 1, stderr: /No model is configured/ });
  const env = { OPENAI_MODEL: MODEL, OPENAI_BASE_URL: 'https://models.example/v1' };
  t.match(await run(['--investigate'], env), { code: 2, stderr: /12 questions[\s\S]*Pass --yes/ });
});
