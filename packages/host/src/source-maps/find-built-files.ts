import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { checkMap } from './thread/read-map.js';

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

const SCRIPT = /\.(?:[cm]?js|bundle|jsbundle)$/i;
const TAIL_BYTES = 64 * 1024;
const MOST_FILES = 50_000;

/** The built files below a folder that name a source map, or have one beside them. Links are not followed. */
export function findBuiltFiles(folder: string): BuiltFiles {
  const files: BuiltFile[] = [];
  const skipped: string[] = [];
  for (const path of scripts(folder)) {
    const name = relative(folder, path).split(sep).join('/');
    const tail = tailOf(path);
    const mapPath = mapOf(path, tail, folder);
    if (mapPath === null) {
      if (/[#@] ?sourceMappingURL=/.test(tail)) skipped.push(`${name}: its source map was not found`);
      continue;
    }
    try {
      const own = /^\/\/# ?debugId=([0-9a-f-]{36})\s*$/im.exec(tail)?.[1]?.toLowerCase() ?? null;
      files.push({ name, mapPath, debug_id: own ?? checkMap(mapPath)?.toLowerCase() ?? null });
      if (own !== null) checkMap(mapPath);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      skipped.push(`${name}: its source map cannot be read. ${error.message}`);
    }
  }
  return { files: files.filter(({ name }) => !skipped.some((one) => one.startsWith(`${name}: `))), skipped };
}

function scripts(folder: string): readonly string[] {
  const found: string[] = [];
  const visit = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (found.length >= MOST_FILES) return;
      const path = join(directory, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') visit(path);
      else if (entry.isFile() && SCRIPT.test(entry.name)) found.push(path);
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

/** The map that a built file names, else `app.js.map`. Only files below the folder. */
function mapOf(path: string, tail: string, folder: string): string | null {
  const named = [...tail.matchAll(/^\/\/[#@] ?sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1] ?? null;
  const candidates = [
    ...(named === null || /^[a-z]+:/i.test(named) ? [] : [resolve(dirname(path), decoded(named))]),
    `${path}.map`,
  ];
  const root = resolve(folder) + sep;
  return candidates.find((one) => resolve(one).startsWith(root) && isFile(one)) ?? null;
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/, ''));
  } catch {
    return url;
  }
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
