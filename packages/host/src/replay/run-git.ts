import { spawnSync } from 'node:child_process';
import { CulpritError } from '@culprit/core';
import { neutralEnvironment } from '../config/child-env.js';

const GIT_MS = 60_000;

/** Runs git to its end. Its exit status is the caller's to judge. @throws `configuration` without git */
export function runGit(
  cwd: string,
  args: readonly string[],
  { input, ownSettings = true }: { readonly input?: string | undefined; readonly ownSettings?: boolean } = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const noSettings = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const run = spawnSync('git', [...args], {
    cwd,
    encoding: 'utf8',
    env: { ...neutralEnvironment(), ...(ownSettings ? {} : noSettings) },
    ...(input === undefined ? {} : { input }),
    maxBuffer: 64 * 1024 * 1024,
    timeout: GIT_MS,
  });
  if (run.signal !== null)
    throw new CulpritError('internal', `git ${args[0]} in ${cwd} did not end within ${GIT_MS / 1_000} s.`);
  if (run.error !== undefined && run.status === null) {
    throw new CulpritError(
      'configuration',
      'git is not on the PATH. Install git 2.31 or later and try again.',
    );
  }
  return run;
}
