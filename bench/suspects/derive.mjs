/**
 * Reads everything that ranking needs from clones, once per case, and stores it outside the repository. Resumable.
 * Usage: node bench/suspects/derive.mjs CASES.jsonl REPOS CACHE
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseBlame } from '../../packages/connectors/dist/git/blame.js';
import { parseChangedFiles, parseDiff } from '../../packages/connectors/dist/git/change.js';
import { parseTimestamps } from '../../packages/connectors/dist/git/text.js';
import { repositoryOf } from './real-path.mjs';

const DAY_MS = 86_400_000;
const LIMITS = { files: 8, positions: 25, history: 20, recent: 100, owners: 90, hops: 3, moreOwners: 40 };
const MAX = { output: 400 * 2 ** 20, patch: 8 * 2 ** 20, file: 16 * 2 ** 20, message: 32_768 };

const [casesFile, repos, cache] = process.argv.slice(2);
if (cache === undefined) {
  console.error('Usage: node bench/suspects/derive.mjs CASES.jsonl REPOS CACHE');
  process.exit(2);
}
mkdirSync(cache, { recursive: true });
for (const one of inTurnsByRepository(readFileSync(casesFile, 'utf8'))) {
  const key = JSON.stringify([one.repository, one.revision, one.error, one.frames]);
  const file = join(cache, `${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json.gz`);
  const repository = repositoryOf(repos, one.repository);
  if (existsSync(file) || repository === null) continue;
  try {
    const derived = await derive(repository, one);
    writeFileSync(`${file}.tmp`, gzipSync(JSON.stringify({ case: one, ...derived }), { level: 3 }));
    renameSync(`${file}.tmp`, file);
    console.log(`${one.repository} ${one.revision.slice(0, 12)}: ${Object.keys(derived.diffs).length} diffs`);
  } catch (error) {
    console.log(`failed: ${one.repository} ${one.revision.slice(0, 12)}: ${error.message}`);
  }
}

/** One case of each repository, then the second of each, so that an interrupted run is still a fair sample. */
function inTurnsByRepository(text) {
  const turns = new Map();
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
    .map((one) => {
      const turn = (turns.get(one.repository) ?? 0) + 1;
      turns.set(one.repository, turn);
      return { one, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ one }) => one);
}

async function derive(repository, one) {
  const git = (args, options) => run(repository, args, options);
  const paths = [...new Set(one.frames.map(({ path }) => path))];
  const listing = (
    await git(['ls-tree', '-z', '-l', '--full-tree', one.revision, '--', ...paths])
  ).toString();
  const present = listing.split('\0').flatMap((entry) => {
    const [meta = '', path] = entry.split('\t');
    const [mode, kind, , size] = meta.split(/ +/);
    return kind === 'blob' && mode !== '120000' && Number(size) < MAX.file ? [path] : [];
  });
  const chosen = paths.filter((path) => present.includes(path)).slice(0, LIMITS.files);
  const seconds = Number((await git(['log', '-1', '--format=%ct', one.revision])).toString());
  const files = [];
  for (const path of chosen) {
    const history = ['rev-list', '--timestamp', '--no-merges', `--max-count=${LIMITS.history}`];
    const file = await blameFile(git, one.revision, path);
    files.push({ ...file, history: parseTimestamps(await git([...history, one.revision, '--', path])) });
  }
  const recent = await readRecent(git, one.revision);
  const counted = (await git(['rev-list', '--count', one.revision])).toString();
  const positions = positionsOf(one.frames, files);
  const likely = likeliest(positions, files, seconds * 1_000);
  const first = await readCommits(git, [...new Set([...likely, ...recent.map(({ sha }) => sha)])]);
  const earlier = await readEarlier(git, positions, first);
  const known = new Set(Object.keys(first.commits));
  const owners = Object.values(earlier).flatMap(({ ranges }) => ranges.map(({ sha }) => sha));
  const more = [...new Set(owners)].filter((sha) => !known.has(sha)).slice(0, LIMITS.moreOwners);
  const second = await readCommits(git, more);
  return {
    crashedAt: new Date(seconds * 1_000).toISOString(),
    repositoryCommits: Number(counted),
    blame: { files, recent, ignored: await readIgnored(git, one.revision) },
    earlier,
    commits: { ...first.commits, ...second.commits },
    diffs: { ...first.diffs, ...second.diffs },
  };
}

