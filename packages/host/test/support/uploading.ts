import { silentLogger } from '@culprit/core';
import { openSourceMaps } from '../../src/source-maps/store.js';
import { bundle, ended, MAP, send, sha1 } from './source-maps-kit.js';

/** Uploads one bundle after the other into the folder of its argument, and prints a line at each step, until it is killed. */
const [directory = '', round = ''] = process.argv.slice(2);
const store = openSourceMaps({
  directory,
  quotaBytes: 1024 * 1024 * 1024,
  keepMs: 90 * 86_400_000,
  logger: silentLogger,
});
const step = (what: string) => process.stdout.write(`${what}\n`);
for (let n = 0; ; n++) {
  const map = JSON.stringify({ ...JSON.parse(MAP), pad: `${round}-${n}`.repeat(20_000) });
  const bytes = bundle({ 'a.js': map, 'b.js': map.replace('cart', 'b') }, { id: null });
  step('built');
  const chunks = await send(store, bytes, 2_000);
  step('sent');
  await ended(store, {
    checksum: sha1(bytes),
    chunks,
    projects: ['default', 'web'],
    release: `${round}-${n}`,
    dist: null,
  });
  step('stored');
}
