import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import {
  isScript,
  isSkippedFolder,
  MOST_FILES,
  NOT_FOUND,
  notReadable,
  readScript,
  TAIL_BYTES,
} from './built-script.js';
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
      if (found.length >= MOST_FILES) return;
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

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
