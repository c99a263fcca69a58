// Types, lint, laws and the fast unit tests: under 40 seconds on two cores.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compileUnitTests } from './lib/compiled-tests.mjs';
import { root } from './lib/root.mjs';
import { bin, TYPES_OF_TESTS, task } from './lib/tasks.mjs';

/** Fifteen seconds by itself; `npm test` runs it. */
const SLOW = ['injection.test.ts'];
const unitTests = readdirSync(join(root, 'packages/core/test'), { recursive: true })
  .filter((name) => name.endsWith('.test.ts') && !SLOW.some((slow) => name.endsWith(slow)))
  .sort();

const started = performance.now();
const results = [];
const run = async (name, args) => {
  const result = await task(name, args);
  results.push(result);
  return result.ok;
};
/** What waits for one of two workers, the longest first. */
const waiting = [
  () => run('laws', ['scripts/laws.mjs']),
  ...unitTests.map((name) => () => run(`core ${name}`, [compiled(name)])),
  () => run('types of tests', TYPES_OF_TESTS),
];
const compiled = (name) => join('.tap/quick/packages/core/test', name.replace(/\.ts$/, '.js'));
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await next();
};

const [, built] = await Promise.all([
  run('lint', [bin.biome, 'check', '.', '--colors=off']),
  (async () => (await run('build', ['scripts/build.mjs'])) && compileUnitTests(run))(),
]);
if (built) await Promise.all([worker(), worker()]);

const failed = results.filter(({ ok }) => !ok);
console.log(
  `${failed.length === 0 ? 'all good' : `${failed.length} failed`} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
process.exit(failed.length === 0 ? 0 : 1);
