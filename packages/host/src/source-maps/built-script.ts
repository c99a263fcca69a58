// Without Node's APIs: the board's page reads built files by the same rules.

/** A built file names its source map and its debug id near its end: this many bytes are read. */
export const TAIL_BYTES = 64 * 1024;
/** Built files that are looked at, at most. */
export const MOST_FILES = 50_000;

const SCRIPT = /\.(?:[cm]?js|bundle|jsbundle)$/i;
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git']);

/** What a built file says about its source map. */
export interface BuiltScript {
  /** Where the map may be, below the folder and with `/`: what the file names, else a map beside it. */
  readonly maps: readonly string[];
  /** The file names a map, which may be missing. */
  readonly names_map: boolean;
  readonly debug_id: string | null;
}

export function isScript(name: string): boolean {
  return SCRIPT.test(name);
}

/** Folders of other programs. */
export function isSkippedFolder(name: string): boolean {
  return SKIPPED_FOLDERS.has(name);
}

/** `name`: the path of the file below the folder, with `/`. `tail`: the last {@link TAIL_BYTES} of its text. */
export function readScript(name: string, tail: string): BuiltScript {
  const named = [...tail.matchAll(/^\/\/[#@] ?sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1] ?? null;
  const own = named === null || /^[a-z]+:/i.test(named) ? null : beside(name, decoded(named));
  const maps = [...(own === null ? [] : [own]), `${name}.map`];
  return {
    maps: [...new Set(maps)],
    names_map: /[#@] ?sourceMappingURL=/.test(tail),
    debug_id: /^\/\/# ?debugId=([0-9a-f-]{36})\s*$/im.exec(tail)?.[1]?.toLowerCase() ?? null,
  };
}

/** Why a built file is left out; the sentence starts with its name. */
export const NOT_FOUND = 'its source map was not found';
export const notReadable = (why: string) => `its source map cannot be read. ${why}`;

/** What stands before the files' paths in crashes, by default. */
export const DEFAULT_PREFIX = '~/';

/** A URL prefix with its slash; `null` if it is none. */
export function checkedPrefix(given: string): string | null {
  if (!/^(?:~\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(given)) return null;
  return given.endsWith('/') ? given : `${given}/`;
}

/** A path relative to a file; `null` if it leaves the folder. */
function beside(name: string, path: string): string | null {
  if (path.startsWith('/')) return null;
  const parts = name.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('/');
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/, ''));
  } catch {
    return url;
  }
}
