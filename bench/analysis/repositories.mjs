import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '../../packages/connectors/dist/git/index.js';
import { findSuspects } from '../../packages/core/dist/pipeline/find-suspects.js';
import { crashException } from '../../packages/core/dist/pipeline/locate/crash-exception.js';
import { normalise } from '../../packages/core/dist/pipeline/normalise/index.js';
import { CLAIMED_DIFFS } from '../../packages/core/dist/pipeline/rank/weights.js';
import { crashOfFix } from '../../packages/host/dist/backtest/run-case.js';

const CASES = { quick: 4, full: 12 };
/** Commits among which the fixes are spread. */
const DEPTH = 4_000;
const TIMEOUT_MS = 300_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Crash to suspects in real repositories: for lines that fixes changed, as of the commit before each fix. `cold`: a new
 * process's first analysis, without and with a commit graph; `next`: the following ones of one connector, each of another crash, with the graph;
 * `again`: the same crashes once more; `bare`: `git blame --porcelain` of the stack's files, one after another. `load`: the
 * machine's load average of one minute before and after; wall times mean little where it is above the number of cores.
 */
export async function benchRepositories(repositories, quick) {
  const results = [];
  for (const repository of repositories) {
    const cases = await casesOf(repository, quick ? CASES.quick : CASES.full);
    const graphDirectory = mkdtempSync(join(tmpdir(), 'culprit-bench-graphs-'));
    try {
      results.push(await measured(repository, cases, graphDirectory));
    } finally {
      rmSync(graphDirectory, { recursive: true, force: true });
    }
  }
  return results;
}

async function measured(repository, cases, graphDirectory) {
  const times = { bare: [], cold: [], graph: [], next: [], again: [] };
  const timed = async (list, work) => {
    const started = performance.now();
    await work();
    list.push(performance.now() - started);
  };
  const alone = (one, config) => withHost(config, (codeHost) => analysed(codeHost, repository, one));
  const load = [loadNow()];
  const buildMs = await built(repository, graphDirectory);
  const graph = { graphDirectory, buildGraphs: false };
  // Reads the packs into the system's memory, which all of them share.
  for (const one of cases) await alone(one, graph);
  for (const one of cases) {
    await timed(times.bare, async () => blameOneByOne(repository, one));
    await timed(times.cold, () => alone(one, {}));
    await timed(times.graph, () => alone(one, graph));
  }
  await withHost(graph, async (codeHost) => {
    const [first, ...others] = cases;
    if (first) await analysed(codeHost, repository, first);
    for (const one of others) await timed(times.next, () => analysed(codeHost, repository, one));
    for (const one of others) await timed(times.again, () => analysed(codeHost, repository, one));
  });
  const commits = Number(run(repository, ['rev-list', '--count', 'HEAD']));
  const files = cases.reduce((sum, { paths }) => sum + paths.length, 0) / cases.length;
  load.push(loadNow());
  return { repository, commits, cases: cases.length, files, buildMs, load, times: mapValues(times, spread) };
}

const loadNow = () => Math.round((loadavg()[0] ?? 0) * 10) / 10;

/** Waits for the file, which appears when it is complete. */
async function built(repository, graphDirectory) {
  const started = performance.now();
  await withHost({ graphDirectory, repositories: [repository] }, async () => {
    while (!readdirSync(graphDirectory, { recursive: true }).some((name) => name.endsWith('/commit-graph'))) {
      if (performance.now() - started > TIMEOUT_MS) throw new Error('No commit graph was built.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  return performance.now() - started;
}

async function withHost(config, work) {
  const signal = new AbortController().signal;
  const { codeHost, close } = await git({ timeoutMs: TIMEOUT_MS, ...config }).setup({
    logger: silent,
    fetch,
    signal,
  });
  try {
    return await work(codeHost);
  } finally {
    await close();
  }
}

async function analysed(codeHost, repository, { event }) {
  const incident = { first_seen: event.timestamp, releases: [], occurrences: 1 };
  const config = { repository, mappings: [], diffBudget: CLAIMED_DIFFS };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const step = async (_name, work) => await work();
  return findSuspects({ event, incident, config }, crashException(event), {
    codeHost,
    signal,
    step,
    keep: () => {},
  });
}

/** Fixes of code, spread evenly. */
async function casesOf(repository, most) {
  const log = ['log', '--no-merges', `--max-count=${DEPTH}`, '-i', '--grep=fix', '--format=%H %P'];
  const fixes = run(repository, log).trim().split('\n');
  const found = [];
  await withHost({}, async (codeHost) => {
    for (
      let at = 0;
      at < fixes.length && found.length < most;
      at += Math.max(1, Math.floor(fixes.length / (most * 3)))
    ) {
      const [sha, parent] = fixes[at].split(' ');
      const crash = crashOfFix(
        { kind: 'fix', message: '' },
        await codeHost.diff(repository, sha, AbortSignal.timeout(TIMEOUT_MS)),
      );
      if (crash === null || parent === undefined) continue;
      const time = new Date(
        Number(run(repository, ['log', '-1', '--format=%ct', parent])) * 1_000,
      ).toISOString();
      const frames = crash.exception.stacktrace.frames;
      found.push({
        parent,
        paths: [...new Set(frames.map(({ filename }) => filename))],
        event: eventOf(crash, parent, time),
      });
    }
  });
  return found;
}

function eventOf({ platform, exception }, commit, at) {
  return normalise({
    ...{
      sequence: 1,
      event_id: 'bench',
      project: 'default',
      door: 'native',
      tracker: 'native',
      received_at: at,
    },
    ...{ raw_sha256: '', headers: {}, attachments: [], redactions: 0 },
    crash: { timestamp: at, platform, tags: { commit }, exception: { values: [exception] } },
  });
}

function blameOneByOne(repository, { parent, paths }) {
  for (const path of paths) run(repository, ['blame', '--porcelain', parent, '--', path]);
}

function run(repository, args) {
  return execFileSync('git', ['--git-dir', repository, ...args], { maxBuffer: 2 ** 28, encoding: 'latin1' });
}

function spread(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (share) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { median: at(0.5), p95: at(0.95) };
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

export function printRepositories(results) {
  for (const { repository, commits, cases, files, buildMs, load, times } of results) {
    console.log(
      `\n${repository}: ${commits} commits, ${cases} crashes, ${files.toFixed(1)} files each; graph built in ${(buildMs / 1_000).toFixed(1)} s; load ${load.join(' to ')} on ${availableParallelism()} cores`,
    );
    for (const [name, { median, p95 }] of Object.entries(times))
      console.log(`  ${TITLES[name].padEnd(44)} median ${median} ms, p95 ${p95} ms`);
  }
}

const TITLES = {
  bare: 'bare git blame of the files, one by one',
  cold: 'first analysis, no commit graph',
  graph: 'first analysis, with the commit graph',
  next: 'next analysis, another crash, with the graph',
  again: 'the same crash again',
};
