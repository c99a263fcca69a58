// The whole suite. The last line is `N passed, N failed, N skipped`; the exit code says the same.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printBudget } from './lib/budget.mjs';
import { runTap } from './lib/tap-stream.mjs';
import { bin, TYPES_OF_TESTS, task } from './lib/tasks.mjs';
import { provideNodes, provideTools } from './lib/tools.mjs';

// --no-build: for the test of this very script, which runs while everything is built.
const build = !process.argv.includes('--no-build');
const only = process.argv.slice(2).filter((argument) => argument !== '--no-build');
const started = performance.now();
const missing = provideTools();
provideNodes();
if (missing.length > 0) console.log(`not here: ${missing.join(', ')}; the tests that need them are skipped`);

const steps = build ? [await task('build', ['scripts/build.mjs'])] : [];
if (steps.some(({ ok }) => !ok)) finish({ pass: 0, fail: 1, skip: 0, needs: [] });
if (only.length === 0) {
  steps.push(
    ...(await Promise.all([
      task('lint', [bin.biome, 'check', '.', '--colors=off']),
      task('laws', ['scripts/laws.mjs']),
      task('types of tests', TYPES_OF_TESTS),
    ])),
  );
}
const stepSeconds = (performance.now() - started) / 1000;
const totals = await runTap(only, join(mkdtempSync(join(tmpdir(), 'culprit-test-')), 'all.tap'));
printBudget(totals.times, stepSeconds);
totals.pass += steps.filter(({ ok }) => ok).length;
totals.fail += steps.filter(({ ok }) => !ok).length;
finish(totals);

function finish({ pass, fail, skip, needs }) {
  const strict = process.env.CI === 'true';
  for (const reason of new Set(needs))
    console.log(`skipped${strict ? ', a failure under CI=true' : ''}: ${reason}`);
  const failed = strict ? fail + needs.length : fail;
  const skipped = strict ? skip - needs.length : skip;
  console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all`);
  console.log(`${pass} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed === 0 ? 0 : 1);
}
