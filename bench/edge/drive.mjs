// Starts servers of the edge's bench, each on one core, and load on the other.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url));
const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).error === undefined;
/** What sends requests: `wrk`, or `node` where it is not installed. */
export const load = has('wrk', '-v') ? 'wrk' : 'node';
/** Whether processes can be bound to one of at least two cores. */
export const pinned = availableParallelism() >= 2 && has('taskset', '-V');
const serverCore = '1';
/** The one that sends requests. */
export const loadCore = '0';

/** Resolves with the server's next message of that type. */
export const next = (child, type) =>
  new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the benchmark server exited'));
    child.once('exit', ended);
    const read = (message) => {
      if (message.type !== type) return;
      child.off('message', read).off('exit', ended);
      resolve(message);
    };
    child.on('message', read);
  });

/** Starts a server of server.mjs. */
export const serve = (kind, ...args) => serveFrom(here('server.mjs'), kind, ...args);

/** Starts a server of another tree's server.mjs. */
export async function serveFrom(program, kind, ...args) {
  const child = fork(program, [kind, ...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port } = await next(child, 'listening');
  if (pinned) spawnSync('taskset', ['-a', '-p', '-c', serverCore, String(child.pid)], { stdio: 'ignore' });
  return { child, port };
}

const commands = {
  wrk: (port, file, { connections, duration, pauseMs }) => [
    ...['wrk', '-t1', `-c${connections}`, `-d${duration}s`, '--timeout', '10s', '-s', here('load.lua')],
    ...[`http://127.0.0.1:${port}`, '--', file, String(pauseMs)],
  ],
  node: (port, file, { connections, duration, pauseMs }) => [
    ...[process.execPath, here('load.mjs'), String(port), file, String(connections), String(duration)],
    String(pauseMs),
  ],
};

/** Sends the requests of `file` for `duration` seconds. */
export async function generate(port, file, { connections, duration, pauseMs = 0 }) {
  const args = commands[load](port, file, { connections, duration, pauseMs });
  const [program, ...rest] = pinned ? ['taskset', '-c', loadCore, ...args] : args;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await once(child, 'close');
  return JSON.parse(/RESULT (\{.*\})/.exec(text)?.[1] ?? 'null');
}

export async function end({ child }) {
  child.removeAllListeners('exit');
  child.send({ type: 'exit' });
  await once(child, 'exit');
}
