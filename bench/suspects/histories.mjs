/**
 * How often a verdict is right by the age of the first suspect and by how much history there is. Each case also gets shorter
 * histories: a shallow clone of its last commits, and a young repository, whose first commit is everything older.
 */
import { VERDICT_AT } from '../../packages/core/dist/domain/verdict.js';
import { CORE_STAGE_TWO, NOT_FITTED } from '../../packages/core/dist/pipeline/rank/weights.js';
import { foldModels } from './fit.mjs';
import { changedCases, measuredCases } from './measured.mjs';

const DEPTHS = [3, 10, 30, 100];
const ROOT = 'f'.repeat(40);
const DAYS = [1, 7, 30, 90, 180, 365, 730, Number.POSITIVE_INFINITY];
const COMMITS = [2_000, 5_000, 10_000, 20_000, 40_000, Number.POSITIVE_INFINITY];

/** Prints every table. `extra`: cases for the fit alone; `none`: made ones. */
export async function measureHistories(cache, extra, share) {
  const { names, cases, made } = await measuredCases(cache);
  const none = made.map((one) => ({ ...one, share }));
  const modelOf = foldModels([...cases, ...none, ...extra], names);
  const answered = (list) => list.map((one) => verdictOn(one, modelOf(one.organisation), names));
  const answers = answered(cases);
  table('age of the first suspect, days', answers, DAYS, ({ days }) => days);
  table('commits of the repository', answers, COMMITS, ({ repositoryCommits }) => repositoryCommits);
  for (const depth of DEPTHS) {
    const shallow = answered(await changedCases(cache, (derived) => shallowClone(derived, depth)));
    printShallow(depth, shallow);
  }
  for (const depth of DEPTHS) {
    const young = answered(await changedCases(cache, (derived) => youngRepository(derived, depth)));
    const own = young.filter(({ first }) => !first);
    printBands(`young repository, ${depth + 1} commits, first suspect not the first commit`, own);
    printBands(`young repository, ${depth + 1} commits, all answers`, young);
  }
}

/** The first suspect, its probability, and whether it is right. The weights that no case shows are the shipped ones. */
function verdictOn(one, model, names) {
  const { rows, hits, ages, ends, environment, repositoryCommits, rootAt } = one;
  const fixed = new Set(NOT_FITTED);
  const weights = names.map((name, index) => (fixed.has(name) ? CORE_STAGE_TWO[name] : model.weights[index]));
  const none = model.none + (environment ? model.environment : 0);
  const scores = rows.map((row) => row.reduce((sum, x, j) => sum + x * weights[j], 0));
  const best = scores.indexOf(Math.max(...scores));
  const top = Math.max(none, ...scores);
  const all = scores.reduce((sum, score) => sum + Math.exp(score - top), Math.exp(none - top));
  const p = best < 0 ? 0 : Math.exp(scores[best] - top) / all;
  const first = best >= 0 && best === rootAt;
  return {
    p,
    right: hits[best] === true,
    days: ages[best] ?? 0,
    isEnd: ends[best] === true,
    behind: ends.some((end, index) => end && hits[index]),
    first,
    repositoryCommits,
  };
}

/** The last commits of a case; the oldest of them owns everything older, too, and its own change is not known. */
function shallowClone(derived, depth) {
  const last = derived.blame.recent[depth - 1];
  if (last === undefined) return null;
  return cut(derived, derived.blame.recent.slice(0, depth), last, { commits: {}, diffs: {} });
}

/** The last commits of a case, after one that made everything older. */
function youngRepository(derived, depth) {
  const last = derived.blame.recent[depth - 1];
  if (last === undefined) return null;
  const committed_at = new Date(Date.parse(last.committed_at) - 1_000).toISOString();
  const root = { sha: ROOT, committed_at };
  const message = 'Initial commit';
  const commit = { ...root, parents: [], author: { name: '' }, message, title: message, url: null };
  const kept = derived.blame.recent.slice(0, depth);
  const made = cut(derived, kept, root, { commits: { [ROOT]: commit }, diffs: {} });
  const files = made.blame.files.map(({ path, lines, ranges }) => {
    const own = ranges.filter(({ sha }) => sha === ROOT);
    const texts = own.flatMap(({ start, end }) => (lines ?? []).slice(start - 1, end));
    const hunk = { old_start: 0, old_lines: 0, new_start: 1, new_lines: texts.length, section: '' };
    return {
      path,
      old_path: path,
      status: 'added',
      hunks: [{ ...hunk, lines: texts.map((text) => `+${text}`) }],
    };
  });
  const diffs = { ...made.diffs, [ROOT]: { sha: ROOT, files, truncated: false } };
  return { ...made, end: undefined, root: ROOT, recent: [...kept, root], diffs };
}

function cut(derived, recent, last, { commits, diffs }) {
  const horizon = Date.parse(last.committed_at);
  const kept = new Set(recent.map(({ sha }) => sha));
  const isOld = ({ sha, committed_at }) => !kept.has(sha) && Date.parse(committed_at) <= horizon;
  const of = (range) => (isOld(range) ? { ...range, sha: last.sha, committed_at: last.committed_at } : range);
  const fileOf = (file) => {
    const newer = file.history.filter((entry) => !isOld(entry));
    const history = newer.some(({ sha }) => sha === last.sha) ? newer : [...newer, last];
    return { ...file, ranges: file.ranges.map(of), history };
  };
  const files = derived.blame.files.map(fileOf);
  const earlier = Object.fromEntries(
    Object.entries(derived.earlier).map(([key, file]) => [key, { ...file, ranges: file.ranges.map(of) }]),
  );
  const known = (values) => Object.fromEntries(Object.entries(values).filter(([sha]) => sha !== last.sha));
  const isHit = (sha) => derived.case.culprits.some((name) => name.length >= 7 && sha.startsWith(name));
  const newer = [...recent, ...files.flatMap(({ ranges, history }) => [...ranges, ...history])];
  const isNewer = newer.some(({ sha }) => sha !== last.sha && isHit(sha));
  return {
    ...derived,
    case: { ...derived.case, culprits: isNewer ? derived.case.culprits : [last.sha] },
    end: last.sha,
    repositoryCommits: recent.length,
    blame: { ...derived.blame, files, recent },
    earlier,
    commits: { ...known(derived.commits), ...commits },
    diffs: { ...known(derived.diffs), ...diffs },
  };
}

function table(title, answers, limits, measureOf) {
  console.log(`\n${title}`);
  let from = 0;
  for (const to of limits) {
    const group = answers.filter((one) => measureOf(one) >= from && measureOf(one) < to);
    printBands(`${from} to ${to}`, group);
    from = to;
  }
}

function printBands(name, answers) {
  const rated = (least, most = Number.POSITIVE_INFINITY) => {
    const group = answers.filter(({ p }) => p >= least && p < most);
    const right = group.filter((one) => one.right).length;
    return `${right} of ${group.length}`;
  };
  const { auto, likely } = VERDICT_AT;
  console.log(
    `  ${name} (${answers.length}): auto ${rated(auto)}; likely ${rated(likely, auto)}; 0.5 to 0.7: ${rated(0.5, likely)}; less: ${rated(0, 0.5)}`,
  );
}

function printShallow(depth, answers) {
  const ended = answers.filter(({ isEnd }) => isEnd);
  const older = ended.filter(({ behind }) => behind).length;
  console.log(
    `\nshallow clone, ${depth} commits (${answers.length}): the history ends here ${ended.length}, and the culprit is older in ${older}`,
  );
  printBands(
    'suspects',
    answers.filter(({ isEnd }) => !isEnd),
  );
}
