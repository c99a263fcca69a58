import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { exampleDependencies, runExamples } from './installed/examples.js';
import { checkGuides } from './installed/guides.js';
import { checkKit, checkOwnConnectors } from './installed/kit.js';
import { checkNodes } from './installed/nodes.js';
import { checkScripts, checkSize, checkTarballs, checkTypes, checkVendors } from './installed/packages.js';
import { openSandbox } from './installed/sandbox.js';

t.setTimeout(1_200_000);

/** Everything a user does with the packages, in one installation. */
t.test('packed, installed and used', { timeout: 1_200_000 }, async (t) => {
  // Outside this repository, so that none of its modules is resolved.
  const place = realpathSync(temporaryFolder(t, 'installed'));
  const sandbox = await openSandbox(place, exampleDependencies());
  t.notOk(
    existsSync(join(sandbox.directory, 'node_modules/@culprit/core/src')),
    'tarballs contain no sources',
  );
  await t.test('publint and are-the-types-wrong', (t) => checkTarballs(t, sandbox));
  await t.test('no install scripts', (t) => checkScripts(t, sandbox));
  await t.test('core alone is small', (t) => checkSize(t, sandbox));
  await t.test('types resolve', (t) => checkTypes(t, sandbox));
  await t.test('vendor libraries are loaded on demand', (t) => checkVendors(t, sandbox));
  await t.test('the connector kit', (t) => checkKit(t, sandbox));
  await t.test('connectors by package name', (t) => checkOwnConnectors(t, sandbox));
  await t.test('quick starts from their pages', (t) => checkGuides(t, sandbox, process.execPath));
  await t.test('examples', (t) => runExamples(t, sandbox, process.execPath));
  await t.test('on newer Nodes', (t) => checkNodes(t, sandbox));
});
