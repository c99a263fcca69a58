// Loaded into an edge before anything else: writes down what the disk has promised to keep, so that faults/edge/power.mjs
// can take everything else away afterwards. With POWER_LIE=1 the disk promises and does nothing: the check must notice.
import { appendFileSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const SLOW_MS = 15;
const { POWER_JOURNAL, POWER_LIE } = process.env;
const probe = await open('/dev/null', 'r');
const prototype = Object.getPrototypeOf(probe);
await probe.close();

const note = (entry) => appendFileSync(POWER_JOURNAL, `${JSON.stringify(entry)}\n`);

/** What is durable once this call has returned: a folder's names, or a file's bytes up to its length of now. */
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
    // A slow disk: what was written has time to be lost.
    await delay(SLOW_MS);
    const promise = promiseOf(this.fd);
    await original.call(this);
    note(promise);
  };
}
