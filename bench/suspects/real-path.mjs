import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../packages/connectors/dist/git/index.js';
import { findSuspects } from '../../packages/core/dist/pipeline/find-suspects.js';
import { crashException } from '../../packages/core/dist/pipeline/locate/crash-exception.js';
import { normalise } from '../../packages/core/dist/pipeline/normalise/index.js';
import { CLAIMED_DIFFS } from '../../packages/core/dist/pipeline/rank/weights.js';
import { sanitiseJson } from '../../packages/core/dist/pipeline/sanitise/index.js';
import { makeDelivery } from '../../packages/core/dist/testing/builders.js';
import { BASELINES } from './baselines.mjs';
import { placeOf } from './measure.mjs';
import { summarise } from './summary.mjs';

const PLATFORMS = new Map([
  ['c++', 'c'],
  ['cpp', 'c'],
  ['c#', 'csharp'],
  ['golang', 'go'],
  ['kotlin', 'java'],
  ['scala', 'java'],
  ['typescript', 'javascript'],
]);
const AT_ONCE = 2;
/** The GitHub connector allows 25. */
const BUDGETS = [0, 1, 10, 12, 25, CLAIMED_DIFFS];
/** Above the code host's default, so that a busy machine does not change results. */
const TIMEOUT_MS = 120_000;

/**
 * Runs cases on real clones through the whole path: crash object, sanitiser, normalised event, frames to files, blame,
 * diffs, suspects, all through the `git` code host. Crash time is the committer date of `revision`. A problem in one case
 * is reported and does not stop the others.
 */
export async function benchRealPath({ cases: file, repos, quick, details }) {
  const all = readCases(file);
  const cases = quick ? all.filter((_, index) => index % 3 === 0) : all;
  const { codeHost, close } = await gitHost();
  const results = [];
  const started = Date.now();
  await inTurns(cases, async (one) => {
    const repository = repositoryOf(repos, one.repository);
    if (repository === null) {
      results.push({ one, missing: true });
      return;
    }
    const result = await run(codeHost, repository, one, quick ? [] : BUDGETS);
    results.push(result);
    if (details) process.stderr.write(`${JSON.stringify(detailOf(result))}\n`);
  });
  await close?.();
  const found = results.filter(({ missing }) => !missing);
  const seconds = (Date.now() - started) / 1_000;
  console.log(`${found.length} of ${cases.length} cases have a clone in ${repos}; ${seconds.toFixed(0)} s.`);
  const lost = [...new Set(results.filter(({ missing }) => missing).map(({ one }) => one.repository))];
  if (lost.length > 0) console.log(`No clone: ${lost.join(', ')}`);
  const failed = found.filter(({ error }) => error !== null);
  for (const { one, error } of failed)
    console.log(`failed: ${one.repository} ${one.revision.slice(0, 12)}: ${error}`);
  const none = found.filter(({ reason }) => reason !== null);
  for (const { one, reason } of none)
    console.log(`no suspect: ${one.repository} ${one.revision.slice(0, 12)}: ${reason}`);
  return Object.fromEntries(['core', 'native'].map((tier) => [tier, tierOf(found, tier, quick)]));
}

/** The cases of a file; a line that is none is reported. */
export function readCases(file) {
  const lines = readFileSync(file, 'utf8')
    .replace(/^\ufeff/, '')
    .split('\n');
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : parse(line, file, index + 1)));
}

function tierOf(results, tier, quick) {
  const of = results.filter(({ one }) => one.tier === tier);
  if (of.length === 0) return { n: 0 };
  const baselines = Object.fromEntries(
    Object.keys(BASELINES).map((name) => [name, of.map((r) => r.baselines[name])]),
  );
  const budgets = new Map(
    (quick ? [] : BUDGETS).map((budget) => [budget, of.map(({ answers }) => answers.get(budget))]),
  );
  const failed = of.filter(({ error }) => error !== null).length;
  return {
    ...summarise(
      of.map(({ answers }) => answers.get(CLAIMED_DIFFS)),
      { baselines, budgets, claimed: CLAIMED_DIFFS, native: tier === 'native' },
    ),
    failed,
  };
}

