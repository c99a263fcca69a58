/**
 * Cases for the fit alone, found in clones without quoted traces: a fix that names the commit it mends. The place is
 * guessed from the fix (the first lines that it changes), the error from its message, so no figure is measured on them.
 * Usage: node bench/suspects/mine.mjs KNOWN.jsonl REPOS > mined.jsonl (crashes in KNOWN are left out)
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { definitionIn } from '../../packages/core/dist/pipeline/rank/code-lines.js';
import { kindOf } from '../../packages/core/dist/pipeline/rank/file-kind.js';
import { repositoryOf } from './real-path.mjs';

const LANGUAGES = {
  py: 'python',
  rb: 'ruby',
  go: 'go',
  java: 'java',
  scala: 'scala',
  cs: 'csharp',
  js: 'javascript',
  ts: 'typescript',
  kt: 'kotlin',
  php: 'php',
  rs: 'rust',
};
const MAX = { fromOne: 35, diff: 60_000, frames: 3, message: 6_000, error: 300 };
const NAMES_CULPRIT =
  /(?:fixes:?|introduced|regress\w*|broke\w*|caused|bug in)[^\n]{0,40}?\b(?!\d+\b)([0-9a-f]{7,40})\b/i;
const ABOUT_FAILURE =
  /error|exception|crash|fail|panic|traceback|null|nil|undefined|missing|broken|wrong|invalid|fix/i;
const TICKET = /^(?:\[?[A-Z]+-?\d+\]?|(?:Fixed|Refs) #\d+ --)\s*/;
const INERT = /^\s*(?:#|\/\/|\*|import|from|use )/;

const [knownFile, repos] = process.argv.slice(2);
if (repos === undefined) {
  console.error('Usage: node bench/suspects/mine.mjs KNOWN.jsonl REPOS > mined.jsonl');
  process.exit(2);
}
const known = readFileSync(knownFile, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line));
const revisions = new Set(known.map(({ revision }) => revision));
const upstreams = new Map(known.map(({ repository, upstream }) => [repository, upstream]));
for (const folder of readdirSync(repos).sort()) {
  const repository = folder.replace('+', '/');
  const place = repositoryOf(repos, repository);
  if (place === null) continue;
  for (const one of minedFrom((...args) => git(place, args))) {
    console.log(JSON.stringify({ repository, upstream: upstreams.get(repository), ...one }));
  }
}

function minedFrom(run) {
  const grep = '--grep=(fixes:?|introduced|regress|broke|caused|bug in).*[0-9a-f]{8,40}';
  const log = run('log', '--no-merges', '--all', '-E', '-i', grep, '--format=%x01%H%x02%P%x02%B');
  const found = [];
  // Any sample of the history, the same in every run.
  const fixes = log.split('\x01').slice(1).sort();
  for (const entry of fixes) {
    const [sha, parent, body] = entry.split('\x02');
    const message = body.slice(0, MAX.message);
    const named = NAMES_CULPRIT.exec(message.replace(/\n(?=\S)/g, ' '))?.[1];
    const usable = named !== undefined && parent.length === 40 && !revisions.has(parent);
    if (!usable || !ABOUT_FAILURE.test(message) || /cherry[- ]pick|^revert/i.test(message)) continue;
    const culprit = run('rev-parse', '-q', '--verify', `${named}^{commit}`).trim();
    if (culprit === '' || run('merge-base', culprit, parent).trim() !== culprit) continue;
    const frames = placesOf(run('diff-tree', '-r', '-p', '-U3', '-M', '--no-commit-id', sha));
    if (frames.length === 0) continue;
    const error = errorOf(message).slice(0, MAX.error);
    const language = languageOf(frames[0].path);
    found.push({
      revision: parent,
      language,
      tier: 'core',
      source: 'mined',
      error,
      frames,
      culprits: [culprit],
    });
    if (found.length === MAX.fromOne) break;
  }
  return found;
}

/** A line that looks like an error, else the subject. */
function errorOf(message) {
  const lines = message.split('\n');
  const said = lines.find((line) => /\b\w+(?:Error|Exception)\b:|panic:/.test(line));
  return said?.trim() ?? lines[0].replace(TICKET, '');
}

function placesOf(diff) {
  if (diff.length > MAX.diff) return [];
  return diff
    .split(/^diff --git /m)
    .slice(1)
    .flatMap((file) => {
      const path = /^--- a\/(.*)$/m.exec(file)?.[1];
      if (path === undefined || kindOf(path) !== 'code' || languageOf(path) === undefined) return [];
      return file
        .split(/^@@ /m)
        .slice(1)
        .flatMap((hunk) => placeIn(hunk, path));
    })
    .slice(0, MAX.frames);
}

/** The first line that the fix removes, or after which it adds one, with the function around it. */
function placeIn(hunk, path) {
  const [head, ...lines] = hunk.split('\n');
  let line = Number(/^-(\d+)/.exec(head)?.[1]);
  let name = definitionIn(head.slice(head.indexOf('@@') + 2))?.name ?? null;
  for (const text of lines) {
    const code = text.slice(1);
    if (text.startsWith('+')) return [{ path, line: Math.max(1, line - 1), function: name }];
    if (text.startsWith('-') && code.trim().length > 3 && !INERT.test(code)) {
      return [{ path, line, function: name }];
    }
    name = definitionIn(code)?.name ?? name;
    line++;
  }
  return [];
}

function languageOf(path) {
  return LANGUAGES[path.split('.').pop()];
}

function git(place, args) {
  const options = { maxBuffer: 2 ** 29, encoding: 'utf8' };
  return spawnSync('git', ['--git-dir', place, '-c', 'core.quotePath=false', ...args], options).stdout ?? '';
}
