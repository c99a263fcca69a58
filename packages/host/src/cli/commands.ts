import { type CommandUsage, helpOf, type ReadFlags } from './read-flags.js';

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
  { name: 'up', summary: 'start the edge and core, and keep both running', load: () => import('./up.js') },
  { name: 'demo', summary: 'watch a real crash become a reviewed issue', load: () => import('./demo.js') },
  { name: 'edge', summary: 'start the edge alone', load: () => import('./edge.js') },
  { name: 'core', summary: 'start core alone', load: () => import('./core.js') },
  { name: 'runs', summary: 'list runs, show one, open or close its gates', load: () => import('./runs.js') },
  {
    name: 'notifications',
    summary: 'list or retry failed notifications',
    load: () => import('./notifications.js'),
  },
  {
    name: 'spool',
    summary: 'show the edge’s queue on disk; resend or drop dead letters',
    load: () => import('./spool.js'),
  },
  {
    name: 'listen',
    summary: 'show every change of every run as it happens',
    load: () => import('./listen.js'),
  },
  { name: 'trigger', summary: 'send a test crash', load: () => import('./trigger.js') },
  { name: 'record', summary: 'write deliveries or evidence to a file', load: () => import('./record.js') },
  {
    name: 'replay',
    summary: 'derive drafts again and compare their digests',
    load: () => import('./replay.js'),
  },
  {
    name: 'verify',
    summary: 'compare a published issue with its evidence',
    load: () => import('./verify.js'),
  },
  {
    name: 'map',
    summary: 'show which repository file a stack path maps to, and why',
    load: () => import('./map.js'),
  },
  {
    name: 'blame',
    summary: 'show the suspect commits for one frame, and why',
    load: () => import('./blame.js'),
  },
  { name: 'audit', summary: 'verify or export the history of every run', load: () => import('./audit.js') },
  {
    name: 'store',
    summary: 'manage the storage: info, export, import, migrate, compact',
    load: () => import('./store.js'),
  },
  {
    name: 'erase',
    summary: 'erase a person from everything that is stored',
    load: () => import('./erase.js'),
  },
  {
    name: 'doctor',
    summary: 'check the configuration and every connector',
    load: () => import('./doctor.js'),
  },
  {
    name: 'scrub',
    summary: 'show what would be redacted from a crash, and why',
    load: () => import('./scrub.js'),
  },
  {
    name: 'connector',
    summary: 'create a new connector with its contract test',
    load: () => import('./connector.js'),
  },
  { name: 'version', summary: 'print the version', load: () => import('./version.js') },
];

/** The text of `culprit COMMAND --help`. */
export async function commandHelp({ name, summary, load }: Command): Promise<string> {
  return helpOf(name, summary, (await load()).usage);
}

export function helpText(): string {
  const rows = [...COMMANDS, { name: 'help', summary: 'print this help, or that of a command' }];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Culprit: from a crash to a reviewed issue that names the change, not the person.

Usage: culprit <command> [flags]

${lines.join('\n')}

Flags of a command: culprit <command> --help
`;
}
