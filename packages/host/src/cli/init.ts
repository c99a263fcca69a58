import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Check } from '@culprit/core';
import { ownEnvironment } from '../config/child-env.js';
import { knownSecrets, missingSecrets, secretsPath } from '../config/generated-secrets.js';
import { configFrom } from '../config/read-config.js';
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
    'env-file': { value: 'FILE', meaning: 'the secrets to write (default .env)' },
    yes: { meaning: 'ask nothing: what no flag or variable says has its default' },
    'skip-checks': { meaning: 'write the files without the checks of `culprit doctor`' },
    force: { meaning: 'replace existing files' },
  },
  notes: [
    `At a terminal it asks what no flag says. Secrets are read from the environment (${SECRET_VARIABLES.join(', ')}) or typed, never from flags, and written only to the env file, which only its owner can read.`,
    'Each answer is checked as `culprit doctor` does. If a check fails, nothing is written.',
  ],
};

/** Exit code 1 if a check fails; then nothing is written. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit init takes only flags.');
  const files = {
    config: resolve(flags.text('config') ?? 'culprit.json'),
    variables: resolve(flags.text('env-file') ?? '.env'),
  };
  const force = flags.has('force');
  for (const path of Object.values(files)) {
    if (existsSync(path) && !force)
      throw usageError(
        `${path} exists. Pass --force to replace it, or choose another name with --config or --env-file.`,
      );
  }
  const asked = process.stdin.isTTY === true && !flags.has('yes') && !flags.has('json');
  const ask = asked ? terminalAsk() : null;
  try {
    const answers = await collectAnswers({ flags, env: ownEnvironment(), cwd: process.cwd(), ask });
    const checks = flags.has('skip-checks') ? [] : await check(answers);
    if (!flags.has('json')) printChecks(checks);
    if (!checks.every(passes)) await confirmFailed(ask, flags, checks);
    writeAnswers(answers, files, force);
    return report(flags, files, checks);
  } finally {
    ask?.close();
  }
}

/** The checks of `culprit doctor` on what would be written. Without a repository that is a decision and no fault. */
async function check({ members, variables }: Answers): Promise<readonly Check[]> {
  const env = { ...ownEnvironment(), ...variables };
  const read = configFrom({ name: 'culprit.json', members }, { flags: {}, env, cwd: process.cwd() });
  const config = knownSecrets(read);
  const loaded = { config, generated: missingSecrets(read), fresh: [], file: secretsPath(config) };
  const checks = await checkInstallation(loaded);
  return config.repository === null ? checks.filter(({ name }) => name !== 'repository') : checks;
}

async function confirmFailed(ask: Ask | null, flags: ReadFlags, checks: readonly Check[]): Promise<void> {
  const answer =
    ask === null ? 'no' : await ask.text('A check failed. Write the files anyway? yes or no', 'no');
  if (/^y(es)?$/i.test(answer)) return;
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
  const next = usual ? 'npx culprit up' : `npx culprit up --config ${files.config}`;
  if (flags.has('json')) printJson({ files, checks, next });
  else print(`\nWrote ${files.config}\nWrote ${files.variables}  (secrets, mode 0600)\n\nNext: ${next}\n`);
  if (isCommittable(files.variables))
    printError(
      `culprit: git does not ignore ${files.variables}. Run: echo ${basename(files.variables)} >> .gitignore\n`,
    );
  return EXIT.done;
}
