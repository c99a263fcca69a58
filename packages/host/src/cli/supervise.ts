import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@culprit/core';
import { retryDelayMs } from '@culprit/core/internal/resilience/retry-delay';
import { printError } from '../log/terminal.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { isReadyMessage, type ReadyMessage } from './ready-message.js';
import { stopChild } from './stop-child.js';

const RESTART_DELAYS = { firstMs: 250, maxMs: 10_000 };
/** A child that ran for this long is healthy: the next restart delay is the first one again. */
const HEALTHY_MS = 30_000;
const STOP_MS = 15_000;
/** How long a server may take until it listens, and when that is worth a word. Core needs a second, whatever its storage holds. */
const START_MS = 120_000;
const SAY_MS = 15_000;
const WORDS_MS = 500;

export interface ServiceOptions {
  readonly name: 'edge' | 'core';
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly logger: Logger;
  /** Until it must listen. Default: two minutes. */
  readonly startMs?: number;
}

/** A child process that is kept running. */
export interface Service {
  /** Resolves when it first listens; rejects with its last words if it exits before, or takes too long. */
  readonly ready: Promise<ReadyMessage>;
  /** From now on its end is expected: systemd sends SIGTERM to the servers directly, before `stop` is called. */
  expectEnd(): void;
  /** Stops it with SIGTERM, and with SIGKILL after 15 s. */
  stop(): Promise<void>;
}

/** Starts a server. If it exits after it was ready once, it is restarted with growing delays. */
export function supervise({ name, command, logger, startMs = START_MS }: ServiceOptions): Service {
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
  const words = lastWords();
  const fail = (what: string) => {
    settle.reject(new CommandFailure(`${name} ${what}.${words.text()}`, EXIT.failed));
  };
  const slow = setInterval(() => logger.info({ server: name }, 'still waiting until it listens'), SAY_MS);
  const late = setTimeout(() => {
    fail(`did not listen within ${startMs / 1_000} s`);
  }, startMs);
  const settled = () => {
    clearInterval(slow);
    clearTimeout(late);
  };
  ready.then(settled, settled);

  const start = () => {
    const startedAt = Date.now();
    const started = spawn(process.execPath, [...command], {
      // A process group of its own: Ctrl-C reaches only this process, which stops the edge before core.
      detached: true,
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    child = started;
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Until it listens they may be its last words, which the error repeats.
      if (first !== null) printError(text);
      else words.add(text);
    });
    started.on('message', (message) => {
      if (!isReadyMessage(message)) return;
      if (first === null) printError(words.all());
      first ??= message;
      settle.resolve(first);
    });
    started.on('error', (error) => settle.reject(error));
    started.on('exit', (code, signal) => {
      child = null;
      if (stopping) return;
      if (first === null) {
        const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
        // Its last words may still be on their way.
        const read = new Promise((resolve) => started.stderr?.once('close', resolve));
        void Promise.race([read, delay(WORDS_MS)]).then(() => fail(`${how} before it listened`));
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

const KEPT_CHARS = 4_000;
const KEPT_LINES = 15;

/** What a child has written before it listened; its end is for an error. */
function lastWords() {
  let all = '';
  return {
    add(text: string) {
      all += text;
    },
    all: () => all,
    text() {
      const kept = all.slice(-KEPT_CHARS).trim();
      return kept === '' ? '' : ` The end of its log:\n${kept.split('\n').slice(-KEPT_LINES).join('\n')}`;
    },
  };
}
