import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { changeFacts } from '../../packages/core/dist/pipeline/rank/change-facts.js';
import { crashContext } from '../../packages/core/dist/pipeline/rank/crash-context.js';
import { lookThrough } from '../../packages/core/dist/pipeline/rank/look-through.js';
import { positionsOf } from '../../packages/core/dist/pipeline/rank/positions.js';
import { measure, poolOf, rankCandidates } from '../../packages/core/dist/pipeline/rank/rank-candidates.js';
import { CLAIMED_DIFFS, FEATURES } from '../../packages/core/dist/pipeline/rank/weights.js';
import { BASELINES } from './baselines.mjs';
import { placeOf } from './measure.mjs';

const MOST_POSITIONS = 25;

/**
 * The derived core cases, measured by the product's own code: `rows` are feature vectors of the candidates in the order
 * of `names`, `hits` marks the culprits. `budget`: diffs read for each case, as in the product. Native cases are ranked by rules and are not fitted.
 */
export async function measuredCases(cache, budget = CLAIMED_DIFFS) {
  const names = existsSync(cache) ? readdirSync(cache).filter((name) => name.endsWith('.json.gz')) : [];
  const cases = [];
  for (const name of names.sort()) {
    const derived = JSON.parse(gunzipSync(readFileSync(join(cache, name))).toString());
    if (derived.case.tier === 'core') cases.push(await measured(derived, budget));
  }
  return { names: [...FEATURES], cases };
}

async function measured({ case: one, crashedAt, blame, earlier, commits, diffs }, budget) {
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
  const crashed = positionsOf(located, frames, blame.files).positions.slice(0, MOST_POSITIONS);
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
  const pool = poolOf(input);
  const owners = new Set(pool.flatMap(({ sha, ownsLine }) => (ownsLine ? [sha] : [])));
  const read = (sha, diff) => {
    if (commits[sha]) changes.set(sha, changeFacts(commits[sha], diff ?? null, crash, owners.has(sha)));
  };
  for (const { sha } of pool) read(sha, null);
  for (const { sha } of rankCandidates(input, undefined, pool).slice(0, budget)) read(sha, diffs[sha]);
  const candidates = measure(input, pool);
  const isCulprit = (sha) => one.culprits.some((culprit) => culprit.length >= 7 && sha.startsWith(culprit));
  const culprit = candidates.find(({ traces }) => isCulprit(traces.sha));
  const byBlame = BASELINES.b({ positions: crashed, files: blame.files, crashedAt });
  return {
    organisation: (one.upstream ?? one.repository).split('/')[0],
    repository: one.upstream ?? one.repository,
    source: one.source,
    language: one.language,
    days: culprit ? (Date.parse(crashedAt) - culprit.traces.time) / 86_400_000 : null,
    rows: candidates.map(({ features }) => FEATURES.map((name) => features[name])),
    hits: candidates.map(({ traces }) => isCulprit(traces.sha)),
    blamed: placeOf(byBlame, new Set(byBlame.filter(isCulprit))),
  };
}