async function run(codeHost, repository, one, budgets) {
  const seen = { tree: null, blame: null, located: [] };
  const memory = remembering(codeHost, seen);
  const answers = new Map();
  let error = null;
  let reason = null;
  let ms = 0;
  for (const budget of new Set([CLAIMED_DIFFS, ...budgets])) {
    const begun = performance.now();
    try {
      const { suspects, no_suspect, order, located } = await suspectsOf(memory, repository, one, budget);
      seen.located = located;
      if (budget === CLAIMED_DIFFS)
        reason = no_suspect === null ? null : `${no_suspect.code}: ${no_suspect.detail}`;
      const place = placeAmong(order, one.culprits);
      answers.set(budget, {
        language: one.language,
        place,
        p: suspects[0]?.probability ?? 0,
        right: place === 1,
        suspects,
      });
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown);
      answers.set(budget, {
        language: one.language,
        place: Number.POSITIVE_INFINITY,
        p: 0,
        right: false,
        suspects: [],
      });
    }
    if (budget === CLAIMED_DIFFS) ms = performance.now() - begun;
  }
  const input = seen.blame && baselineInput(seen);
  const baselines = Object.fromEntries(
    Object.entries(BASELINES).map(([name, order]) => [
      name,
      input ? placeAmong(order(input), one.culprits) : Number.POSITIVE_INFINITY,
    ]),
  );
  return { one, answers, baselines, error, reason, ms };
}

/** A case's delivery, the year of its crash, and the place of a culprit by the newest blamed line. */
export async function rankCase(one, repository) {
  const { codeHost, close } = await gitHost();
  const seen = { tree: null, blame: null, located: [] };
  try {
    ({ located: seen.located } = await suspectsOf(remembering(codeHost, seen), repository, one, 0));
  } finally {
    await close?.();
  }
  const at = seen.tree.revision.committed_at;
  const newest = seen.blame
    ? placeAmong(BASELINES.b(baselineInput(seen)), one.culprits)
    : Number.POSITIVE_INFINITY;
  return {
    delivery: deliveryOf(one, at, new Set(seen.tree.paths)),
    year: new Date(at).getUTCFullYear(),
    newest,
  };
}

function gitHost() {
  const signal = new AbortController().signal;
  return git({ timeoutMs: TIMEOUT_MS }).setup({ logger: silent, fetch, signal });
}

async function suspectsOf(codeHost, repository, one, diffBudget) {
  const signal = AbortSignal.timeout(300_000);
  const now = new Date().toISOString();
  const tree = await codeHost.tree(
    repository,
    { commit: one.revision, release: one.revision, at: now },
    signal,
  );
  if (tree.revision.how === 'head' || tree.revision.how === 'date') {
    throw new Error('The clone does not have this revision.');
  }
  const at = tree.revision.committed_at;
  const event = normalise(deliveryOf(one, at, new Set(tree.paths)));
  const incident = { first_seen: at, releases: [], occurrences: 1 };
  const config = { repository, mappings: [], diffBudget };
  const step = async (_name, work) => await work();
  let order = [];
  // Measured here, so also those that a suspect does not show.
  let probabilities = new Map();
  const onRanked = (ranked) => {
    order = ranked.map(({ sha }) => sha);
    probabilities = new Map(ranked.map(({ sha, probability }) => [sha, probability]));
  };
  const parts = { codeHost, signal, step, keep: () => {}, onRanked };
  const findings = await findSuspects({ event, incident, config }, crashException(event), parts);
  const suspects = findings.suspects.map((one) => ({ ...one, probability: probabilities.get(one.sha) ?? 0 }));
  return { ...findings, suspects, order };
}

