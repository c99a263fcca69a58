// CPU work for one incident, without the code host's response times. Usage: npm run bench -- analysis [--quick] [--json]
import { parseArgs } from 'node:util';
import { systemClock } from '../packages/core/dist/index.js';
import { analyse } from '../packages/core/dist/pipeline/analyse.js';
import { findSuspects } from '../packages/core/dist/pipeline/find-suspects.js';
import { fingerprintEvent } from '../packages/core/dist/pipeline/fingerprint/index.js';
import { crashException } from '../packages/core/dist/pipeline/locate/crash-exception.js';
import { normalise } from '../packages/core/dist/pipeline/normalise/index.js';
import { CLAIMED_DIFFS } from '../packages/core/dist/pipeline/rank/weights.js';
import { benchRepositories, printRepositories } from './analysis/repositories.mjs';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    repository: { type: 'string', multiple: true },
  },
});
if (flags.repository !== undefined) {
  const results = await benchRepositories(flags.repository, flags.quick);
  printRepositories(results);
  if (flags.json) console.log(JSON.stringify(results));
  process.exit(0);
}
const FRAMES = 25;
const LINES = 5_000;
const RANGES = 2_000;
const COMMITS = 3_000;
const AT = Date.parse('2026-11-21T10:00:00.000Z');
const ROUNDS = flags.quick ? 20 : 200;

const sha = (n) => n.toString(16).padStart(40, '0');
const time = (n) => new Date(AT - (n + 1) * 7_200_000).toISOString();
const dated = (n) => ({ sha: sha(n), committed_at: time(n) });
const paths = Array.from({ length: FRAMES }, (_, n) => `src/area${n % 5}/module${n}.py`);
const tree = [...paths, ...Array.from({ length: 20_000 }, (_, n) => `lib/d${n % 700}/file${n}.py`)].sort();

/** A code host with precomputed responses, so that calls cost nothing. */
function instantHost() {
  const files = new Map(paths.map((path, index) => [path, fileOf(path, index)]));
  const recent = Array.from({ length: 100 }, (_, n) => ({ ...dated(n), title: `Change ${n}` }));
  const commits = new Map(Array.from({ length: COMMITS }, (_, n) => [sha(n), commitOf(n)]));
  const diffs = new Map(Array.from({ length: COMMITS }, (_, n) => [sha(n), diffOf(n)]));
  const revision = { sha: sha(0), how: 'explicit', committed_at: new Date(AT).toISOString() };
  return {
    tree: async () => ({ revision, paths: tree, truncated: false, links: { commit: null, line: null } }),
    blame: async (_repository, _sha, asked) => ({
      files: asked.map((path) => files.get(path)),
      recent,
      ignored: [],
    }),
    commits: async (_repository, shas) => shas.flatMap((one) => commits.get(one) ?? []),
    diff: async (_repository, one) => diffs.get(one),
  };
}

function fileOf(path, index) {
  const ranges = Array.from({ length: RANGES }, (_, n) => {
    const start = Math.floor((n * LINES) / RANGES) + 1;
    const end = Math.floor(((n + 1) * LINES) / RANGES);
    return { start, end, ...dated((n * 37 + index * 101) % COMMITS) };
  });
  const lines = Array.from(
    { length: LINES },
    (_, n) => `    total_${n % 97} = price_of(item_${n % 31}, quantity)`,
  );
  return {
    path,
    status: 'ok',
    detail: null,
    ranges,
    history: Array.from({ length: 20 }, (_, n) => dated(n * 3)),
    lines,
  };
}
const commitOf = (n) => ({
  ...dated(n),
  title: `Change ${n}`,
  message: `Change ${n}\n\nMove the price of item_${n % 31} into total_${n % 97}.\n`.repeat(3),
  author: { name: 'A' },
  parents: [sha(n + 1)],
  url: null,
  additions: 20,
  deletions: 10,
  pull_request: null,
});
/** Three files of thirty lines each. */
function diffOf(n) {
  const hunk = {
    old_start: 10,
    old_lines: 20,
    new_start: 10,
    new_lines: 20,
    section: `def total_${n % 97}(self):`,
    lines: Array.from(
      { length: 30 },
      (_, k) => `${' +-'[k % 3]}    value_${k} = price_of(item_${(n + k) % 31})`,
    ),
  };
  const files = [0, 1, 2].map((k) => {
    const path = k === 0 ? paths[n % FRAMES] : `lib/d${n % 700}/file${n + k}.py`;
    return { path, old_path: path, status: 'modified', hunks: [hunk] };
  });
  return { sha: sha(n), files, truncated: false };
}

const frames = paths.map((path, n) => ({
  filename: path,
  lineno: 100 + n * 150,
  function: `total_${n}`,
  in_app: true,
}));
const crash = {
  platform: 'python',
  exception: { values: [{ type: 'KeyError', value: "'item_7'", stacktrace: { frames } }] },
};
const at = new Date(AT).toISOString();
const event = normalise({
  ...{ sequence: 1, event_id: 'e', project: 'default', door: 'native', tracker: 'native', received_at: at },
  ...{ raw_sha256: '', headers: {}, attachments: [], redactions: 0, crash },
});
const incident = {
  ...{
    title: "KeyError: 'item_7'",
    fingerprint: fingerprintEvent(event),
    level: 'error',
    platform: 'python',
  },
  ...{ occurrences: 3, first_seen: at, last_seen: at, releases: [], environments: [], doors: ['native'] },
  regression_of: null,
};
const config = {
  ...{ repository: 'shop', publishRepository: 'shop', mappings: [], labels: [], assignees: [] },
  ...{ commitLabels: false, diffBudget: CLAIMED_DIFFS },
};
const input = {
  run_id: 'run_1',
  project: 'default',
  generation: 1,
  cycle: 1,
  incident,
  event,
  config,
  analyzedAt: at,
};
const codeHost = instantHost();
const signal = new AbortController().signal;

const suspects = await measure(() => {
  const step = async (_name, work) => await work();
  return findSuspects(input, crashException(event), { codeHost, signal, step, keep: () => {} });
});
const whole = await measure(() =>
  analyse(input, { codeHost, explainers: [], explainMs: 1_000, clock: systemClock, signal }),
);

async function measure(work) {
  for (let n = 0; n < Math.min(30, ROUNDS); n++) await work();
  const times = [];
  const busy = [];
  for (let n = 0; n < ROUNDS; n++) {
    const started = performance.now();
    const cpu = process.cpuUsage();
    await work();
    times.push(performance.now() - started);
    const used = process.cpuUsage(cpu);
    busy.push((used.user + used.system) / 1_000);
  }
  for (const list of [times, busy]) list.sort((a, b) => a - b);
  const of = (list, share) => Math.round((list[Math.floor((list.length - 1) * share)] ?? 0) * 100) / 100;
  return { median_ms: of(times, 0.5), p95_ms: of(times, 0.95), median_cpu_ms: of(busy, 0.5) };
}

console.log(
  `${FRAMES} frames in ${FRAMES} files of ${LINES} lines and ${RANGES} ranges, ${CLAIMED_DIFFS} diffs, ${tree.length} paths, ${ROUNDS} rounds`,
);
console.log(
  `frames to suspects: median ${suspects.median_ms} ms, p95 ${suspects.p95_ms} ms; processor ${suspects.median_cpu_ms} ms`,
);
console.log(
  `with evidence and draft: median ${whole.median_ms} ms, p95 ${whole.p95_ms} ms; processor ${whole.median_cpu_ms} ms`,
);
if (flags.json) console.log(JSON.stringify({ ...suspects, whole }));
