// Preloaded into an edge: records what was fsynced, so that faults/edge/power.mjs can remove everything else afterwards.
// With POWER_LIE=1 fsync succeeds without effect, which the check must detect.
import { appendFileSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const SLOW_MS = 15;
const { POWER_JOURNAL, POWER_LIE } = process.env;
const probe = await open('/dev/null', 'r');
const prototype = Object.getPrototypeOf(probe);
await probe.close();

const note = (entry) => appendFileSync(POWER_JOURNAL, `${JSON.stringify(entry)}\n`);

/** What is durable after this call: the names in a folder, or a file's bytes up to its current length. */
function promiseOf(fd) {
  const path = readlinkSync(`/proc/self/fd/${fd}`);
  const stat = statSync(path);
  if (stat.isDirectory()) return { folder: path, names: readdirSync(path) };
  const small = !path.endsWith('.seg') && stat.size < 65_536;
  return { file: path, length: stat.size, ...(small ? { text: readFileSync(path, 'latin1') } : {}) };
}

for (const name of ['datasync', 'sync']) {
  const original = prototype[name];
  prototype[name] = async function sync() {
    if (POWER_LIE === '1') return;
    // Simulates a slow disk, so that unsynced writes exist when the process is killed.
    await delay(SLOW_MS);
    const promise = promiseOf(this.fd);
    await original.call(this);
    note(promise);
  };
}
