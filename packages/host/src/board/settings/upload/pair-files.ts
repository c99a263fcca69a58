import type { MappedScript } from '../../../source-maps/archive-plan.js';
import {
  isScript,
  isSkippedFolder,
  MOST_FILES,
  NOT_FOUND,
  notReadable,
  readScript,
  TAIL_BYTES,
} from '../../../source-maps/built-script.js';
import { SOURCE_MAP_LIMITS } from '../../../source-maps/limits.js';
import { bytes } from '../../format.js';
import type { PickedFile } from './picked-files.js';

/** The built files with their source maps, and what is left out. */
export interface PairedFiles {
  readonly scripts: readonly MappedScript[];
  /** The chosen maps, by the name that the scripts give. */
  readonly maps: ReadonlyMap<string, File>;
  /** Built files that are left out. */
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
  /** Files that are neither sent nor named: no built JavaScript, or no sign of a source map. */
  readonly others: number;
}

/** Pairs built files with source maps by the rules of `culprit sourcemaps upload`. */
export async function pairFiles(picked: readonly PickedFile[]): Promise<PairedFiles> {
  const files = new Map(picked.filter(({ name }) => !isForeign(name)).map((one) => [one.name, one.file]));
  const names = [...files.keys()].filter(isScript).sort().slice(0, MOST_FILES);
  const scripts: MappedScript[] = [];
  const skipped: { readonly name: string; readonly why: string }[] = [];
  const maps = new Map<string, File>();
  for (const name of names) {
    const file = files.get(name);
    if (file === undefined) continue;
    const tail = await file.slice(Math.max(0, file.size - TAIL_BYTES)).text();
    const facts = readScript(name, tail);
    const map = facts.maps.find((one) => files.has(one));
    const found = map === undefined ? undefined : files.get(map);
    if (map === undefined || found === undefined) {
      if (facts.names_map) skipped.push({ name, why: NOT_FOUND });
      continue;
    }
    try {
      const ofMap = await debugIdOf(found);
      scripts.push({ name, map, debug_id: facts.debug_id ?? ofMap });
      maps.set(map, found);
    } catch (error) {
      skipped.push({ name, why: notReadable(error instanceof Error ? error.message : String(error)) });
    }
  }
  return { scripts, maps, skipped, others: picked.length - scripts.length - maps.size - skipped.length };
}

function isForeign(name: string): boolean {
  return name.split('/').slice(0, -1).some(isSkippedFolder);
}

/** The debug id of a source map, if it has one. Rejects if the file is not one. */
async function debugIdOf(file: File): Promise<string | null> {
  const most = SOURCE_MAP_LIMITS.mapBytes;
  if (file.size > most) throw new Error(`It is larger than ${bytes(most)}.`);
  // After a line such as `)]}'` that keeps the file from being run as a script.
  const text = (await file.text()).replace(/^\)\]\}[^\n]*\n/, '');
  const map: unknown = parsed(text);
  if (typeof map !== 'object' || map === null) throw new Error('The file is not a JSON object.');
  if (!('mappings' in map) && !('sections' in map)) throw new Error('The file has no mappings.');
  const id: unknown = Reflect.get(map, 'debugId') ?? Reflect.get(map, 'debug_id');
  return typeof id === 'string' ? id.toLowerCase() : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