async function blameFile(git, sha, path) {
  const text = (await git(['cat-file', 'blob', `${sha}:${path}`])).toString().replace(/\n$/, '');
  const ranges = parseBlame(await git(['blame', '--porcelain', sha, '--', path]));
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return { path, status: 'ok', detail: null, ranges, lines, history: [] };
}

async function readRecent(git, revision) {
  const args = ['log', '--no-merges', `--max-count=${LIMITS.recent}`, '--format=%H %ct', revision];
  const lines = (await git(args)).toString().trim().split('\n');
  return lines.map((line) => {
    const [sha, time] = line.split(' ');
    return { sha, committed_at: new Date(time * 1_000).toISOString() };
  });
}

async function readIgnored(git, revision) {
  const text = await git(['cat-file', 'blob', `${revision}:.git-blame-ignore-revs`], { mayFail: true });
  return text
    .toString()
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => /^[0-9a-f]{40}$/.test(line));
}

function positionsOf(frames, files) {
  const seen = new Map();
  for (const { path, line } of frames) {
    const file = files.find((one) => one.path === path);
    if (file && seen.size < LIMITS.positions) seen.set(`${path}:${line}`, { path, line, file });
  }
  return [...seen.values()];
}

/** Owners of nearby lines and entries of the files' histories, by a rule that approximates the ranking's. */
function likeliest(positions, files, crashedAt) {
  const scores = new Map();
  const add = ({ sha, committed_at }, score) => {
    const days = (crashedAt - Date.parse(committed_at)) / DAY_MS;
    const value = score - 0.5 * Math.log(1 + Math.max(0, days));
    if (days >= 0 && value > (scores.get(sha) ?? Number.NEGATIVE_INFINITY)) scores.set(sha, value);
  };
  for (const [index, { line, file }] of positions.entries()) {
    const depth = Math.max(0.7 ** index, 0.25);
    for (const range of file.ranges) {
      const distance = Math.max(range.start - line, line - range.end, 0);
      add(range, distance <= 150 ? 1 + 4 * depth * Math.exp(-distance / 12) : 0.2);
    }
  }
  for (const { ranges, history } of files) {
    for (const range of ranges) add(range, 0.2);
    for (const [place, entry] of history.entries()) add(entry, 1 + 1.5 / (1 + place));
  }
  const sorted = [...scores].sort((a, b) => b[1] - a[1]);
  return sorted.slice(0, LIMITS.owners).map(([sha]) => sha);
}

/** Blame of the first lines' files at the parents of the commits that own them, for skipping formatting commits. */
async function readEarlier(git, positions, { commits, diffs }) {
  const earlier = {};
  for (const { path, line, file } of positions.slice(0, LIMITS.hops)) {
    const owner = file.ranges.find(({ start, end }) => start <= line && line <= end)?.sha;
    const parent = commits[owner]?.parents[0];
    const changed = diffs[owner]?.files.find((one) => one.path === path);
    const old = changed?.status === 'added' ? undefined : (changed?.old_path ?? path);
    if (parent === undefined || old === undefined) continue;
    try {
      earlier[`${parent} ${old}`] ??= await blameFile(git, parent, old);
    } catch {
      // The file had another name there.
    }
  }
  return earlier;
}

