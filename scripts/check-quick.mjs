// Types, lint, laws and the fast unit tests: under 40 seconds on two cores.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/root.mjs';
import { bin, TYPES_OF_TESTS, task } from './lib/tasks.mjs';

/** Fifteen seconds by itself; `npm test` runs it. */
const SLOW = ['injection.test.ts'];
const unitTests = readdirSync(join(root, 'packages/core/test'), { recursive: true })
  .filter((name) => name.endsWith('.test.ts') && !SLOW.some((slow) => name.endsWith(slow)))
  .map((name) => join('packages/core/test', name));

const started = performance.now();
const results = [];
const run = async (name, args) => {
  const result = await task(name, args);
  results.push(result);
  return result.ok;
};

await Promise.all([
  run('lint', [bin.biome, 'check', '.', '--colors=off']),
  (async () => {
    if (!(await run('build', ['scripts/build.mjs']))) return;
    await Promise.all([
      (async () => {
        await run('laws', ['scripts/laws.mjs']);
        await run('types of tests', TYPES_OF_TESTS);
      })(),
      run('unit tests of core', [bin.tap, 'run', ...unitTests, '--reporter=terse']),
    ]);
  })(),
]);

const failed = results.filter(({ ok }) => !ok);
console.log(
  `${failed.length === 0 ? 'all good' : `${failed.length} failed`} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
process.exit(failed.length === 0 ? 0 : 1);
