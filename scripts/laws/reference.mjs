import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderFiles } from '../lib/pages.mjs';
import { root as home } from '../lib/root.mjs';
import { filesBelow } from './sources.mjs';

const FOLDER = 'docs/reference';

/** docs/reference is what the code generates, line by line. */
export async function referenceLaw(root) {
  const made = await renderFiles(home);
  const found = made.flatMap(({ file, text }) => compare(root, file, text));
  const names = new Set(made.map(({ file }) => file));
  for (const file of filesBelow(root, FOLDER)) {
    if (names.has(file) || file === `${FOLDER}/README.md`) continue;
    found.push({
      file,
      line: 1,
      law: 'reference',
      reason: 'The code does not generate this page. Remove it.',
    });
  }
  return found;
}

function compare(root, file, wanted) {
  const say = (line, reason) => [
    { file, line, law: 'reference', reason: `${reason} Run: node scripts/reference.mjs` },
  ];
  if (!existsSync(join(root, file))) return say(1, 'The file is missing.');
  const have = readFileSync(join(root, file), 'utf8').split('\n');
  const want = wanted.split('\n');
  const at = want.findIndex((line, index) => line !== have[index]);
  if (at !== -1) return say(at + 1, `Generated: "${want[at]}". Found: "${have[at] ?? ''}".`);
  return have.length > want.length ? say(want.length + 1, `Not generated: "${have[want.length]}".`) : [];
}
