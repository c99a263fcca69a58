// Writes docs/reference from the built code; with --check prints the differences and exits with 1.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceLaw } from './laws/reference.mjs';
import { renderFiles } from './lib/pages.mjs';
import { root } from './lib/root.mjs';

const folder = join(root, 'docs/reference');
if (process.argv.includes('--check')) {
  const found = await referenceLaw(root);
  for (const { file, line, reason } of found) console.error(`${file}:${line} ${reason}`);
  process.exit(found.length === 0 ? 0 : 1);
}
mkdirSync(folder, { recursive: true });
for (const { file, text } of await renderFiles(root)) {
  writeFileSync(join(root, file), text);
  console.log(file);
}
