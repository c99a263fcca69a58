import type { Frame } from '../../domain/event.js';
import { cleanPath } from './clean-path.js';
import { findInTree } from './find-path.js';
import { basename, type TreeIndex } from './tree-index.js';

const BUILT = /(^|\/)(?:dist|build|lib|out)\//;
const TYPESCRIPT: ReadonlyMap<string, readonly string[]> = new Map([
  ['js', ['ts', 'tsx', 'jsx']],
  ['jsx', ['tsx']],
  ['mjs', ['mts', 'ts']],
  ['cjs', ['cts', 'ts']],
]);
const JVM = new Set(['java', 'kotlin', 'scala', 'groovy', 'clojure']);

/** Distinct paths that a frame may refer to, most likely first. */
export function pathGuesses(frame: Frame, platform: string): readonly string[] {
  const reported = [frame.file, frame.abs_path].flatMap((path) =>
    path === null ? [] : (cleanPath(path) ?? []),
  );
  const kind = (frame.platform ?? platform).toLowerCase();
  const packaged = jvmPath(frame, kind);
  if (packaged.length > 0) return packaged;
  const guesses = [...reported];
  for (const path of reported) guesses.push(...sourcesOf(path));
  if (kind === 'python' && frame.module !== null && /^[\w.]{1,400}$/.test(frame.module)) {
    const path = frame.module.replaceAll('.', '/');
    guesses.push(`${path}.py`, `${path}/__init__.py`);
  }
  if (kind === 'go') {
    for (const path of reported) guesses.push(path.replace(/@v\d[^/]*\//, '/'));
  }
  return [...new Set(guesses)];
}

/** The likely sources of a built file: `dist/a.js` → `src/a.ts`. */
function sourcesOf(path: string): readonly string[] {
  const roots = BUILT.test(path) ? [path, path.replace(BUILT, '$1src/'), path.replace(BUILT, '$1')] : [path];
  const extension = path.slice(path.lastIndexOf('.') + 1);
  const stem = (root: string) => root.slice(0, root.length - extension.length);
  return roots.flatMap((root) => [
    root,
    ...(TYPESCRIPT.get(extension) ?? []).map((other) => `${stem(root)}${other}`),
  ]);
}

/**
 * The package as a directory, then the file name, without the class. The bare file name is not a guess, because another
 * package may have a file of that name.
 */
function jvmPath(frame: Frame, kind: string): readonly string[] {
  if (!JVM.has(kind) || frame.module === null || frame.file === null) return [];
  const module = frame.module.split('$')[0] ?? '';
  const name = cleanPath(frame.file);
  if (name === null || !/^[\p{L}\p{N}_.]{1,400}$/u.test(module)) return [];
  const lastDot = module.lastIndexOf('.');
  return lastDot < 0 ? [] : [`${module.slice(0, lastDot).replaceAll('.', '/')}/${basename(name)}`];
}

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