/** The crash as a sender would send it, from repository paths or raw ones. Cases list the crashed frame first; events list it last. */
export function deliveryOf(one, at, paths) {
  const [, type = null, value = one.error] =
    /^([A-Za-z_$][\w$.:]{0,200}?): (.*)$/s.exec(one.error ?? '') ?? [];
  const frames = [...one.frames].reverse().map(({ path, line, function: name }) => ({
    filename: path,
    lineno: line,
    function: name,
    ...(paths.has(path) ? { in_app: true } : {}),
  }));
  const crash = {
    timestamp: at,
    platform: PLATFORMS.get(one.language) ?? one.language,
    tags: { commit: one.revision },
    exception: { values: [{ type, value, stacktrace: { frames } }] },
  };
  return makeDelivery({ received_at: at, crash: sanitiseJson(crash).value });
}

/** Culprits may be abbreviated. */
export function placeAmong(order, culprits) {
  const named = order.filter((sha) => culprits.some((one) => one.length >= 7 && sha.startsWith(one)));
  return placeOf(order, new Set(named));
}

/** Baselines see the same frames and the same ranges as the product. */
function baselineInput({ tree, blame, located }) {
  const files = new Map(blame.files.filter(({ status }) => status === 'ok').map((file) => [file.path, file]));
  const positions = located.flatMap(({ path, line }) => {
    const file = files.get(path);
    return file ? [{ path, line, views: [{ path, line, ranges: file.ranges, text: null }] }] : [];
  });
  return { positions, files: [...files.values()], crashedAt: tree.revision.committed_at };
}

/** Caches responses, which never change, so that five budgets read the repository once. */
function remembering(codeHost, seen) {
  const kept = new Map();
  const once = (key, ask) => {
    if (!kept.has(key)) kept.set(key, ask());
    return kept.get(key);
  };
  return {
    tree: async (repository, hints, signal) => {
      seen.tree = await once('tree', () => codeHost.tree(repository, hints, signal));
      return seen.tree;
    },
    blame: async (repository, sha, paths, signal) => {
      const answer = await once(`${sha} ${paths.join('\0')}`, () =>
        codeHost.blame(repository, sha, paths, signal),
      );
      seen.blame ??= answer;
      return answer;
    },
    commits: (repository, shas, signal) =>
      once(shas.join(), () => codeHost.commits(repository, shas, signal)),
    diff: (repository, sha, signal) => once(`diff ${sha}`, () => codeHost.diff(repository, sha, signal)),
  };
}

export function repositoryOf(repos, name) {
  const [owner, short] = name.split('/');
  const places = [
    join(repos, `${owner}+${short}`, 'repo'),
    join(repos, owner, short ?? ''),
    join(repos, owner, `${short}.git`),
    join(repos, `${owner}+${short}`),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

/** A list with the line's case; empty if the line is invalid. */
function parse(line, file, number) {
  const problem = (what) => {
    console.log(`skipped: ${file}:${number} ${what}`);
    return [];
  };
  let one;
  try {
    one = JSON.parse(line);
  } catch {
    return problem('is not JSON.');
  }
  for (const key of ['repository', 'revision']) {
    if (typeof one?.[key] !== 'string') return problem(`has no "${key}".`);
  }
  for (const key of ['frames', 'culprits']) {
    if (!Array.isArray(one[key])) return problem(`has no list of "${key}".`);
  }
  const language = String(one.language ?? 'other').toLowerCase();
  const error = typeof one.error === 'string' ? one.error : '';
  const frames = one.frames.filter((frame) => typeof frame?.path === 'string');
  const culprits = one.culprits.map((sha) => String(sha).toLowerCase());
  const tier = String(one.tier).toLowerCase() === 'native' ? 'native' : 'core';
  return [{ ...one, language, tier, error, frames, culprits }];
}

function detailOf({ one, answers, baselines, error, ms }) {
  const { place, p, suspects } = answers.get(CLAIMED_DIFFS);
  const top = suspects.map(({ sha, score, probability, components }) => ({
    sha: sha.slice(0, 12),
    score,
    probability,
    components,
  }));
  return {
    repository: one.repository,
    revision: one.revision,
    tier: one.tier,
    place,
    p,
    baselines,
    error,
    ms: Math.round(ms),
    top,
  };
}

export async function inTurns(items, work, atOnce = AT_ONCE) {
  const queue = [...items];
  const next = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
