import type { Blame } from '../../ports/code-host.js';

/** Notes which lines of blamed files are read, so that evidence keeps no other. */
export interface LineWatch {
  /** The same blame; reading its lines is noted. */
  watched(blame: Blame): Blame;
  /** With an empty line for each that nobody read, so that line numbers still count. */
  used(blame: Blame): Blame;
}

export function createLineWatch(): LineWatch {
  const read = new WeakMap<readonly string[], Set<string>>();
  const watch = (lines: readonly string[]): readonly string[] => {
    const seen = read.get(lines) ?? new Set();
    read.set(lines, seen);
    return new Proxy(lines, {
      get(target, key) {
        if (typeof key === 'string') seen.add(key);
        return Reflect.get(target, key);
      },
    });
  };
  const kept = (lines: readonly string[]): readonly string[] => {
    const used = new Array<string>(lines.length).fill('');
    for (const key of read.get(lines) ?? []) {
      const index = Number(key);
      const line = lines[index];
      // What else was read of the list, such as its length, is no line.
      if (line !== undefined) used[index] = line;
    }
    return used;
  };
  const each = (blame: Blame, change: (lines: readonly string[]) => readonly string[]): Blame => ({
    ...blame,
    files: blame.files.map((file) => ({ ...file, lines: file.lines && change(file.lines) })),
  });
  return { watched: (blame) => each(blame, watch), used: (blame) => each(blame, kept) };
}
