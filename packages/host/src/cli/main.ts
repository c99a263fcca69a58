import { ApiError } from '@culprit/client';
import { isCulpritError } from '@culprit/core';
import { ownEnvironment } from '../config/child-env.js';
import { commandName } from '../config/own-name.js';
import { suggest } from '../config/setting.js';
import { jsonText, print, printError } from '../log/terminal.js';
import { TOKEN_PREFIX } from '../server/tokens/token-text.js';
import { COMMANDS, commandHelp, helpText } from './commands.js';
import { CommandFailure, EXIT, type ExitCode, exitCodeOfError, exitCodeOfRequest } from './exit-codes.js';
import { oneLine } from './print.js';
import { type ReadFlags, readFlags } from './read-flags.js';

/** Runs a command and resolves with the exit code (docs/reference/cli.md). The reader of our output may close it early. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
  });
  // A supervisor that was killed no longer reads it; there is nobody to tell.
  process.stderr.on('error', () => {});
  if (name === '--version' || name === '-v') return main(['version', ...rest]);
  const help = ['help', '--help', '-h'].includes(name);
  const wanted = help ? (rest[0] ?? '') : name;
  if (wanted === '') return show(helpText());
  const command = COMMANDS.find((known) => known.name === wanted);
  if (command === undefined) return fail(unknownCommand(wanted), EXIT.usage, rest);
  if (help) return show(await commandHelp(command));
  let flags: ReadFlags | null = null;
  try {
    const { usage, run } = await command.load();
    flags = readFlags(rest, name, usage);
    return flags.has('help') ? show(await commandHelp(command)) : await run(flags);
  } catch (error) {
    return failWith(await withOrigin(error, flags), name, rest);
  }
}

/** What nobody answers, or another program, or core rejects, is reported with its origin: an address or a token in several places is easily the wrong one. */
async function withOrigin(error: unknown, flags: ReadFlags | null): Promise<unknown> {
  const codes = ['unauthenticated', 'unreachable', 'unreadable', 'unknown_path'];
  if (!(error instanceof ApiError) || flags === null) return error;
  if (!codes.includes(error.problem?.reason ?? error.code)) return error;
  const { clientConfig } = await import('./client-flags.js');
  const config = clientConfig(flags);
  const { core, edge, tokenOrigin } = config;
  if (error.code !== 'unauthenticated') {
    const { why } = error.message.startsWith(edge.url) ? edge : core;
    const what = error.code === 'not_found' ? `${core.url} has no such path.` : oneLine(error.message);
    return new CommandFailure(`${what} ${why}`, exitCodeOfRequest(error.code), error.code);
  }
  // Core tells why about an API token: it expired, it was revoked, a part is missing.
  const fix =
    error.status === 0 || config.token?.startsWith(TOKEN_PREFIX)
      ? error.message
      : tokenOrigin.endsWith('.json')
        ? 'Core was probably started with REVIEWER_TOKENS: pass one of those tokens in CULPRIT_TOKEN. If another Culprit answers there, culprit doctor says so.'
        : 'Use a token that core was started with, or an API token.';
  return new CommandFailure(`Core rejected the token from ${tokenOrigin}. ${fix}`, EXIT.refused);
}

function unknownCommand(name: string): string {
  const near = suggest(
    name,
    COMMANDS.map((known) => known.name),
  );
  const hint =
    near === null ? `Run \`${commandName()} help\`.` : `Did you mean \`${commandName()} ${near}\`?`;
  return `Unknown command ${JSON.stringify(name)}. ${hint}`;
}

function failWith(error: unknown, name: string, rest: readonly string[]): number {
  if (error instanceof CommandFailure) return fail(error.message, error.exitCode, rest, error.code);
  if (error instanceof ApiError) return failRequest(error, rest);
  if (isCulpritError(error)) return fail(oneLine(error.message), exitCodeOfError(error), rest, error.code);
  if (isUsageError(error))
    return fail(`${oneLine(error.message)}\nRun \`${commandName()} ${name} --help\`.`, EXIT.usage, rest);
  const system = systemFailure(error);
  return system === null
    ? fail(unexpected(error), EXIT.failed, rest)
    : fail(oneLine(system.message), system.exitCode, rest);
}

/** The stack helps only those who repair Culprit. */
function unexpected(error: unknown): string {
  const known = error instanceof Error;
  if (known && ownEnvironment().LOG_LEVEL === 'debug') return String(error.stack);
  const report = 'Run the command again with LOG_LEVEL=debug and report what it prints.';
  return `Unexpected error: ${oneLine(known ? error.message : String(error))}\n${report}`;
}

function failRequest({ message, code }: ApiError, rest: readonly string[]): number {
  return fail(oneLine(message), exitCodeOfRequest(code), rest, code);
}

function show(text: string): number {
  print(text);
  return 0;
}

/** Prints the error; with `--json` also as the only document on standard output. */
function fail(text: string, code: ExitCode, rest: readonly string[], known?: string): number {
  printError(`culprit: ${text}\n`);
  if (rest.includes('--json')) {
    const error = { ...(known === undefined ? {} : { code: known }), detail: text };
    print(`${jsonText({ error, exit_code: code })}\n`);
  }
  return code;
}

/** An error of Node's `parseArgs`. */
function isUsageError(error: unknown): error is Error {
  return (
    error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'It does not exist.',
  ENOTDIR: 'A part of the path is not a directory.',
  EISDIR: 'It is a directory. Name a file.',
  EACCES: 'This user has no permission.',
  EPERM: 'This user has no permission.',
  EEXIST: 'It exists already.',
  EROFS: 'The file system is read-only.',
  ENOSPC: 'The disk is full.',
  EMFILE: 'Too many files are open. Raise the limit: ulimit -n 4096.',
};

/** A failed system call as an expected failure: what failed, for which file, and why. `null` for other errors. */
function systemFailure(error: unknown): CommandFailure | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof syscall !== 'string') return null;
  const reason = REASONS[code];
  const what = path === undefined ? `The system call ${syscall} failed` : `Cannot access ${path}`;
  const exitCode = code === 'ENOENT' || code === 'ENOTDIR' ? EXIT.notFound : EXIT.failed;
  return new CommandFailure(`${what} (${code}).${reason === undefined ? '' : ` ${reason}`}`, exitCode);
}
