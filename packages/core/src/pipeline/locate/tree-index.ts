/** The files of a revision, indexed by file name, so a lookup costs the same in a tree of any size. */
export interface TreeIndex {
  has(path: string): boolean;
  /** Paths that share the last two components with this one, or the only one if either has one. */
  like(path: string): readonly string[];
  /** File names that were looked up. */
  readonly consulted: ReadonlySet<string>;
}

export function indexTree(paths: readonly string[]): TreeIndex {
  const consulted = new Set<string>();
  /** Built on the first lookup. */
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
  const contains = (path: string): boolean =>
    nearBy(basename(path)).get(lastTwo(path))?.includes(path) ?? false;
  return {
    has: (path) => {
      consulted.add(basename(path));
      return contains(path);
    },
    like: (path) => {
      const name = basename(path);
      consulted.add(name);
      if (name === path) return named(name);
      const near = nearBy(name).get(lastTwo(path)) ?? [];
      return contains(name) ? [...near, name] : near;
    },
    consulted,
  };
}

function grouped<Key>(paths: readonly string[], key: (path: string) => Key): Map<Key, string[]> {
  const groups = new Map<Key, string[]>();
  for (const path of paths) push(groups, key(path), path);
  return groups;
}

/** Length and first two characters of the file name: a cheap key that groups a large tree. */
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
