import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** Exits with instructions if node_modules does not match the lock file, for example after a pull. */
export function requireInstalled() {
  const wanted = packagesOf('package-lock.json');
  const found = packagesOf('node_modules/.package-lock.json');
  const stale = Object.entries(wanted).find(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/') || optional) return false;
    return link ? !existsSync(join(root, path)) : found[path]?.version !== version;
  });
  if (stale === undefined) return;
  const [path, { version = 'of this repository' }] = stale;
  console.error(
    `${path} is not installed in version ${version}, which package-lock.json requires. Run: npm ci`,
  );
  process.exit(1);
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return {};
  }
}
