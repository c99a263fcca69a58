/** The files of a revision by their last components, so that a frame costs the same in a tree of any size. */
export interface TreeIndex {
  has(path: string): boolean;
  /**
   * Paths that may agree with this one from the end: in the last two components, or, where either has only one, in
   * that.
   */
  like(path: string): readonly string[];
  /** Last components that were asked for: all that locating has ever seen of the tree. */
  readonly consulted: ReadonlySet<string>;
}

export function indexTree(paths: readonly string[]): TreeIndex {
  const consulted = new Set<string>();
  /** Made when they are asked for: most of a tree never is. */
  let shapes: ReadonlyMap<number, readonly string[]> | null = null;
  const byName = new Map<string, readonly string[]>();
  const byTwo = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const named = (name: string): readonly string[] => {
    const known = byName.get(name);
    if (known) return known;
    shapes ??= grouped(paths, shapeOf);
    const found = (shapes.get(shapeOf(name)) ?? []).filter((path) => basename(path) === name);
    byName.set(name, found);
    return found;
  };
  const nearBy = (name: string): ReadonlyMap<string, readonly string[]> => {
    const known = byTwo.get(name) ?? grouped(named(name), lastTwo);
    byTwo.set(name, known);
    return known;
  };
  const holds = (path: string): boolean => nearBy(basename(path)).get(lastTwo(path))?.includes(path) ?? false;
  return {
    has: (path) => {
      consulted.add(basename(path));
      return holds(path);
    },
    like: (path) => {
      const name = basename(path);
      consulted.add(name);
      if (name === path) return named(name);
      const near = nearBy(name).get(lastTwo(path)) ?? [];
      return holds(name) ? [...near, name] : near;
    },
    consulted,
  };
}

function grouped<Key>(paths: readonly string[], key: (path: string) => Key): Map<Key, string[]> {
  const groups = new Map<Key, string[]>();
  for (const path of paths) push(groups, key(path), path);
  return groups;
}

/** Length and first letters of the last component: few enough to sort a large tree by them at next to no cost. */
function shapeOf(path: string): number {
  const at = path.lastIndexOf('/') + 1;
  return (
    (path.length - at) * 65_536 + (path.charCodeAt(at) % 256) * 256 + (path.charCodeAt(at + 1) % 256 || 0)
  );
}

function push<Key>(map: Map<Key, string[]>, key: Key, path: string): void {
  const same = map.get(key);
  if (same) same.push(path);
  else map.set(key, [path]);
}

/** `src/cart.js` of `lib/src/cart.js`. */
function lastTwo(path: string): string {
  const last = path.lastIndexOf('/');
  return last <= 0 ? path : path.slice(path.lastIndexOf('/', last - 1) + 1);
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function topDirectory(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}
