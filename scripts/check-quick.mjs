// Types, lint, laws and the fast unit tests: under 40 seconds on two cores.
import { testFiles } from './lib/compile-tests.mjs';
import { runTests } from './lib/run-tests.mjs';
import { FIXED_SEED } from './lib/seed.mjs';
import { bin, task } from './lib/tasks.mjs';

/** Each takes longer than all others together; `npm test` and `npm run test:full` run them. */
const SLOW = [
  '.full.test.ts',
  'cost.test.ts',
  'injection.test.ts',
  'crash-object.test.ts',
  'normalise.test.ts',
  'sanitise.test.ts',
];
const unitTests = testFiles()
  .filter((file) => file.startsWith('packages/core/test/') && !SLOW.some((slow) => file.endsWith(slow)))
  .map((file) => ({ file, seed: FIXED_SEED }));

const started = performance.now();
const [lint, build] = await Promise.all([
  task('lint', [bin.biome, 'check', '.', '--colors=off']),
  task('build', ['scripts/build.mjs', '--tests']),
]);
let failed = [lint, build].filter(({ ok }) => !ok).length;
if (build.ok) {
  const [laws, tests] = await Promise.all([task('laws', ['scripts/laws.mjs']), runTests(unitTests)]);
  failed += tests.failed + (laws.ok ? 0 : 1);
}
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${failed === 0 ? 'all good' : `${failed} failed`} in ${seconds} s`);
process.exit(failed === 0 ? 0 : 1);
