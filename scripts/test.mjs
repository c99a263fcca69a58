// Runs the tests: see docs/testing.md. The last line is `N passed, N failed, N skipped`.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compileTests, testFiles } from './lib/compile-tests.mjs';
import { LONGEST } from './lib/longest-tests.mjs';
import { busyProcessors } from './lib/processors.mjs';
import { hasProperties, runTests } from './lib/run-tests.mjs';
import { FIXED_SEED } from './lib/seed.mjs';
import { bin, task } from './lib/tasks.mjs';
import { provideLibraries, provideNodes, provideTools } from './lib/tools.mjs';

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    seed: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const seed = Number(options.seed ?? (options.full ? Math.floor(Math.random() * 2 ** 31) : FIXED_SEED));
/** How often the full run repeats each property, each time with a new seed. */
const PROPERTY_ROUNDS = Number(options.rounds ?? (options.seed === undefined ? 3 : 1));
const started = performance.now();
const busy = busyProcessors();

const missing = provideTools();
provideNodes();
if (options.full || paths.length > 0) provideLibraries();
if (missing.length > 0)
  console.log(`Not installed: ${missing.join(', ')}. Tests that need them are skipped.`);

const gone = LONGEST.filter((file) => !testFiles().includes(file));
if (gone.length > 0) {
  console.error(`scripts/lib/longest-tests.mjs names files that do not exist: ${gone.join(', ')}`);
  process.exit(2);
}
const programs = selectPrograms();
const steps = await prepare();
const failedSteps = steps.filter(({ ok }) => !ok).length;
if (failedSteps > 0)
  finish({ passed: steps.length - failedSteps, failed: failedSteps, skipped: 0, needs: [] });
const totals = await runTests(programs);
printSlowest(totals.times);
finish({ ...totals, passed: totals.passed + steps.length });

function selectPrograms() {
  const given = paths.filter((path) => /\.m?js$/.test(path) && existsSync(path));
  const sources = testFiles().filter(
    (file) => paths.length === 0 || paths.some((path) => file.startsWith(path)),
  );
  const programs = sources.flatMap((file) => {
    if (isFull(file)) return options.full || paths.includes(file) ? { file, seed, full: true } : [];
    if (!options.full) return { file, seed };
    return hasProperties(file) ? rounds(file) : [];
  });
  programs.push(...given.map((path) => ({ file: resolve(path), seed })));
  programs.sort((a, b) => rank(a.file) - rank(b.file));
  if (programs.length > 0) return programs;
  console.error(`No tests match ${paths.join(' ')}.`);
  process.exit(2);
}

/** The order of the files: full tests, then those of `npm test`; of each the longest first, then the others. */
function rank(file) {
  const at = LONGEST.indexOf(file);
  return (isFull(file) ? 0 : LONGEST.length + 1) + (at === -1 ? LONGEST.length : at);
}

function rounds(file) {
  return Array.from({ length: PROPERTY_ROUNDS }, (_, round) => ({
    file,
    seed: seed + round,
    properties: true,
    full: true,
  }));
}

function isFull(file) {
  return file.endsWith('.full.test.ts');
}

function printSlowest(times) {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, options.full ? 20 : 5);
  console.log('\nslowest files:');
  for (const [file, seconds] of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

async function prepare() {
  if (options['no-build']) {
    const compiled = programs.some(({ file }) => file.endsWith('.ts')) ? [await compileTests()] : [];
    return compiled.filter(({ ok }) => !ok);
  }
  const build = await task('build', ['scripts/build.mjs']);
  if (!build.ok) return [build];
  const compiled = await compileTests();
  if (paths.length > 0 || options.full) return [build, compiled];
  const checks = [
    task('lint', [bin.biome, 'check', '.', '--colors=off']),
    task('laws', ['scripts/laws.mjs']),
  ];
  return [build, compiled, ...(await Promise.all(checks))];
}

function finish({ passed, failed, skipped, needs }) {
  const strict = process.env.CI === 'true';
  for (const reason of new Set(needs)) {
    console.log(`skipped${strict ? ', a failure under CI=true' : ''}: ${reason}`);
  }
  if (strict) [failed, skipped] = [failed + needs.length, skipped - needs.length];
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`\n${seconds} s in all, processors ${(100 * busy()).toFixed(0)} % busy`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed === 0 ? 0 : 1);
}
