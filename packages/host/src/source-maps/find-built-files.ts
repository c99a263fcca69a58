import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { checkMap } from './thread/read-map.js';

/** A built file names its source map and its debug id near its end: this many bytes are read. */
const TAIL_BYTES = 64 * 1024;
/** Built files that are looked at, at most. */
const MAX_FILES = 50_000;

const SCRIPT = /\.(?:[cm]?js|bundle|jsbundle)$/i;
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git']);

/** A built file with its source map, ready to be uploaded. */
export interface BuiltFile {
  /** The path of the built file below the folder, with `/`. */
  readonly name: string;
  readonly mapPath: string;
  readonly debug_id: string | null;
}
export interface BuiltFiles {
  readonly files: readonly BuiltFile[];
  /** Built files without a map, and maps that cannot be read, each with the reason. */
  readonly skipped: readonly string[];
}

/** What a built file says about its source map. */
interface BuiltScript {
  /** Where the map may be, below the folder and with `/`: what the file names, else a map beside it. */
  readonly maps: readonly string[];
  /** The file names a map, which may be missing. */
  readonly names_map: boolean;
  readonly debug_id: string | null;
}

/** Why a built file is left out; the sentence starts with its name. */
const NOT_FOUND = 'its source map was not found';
const notReadable = (why: string) => `its source map cannot be read. ${why}`;

/** What stands before the files' paths in crashes, by default. */
export const DEFAULT_PREFIX = '~/';

/** A URL prefix with its slash; `null` if it is none. */
export function checkedPrefix(given: string): string | null {
  if (!/^(?:~\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(given)) return null;
  return given.endsWith('/') ? given : `${given}/`;
}

/** The built files below a folder that name a source map, or have one beside them. Links are not followed. */
export function findBuiltFiles(folder: string): BuiltFiles {
  const files: BuiltFile[] = [];
  const skipped: string[] = [];
  for (const path of scripts(folder)) {
    const name = relative(folder, path).split(sep).join('/');
    const { maps, names_map, debug_id } = readScript(name, tailOf(path));
    const mapPath = maps.map((map) => join(folder, map)).find(isFile);
    if (mapPath === undefined) {
      if (names_map) skipped.push(`${name}: ${NOT_FOUND}`);
      continue;
    }
    try {
      const ofMap = checkMap(mapPath)?.toLowerCase() ?? null;
      files.push({ name, mapPath, debug_id: debug_id ?? ofMap });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      skipped.push(`${name}: ${notReadable(error.message)}`);
    }
  }
  return { files, skipped };
}

function scripts(folder: string): readonly string[] {
  const found: string[] = [];
  const visit = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (found.length >= MAX_FILES) return;
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !isSkippedFolder(entry.name)) visit(path);
      else if (entry.isFile() && isScript(entry.name)) found.push(path);
    }
  };
  visit(folder);
  return found.sort();
}

function tailOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } finally {
    closeSync(fd);
  }
}

function isScript(name: string): boolean {
  return SCRIPT.test(name);
}

/** Folders of other programs. */
function isSkippedFolder(name: string): boolean {
  return SKIPPED_FOLDERS.has(name);
}

/** `name`: the path of the file below the folder, with `/`. `tail`: the last {@link TAIL_BYTES} of its text. */
function readScript(name: string, tail: string): BuiltScript {
  const named = [...tail.matchAll(/^\/\/[#@] ?sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1] ?? null;
  const own = named === null || /^[a-z]+:/i.test(named) ? null : beside(name, decoded(named));
  const maps = [...(own === null ? [] : [own]), `${name}.map`];
  return {
    maps: [...new Set(maps)],
    names_map: /[#@] ?sourceMappingURL=/.test(tail),
    debug_id: /^\/\/# ?debugId=([0-9a-f-]{36})\s*$/im.exec(tail)?.[1]?.toLowerCase() ?? null,
  };
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

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
