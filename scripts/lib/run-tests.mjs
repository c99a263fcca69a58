import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Parser } from 'tap-parser';
import { compiledPath } from './compile-tests.mjs';
import { busyProcessors } from './processors.mjs';
import { root } from './root.mjs';

/** Files at a time. Tests wait more than they compute, so one more than there are cores, up to five. */
const JOBS = Math.min(5, availableParallelism() + 1);
/** Another file starts while the processors are less busy than this, measured in turns of so many ms. */
const NOT_BUSY = 0.75;
const TURN_MS = 3_000;
/** A program that hangs is killed. tap's own limit for one test is `TAP_TIMEOUT`, in seconds. */
const KILL_AFTER_MS = 1_500_000;
const TEST_TIMEOUT_SECONDS = '1200';
const PRELOAD_SEED = pathToFileURL(join(root, 'scripts/lib/preload-seed.mjs')).href;

/** Titles of tests that call fast-check begin with this. */
const PROPERTY = '/^property: /';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, needs: string[] }} Counts tests, not assertions
 * @typedef {{ file: string, seed: number, properties?: boolean, full?: boolean }} Program `file` is a source below the root, or a
 *   compiled program by absolute path; `seed` determines its random input; `properties` selects only its properties; with `full` they try more
 */

/**
 * Runs compiled test files and prints one line for each, with its failures. The full output of each is in `.tap/output`.
 * @param {readonly Program[]} programs
 * @returns {Promise<Counts & { times: Map<string, number> }>}
 */
export async function runTests(programs) {
  const totals = { passed: 0, failed: 0, skipped: 0, needs: [], times: new Map() };
  const waiting = [...programs];
  const runOne = async () => {
    const program = waiting.shift();
    if (program === undefined) return;
    const { counts, seconds } = await runFile(program);
    totals.times.set(program.file, (totals.times.get(program.file) ?? 0) + seconds);
    for (const key of ['passed', 'failed', 'skipped']) totals[key] += counts[key];
    totals.needs.push(...counts.needs);
  };
  const worker = async () => {
    while (waiting.length > 0) await runOne();
  };
  const busy = busyProcessors();
  let extra = null;
  const timer = setInterval(() => {
    if (busy() < NOT_BUSY) extra ??= runOne().finally(() => (extra = null));
  }, TURN_MS);
  await Promise.all(Array.from({ length: JOBS }, worker));
  clearInterval(timer);
  await extra;
  return totals;
}

function runFile({ file, seed, properties = false, full = false }) {
  const program = join(file.startsWith('/') ? '' : root, compiledPath(file));
  const preload = hasProperties(file) ? [`--import=${PRELOAD_SEED}`] : [];
  const started = performance.now();
  const child = spawn(process.execPath, ['--enable-source-maps', ...preload, program], {
    cwd: root,
    env: {
      ...process.env,
      TAP_TIMEOUT: TEST_TIMEOUT_SECONDS,
      CULPRIT_TEST_SEED: String(seed),
      ...(properties ? { TAP_GREP: PROPERTY } : {}),
      ...(full ? { CULPRIT_TEST_FULL: '1' } : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: KILL_AFTER_MS,
    killSignal: 'SIGKILL',
  });
  const parser = new Parser();
  const counts = countTests(parser);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (text) => (output[stream] += text));
  }
  child.stdout.pipe(parser);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const seconds = (performance.now() - started) / 1000;
      const ok = code === 0 && parser.ok;
      // Something failed outside of all tests: the file could not be loaded, timed out or crashed.
      if (!ok && counts.failed === 0) counts.failed = 1;
      if (ok && counts.passed + counts.skipped === 0) counts.passed = 1;
      keepOutput(file, output);
      report({ file, seed, ok, seconds, ending: signal ?? code, ...output });
      resolve({ counts, seconds });
    });
  });
}

/** A test without subtests counts once; so does one with subtests that fails by itself. @returns {Counts} */
function countTests(parser) {
  const counts = { passed: 0, failed: 0, skipped: 0, needs: [] };
  const watch = (suite, isFile = false) => {
    let tests = 0;
    let ownFailure = false;
    suite.on('child', (child) => {
      tests += 1;
      watch(child);
    });
    suite.on('assert', ({ ok, skip, todo, closingTestPoint }) => {
      if (skip) {
        tests += 1;
        if (/^filter: /.test(skip)) return;
        counts.skipped += 1;
        if (/^needs\b/.test(skip)) counts.needs.push(skip);
      } else if (!ok && !todo && !closingTestPoint) ownFailure = true;
    });
    suite.on('complete', ({ ok }) => {
      if (tests === 0 && !isFile) counts[ok ? 'passed' : 'failed'] += 1;
      else if (ownFailure) counts.failed += 1;
    });
  };
  watch(parser, true);
  return counts;
}

/** Whether a test source has properties. */
export function hasProperties(file) {
  return file.endsWith('.ts') && /'property: /.test(readFileSync(join(root, file), 'utf8'));
}

function keepOutput(file, { stdout, stderr }) {
  const log = join(root, '.tap/output', file.startsWith('/') ? basename(file) : file);
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(`${log}.tap`, stdout);
  if (stderr !== '') writeFileSync(`${log}.stderr`, stderr);
}

function report({ file, seed, ok, seconds, ending, stdout, stderr }) {
  const name = file.replace(/^packages\//, '').padEnd(52);
  console.log(`${ok ? '✓' : '✗'} ${name} ${seconds.toFixed(1).padStart(6)} s`);
  if (ok) return;
  console.log(
    `    exit ${ending}; full output in .tap/output; repeat with: npm test -- ${file} --seed ${seed}`,
  );
  console.log([...failures(stdout.split('\n')), ...stderr.split('\n').slice(-60)].join('\n'));
}

/** The failed assertions with their diagnostics. */
function failures(lines) {
  const out = [];
  let inside = false;
  for (const line of lines) {
    if (/^\s*not ok /.test(line)) {
      out.push(line);
      inside = true;
    } else if (inside && /^\s*\.\.\.$/.test(line)) inside = false;
    else if (/^\s*ok \d/.test(line)) inside = false;
    else if (inside) out.push(line);
  }
  return out.slice(0, 200);
}
