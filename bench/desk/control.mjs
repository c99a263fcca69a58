// What a reader remembers: asks for the cause of ten crashes without tools, by files as the desk does, and prints the answers beside the truth.
// Usage: node bench/desk/control.mjs --cases FILE.jsonl --desk DIR --repos DIR [--seed N] [--most 10], and again once they are answered
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from '../faults/lib/random.mjs';
import { readCases, repositoryOf } from '../suspects/real-path.mjs';
import { tokensOf } from './desk.mjs';
import { renderTurn } from './render.mjs';

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string' },
    desk: { type: 'string' },
    repos: { type: 'string' },
    seed: { type: 'string', default: '31' },
    most: { type: 'string', default: '10' },
  },
});
if (flags.cases === undefined || flags.desk === undefined || flags.repos === undefined) {
  console.error('Pass --cases FILE.jsonl, --desk DIR and --repos DIR.');
  process.exit(2);
}
const SYSTEM = `You are asked what you remember. You have no tools and must not look anything up. Answer with one JSON object:
{"remembered": boolean, "commit": "its SHA as far as you know it, or null", "title": "its title or what it changed", "when": "year and month, or null", "probability": number}`;

const random = randomOf(Number(flags.seed));
const cases = readCases(flags.cases)
  .map((one) => ({ one, key: random() }))
  .sort((a, b) => a.key - b.key)
  .slice(0, Number(flags.most))
  .map(({ one }) => one);
for (const one of cases) {
  const folder = join(flags.desk, one.id);
  const base = join(folder, '001');
  mkdirSync(folder, { recursive: true });
  if (existsSync(`${base}.answer.json`)) printAnswer(one, `${base}.answer.json`);
  else {
    const body = requestOf(one);
    const text = JSON.stringify(body);
    writeFileSync(`${base}.request.json`, text);
    const tokens = tokensOf(text);
    writeFileSync(
      `${base}.request.txt`,
      renderTurn({ heading: `${one.id}/001, about ${tokens} tokens`, body, last: null }),
    );
    console.log(`${base}.request.txt waits for ${base}.answer.json`);
  }
}

function requestOf({ repository, upstream = repository, error, frames, year }) {
  const stack = frames.map(({ path, line, function: name }) => `  ${path}:${line} ${name ?? ''}`).join('\n');
  const user = `Name from memory the commit or change that caused this crash in ${upstream} (the crash is of ${year}):\n\n${error}\n${stack}`;
  return {
    model: 'desk',
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: user },
    ],
  };
}

function printAnswer({ id, repository, culprits }, file) {
  const { content } = JSON.parse(readFileSync(file, 'utf8'));
  console.log(`\n${id} ${repository}\n  said: ${content}`);
  const folder = repositoryOf(flags.repos, repository);
  for (const sha of culprits) {
    const args = ['-C', folder, 'show', '-s', '--format=%h %cs %s', sha];
    console.log(`  is:   ${execFileSync('git', args, { encoding: 'utf8' }).trim()}`);
  }
}
