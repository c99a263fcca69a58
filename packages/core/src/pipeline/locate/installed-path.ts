import { findInTree } from './find-path.js';
import type { TreeIndex } from './tree-index.js';

/** Installation directories of package managers. The rest is the path inside the package. */
const INSTALLED =
  /^.*(?:\/(?:site|dist)-packages\/|\/(?:vendor_ruby|site_ruby\/\d[\d.]*)\/|\/gems\/[^/]+-[0-9a-f][0-9a-z.]*\/)/s;
const NOT_OWN = /(?:^|\/)(?:tests?|spec|vendor|_vendor|third[_-]?party|examples?|fixtures|node_modules)\//i;

/**
 * The repository's file that was installed as part of a package. The path inside the package, at least two components,
 * must be a suffix of exactly one path of the repository, and that path must not be vendored.
 */
export function findInstalled(reported: string, tree: TreeIndex): string | null {
  const path = reported.replaceAll('\\', '/');
  const inside = path.replace(INSTALLED, '');
  if (inside === path || !inside.includes('/')) return null;
  const found = findInTree(inside, tree, null)?.path ?? null;
  const whole = found !== null && (found === inside || found.endsWith(`/${inside}`));
  return whole && !NOT_OWN.test(found) ? found : null;
}
