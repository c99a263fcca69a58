import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, removeOrphans } from './orphans.mjs';
import { root } from './root.mjs';
import { TYPES_OF_TESTS, task } from './tasks.mjs';

/**
 * Checks the types of all tests and compiles each `test` folder of the packages to `dist-test` beside it. Relative imports of `src` become
 * imports of `dist`, so that tests run against the files that are published. Run the build first.
 */
export async function compileTests(run = task) {
  const result = await run('compile tests', TYPES_OF_TESTS);
  if (result.ok) for (const folder of testFolders()) finishFolder(folder);
  return result;
}

/** Paths of all test sources below the root, sorted. */
export function testFiles() {
  return testFolders()
    .flatMap((folder) => filesIn(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
}

/** The program that a test source is compiled to. */
export const compiledPath = (path) =>
  path.replace(/^(packages\/[^/]+\/)test\//, '$1dist-test/').replace(/\.ts$/, '.js');

function testFolders() {
  return readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}/test`)
    .filter((folder) => existsSync(join(root, folder)));
}

function finishFolder(folder) {
  const out = join(root, folder.replace(/test$/, 'dist-test'));
  removeOrphans(join(root, folder), out);
  for (const name of filesIn(out)) if (name.endsWith('.js')) redirectImports(join(out, name));
}

function redirectImports(path) {
  const text = readFileSync(path, 'utf8');
  const redirected = text.replace(
    /^((?:import|export) .*from |import )'((?:\.\.\/)+)(src|[\w-]+\/test)\//gm,
    (_, start, up, folder) =>
      `${start}'${up}${folder.replace('src', 'dist').replace('/test', '/dist-test')}/`,
  );
  if (redirected !== text) writeFileSync(path, redirected);
}
