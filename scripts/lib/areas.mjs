import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './root.mjs';

/** Runs `<folder>/<area>.mjs` with the rest of the arguments. Without an area, lists them. */
export function runArea(folder, usage) {
  const [area, ...rest] = process.argv.slice(2);
  const files = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  const areas = files.filter((name) => name.endsWith('.mjs')).map((name) => name.slice(0, -4));
  if (area === undefined || !areas.includes(area)) {
    if (area !== undefined) console.error(`Unknown area "${area}".`);
    console.error(`usage: npm run ${basename(folder)} -- AREA ${usage}`);
    console.error(areas.length === 0 ? 'No areas yet.' : `areas: ${areas.join(', ')}`);
    process.exit(area === undefined ? 0 : 2);
  }
  const { status } = spawnSync(process.execPath, [join(root, folder, `${area}.mjs`), ...rest], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
