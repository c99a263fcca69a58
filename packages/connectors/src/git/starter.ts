import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createProcesses, type ProcessEnd, type ProcessSpec, type StartedProcess } from './process.js';
import type { StarterAnswer, StarterOrder } from './starter-process.js';

/** Commands that are started directly before a separate process pays off. */
const FIRST_HERE = 10;
const PROGRAM = new URL('./starter-process.js', import.meta.url);

/**
 * Starts processes from a small helper process. To start a process the system copies the page tables of its parent, which
 * blocks it meanwhile: 40 ms for each git on a busy machine with 250 MB of memory, 1 ms from a small process. Where the
 * helper cannot run (a bundle, another runtime), or has ended, commands are started directly.
 */
export interface Starter {
  start(spec: ProcessSpec): StartedProcess;
  /** Kills every process that is still running. */
  close(): void;
}

interface Pending {
  readonly spec: ProcessSpec;
  readonly settle: (end: ProcessEnd | Promise<ProcessEnd>) => void;
  /** Run again here, because the helper process ended. */
  here: StartedProcess | null;
}

const CLOSED: ProcessEnd = { kind: 'not_started', code: undefined, message: 'the connector is closed' };

export function createStarter(program: URL = PROGRAM): Starter {
  const pending = new Map<number, Pending>();
  const here = createProcesses();
  let helper: ChildProcess | null = null;
  let ready = false;
  let unusable = false;
  let commands = 0;
  let startAt = FIRST_HERE;

  /** Only pending work keeps this process alive. */
  const hold = () => (pending.size > 0 ? helper?.channel?.ref() : helper?.channel?.unref());

  const ended = () => {
    unusable = !ready;
    startAt = commands + FIRST_HERE;
    helper = null;
    ready = false;
    for (const one of pending.values()) {
      // Commands only read, so they can be repeated.
      one.here = here.start(one.spec);
      one.settle(one.here.ended);
    }
    pending.clear();
  };

  const launch = () => {
    const child = fork(fileURLToPath(program), {
      execArgv: [],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    helper = child;
    child.unref();
    hold();
    child.on('error', () => {});
    for (const event of ['disconnect', 'exit'] as const) {
      child.once(event, () => {
        if (helper === child) ended();
      });
    }
    child.on('message', (message) => {
      const answer = message as StarterAnswer;
      if ('ready' in answer) {
        ready = true;
        return;
      }
      pending.get(answer.id)?.settle(answer.end);
      pending.delete(answer.id);
      hold();
    });
  };

  const send = (order: StarterOrder) => void helper?.send(order, () => {});

  return {
    start(spec) {
      commands += 1;
      if (helper === null && !unusable && commands > startAt) launch();
      if (!ready) return here.start(spec);
      const id = commands;
      const { promise, settle } = pendingEnd();
      const one: Pending = { spec, settle, here: null };
      pending.set(id, one);
      hold();
      send({ id, spec });
      return {
        ended: promise,
        kill() {
          one.here?.kill();
          if (!pending.delete(id)) return;
          send({ id, kill: true });
          hold();
        },
      };
    },
    close() {
      for (const { settle } of pending.values()) settle(CLOSED);
      pending.clear();
      here.close();
      const child = helper;
      helper = null;
      ready = false;
      unusable = true;
      if (child?.connected) child.disconnect();
    },
  };
}

function pendingEnd() {
  let settle: Pending['settle'] = () => {};
  const promise = new Promise<ProcessEnd>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
