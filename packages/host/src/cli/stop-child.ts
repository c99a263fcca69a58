import type { ChildProcess } from 'node:child_process';

/** Stops a child process with SIGTERM, and with SIGKILL if it has not exited after `killMs`. */
export async function stopChild(child: ChildProcess, killMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killMs);
  await ended;
  clearTimeout(timer);
}
