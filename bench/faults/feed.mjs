// Slow readers and mass reconnects must not stall the gates. Approves both gates over the API during each.
// usage: npm run faults -- feed [--slow N] [--storm N] [--json]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};
const SLOW = option('slow', 1_000);
const STORM = option('storm', 5_000);
const RUNS = 20;
/** New runs while readers are slow, and ones with entries large enough to fill the kernel's buffers. */
const SMALL = { count: 400, perSecond: 50, kilobytes: 0 };
const LARGE = { count: 2_000, perSecond: 250, kilobytes: 7 };
const STUCK = 20;
/** A longer delay of core's event loop counts as a stall. */
const STALLED_MS = 2_000;
const json = process.argv.includes('--json');
const say = json ? () => {} : (line) => console.log(line);
const token = randomBytes(24).toString('hex');

/** Starts a child process that answers requests by ID. */
async function start(file, args) {
  const child = fork(fileURLToPath(new URL(`./feed/${file}`, import.meta.url)), args);
  const waiting = new Map();
  const first = await new Promise((resolve) => child.once('message', resolve));
  child.on('message', (answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  child.once('exit', (code) => {
    if (!ending) throw new Error(`${file} exited with ${code ?? 'a signal'}`);
  });
  let asked = 0;
  const ask = (what) =>
    new Promise((resolve) => {
      const id = ++asked;
      waiting.set(id, resolve);
      child.send({ id, ...what });
    });
  return { first, ask, end: () => child.disconnect() };
}

let ending = false;
const core = await start('core.mjs', [token]);
const { url, port } = core.first;
const crowd = await start('crowd.mjs', [String(port), token]);
const order = (name, how = {}) => crowd.ask({ order: name, ...how });

async function gate(runId, number) {
  const start = performance.now();
  const response = await fetch(`${url}/api/v1/runs/${runId}/gate${number}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(`gate ${number}: ${response.status} ${await response.text()}`);
  return performance.now() - start;
}

/** Approves both gates of each run in sequence until `meanwhile` ends, and measures delays of core's event loop. */
async function gates(runs, meanwhile = null) {
  let going = true;
  void meanwhile?.then(() => {
    going = false;
  });
  await core.ask({ held: true });
  const took = [];
  for (const run of runs) for (const number of [1, 2]) if (going) took.push(await gate(run, number));
  const { held } = await core.ask({ held: true });
  took.sort((a, b) => a - b);
  return {
    gates: took.length,
    median_ms: Math.round(took[took.length >> 1]),
    most_ms: Math.round(took.at(-1)),
    held,
  };
}
const summary = ({ gates: count, median_ms, most_ms, held }) =>
  `a gate takes ${median_ms} ms, at most ${most_ms} ms (${count}); core's event loop delayed by ${held.p99_ms} ms (p99), at most ${held.most_ms} ms`;

const { runs } = await core.ask({ stage: RUNS * 4 });
const some = (n) => runs.slice(RUNS * n, RUNS * (n + 1));
const alone = await gates(some(0));
say(`alone: ${summary(alone)}`);
const flooded = core.ask({ flood: SMALL });
const loaded = await gates(some(1), flooded);
await flooded;
say(`${SMALL.perSecond} new runs a second, no slow readers: ${summary(loaded)}`);

await order('open', { count: SLOW });
await order('pause');
const flooding = core.ask({ flood: SMALL });
const beside = await gates(some(2), flooding);
const { rss } = await flooding;
await order('cut');
say(
  `the same with ${SLOW.toLocaleString('en')} readers that do not read: ${summary(beside)}; core at ${Math.round(rss / 1e6)} MB`,
);

// The kernel's buffers have to fill before core has unsent data, so this uses fewer readers.
await order('open', { count: STUCK });
await order('pause');
await core.ask({ flood: LARGE });
await order('resume');
const { codes } = await order('codes', { withinMs: 20_000 });
await order('cut');
const count = (wanted) => codes.filter((code) => code === wanted).length;
const closed = { with_4008: count(4008), without_reason: count(1006), still_open: count('open') };
say(
  `${STUCK} readers that do not read ${LARGE.count} large changes: ${closed.with_4008} closed with 4008, ${closed.without_reason} without a reason, ${closed.still_open} still open`,
);

// The reconnecting readers have missed changes of normal size.
await core.ask({ plain: 50 });
const { epoch, sequence } = await order('cursor');
await order('open', { count: STORM, since: `${epoch}.${sequence}` });
await order('cut');
const returning = order('storm', { count: STORM, since: `${epoch}.${Math.max(0, sequence - 20)}` });
const storm = await gates(some(3), returning);
const { ms: backMs, lost } = await returning;
say(
  `${STORM.toLocaleString('en')} readers reconnect at once: all served after ${backMs} ms (${lost} refused); ${summary(storm)}`,
);
ending = true;
crowd.end();
core.end();
const stalled = [beside, storm].some(({ held }) => held.most_ms > STALLED_MS);
const ok = !stalled && lost === 0 && closed.with_4008 === STUCK;
if (json)
  console.log(
    JSON.stringify({ ok, alone, loaded, slow: beside, closed, storm: { ...storm, back_ms: backMs, lost } }),
  );
process.exit(ok ? 0 : 1);
