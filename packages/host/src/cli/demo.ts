import { parseArgs } from 'node:util';
import { CulpritError, isCulpritError } from '@culprit/core';
import { ApiError } from '../client/api-error.js';
import { type DemoOptions, runDemo } from '../demo/run-demo.js';

export const DEMO_USAGE = `culprit demo: watch a real crash become a reviewed issue, on this machine alone.

usage: culprit demo [--auto] [--json] [--github-double] [--data DIR] [--edge-port N] [--core-port N]
       culprit demo --repo PATH --crash FILE:LINE
       culprit demo --repo PATH -- COMMAND [ARGUMENT…]
       culprit demo --scenario DIR

  (nothing)             build a small repository whose service crashes, show the board, wait for you
  --auto                open both gates by itself, print the issue, stop
  --repo PATH           take your own git repository, as of its last commit, instead
  --crash FILE:LINE     with --repo: report a crash at this line
  -- COMMAND            with --repo: run the command there and report what it prints on stderr
  --scenario DIR        take a scenario folder: its repository, its deliveries (scenarios/ in the source)
  --github-double       let a GitHub on this machine be the code host and take the issue, instead of git and the outbox
  --data DIR            keep everything here (default: a new temporary directory)
  --edge-port N         default 8001; 0 takes any free port
  --core-port N         default 8000; 0 takes any free port
  --json                end with one line of JSON: run_id, states, issue_url, issue_file, suspects, seconds
`;

/** Runs the demo. Returns the exit code: 0 done, 1 something failed, 2 the arguments make no sense. */
export async function demo(argv: string[]): Promise<number> {
  try {
    const options = readOptions(argv);
    if (options === null) {
      process.stdout.write(DEMO_USAGE);
      return 0;
    }
    return await runDemo(options);
  } catch (error) {
    const usage = isUsage(error);
    const expected = isCulpritError(error) || error instanceof ApiError || usage;
    const text = expected ? (error as Error).message : String((error as Error).stack);
    process.stderr.write(`\nculprit demo: ${text}\n`);
    if (usage) process.stderr.write('Run `culprit demo --help` to see what it takes.\n');
    return usage ? 2 : 1;
  }
}

function readOptions(argv: string[]): DemoOptions | null {
  const split = argv.indexOf('--');
  const command = split === -1 ? [] : argv.slice(split + 1);
  const { values } = parseArgs({
    args: split === -1 ? argv : argv.slice(0, split),
    options: {
      auto: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'github-double': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      data: { type: 'string' },
      repo: { type: 'string' },
      scenario: { type: 'string' },
      crash: { type: 'string' },
      'edge-port': { type: 'string' },
      'core-port': { type: 'string' },
    },
  });
  if (values.help) return null;
  if (values.repo === undefined && (values.crash !== undefined || command.length > 0)) {
    throw usageError('--crash and -- COMMAND need --repo PATH: the repository that crashes.');
  }
  if (values.scenario !== undefined && values.repo !== undefined) {
    throw usageError('--scenario brings its own repository: leave --repo out.');
  }
  if (values.repo !== undefined && (values.crash === undefined) === (command.length === 0)) {
    throw usageError('--repo needs either --crash FILE:LINE or -- COMMAND.');
  }
  return {
    auto: values.auto,
    json: values.json,
    githubDouble: values['github-double'],
    data: values.data ?? null,
    edgePort: readPort('--edge-port', values['edge-port']),
    corePort: readPort('--core-port', values['core-port']),
    repository: values.repo ?? null,
    scenario: values.scenario ?? null,
    crash: values.crash === undefined ? null : readPlace(values.crash),
    command,
  };
}

function readPort(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw usageError(`${flag} must be a port number from 0 to 65535.`);
  }
  return Number(text);
}

function readPlace(text: string): { readonly path: string; readonly line: number } {
  const found = /^(.+):(\d{1,7})$/.exec(text);
  if (found === null) throw usageError('--crash must be written FILE:LINE, for example src/cart.js:17.');
  return { path: (found[1] ?? '').replaceAll('\\', '/').replace(/^\.\//, ''), line: Number(found[2]) };
}

function usageError(detail: string): CulpritError {
  return new CulpritError('malformed', detail);
}

function isUsage(error: unknown): boolean {
  if (isCulpritError(error, 'malformed')) return true;
  return String((error as { code?: unknown }).code ?? '').startsWith('ERR_PARSE_ARGS');
}
