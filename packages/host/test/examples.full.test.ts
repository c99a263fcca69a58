import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { exampleDependencies, runExamples } from './stranger/examples.js';
import { checkGuides } from './stranger/guides.js';
import { checkKit, checkOwnConnectors } from './stranger/kit.js';
import { checkNodes } from './stranger/nodes.js';
import { checkScripts, checkSize, checkTarballs, checkTypes, checkVendors } from './stranger/packages.js';
import { openShop } from './stranger/shop.js';

t.setTimeout(1_200_000);

/** Everything that a stranger does with our tarballs, in one installation. */
t.test('as a stranger would', { timeout: 1_200_000 }, async (t) => {
  // Outside of this repository: nothing of it may be found by walking up.
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-stranger-')));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
  const shop = await openShop(place, exampleDependencies());
  t.notOk(existsSync(join(shop.directory, 'node_modules/@culprit/core/src')), 'tarballs hold no sources');
  await t.test('publint and are-the-types-wrong', (t) => checkTarballs(t, shop));
  await t.test('no install scripts', (t) => checkScripts(t, shop));
  await t.test('core alone is small', (t) => checkSize(t, shop));
  await t.test('types resolve', (t) => checkTypes(t, shop));
  await t.test('vendors’ libraries are loaded when they are needed', (t) => checkVendors(t, shop));
  await t.test('the connector kit', (t) => checkKit(t, shop));
  await t.test('connectors by package name', (t) => checkOwnConnectors(t, shop));
  await t.test('quick starts from their pages', (t) => checkGuides(t, shop, process.execPath));
  await t.test('examples', (t) => runExamples(t, shop, process.execPath));
  await t.test('on newer Nodes', (t) => checkNodes(t, shop));
});
