import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { changeFacts } from '../../packages/core/dist/pipeline/rank/change-content.js';
import { crashContext } from '../../packages/core/dist/pipeline/rank/crash-context.js';
import { lookThrough } from '../../packages/core/dist/pipeline/rank/look-through.js';
import { positionsOf } from '../../packages/core/dist/pipeline/rank/positions.js';
import { measure, poolOf, rankCandidates } from '../../packages/core/dist/pipeline/rank/rank-candidates.js';
import { CLAIMED_DIFFS, FEATURES } from '../../packages/core/dist/pipeline/rank/weights.js';
import { BASELINES } from './baselines.mjs';
import { placeOf } from './measure.mjs';

const MAX_POSITIONS = 25;
/** Errors that no commit caused. Their cases are made: one of these at any line of the files of a real case. */
const NO_COMMIT = [
  'TimeoutError: timed out',
  'ConnectionRefusedError: [Errno 111] Connection refused',
  'MemoryError: ',
  'java.lang.OutOfMemoryError: Java heap space',
  "FileNotFoundError: [Errno 2] No such file or directory: '/etc/app/settings.yml'",
  "KeyError: 'DATABASE_URL'",
  'OSError: [Errno 28] No space left on device',
  "PermissionError: [Errno 13] Permission denied: '/var/log/app.log'",
  'java.net.SocketTimeoutException: Read timed out',
  'Errno::ENOENT: No such file or directory @ rb_sysopen - config/master.key',
  'Error: getaddrinfo ENOTFOUND db.internal',
  'context deadline exceeded',
];
/** Files of the stack of a made case. */
const MADE_FRAMES = 4;

/**
 * The derived core cases, measured by the product's own code: `rows` are feature vectors of the candidates in the order
 * of `names`, `hits` marks the culprits. `budget`: diffs read for each case, as in the product. Native cases are ranked
 * by rules and are not fitted. `made`: for each case, one whose error no commit caused. `weightsOf`: the weights that
 * choose an organisation's diffs; without it, the shipped ones.
 */
export async function measuredCases(cache, budget = CLAIMED_DIFFS, weightsOf = () => undefined) {
  const cases = [];
  const made = [];
  for (const [index, name] of namesIn(cache).entries()) {
    const derived = read(cache, name);
    if (derived.case.tier !== 'core') continue;
    cases.push(await measured(derived, budget, weightsOf));
    const without = withoutCulprit(derived, index);
    if (without.frames.length > 0)
      made.push(await measured({ ...derived, case: without }, budget, weightsOf));
  }
  return { names: [...FEATURES], cases, made };
}

/** The derived core cases with another history: `change` gets a derived case and returns one, or `null`. */
export async function changedCases(cache, change) {
  const cases = [];
  for (const name of namesIn(cache)) {
    const derived = read(cache, name);
    const changed = derived.case.tier === 'core' ? change(derived) : null;
    if (changed !== null) cases.push(await measured(changed, CLAIMED_DIFFS, () => undefined));
  }
  return cases;
}

function namesIn(cache) {
  return existsSync(cache)
    ? readdirSync(cache)
        .filter((name) => name.endsWith('.json.gz'))
        .sort()
    : [];
}

function read(cache, name) {
  return JSON.parse(gunzipSync(readFileSync(join(cache, name))).toString());
}

