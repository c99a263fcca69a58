// Slow readers and a crowd that comes back must not stall the gates: both gates are passed over the API meanwhile.
// usage: npm run faults -- feed [--slow N] [--storm N] [--json]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openReader } from './feed/reader.mjs';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};
const SLOW = option('slow', 1_000);
const STORM = option('storm', 5_000);
const RUNS = 10;
/** New runs while readers are slow, and ones whose entries are large enough to fill what the system keeps. */
const SMALL = { count: 400, perSecond: 50, kilobytes: 0 };
const LARGE = { count: 2_000, perSecond: 250, kilobytes: 7 };
const STUCK = 20;
/** A gate that took longer than this, and three times as long as with nobody slow, was stalled. */
const STALLED_MS = 10_000;
const json = process.argv.includes('--json');
const say = json ? () => {} : (line) => console.log(line);
const token = randomBytes(24).toString('hex');

const child = fork(fileURLToPath(new URL('./feed/core.mjs', import.meta.url)), [token]);
const { url, port } = await new Promise((resolve) => child.once('message', resolve));
const waiting = new Map();
child.on('message', (answer) => waiting.get(answer.id)?.(answer));
child.once('exit', (code) => {
  if (code !== null) throw new Error(`core ended with ${code}`);
});
let asked = 0;
const ask = (what) =>
  new Promise((resolve) => {
    const id = ++asked;
    waiting.set(id, resolve);
    child.send({ id, ...what });
  });

async function gate(runId, number) {
  const start = performance.now();
  const response = await fetch(`${url}/api/v1/runs/${runId}/gate${number}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(`gate ${number}: ${response.status} ${await response.text()}`);
  return performance.now() - start;
}

/** Milliseconds of each gate, one run after the other. */
async function gates(runs) {
  const took = [];
  for (const run of runs) for (const number of [1, 2]) took.push(await gate(run, number));
  took.sort((a, b) => a - b);
  return { median_ms: Math.round(took[took.length >> 1]), most_ms: Math.round(took.at(-1)) };
}

async function open(count, since) {
  const readers = [];
  for (let n = 0; n < count; n += 200) {
    const some = Array.from({ length: Math.min(200, count - n) }, () => openReader(port, token, since));
    await Promise.all(some.map(({ heard }) => heard));
    readers.push(...some);
  }
  return readers;
}

const { runs } = await ask({ stage: RUNS * 4 });
const alone = await gates(runs.slice(0, RUNS));
say(`alone: a gate takes ${alone.median_ms} ms, at most ${alone.most_ms} ms`);
const flooded = ask({ flood: SMALL });
const loaded = await gates(runs.slice(RUNS * 3));
await flooded;
say(
  `${SMALL.perSecond} new runs a second, nobody slow: ${loaded.median_ms} ms, at most ${loaded.most_ms} ms`,
);

const slow = await open(SLOW);
for (const reader of slow) reader.pause();
const flooding = ask({ flood: SMALL });
const beside = await gates(runs.slice(RUNS, RUNS * 2));
const { rss } = await flooding;
for (const reader of slow) reader.cut();
say(
  `the same beside ${SLOW.toLocaleString('en')} readers that do not read: ${beside.median_ms} ms, at most ${beside.most_ms} ms; core at ${Math.round(rss / 1e6)} MB`,
);

// What the system itself keeps for each connection must be full before anything waits in core, so these are fewer.
const stuck = await open(STUCK);
for (const reader of stuck) reader.pause();
await ask({ flood: LARGE });
for (const reader of stuck) reader.resume();
const patience = new Promise((resolve) => setTimeout(resolve, 20_000, 'open'));
const codes = await Promise.all(stuck.map(({ ended }) => Promise.race([ended, patience])));
const count = (wanted) => codes.filter((code) => code === wanted).length;
const closed = { with_4008: count(4008), without_reason: count(1006), still_open: count('open') };
for (const reader of stuck) reader.cut();
say(
  `${STUCK} readers that let ${LARGE.count} large changes wait: ${closed.with_4008} closed with 4008, ${closed.without_reason} without a reason, ${closed.still_open} still open`,
);

const first = openReader(port, token);
const { epoch, sequence } = JSON.parse(await first.heard);
first.cut();
const crowd = await open(STORM, `${epoch}.${sequence}`);
for (const reader of crowd) reader.cut();
await Promise.all(crowd.map(({ ended }) => ended));
const started = performance.now();
const back = Array.from({ length: STORM }, () =>
  openReader(port, token, `${epoch}.${Math.max(0, sequence - 20)}`),
);
const during = gates(runs.slice(RUNS * 2, RUNS * 3));
const returned = await Promise.all(
  back.map(({ heard, ended }) => Promise.race([heard.then(() => true), ended.then(() => false)])),
);
const backMs = Math.round(performance.now() - started);
const storm = await during;
const lost = returned.filter((one) => !one).length;
for (const reader of back) reader.cut();
say(
  `${STORM.toLocaleString('en')} readers come back at once: all served after ${backMs} ms (${lost} refused); ` +
    `a gate takes ${storm.median_ms} ms, at most ${storm.most_ms} ms`,
);
child.disconnect();
const stalled = [beside, storm].some(({ most_ms }) => most_ms > Math.max(STALLED_MS, 3 * loaded.most_ms));
const ok = !stalled && lost === 0 && closed.with_4008 === STUCK;
if (json)
  console.log(
    JSON.stringify({
      ok,
      alone,
      loaded,
      slow: beside,
      closed,
      storm: { ...storm, back_ms: backMs, lost },
    }),
  );
process.exit(ok ? 0 : 1);
