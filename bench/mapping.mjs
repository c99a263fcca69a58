// How often a frame leads to the right file. Usage: npm run bench -- mapping [--quick] [--json]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { locateFrames } from '../packages/core/dist/pipeline/locate/locate-frames.js';
import { indexTree } from '../packages/core/dist/pipeline/locate/tree-index.js';
import { framesOf, withInApp } from '../packages/core/dist/pipeline/normalise/exceptions.js';
import { trimmer } from '../packages/core/dist/pipeline/normalise/trim.js';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const at = (name) => readFileSync(new URL(`data/${name}`, import.meta.url));
const trees = new Map(
  JSON.parse(gunzipSync(at('mapping-trees.json.gz'))).map(({ repository, paths }) => [
    repository,
    indexTree(paths),
  ]),
);
const rows = at('mapping-frames.jsonl')
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
  .filter((_, index) => !flags.quick || index % 4 === 0);

const tally = () => ({ frames: 0, with_path: 0, answered: 0, right: 0 });
const total = tally();
const platforms = {};
for (const row of rows) {
  const found = locate(row);
  platforms[row.platform] ??= tally();
  for (const count of [total, platforms[row.platform]]) {
    count.frames++;
    if (row.truth !== null) count.with_path++;
    if (found !== null) count.answered++;
    if (found !== null && found === row.truth) count.right++;
  }
  if (flags.verbose && found !== row.truth) {
    console.log(`${row.platform} ${row.abs_path ?? row.file}: ${found ?? 'none'}, is ${row.truth ?? 'none'}`);
  }
}

/** One frame as reported, without the rest of its stack and without a configured mapping. */
function locate({ repo, platform, file, abs_path, module, function: name, line }) {
  const raw = { filename: file, abs_path, module, function: name, lineno: line };
  const frames = framesOf([raw], trimmer(), 'frames').map((frame) => withInApp(frame, platform));
  return locateFrames(frames, platform, [], trees.get(repo))[0]?.path ?? null;
}

const share = (part, whole) => (whole === 0 ? 1 : Math.round((part / whole) * 1_000) / 1_000);
const rates = (count) => ({
  ...count,
  precision: share(count.right, count.answered),
  recall: share(count.right, count.with_path),
});
const show = (name, { frames, with_path, answered, right, precision, recall }) =>
  console.log(
    `${name.padEnd(12)}${[frames, with_path, answered, right].map((n) => String(n).padStart(10)).join('')}` +
      `${precision.toFixed(3).padStart(11)}${recall.toFixed(3).padStart(9)}`,
  );
console.log(
  `${'platform'.padEnd(12)}${['frames', 'with path', 'answered', 'right'].map((n) => n.padStart(10)).join('')}` +
    `${'precision'.padStart(11)}${'recall'.padStart(9)}`,
);
for (const [name, count] of Object.entries(platforms).sort()) show(name, rates(count));
const result = rates(total);
show('all', result);
if (flags.json) {
  const byPlatform = Object.fromEntries(
    Object.entries(platforms).map(([name, count]) => [name, rates(count)]),
  );
  console.log(JSON.stringify({ ...result, platforms: byPlatform }));
}
process.exit(result.precision >= 0.98 ? 0 : 1);
