import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Check } from '@culprit/core';
import { ownEnvironment } from '../config/child-env.js';
import { knownSecrets, missingSecrets, secretsPath } from '../config/generated-secrets.js';
import { configFrom } from '../config/read-config.js';
import { shellWord } from '../config/shell-word.js';
import { print, printError } from '../log/terminal.js';
import { passes } from './checks.js';
import { checkInstallation, printChecks } from './doctor.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { ANSWER_FLAGS, type Answers, collectAnswers, SECRET_VARIABLES } from './init/answers.js';
import { type Ask, terminalAsk } from './init/ask.js';
import { isCommittable, writeAnswers } from './init/files.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['init [flags]'],
  flags: {
    ...ANSWER_FLAGS,
    config: { value: 'FILE', meaning: 'the settings to write (default culprit.json)' },
    // Node 20 takes --env-file for itself, also behind the name of the program.
    'secrets-file': { value: 'FILE', meaning: 'the secrets to write (default .env beside them)' },
    yes: { meaning: 'ask nothing, as without a terminal: needs --repository outside of a repository' },
    'skip-checks': { meaning: 'write the files without the checks of `culprit doctor`' },
    force: { meaning: 'replace existing files' },
  },
  notes: [
    `At a terminal it asks for everything that no flag specifies. Secrets are read from the environment (${SECRET_VARIABLES.join(', ')}) or typed, never from flags, and written only to the env file, which only its owner can read.`,
    'Each answer is checked when it is given, and all of them as `culprit doctor` does. If a check fails, nothing is written; at a terminal it asks again and keeps the answers.',
  ],
};

/** Exit code 1 if a check fails; then nothing is written. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit init takes only flags.');
  const config = resolve(flags.text('config') ?? 'culprit.json');
  const variables = flags.text('secrets-file');
  const files = {
    config,
    variables: variables === null ? join(dirname(config), '.env') : resolve(variables),
  };
  const force = flags.has('force');
  for (const path of Object.values(files)) {
    if (existsSync(path) && !force)
      throw usageError(
        `${path} exists. Pass --force to replace it, or choose another name with --config or --secrets-file.`,
      );
    demandFolder(dirname(path));
  }
  const asked = process.stdin.isTTY === true && !flags.has('yes') && !flags.has('json');
  const ask = asked ? terminalAsk() : null;
  const unchecked = flags.has('skip-checks');
  let kept: Answers | null = null;
  try {
    for (;;) {
      const parts = { flags, env: ownEnvironment(), cwd: process.cwd(), ask, kept, unchecked };
      kept = await collectAnswers(parts);
      const checks = unchecked ? [] : await check(kept, files.config);
      if (!flags.has('json')) printChecks(checks);
      if (!checks.every(passes) && !(await mayWriteFailed(ask, flags, checks))) continue;
      writeAnswers(kept, files, force);
      return report(flags, files, checks);
    }
  } finally {
    ask?.close();
  }
}

/** Before the first question: what is asked for must not be lost at the end. */
function demandFolder(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(
      `Cannot write in ${folder} (${code}). Create it, or choose another with --config and --secrets-file.`,
    );
  }
}

/** The checks of `culprit doctor` on what would be written. */
async function check({ members, variables }: Answers, path: string): Promise<readonly Check[]> {
  const env = { ...ownEnvironment(), ...variables };
  const read = configFrom(
    { name: basename(path), members, path, isThere: true },
    { flags: {}, env, cwd: process.cwd() },
  );
  const config = knownSecrets(read);
  const loaded = {
    config,
    host: read.host,
    generated: missingSecrets(read),
    fresh: [],
    file: secretsPath(config),
  };
  return checkInstallation(loaded);
}

/** False: the answers are asked for again. Throws where nobody is asked. */
async function mayWriteFailed(ask: Ask | null, flags: ReadFlags, checks: readonly Check[]): Promise<boolean> {
  if (ask !== null) {
    const answer = await ask.text('A check failed. Write the files anyway? yes or no', 'no');
    if (/^y(es)?$/i.test(answer)) return true;
    print('Your answers are kept: Enter repeats an answer, - removes it, Ctrl-C stops.\n');
    return false;
  }
  const failed = checks.filter((one) => !passes(one));
  const named = failed.map(({ name, detail }) => `${name}: ${detail}`).join('\n');
  const fix = 'Nothing was written. Fix this and run it again, or pass --skip-checks.';
  throw new CommandFailure(flags.has('json') ? `${named}\n${fix}` : fix, EXIT.failed);
}

function report(
  flags: ReadFlags,
  files: { readonly config: string; readonly variables: string },
  checks: readonly Check[],
): number {
  const usual = files.config === resolve('culprit.json');
  const next = usual ? 'npx culprit up' : `npx culprit up --config ${shellWord(files.config)}`;
  if (flags.has('json')) printJson({ files, checks, next });
  else
    print(`\nWrote ${files.config}\nWrote ${files.variables}  (for secrets, mode 0600)\n\nNext: ${next}\n`);
  if (isCommittable(files.variables))
    printError(
      `culprit: git does not ignore ${files.variables}. Run: echo ${shellWord(basename(files.variables))} >> .gitignore\n`,
    );
  return EXIT.done;
}
