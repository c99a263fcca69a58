import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Load } from '../lib/load.mjs';
import { random } from '../lib/random.mjs';
import { Servers } from './servers.mjs';
import { judgeRuns } from './verdict.mjs';

const SHIM = new URL('./power-shim.mjs', import.meta.url).href;

/**
 * Power cuts: kills the edge under load, then removes everything from its disk that was not fsynced, except a random part
 * of the last writes, as on a real disk. With `lie` fsync has no effect, and losses must be detected.
 */
export async function power({ cuts, say, lie = false }) {
  const servers = await Servers.make();
  const journal = join(servers.data, 'journal');
  const load = new Load({ clients: 16, perSecond: 400 });
  const edge = { preload: SHIM, env: { POWER_JOURNAL: journal, ...(lie ? { POWER_LIE: '1' } : {}) } };
  let taken = 0;
  writeFileSync(journal, '');
  await servers.start('edge', edge);
  load.start(servers);
  for (let cut = 0; cut < cuts; cut += 1) {
    await atWork(load);
    await delay(300 + random() * 500);
    await servers.stop('edge', 'SIGKILL');
    taken += takeAway(servers.spool, journal);
    await servers.start('edge', edge);
  }
  await load.stop();
  // Core starts only now: until here only the disk held the acknowledged deliveries.
  await servers.start('core');
  const guard = await servers.drained();
  const verdict = judgeRuns(await servers.runs(), load);
  await servers.stopAll();
  say(`  ${cuts} power cuts removed ${taken} bytes; ${guard.spool.torn_tails} torn tails found`);
  const { quarantined, torn_tails } = guard.spool;
  return { data: servers.data, cuts, bytes_taken: taken, torn_tails, quarantined, ...verdict };
}

/** A power cut is only meaningful after the edge has acknowledged something since the last one. */
async function atWork(load) {
  const before = load.acknowledged.size;
  for (let waits = 0; waits < 6_000 && load.acknowledged.size === before; waits += 1) await delay(50);
}

/** Returns the number of removed bytes. */
function takeAway(spool, journal) {
  const lines = readFileSync(journal, 'utf8').split('\n').filter(Boolean);
  const files = new Map();
  let names = null;
  for (const line of lines) {
    const entry = JSON.parse(line);
    if (entry.folder === spool) names = new Set(entry.names);
    else if (entry.file !== undefined) files.set(basename(entry.file), entry);
  }
  let taken = 0;
  for (const name of readdirSync(spool)) {
    const path = join(spool, name);
    if (!/\.seg$|^acknowledged$|^identity$/.test(name)) continue;
    const { size } = statSync(path);
    if (name.endsWith('.seg')) {
      if (names === null || !names.has(name)) {
        taken += size;
        rmSync(path);
        continue;
      }
      const kept = files.get(name)?.length ?? 0;
      const stays = kept + Math.floor(random() * (Math.max(0, size - kept) + 1));
      taken += size - stays;
      truncateSync(path, Math.min(size, stays));
    } else {
      // Replaced by a rename: the bytes that were fsynced under the temporary name are durable.
      const promised = files.get(`${name}.next`)?.text;
      if (promised === undefined) rmSync(path);
      else writeFileSync(path, promised, { mode: 0o600 });
    }
  }
  if (existsSync(join(spool, 'lock'))) rmSync(join(spool, 'lock'));
  return taken;
}
