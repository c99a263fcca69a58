// Sits at the desk as a script, to try the whole path: asks who changed the crashed line, then blames that commit.
// Usage: node bench/desk/scripted.mjs DIR
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [dir] = process.argv.slice(2);
if (dir === undefined) {
  console.error('Pass the folder of the desk.');
  process.exit(2);
}
const LOOK_MS = 200;

for (;;) {
  const list = existsSync(join(dir, 'open.txt')) ? readFileSync(join(dir, 'open.txt'), 'utf8') : '';
  for (const line of list.split('\n').filter(Boolean)) {
    const base = join(dir, line.split('.request.txt')[0]);
    if (existsSync(`${base}.answer.json`)) continue;
    const { messages } = JSON.parse(readFileSync(`${base}.request.json`, 'utf8'));
    writeFileSync(`${base}.answer.new`, JSON.stringify({ calls: [callFor(messages)] }));
    renameSync(`${base}.answer.new`, `${base}.answer.json`);
  }
  await sleep(LOOK_MS);
}

function callFor(messages) {
  const said = messages.map(({ content }) => String(content ?? ''));
  const prompt = said.find((text) => /^ {2}\S+:\d+ /m.test(text)) ?? '';
  const [, path = 'README.md', line = '1'] =
    /^ {2}(\S+):(\d+) .*the ranking starts here/m.exec(prompt) ??
    /^ {2}([\w./-]+):(\d+) /m.exec(prompt) ??
    [];
  const place = { path, line: Number(line) };
  const answers = messages.filter(({ role }) => role === 'tool');
  if (answers.length === 0)
    return { name: 'blame_lines', arguments: { path, from: Number(line), to: Number(line) } };
  const sha = /^\d+ ([0-9a-f]{7,40}) /m.exec(answers[0].content)?.[1] ?? '0000000';
  if (answers.length === 1) return { name: 'show_commit', arguments: { sha } };
  const quote =
    /^[+-][ \t]*(\S.{4,200})$/m.exec(answers[1].content.split(/^@@.*$/m)[1] ?? '')?.[1] ?? 'unknown';
  return {
    name: 'finding',
    arguments: {
      commits: [sha],
      mechanism: 'The newest blamed line.',
      place,
      quote,
      probability: 0.6,
      none_probability: 0.1,
    },
  };
}