/** The same files; the stack goes through lines that call something, chosen by the case's number. */
function withoutCulprit({ case: one, blame }, index) {
  const frames = blame.files.slice(0, MADE_FRAMES).flatMap(({ path, lines }) => {
    const calls = (lines ?? []).flatMap((text, at) => (/^\s+[^#/*]*\w\(/.test(text) ? [at + 1] : []));
    const line = calls[(index * 7_919) % calls.length];
    return line === undefined ? [] : [{ path, line, function: null }];
  });
  return { ...one, source: 'made', error: NO_COMMIT[index % NO_COMMIT.length], frames, culprits: [] };
}

async function measured(derived, budget, weightsOf) {
  const { crashedAt, blame } = derived;
  const one = derived.case;
  const { organisation, input, pool, crashed } = await ranking(derived, budget, weightsOf);
  const candidates = measure(input, pool);
  const hit = isCulpritOf(one);
  const culprit = candidates.find(({ traces }) => hit(traces.sha));
  const byBlame = BASELINES.b({ positions: crashed, files: blame.files, crashedAt });
  return {
    organisation,
    repository: one.upstream ?? one.repository,
    source: one.source,
    language: one.language,
    environment: input.crash.aboutEnvironment,
    days: culprit ? (Date.parse(crashedAt) - culprit.traces.time) / 86_400_000 : null,
    rows: candidates.map(({ features }) => FEATURES.map((name) => features[name])),
    hits: candidates.map(({ traces }) => hit(traces.sha)),
    ages: candidates.map(({ traces }) => (Date.parse(crashedAt) - traces.time) / 86_400_000),
    ends: candidates.map(({ traces }) => traces.sha === derived.end),
    rootAt: candidates.findIndex(({ traces }) => traces.sha === derived.root),
    repositoryCommits: derived.repositoryCommits ?? null,
    culprit: relationOf(candidates.filter(({ traces }) => hit(traces.sha)).map(({ features }) => features)),
    blamed: placeOf(byBlame, new Set(byBlame.filter(hit))),
  };
}

/** How the culprit relates to the stack. `culprits`: features of those that are candidates. */
function relationOf(culprits) {
  if (culprits.length === 0) return 'not a candidate';
  const most = (name) => Math.max(...culprits.map((features) => features[name]));
  if (most('near') >= 0.99) return 'owns the crashed line';
  if (most('newest_owner') > 0) return 'newest owner of another line';
  if (most('near') >= 0.3) return 'wrote lines near the stack';
  return most('touches_file') > 0 ? 'only changed a file of the stack' : 'changed no file of the stack';
}

const isCulpritOf = (one) => (sha) =>
  one.culprits.some((culprit) => culprit.length >= 7 && sha.startsWith(culprit));

/** The ranking's input after its budget of diffs was read. */
async function ranking({ case: one, crashedAt, blame, earlier, commits, diffs }, budget, weightsOf) {
  const organisation = (one.upstream ?? one.repository).split('/')[0];
  const weights = weightsOf(organisation);
  const [, type = null, value = one.error] =
    /^([A-Za-z_$][\w$.:]{0,200}?): (.*)$/s.exec(one.error ?? '') ?? [];
  const frames = [...one.frames].reverse().map(({ path, line, function: name }) => ({
    file: path,
    line,
    function: name ?? null,
    source: null,
  }));
  const located = one.frames.map(({ path, line }, index) => ({
    frame: frames.length - 1 - index,
    path,
    line,
  }));
  const crashed = positionsOf(located, frames, blame.files).positions.slice(0, MAX_POSITIONS);
  const ignored = new Set(blame.ignored);
  const reader = {
    commits: async () => {},
    commit: async (sha) => commits[sha] ?? null,
    diff: async (sha) => diffs[sha] ?? null,
    blame: async (sha, path) => earlier[`${sha} ${path}`] ?? null,
  };
  const followed = await lookThrough(crashed, blame.files, ignored, reader);
  const files = [...blame.files, ...followed.earlier];
  const crash = crashContext({ type, value, frames }, followed.positions, files, (text) => text);
  const changes = new Map();
  const input = {
    positions: followed.positions,
    files,
    recent: blame.recent,
    ignored,
    crashedAt,
    previousRelease: null,
    native: false,
    changes,
    crash,
  };
  const pool = poolOf(input, weights?.stageOne);
  const owners = new Set(pool.flatMap(({ sha, ownsLine }) => (ownsLine ? [sha] : [])));
  const keep = (sha, diff) => {
    if (commits[sha]) changes.set(sha, changeFacts(commits[sha], diff ?? null, crash, owners.has(sha)));
  };
  for (const { sha } of pool) keep(sha, null);
  for (const { sha } of rankCandidates(input, weights, pool).slice(0, budget)) keep(sha, diffs[sha]);
  return { organisation, weights, input, pool, crashed };
}
