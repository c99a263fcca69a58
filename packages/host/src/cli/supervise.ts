import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '@culprit/core';
import { retryDelayMs } from '@culprit/core/resilience';
import { CommandFailure, EXIT } from './exit-codes.js';
import { isReadyMessage, type ReadyMessage } from './ready-message.js';
import { stopChild } from './stop-child.js';

const RESTART_DELAYS = { firstMs: 250, maxMs: 10_000 };
/** A child that ran for this long is healthy: the next restart delay is the first one again. */
const HEALTHY_MS = 30_000;
const STOP_MS = 15_000;

export interface ServiceOptions {
  readonly name: 'edge' | 'core';
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly logger: Logger;
}

/** A child process that is kept running. */
export interface Service {
  /** Resolves when it first listens; rejects if it exits before. */
  readonly ready: Promise<ReadyMessage>;
  /** From now on its end is expected: systemd sends SIGTERM to the servers directly, before `stop` is called. */
  expectEnd(): void;
  /** Stops it with SIGTERM, and with SIGKILL after 15 s. */
  stop(): Promise<void>;
}

/** Starts a server. If it exits after it was ready once, it is restarted with growing delays. */
export function supervise({ name, command, logger }: ServiceOptions): Service {
  let child: ChildProcess | null = null;
  let first: ReadyMessage | null = null;
  let failures = 0;
  let timer: NodeJS.Timeout | null = null;
  let stopping = false;
  let settle: { resolve: (message: ReadyMessage) => void; reject: (error: Error) => void };
  const ready = new Promise<ReadyMessage>((resolve, reject) => {
    settle = { resolve, reject };
  });
  ready.catch(() => {});

  const start = () => {
    const startedAt = Date.now();
    const started = spawn(process.execPath, [...command], {
      // A process group of its own: Ctrl-C reaches only this process, which stops the edge before core.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    started.on('message', (message) => {
      if (!isReadyMessage(message)) return;
      first ??= message;
      settle.resolve(first);
    });
    started.on('error', (error) => settle.reject(error));
    started.on('exit', (code, signal) => {
      child = null;
      if (stopping) return;
      if (first === null && signal === null) {
        settle.reject(
          new CommandFailure(`${name} exited with code ${code} before it was ready.`, EXIT.failed),
        );
        return;
      }
      failures = Date.now() - startedAt >= HEALTHY_MS ? 1 : failures + 1;
      const delayMs = retryDelayMs(RESTART_DELAYS, failures);
      logger.warn({ server: name, code, signal, restart_in_ms: delayMs }, 'a server exited and is restarted');
      timer = setTimeout(start, delayMs);
    });
  };
  start();

  return {
    ready,
    expectEnd() {
      stopping = true;
    },
    async stop() {
      stopping = true;
      if (timer !== null) clearTimeout(timer);
      if (child !== null) await stopChild(child, STOP_MS);
    },
  };
}
