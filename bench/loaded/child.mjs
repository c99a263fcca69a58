// A process of a bench that answers one question at a time over IPC.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const SETTLED_MS = 400;
const MAX_SETTLED_MS = 10_000;
/** Share of time below which the main thread is idle. */
const IDLE = 0.03;

/** Whether processes can be bound to one of at least two cores. */
export const pinned =
  availableParallelism() >= 2 && spawnSync('taskset', ['-V'], { stdio: 'ignore' }).error === undefined;

/** Starts `bench/NAME`. It sends what it says first, and then answers `ask`. `core`: the one it is bound to. */
export async function startChild(name, args, { core, execArgv = [] } = {}) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const child = fork(file, args.map(String), { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const next = () =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`${name} exited with ${code}`));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        if (message?.error === undefined) resolve(message);
        else reject(new Error(message.error));
      });
    });
  const first = await next();
  if (pinned && core !== undefined)
    spawnSync('taskset', ['-a', '-p', '-c', String(core), String(child.pid)], { stdio: 'ignore' });
  return {
    first,
    ask(what) {
      const answer = next();
      child.send(what);
      return answer;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.send({ stop: true });
      await once(child, 'exit');
    },
  };
}

/** In the child: answers each question with what `acts[question.act]` resolves with. `close` ends the process. */
export function answering(first, acts, close = () => {}) {
  process.on('message', async (what) => {
    if (what.stop === true) {
      await close();
      process.exit(0);
    }
    try {
      process.send((await acts[what.act](what)) ?? {});
    } catch (error) {
      process.send({ error: error.stack });
    }
  });
  process.once('disconnect', () => process.exit(0));
  process.send(first);
}

/** Waits until the main thread is idle, so that what was begun is counted, too. At most ten seconds. */
export async function settled() {
  for (const until = performance.now() + MAX_SETTLED_MS; performance.now() < until; ) {
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    if (performance.eventLoopUtilization(before).utilization < IDLE) return;
  }
}

/** Processor time of `work` in µs, with what it leaves to do unless `unsettled`, and what `work` resolves with. */
export async function cpuOf(work, unsettled = false) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  const mainBefore = mainThread();
  const result = await work();
  if (!unsettled) await settled();
  const { user, system } = process.cpuUsage(before);
  return { ...result, cpu: user + system, main: mainThread() - mainBefore };
}

/** Processor time of the main thread in µs, without the storage's and the collector's threads. Elsewhere than on Linux: of all. */
function mainThread() {
  if (process.platform === 'linux')
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e3;
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Median and 99th percentile. */
export function percentiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
