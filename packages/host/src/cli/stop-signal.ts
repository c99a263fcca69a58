import { readFileSync } from 'node:fs';
import { ownEnvironment } from '../config/child-env.js';
import { EXIT } from './exit-codes.js';
import { isSupervised } from './ready-message.js';

/** Resolves when the process must stop; see {@link onStop}. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => void onStop(resolve));
}

const WATCH_MS = 500;

/**
 * Calls `stop` when the process must stop: a signal, or the program that started it has ended, be it our supervisor or npm.
 * A second Ctrl-C exits at once. Returns a function that ends this.
 */
export function onStop(stop: () => void): () => void {
  const started = starters();
  const watch = setInterval(() => {
    if (starters() !== started) end();
  }, WATCH_MS).unref();
  const end = () => {
    // A listener on the supervisor's channel would keep the process alive.
    process.off('disconnect', end);
    clearInterval(watch);
    stop();
  };
  // Kept, since servers get SIGTERM twice: from systemd, which sends it to all processes, and from their supervisor.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  const ignoreInterrupt = onInterrupt(end);
  if (process.connected) process.once('disconnect', end);
  else if (isSupervised()) queueMicrotask(end);
  return () => {
    for (const signal of ['SIGTERM', 'SIGHUP', 'disconnect'] as const) process.off(signal, end);
    clearInterval(watch);
    ignoreInterrupt();
  };
}

/**
 * Of a program that npm or npx started: its parent and, if that is a shell, the shell's. npm passes signals only to that
 * shell, and none when it is killed. Where there is no /proc, that shell is bash, which our process replaces.
 */
function starters(): string {
  const { ppid } = process;
  if (ownEnvironment().npm_command === undefined) return '';
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${ppid}/stat`, 'utf8')) ?? [];
    return name?.endsWith('sh') ? `${ppid} ${parent}` : String(ppid);
  } catch {
    return String(ppid);
  }
}

let interrupted = false;

/** True after Ctrl-C. */
export const wasInterrupted = () => interrupted;

/** Calls `stop` at Ctrl-C. A second one exits at once. Returns a function that ends this. */
export function onInterrupt(stop: () => void): () => void {
  // The terminal sends SIGINT to all its processes; npm and npx send it to their child once more.
  const signalsToExit = ownEnvironment().npm_command === undefined ? 2 : 3;
  let signals = 0;
  const interrupt = () => {
    signals += 1;
    interrupted = true;
    if (signals === 1) stop();
    if (signals === signalsToExit) process.exit(EXIT.interrupted);
  };
  process.on('SIGINT', interrupt);
  return () => process.off('SIGINT', interrupt);
}
