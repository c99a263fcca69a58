// What continuous integration runs after `npm ci`: commit messages, npm test, npm run test:full. The last line is the sum of all counts.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from './lib/root.mjs';
import { FIXED_SEED } from './lib/seed.mjs';

const COUNTS = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
const total = [0, 0, 0];
let ok = true;
/** The same commit always gets the same verdict. New seeds are for those who can look at what they find: `npm run test:full`. */
const FULL = ['scripts/test.mjs', '--full', '--seed', String(FIXED_SEED + 1), '--rounds', '3'];
for (const args of [['scripts/commits.mjs'], ['scripts/test.mjs'], FULL]) {
  const { code, counts } = await run(args);
  ok &&= code === 0;
  // A command without counts failed before it ran any test.
  (counts ?? [0, 1, 0]).forEach((count, index) => {
    total[index] += count;
  });
}
console.log(`\n${total[0]} passed, ${total[1]} failed, ${total[2]} skipped`);
process.exit(ok && total[1] === 0 ? 0 : 1);

function run(args) {
  console.log(`\n> node ${args.join(' ')}`);
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let counts = null;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const match = COUNTS.exec(line);
    if (match) counts = match.slice(1).map(Number);
    console.log(line);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, counts })));
}
