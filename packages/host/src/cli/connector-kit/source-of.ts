import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageVersion } from '../version.js';

/** The folder of this package, `node_modules/@culprit/host` or `packages/host` of a clone. */
const HOST = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * From where a package in `folder` installs one of ours: the tarball from which this installation was made, or the version of a
 * registry. A clone has the tarballs that `npm run pack` makes; `missing` is set until it has run.
 */
export function sourceOf(
  name: string,
  folder: string,
): { readonly source: string; readonly missing: string | null } {
  const above = dirname(dirname(HOST));
  const tarball = basename(dirname(HOST)) === '@culprit' ? installedFrom(name, above) : packed(name, above);
  if (tarball === null) return { source: packageVersion(), missing: null };
  return {
    source: `file:${relative(folder, tarball)}`,
    missing: existsSync(tarball) ? null : tarball,
  };
}

function packed(name: string, clone: string): string {
  return join(clone, 'release', `${name.slice(1).replace('/', '-')}-${packageVersion()}.tgz`);
}

/** npm notes in `node_modules` from where it installed each package. `null`: from a registry, or by another package manager. */
function installedFrom(name: string, modules: string): string | null {
  const file = join(modules, '.package-lock.json');
  if (!existsSync(file)) return null;
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string } | undefined>>;
  };
  const resolved = packages[`node_modules/${name}`]?.resolved ?? '';
  return resolved.startsWith('file:') ? join(dirname(modules), resolved.slice('file:'.length)) : null;
}
