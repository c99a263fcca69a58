// Draws the cases for the desk: those with a full clone that neither the ranking's first fit nor a test has used.
// Usage: node bench/desk/sample.mjs --cases FILE.jsonl --repos DIR [--seed N] [--most 66] [--out FILE.jsonl]
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomOf } from '../faults/lib/random.mjs';
import { readCases, repositoryOf } from '../suspects/real-path.mjs';

/** Cases of one repository. */
const MOST_OF_ONE = 6;
/** Share of the newest years: a model remembers them least. */
const NEWEST_SHARE = 1 / 3;
const NEWEST = 2025;
/** The set on which the first ranking was fitted. */
const FITTED = 'quoted-1';

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string' },
    repos: { type: 'string' },
    seed: { type: 'string', default: '31' },
    most: { type: 'string', default: '66' },
    out: { type: 'string' },
  },
});
if (flags.cases === undefined || flags.repos === undefined) {
  console.error('Pass --cases FILE.jsonl and --repos DIR.');
  process.exit(2);
}
const random = randomOf(Number(flags.seed));
const tested = textsOfTests();
const candidates = readCases(flags.cases).flatMap((one) => {
  if (one.tier !== 'core' || one.source === FITTED) return [];
  if (tested.includes(one.revision.slice(0, 12))) return [];
  const year = yearIfComplete(one);
  return year === null ? [] : [{ ...one, year }];
});
const chosen = draw(candidates, Number(flags.most)).map((one, index) => ({
  id: `c${String(index + 1).padStart(2, '0')}`,
  ...one,
}));
const text = chosen.map((one) => `${JSON.stringify(one)}\n`).join('');
if (flags.out === undefined) process.stdout.write(text);
else writeFileSync(flags.out, text);
printTable();

/** The newest years first, then the year before them until their share is reached, then any other year. */
function draw(all, most) {
  const counts = new Map();
  const taken = [];
  const takeFrom = (pool, wanted) => {
    const left = shuffled(pool).filter((one) => !taken.includes(one));
    while (taken.length < wanted) {
      // A repository, then one of its cases: one with many cases has no more than one with few.
      const open = left.filter(({ repository }) => (counts.get(repository) ?? 0) < MOST_OF_ONE);
      if (open.length === 0) return;
      const repositories = [...new Set(open.map(({ repository }) => repository))].sort();
      const fewest = Math.min(...repositories.map((name) => counts.get(name) ?? 0));
      const least = repositories.filter((name) => (counts.get(name) ?? 0) === fewest);
      const repository = least[Math.floor(random() * least.length)];
      const one = open.find((other) => other.repository === repository);
      left.splice(left.indexOf(one), 1);
      counts.set(repository, (counts.get(repository) ?? 0) + 1);
      taken.push(one);
    }
  };
  takeFrom(
    all.filter(({ year }) => year >= NEWEST),
    most,
  );
  takeFrom(
    all.filter(({ year }) => year === NEWEST - 1),
    Math.max(taken.length, Math.ceil(most * NEWEST_SHARE)),
  );
  takeFrom(
    all.filter(({ year }) => year < NEWEST),
    most,
  );
  return mixed(shuffled(taken));
}

/** In an order in which the same repository does not follow itself, where that is possible. */
function mixed(cases) {
  const left = [...cases];
  const order = [];
  while (left.length > 0) {
    const last = order.at(-1)?.repository;
    const next = left.findIndex(({ repository }) => repository !== last);
    order.push(...left.splice(Math.max(next, 0), 1));
  }
  return order;
}

function shuffled(list) {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [copy[at], copy[other]] = [copy[other], copy[at]];
  }
  return copy;
}

/** The year of the crash; `null` if the clone lacks the revision or a culprit, or the revision does not contain one. */
function yearIfComplete({ repository, revision, culprits }) {
  const folder = repositoryOf(flags.repos, repository);
  if (folder === null || culprits.length === 0) return null;
  const git = (...args) =>
    execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, GIT_NO_LAZY_FETCH: '1' },
    });
  try {
    git('cat-file', '-e', `${revision}^{tree}`);
    for (const sha of culprits) git('merge-base', '--is-ancestor', `${sha}^{commit}`, revision);
    return Number(git('show', '-s', '--format=%cI', revision).slice(0, 4));
  } catch {
    return null;
  }
}

/** What tests and benchmarks of this repository contain, to find revisions that they use. */
function textsOfTests() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'test'));
  return [...folders, join(root, 'bench')].flatMap(textsIn).join('\n');
}

function textsIn(folder) {
  let names;
  try {
    names = readdirSync(folder, { recursive: true });
  } catch {
    return [];
  }
  return names
    .filter((name) => /\.(?:m?[jt]sx?|jsonl?|md|txt)$/.test(name) && !name.includes('node_modules'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

function printTable() {
  const years = [...new Set(chosen.map(({ year }) => year))].sort();
  const row = (name, of) =>
    `${name.padEnd(36)}${String(of.length).padStart(4)}${years
      .map((year) => String(of.filter((one) => one.year === year).length || '').padStart(6))
      .join('')}`;
  console.error(`${chosen.length} of ${candidates.length} cases that qualify, seed ${flags.seed}`);
  console.error(`${''.padEnd(40)}${years.map((year) => String(year).padStart(6)).join('')}`);
  for (const repository of [...new Set(chosen.map((one) => one.repository))].sort())
    console.error(
      row(
        repository,
        chosen.filter((one) => one.repository === repository),
      ),
    );
  console.error(row('all', chosen));
  const newest = chosen.filter(({ year }) => year >= NEWEST - 1).length;
  console.error(`${newest} of ${chosen.length} from ${NEWEST - 1} or later`);
}
