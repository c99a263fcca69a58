import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run-culprit.js';

/** The minor version of the glibc that builds of uWebSockets.js for Node 22 and later need: 2.38. */
const NEEDED = 38;
/** Debian 13's C and C++ libraries, which the test commands install where the machine's own are older. */
const NEW = join(ROOT, '.tap/debian13/usr/lib/x86_64-linux-gnu');
const OWN = '/usr/lib/x86_64-linux-gnu';
/** In a mount namespace of the program, the new libraries lie over the machine's own: for its interpreter and its children, too. */
const OVER = ['--mount', 'sh', '-c', `mount -t overlay overlay -o "lowerdir=$0:${OWN}" ${OWN} && exec "$@"`];

/** Whether this machine's own glibc is new enough for uWebSockets.js on Node 22 and later. */
export function hasNewGlibc(): boolean {
  const report = process.report?.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return Number(report.header.glibcVersionRuntime?.split('.')[1] ?? 0) >= NEEDED;
}

/** Why `startOnNewGlibc` cannot work here, or `false`. */
export function noNewGlibc(): string | false {
  if (!existsSync(join(NEW, 'libc.so.6'))) return 'needs Debian 13’s libc6 in .tap/debian13';
  const tried = spawnSync('unshare', [...OVER, NEW, 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? false : `needs root that may mount: ${tried.stderr ?? tried.error?.message}`;
}

/** Starts a program on Debian 13's glibc; the rest of the machine stays as it is. */
export function startOnNewGlibc(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcessWithoutNullStreams {
  return spawn('unshare', [...OVER, NEW, ...command], options);
}