async function readCommits(git, shas) {
  if (shas.length === 0) return { commits: {}, diffs: {} };
  const format = '%x00%H%x00%P%x00%ct%x00%an%x00%B%x00';
  const log = await git(['log', '--no-walk=unsorted', '--stdin', `--format=${format}`], {
    input: `${shas.join('\n')}\n`,
  });
  const fields = log.toString().split('\0');
  const commits = {};
  for (let at = 1; at + 4 < fields.length; at += 6) {
    const [sha, parents, time, name, body] = fields.slice(at, at + 5);
    const message = body.replace(/\n+$/, '').slice(0, MAX.message);
    commits[sha] = {
      sha,
      parents: parents.split(' ').filter(Boolean),
      committed_at: new Date(time * 1_000).toISOString(),
      author: { name },
      message,
      title: message.split('\n')[0],
      url: null,
      additions: 0,
      deletions: 0,
      pull_request: null,
    };
  }
  return { commits, diffs: await readPresent(git, shas, commits) };
}

/** Without commits whose content a partial clone lacks: their diffs count as not read. */
async function readPresent(git, shas, commits) {
  try {
    return await readDiffs(git, shas, commits);
  } catch (error) {
    if (!/unable to read|promisor/.test(error.message)) throw error;
    if (shas.length === 1) return {};
    const half = Math.ceil(shas.length / 2);
    const first = await readPresent(git, shas.slice(0, half), commits);
    return { ...first, ...(await readPresent(git, shas.slice(half), commits)) };
  }
}

/** Reads all diffs with one process. */
async function readDiffs(git, shas, commits) {
  const against = shas.map((sha) => [sha, ...(commits[sha]?.parents.slice(0, 1) ?? [])].join(' '));
  const options = ['--no-ext-diff', '--no-textconv', '--no-color', '-M50%', '--raw', '-p', '-U3'];
  const output = await git(['diff-tree', '--stdin', '-r', '--root', '-m', '--first-parent', ...options], {
    input: `${against.join('\n')}\n`,
  });
  const text = output.toString('latin1');
  const heads = [...text.matchAll(/^([0-9a-f]{40})(?: \(from [0-9a-f]{40}\))?\n/gm)];
  const diffs = Object.fromEntries(shas.map((sha) => [sha, { sha, files: [], truncated: false }]));
  for (const [index, head] of heads.entries()) {
    const body = text.slice(head.index + head[0].length, heads[index + 1]?.index);
    const cut = body.search(/^diff --git /m);
    const raw = (cut < 0 ? body : body.slice(0, cut)).split('\n').filter((line) => line.startsWith(':'));
    const listed = parseChangedFiles(Buffer.from(`${raw.join('\0').replaceAll('\t', '\0')}\0`, 'latin1'));
    const patch = Buffer.from(cut < 0 ? '' : body.slice(cut), 'latin1');
    const parsed = parseDiff(listed, patch.subarray(0, MAX.patch), patch.length > MAX.patch);
    diffs[head[1]] = { sha: head[1], ...parsed };
  }
  return diffs;
}

function run(repository, args, { input = '', mayFail = false } = {}) {
  const settings = [
    '-c',
    'core.quotePath=false',
    '-c',
    'diff.renameLimit=1000',
    '-c',
    'diff.algorithm=myers',
  ];
  return new Promise((done, fail) => {
    const child = spawn('git', [
      '--git-dir',
      repository,
      '--no-pager',
      '--literal-pathspecs',
      ...settings,
      ...args,
    ]);
    const chunks = [];
    let size = 0;
    let problem = '';
    child.stdout.on('data', (chunk) => {
      size += chunk.length;
      if (size <= MAX.output) chunks.push(chunk);
      else child.kill();
    });
    child.stderr.on('data', (chunk) => {
      problem += chunk;
    });
    child.on('error', fail);
    child.on('close', (code) => {
      if (code === 0 || mayFail || size > MAX.output) done(Buffer.concat(chunks));
      else fail(new Error(`git ${args[0]}: ${problem.slice(0, 200)}`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
