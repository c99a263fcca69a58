import { columnsOf, helpOf, wrapped } from './help-text.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

/** A command's own file. */
export interface CommandModule {
  readonly usage: CommandUsage;
  /** Resolves with the exit code. */
  run(flags: ReadFlags): Promise<number>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Loaded on demand, so that a command does not load the others' modules. */
  readonly load: () => Promise<CommandModule>;
}

/** Every command, in the order of help. */
export const COMMANDS: readonly Command[] = [
  command('init', 'write culprit.json and .env, and check both', () => import('./init.js')),
  command('up', 'start the edge and core, and keep both running', () => import('./up.js')),
  command('demo', 'watch a real crash become a reviewed issue', () => import('./demo.js')),
  command('edge', 'start only the edge', () => import('./edge.js')),
  command('core', 'start only core', () => import('./core.js')),
  command('runs', 'list runs, show one, edit its draft, approve or reject it', () => import('./runs.js')),
  command('brief', 'print the fix brief of a run: one page to start a fix from', () =>
    import('./one-run.js').then((all) => all.brief),
  ),
  command(
    'ask',
    'ask a question about the repository of a run, at its crashed revision',
    () => import('./ask.js'),
  ),
  command('investigate', 'let the configured model investigate a run, and watch it', () =>
    import('./investigate.js').then((all) => all.investigate),
  ),
  command('suspects', 'choose whether a draft follows the ranking or the investigation', () =>
    import('./investigate.js').then((all) => all.suspects),
  ),
  command('hand-off', 'hand a published run over to GitHub’s coding agent, or to webhooks', () =>
    import('./one-run.js').then((all) => all.handOff),
  ),
  command(
    'mcp',
    'serve runs to a coding agent over MCP, on standard input and output',
    () => import('./mcp.js'),
  ),
  command(
    'digest',
    'show what happened in a shift: decisions, waits, issues, regressions',
    () => import('./digest.js'),
  ),
  command('link', 'print a link that signs in on the board, once', () => import('./link.js')),
  command('sessions', 'list the signed-in browsers, or end a session', () =>
    import('./installation.js').then((all) => all.sessions),
  ),
  command('sourcemaps', 'upload, list and delete source maps', () => import('./sourcemaps.js')),
  command(
    'releases',
    'record releases, their commits and deploys; list what crashed in each',
    () => import('./releases.js'),
  ),
  command('notifications', 'list or retry failed notifications', () =>
    import('./installation.js').then((all) => all.notifications),
  ),
  command(
    'webhooks',
    'make, change, test and delete outgoing webhooks; resend dead deliveries',
    () => import('./webhooks.js'),
  ),
  command('token', 'make, list or revoke API tokens for programs', () => import('./token.js')),
  command(
    'edges',
    'watch the edges of core and the spool of this machine, change limits; resend or drop dead letters',
    () => import('./edges.js'),
  ),
  command('quotas', 'show what each key, door and project has used of its quota', () =>
    import('./installation.js').then((all) => all.quotas),
  ),
  command('listen', 'show every change of every run as it happens', () => import('./listen.js')),
  command('dsn', 'show where to send each project’s crashes, with ready programs', () => import('./dsn.js')),
  command('trigger', 'send a test crash', () => import('./trigger.js')),
  command('report', 'report the failures of a CI job as crashes', () => import('./report.js')),
  command('record', 'write deliveries or evidence to a file', () => import('./record.js')),
  command('replay', 'derive drafts again and compare their digests', () => import('./replay.js')),
  command('verify', 'compare a published issue with its evidence', () => import('./verify.js')),
  command('blame', 'show the file and the suspect commits of one frame, and why', () => import('./blame.js')),
  command(
    'backtest',
    'measure the suspects on the fixes of your own repository',
    () => import('./backtest.js'),
  ),
  command('audit', 'verify or export the history of every run', () => import('./audit.js')),
  command('store', 'manage the storage: info, export, import, migrate, compact', () => import('./store.js')),
  command('erase', 'erase a person from everything that is stored', () => import('./erase.js')),
  command('doctor', 'check the configuration and every connector', () => import('./doctor.js')),
  command('scrub', 'show what would be redacted from a crash, and why', () => import('./scrub.js')),
  command('connector', 'create a new connector with its contract test', () => import('./connector.js')),
  command('version', 'print the version', () => import('./version.js')),
];

function command(name: string, summary: string, load: Command['load']): Command {
  return { name, summary, load };
}

/** The text of `culprit COMMAND --help`. */
export async function commandHelp({ name, summary, load }: Command): Promise<string> {
  return helpOf(name, summary, (await load()).usage);
}

export function helpText(): string {
  const rows = [...COMMANDS, { name: 'help', summary: 'print this help, or that of a command' }];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.flatMap(({ name, summary }) =>
    wrapped(summary, columnsOf(process.stdout) - width - 4).map(
      (line, index) => `  ${(index === 0 ? name : '').padEnd(width)}  ${line}`,
    ),
  );
  return `Culprit: from a crash to a reviewed issue that names the change, not the person.

Usage: culprit <command> [flags]

${lines.join('\n')}

Flags of a command: culprit <command> --help
`;
}
