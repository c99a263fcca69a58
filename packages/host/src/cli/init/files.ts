import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { neutralEnvironment } from '../../config/child-env.js';
import { createFile } from '../../config/private-files.js';
import { CommandFailure, EXIT } from '../exit-codes.js';
import type { Answers } from './answers.js';

export interface InitFiles {
  readonly config: string;
  readonly variables: string;
}

const HEAD =
  '# Secrets of Culprit, read by the envFile setting. Variables of the environment override them.\n';

/** Writes both files, readable only by their owner. The secrets come first: settings that name a missing file do not start. */
export function writeAnswers({ members, variables }: Answers, files: InitFiles, force: boolean): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  const settings = { ...members, envFile: files.variables };
  for (const [path, text] of [
    [files.variables, `${HEAD}${lines.join('')}`],
    [files.config, `${JSON.stringify(settings, null, 2)}\n`],
  ] as const) {
    if (!createFile(path, text, force))
      throw new CommandFailure(`${path} exists. Pass --force to replace it.`, EXIT.usage);
  }
}

/** True: the file is in a git work tree, and `git add .` would add it. */
export function isCommittable(path: string): boolean {
  const ignored = spawnSync('git', ['check-ignore', '--quiet', path], {
    cwd: dirname(path),
    env: neutralEnvironment(),
    stdio: 'ignore',
  });
  return ignored.status === 1;
}
