// Tests publication against failures of a host (--host, default github) while core is killed. First a table: every row of faults/publish/rows.mjs × kill -9 of core
// (none, before, during, after) × two simultaneous reviewers; then --rounds random kills across the publish step, with --fleet of one of two cores on a Redis. Core and
// the host's double are separate processes; their time is scaled, so that the real policy's minutes take seconds.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWebshop } from '../../packages/host/dist/demo/webshop.js';
import { startDouble } from './publish/child.mjs';
import { HOSTS } from './publish/hosts.mjs';
import { randomKills } from './publish/random-kills.mjs';
import { rowsOf } from './publish/rows.mjs';
import { KILLS, runScenario } from './publish/scenario.mjs';
import { twoCores } from './publish/two-cores.mjs';

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: 'github' },
    rounds: { type: 'string', default: '500' },
    // No random kill starts later than this many seconds after the first.
    seconds: { type: 'string', default: '7200' },
    json: { type: 'boolean', default: false },
    // A regular expression over row names; an empty text skips the table.
    rows: { type: 'string', default: '.' },
    kills: { type: 'string', default: KILLS.join(',') },
    parallel: { type: 'string', default: '4' },
    scale: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '6' },
    // Two cores on one Redis: one is killed or stopped, the other takes over.
    fleet: { type: 'boolean', default: false },
  },
});
const host = HOSTS[values.host];
if (host === undefined) throw new Error(`--host must be one of ${Object.keys(HOSTS).join(', ')}`);
const ROWS = host.requests === undefined ? [] : rowsOf(host);
const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'culprit-publish-'));
const git = join(folder, 'webshop');
buildWebshop(git);
if (Number(values.scale) > 60)
  throw new Error('--scale must be at most 60: beyond it late responses would be no longer than timeouts');
const time = { scale: Number(values.scale), timeouts: 4, origin: Date.now() };
const kills = values.kills.split(',').filter((name) => KILLS.includes(name));
const rows = values.rows === '' ? [] : ROWS.filter(({ name }) => new RegExp(values.rows).test(name));

const table = await all(rows.flatMap((row) => kills.map((kill) => ({ row, kill }))));
if (rows.length > 0) print(table);
const rounds = Number(values.rounds);
const random = rounds > 0 ? await kill(rounds) : null;
const ok = table.every((cell) => cell.ok) && (random?.ok ?? true);
if (ok) rmSync(folder, { recursive: true, force: true });
else console.log(`kept for inspection: ${folder}`);
const summary = {
  area: 'publish',
  host: values.host,
  ok,
  scenarios: table.length,
  failed: table.filter((cell) => !cell.ok).length,
  doubled: table.filter((cell) => cell.issues > 1).length + (random?.doubled ?? 0),
  lost: table.filter((cell) => cell.issues === 0).length + (random?.lost ?? 0),
  random,
  seconds: Math.round((performance.now() - started) / 1000),
};
console.log(`${summary.scenarios} scenarios, ${summary.failed} failed; ${summary.seconds} s in all`);
if (values.json) console.log(JSON.stringify({ ...summary, table }));
process.exit(ok ? 0 : 1);

/** Several at a time: they mostly wait. */
async function all(jobs) {
  const results = [];
  if (jobs.length === 0) return results;
  const next = jobs.entries();
  const work = async (_, worker) => {
    const own = join(folder, `w${worker}`);
    mkdirSync(own);
    const double = await startDouble({ host, folder: own, time });
    for (const [index, { row, kill }] of next) {
      const name = `s${index}`;
      results[index] = await runScenario({ row, kill, name, folder: join(folder, name), git, double }).catch(
        (error) => ({
          ...{
            row: row.name,
            kill,
            state: '-',
            before: '-',
            issues: '-',
            end: String(error.message ?? error),
          },
          ...{ wrong: [], bugs: [], seconds: 0, ok: false, error: null },
        }),
      );
      if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${jobs.length}`);
    }
    await double.stop();
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));
  return results;
}

function print(cells) {
  const width = Math.max(...ROWS.map(({ name }) => name.length));
  const line = (...texts) => console.log(texts.join('  ').trimEnd());
  line(
    'row'.padEnd(width),
    'kill'.padEnd(6),
    'state'.padEnd(12),
    'issues',
    'final'.padEnd(10),
    'issues',
    'bytes',
    'time',
  );
  for (const cell of cells) {
    const { row, kill, state, before, end, issues, wrong, seconds } = cell;
    const bytes = wrong.length === 0 ? 'same ' : wrong.join(',');
    const count = (value) => String(value).padStart(6);
    line(
      row.padEnd(width),
      kill.padEnd(6),
      String(state).padEnd(12),
      count(before),
      String(end).padEnd(10),
      count(issues),
      bytes,
      `${seconds.toFixed(1)} s`.padStart(6),
      cell.ok ? '' : `FAILED ${cell.error ?? ''} ${cell.bugs.join(' ')}`,
    );
  }
}

async function kill(rounds) {
  const own = join(folder, 'random');
  mkdirSync(own, { recursive: true });
  const limits = { rounds, seconds: Number(values.seconds), lanes: Number(values.lanes) };
  const result = await (values.fleet ? twoCores : randomKills)({ ...limits, host, folder: own, git, time });
  const { where, ...rest } = result;
  for (const [name, value] of Object.entries(rest)) console.log(`${name.padEnd(10)} ${value}`);
  for (const [name, value] of Object.entries(where)) console.log(`kills ${name}: ${value}`);
  return result;
}
