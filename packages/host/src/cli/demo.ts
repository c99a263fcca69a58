import { isCulpritError } from '@culprit/core';
import { SETTINGS } from '../config/settings.js';
import { port } from '../config/types.js';
import { githubDouble } from '../demo/github-double.js';
import { type DemoOptions, runDemo } from '../demo/run-demo.js';
import { usageError } from './exit-codes.js';
import type { CommandUsage, Flags, ReadFlags } from './read-flags.js';
import { readPlace } from './read-place.js';

const portMeaning = (key: 'edgePort' | 'corePort') => `default ${SETTINGS[key].default}; 0 picks a free port`;

/** Offered only where it is there. */
const double = githubDouble() === null ? '' : '[--github-double] ';
const DOUBLE: Flags = {
  'github-double': { meaning: 'in a clone: use a local stand-in for GitHub instead of git and the outbox' },
};

export const usage: CommandUsage = {
  forms: [
    `demo [--auto] ${double}[flags]`,
    'demo --repo PATH --crash FILE:LINE [flags]',
    'demo --repo PATH [flags] -- COMMAND [ARGUMENT…]',
    'demo --scenario DIR [flags]',
  ],
  flags: {
    auto: { meaning: 'approve both gates automatically, print the issue, stop' },
    repo: { value: 'PATH', meaning: 'use the last commit of your own git repository' },
    crash: { value: 'FILE:LINE', meaning: 'with --repo: report a crash at this line' },
    scenario: { value: 'DIR', meaning: 'use a scenario folder: its repository and its deliveries' },
    ...(double === '' ? {} : DOUBLE),
    data: { value: 'DIR', meaning: 'data directory (default: a new temporary directory)' },
    'edge-port': { value: 'N', meaning: portMeaning('edgePort') },
    'core-port': { value: 'N', meaning: portMeaning('corePort') },
  },
  notes: [
    'Without flags it creates a small repository whose service crashes, shows the board and waits for you. -- COMMAND runs a command in --repo and reports what it prints on stderr. --json prints one line: run_id, states, issue_url, issue_file, suspects, seconds.',
  ],
};

/** Runs the demo and resolves with the exit code. */
export async function run(flags: ReadFlags): Promise<number> {
  const split = flags.argv.indexOf('--');
  const command = split === -1 ? [] : flags.argv.slice(split + 1);
  if (flags.positionals.length > command.length) throw usageError('culprit demo takes only flags before --.');
  const options = readOptions(flags, command);
  return runDemo(options).catch((error: unknown) => {
    throw isCulpritError(error, 'malformed') ? usageError(error.message) : error;
  });
}

function readOptions(flags: ReadFlags, command: readonly string[]): DemoOptions {
  const repo = flags.text('repo');
  const crash = flags.text('crash');
  const scenario = flags.text('scenario');
  if (repo === null && (crash !== null || command.length > 0))
    throw usageError('--crash and -- COMMAND need --repo PATH, the repository that crashes.');
  if (scenario !== null && repo !== null)
    throw usageError('--scenario contains its own repository: remove --repo.');
  if (repo !== null && (crash === null) === (command.length === 0))
    throw usageError('--repo needs either --crash FILE:LINE or -- COMMAND.');
  return {
    auto: flags.has('auto'),
    json: flags.has('json'),
    githubDouble: flags.has('github-double'),
    data: flags.text('data'),
    edgePort: readPort(flags, 'edge-port'),
    corePort: readPort(flags, 'core-port'),
    repository: repo,
    scenario,
    crash: crash === null ? null : readPlace('crash', crash),
    command,
  };
}

function readPort(flags: ReadFlags, flag: string): number | null {
  const text = flags.text(flag);
  if (text === null) return null;
  try {
    return port.read({ text, origin: `--${flag}`, key: flag }, { env: {}, cwd: '' });
  } catch (error) {
    throw isCulpritError(error) ? usageError(error.message) : error;
  }
}
