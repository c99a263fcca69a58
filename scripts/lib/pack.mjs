import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { sbom } from './sbom.mjs';

/** In the order in which they are published. */
const PACKAGES = ['client', 'core', 'connectors', 'embed', 'host'];

/** Packs the built packages into the folder `release`, with a bill of materials and checksums. Returns the names of the tarballs. */
export function packAll(version) {
  const out = join(root, 'release');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const bill = `culprit-${version}.cdx.json`;
  writeFileSync(join(out, bill), sbom(root));
  const folders = PACKAGES.map((name) => `./packages/${name}`);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', out, ...folders];
  const tarballs = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const sums = [...tarballs, bill].map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(out, file)))
      .digest('hex');
    return `${digest}  ${file}\n`;
  });
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return tarballs;
}
