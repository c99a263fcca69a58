import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of all files below a folder, relative to it. */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

/**
 * Removes what the compiler made of sources that are gone: the compiler leaves it, and imports of it would still work.
 * `kept`: a folder in `out` that another program fills.
 */
export function removeOrphans(source, out, kept = null) {
  for (const name of filesIn(out)) {
    if (kept !== null && name.startsWith(`${kept}/`)) continue;
    if (!existsSync(join(source, name.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts')))) rmSync(join(out, name));
  }
}
