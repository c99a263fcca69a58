import type { CodeMapping, LocatedFrame } from '../../domain/code-mapping.js';
import { type TreeIndex, topDirectory } from './tree-index.js';

export interface FoundPath {
  readonly path: string;
  readonly how: LocatedFrame['how'];
}

const UNLIKELY =
  /(?:^|\/)(?:tests?|__tests__|spec|vendor|third[_-]?party|examples?|fixtures|node_modules)\//i;

/** Applies the project's mappings, longest stack root first, absolute paths before relative ones. */
export function findByMapping(
  reported: readonly string[],
  mappings: readonly CodeMapping[],
  tree: TreeIndex,
): FoundPath | null {
  const ordered = [...mappings].sort((a, b) => b.stack_root.length - a.stack_root.length);
  for (const mapping of ordered) {
    const root = mapping.stack_root.replaceAll('\\', '/');
    for (const path of reported.map((name) => name.replaceAll('\\', '/'))) {
      if (!startsWithRoot(path, root)) continue;
      const rest = path
        .slice(root.length)
        .replace(/^\/+/, '')
        .replace(/[?#].*$/s, '');
      const source = mapping.source_root.replace(/^\/+/, '');
      const joined =
        source === '' || source.endsWith('/') || rest === '' ? source + rest : `${source}/${rest}`;
      const mapped = joined.replace(/^(?:\.\/)+/, '');
      if (tree.has(mapped)) return { path: mapped, how: 'mapping' };
    }
  }
  return null;
}

function startsWithRoot(path: string, root: string): boolean {
  if (!path.startsWith(root)) return false;
  return root === '' || root.endsWith('/') || path.length === root.length || path[root.length] === '/';
}

/**
 * The file that a path refers to: the path itself, or the file that shares the most trailing components with it, at least
 * two or all components of one of them. Ties are broken by `near` (top directories of frames already located; `null` turns
 * tie-breaking off), then against tests, examples and vendored code. `null` if a tie remains.
 */
export function findInTree(
  guess: string,
  tree: TreeIndex,
  near: ReadonlySet<string> | null,
): FoundPath | null {
  if (tree.has(guess)) return { path: guess, how: 'exact' };
  let best: string[] = [];
  let longest = 0;
  for (const path of tree.like(guess)) {
    const equal = equalComponents(path, guess);
    const whole = equal === countComponents(path) || equal === countComponents(guess);
    if ((equal < 2 && !whole) || equal < longest) continue;
    if (equal > longest) best = [];
    longest = equal;
    best.push(path);
  }
  const path = onlyOne(best, near);
  return path === null ? null : { path, how: 'suffix' };
}

function onlyOne(paths: readonly string[], near: ReadonlySet<string> | null): string | null {
  if (near === null || paths.length < 2) return paths.length === 1 ? (paths[0] ?? null) : null;
  let left = paths;
  const rules = [(path: string) => near.has(topDirectory(path)), (path: string) => !UNLIKELY.test(path)];
  for (const rule of rules) {
    if (left.length < 2) break;
    const matching = left.filter(rule);
    if (matching.length > 0) left = matching;
  }
  return left.length === 1 ? (left[0] ?? null) : null;
}

function equalComponents(a: string, b: string): number {
  let equal = 0;
  let i = a.length;
  let j = b.length;
  while (i > 0 && j > 0) {
    const nextI = a.lastIndexOf('/', i - 1);
    const nextJ = b.lastIndexOf('/', j - 1);
    if (a.slice(nextI + 1, i) !== b.slice(nextJ + 1, j)) break;
    equal++;
    i = nextI;
    j = nextJ;
  }
  return equal;
}

function countComponents(path: string): number {
  let count = 1;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count++;
  return count;
}
