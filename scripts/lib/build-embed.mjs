import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';

const from = join(root, 'packages/host/dist');
const to = join(root, 'packages/embed/dist');

/**
 * Fills @culprit/embed: the modules of the host that its entry needs, and the built board. They are copied as built, so that an
 * embedded Culprit runs the host's code without its servers and command line.
 */
export function buildEmbed() {
  rmSync(to, { recursive: true, force: true });
  const modules = reach(join(from, 'fetch/index.js'));
  const declarations = reach(join(from, 'fetch/index.d.ts'));
  for (const file of [...modules, ...modules.map((name) => `${name}.map`), ...declarations]) copy(file);
  cpSync(join(from, 'board'), join(to, 'board'), { recursive: true });
}

function copy(file) {
  const target = join(to, file.slice(from.length + 1));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
}

/** Every module that a module needs, by static and dynamic imports. Declarations import by the names of their modules. */
function reach(entry) {
  const found = new Set([entry]);
  const isTypes = entry.endsWith('.d.ts');
  for (const file of found) {
    if (/uws-(?:load|driver)\./.test(file)) throw new Error(`@culprit/embed must not need ${file}.`);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g,
    )) {
      const path = join(dirname(file), isTypes ? name.replace(/\.js$/, '.d.ts') : name);
      if (existsSync(path)) found.add(path);
    }
  }
  return [...found];
}
