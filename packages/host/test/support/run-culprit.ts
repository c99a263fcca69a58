import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const BIN = fileURLToPath(new URL('../../dist/bin/culprit.js', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line, with another Node if `node` is given. */
export async function culprit(
  args: readonly string[],
  more: { node?: string; env?: object; input?: string; cwd?: string } = {},
): Promise<Ended> {
  const { node = process.execPath, env = {}, input, cwd = ROOT } = more;
  const child = promisify(execFile)(node, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    maxBuffer: 1 << 26,
  });
  child.child.stdin?.end(input ?? '');
  return child.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}
