import type { CommandUsage } from './read-flags.js';

export type CommandRun = (argv: string[]) => Promise<number>;

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Loaded on demand, so that a command does not load the others' modules. */
  readonly load: () => Promise<CommandRun>;
  /** The text of `culprit <command> --help`; absent for commands without flags. */
  readonly help?: () => Promise<string>;
}

const helpFrom = (usage: () => Promise<CommandUsage>) => async () =>
  (await import('./read-flags.js')).helpOf(await usage());

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'up',
    summary: 'start the edge and core, and keep both running',
    load: async () => (await import('./up.js')).up,
    help: helpFrom(async () => (await import('./up.js')).UP_USAGE),
  },
  {
    name: 'demo',
    summary: 'watch a real crash become a reviewed issue',
    load: async () => (await import('./demo.js')).demo,
    help: helpFrom(async () => (await import('./demo.js')).DEMO_USAGE),
  },
  {
    name: 'edge',
    summary: 'start the edge alone',
    load: async () => (await import('./edge.js')).edge,
    help: helpFrom(async () => (await import('./edge.js')).EDGE_USAGE),
  },
  {
    name: 'core',
    summary: 'start core alone',
    load: async () => (await import('./core.js')).core,
    help: helpFrom(async () => (await import('./core.js')).CORE_USAGE),
  },
  {
    name: 'runs',
    summary: 'list runs, show one, open or close its gates',
    load: async () => (await import('./runs.js')).runs,
    help: helpFrom(async () => (await import('./runs.js')).RUNS_USAGE),
  },
  {
    name: 'notifications',
    summary: 'list or retry failed notifications',
    load: async () => (await import('./notifications.js')).notifications,
    help: helpFrom(async () => (await import('./notifications.js')).NOTIFICATIONS_USAGE),
  },
  {
    name: 'spool',
    summary: 'show the edge’s queue on disk; resend or drop dead letters',
    load: async () => (await import('./spool.js')).spool,
    help: helpFrom(async () => (await import('./spool.js')).SPOOL_USAGE),
  },
  {
    name: 'listen',
    summary: 'show every change of every run as it happens',
    load: async () => (await import('./listen.js')).listen,
    help: helpFrom(async () => (await import('./listen.js')).LISTEN_USAGE),
  },
  {
    name: 'trigger',
    summary: 'send a test crash',
    load: async () => (await import('./trigger.js')).trigger,
    help: helpFrom(async () => (await import('./trigger.js')).TRIGGER_USAGE),
  },
  {
    name: 'record',
    summary: 'write deliveries or evidence to a file',
    load: async () => (await import('./record.js')).record,
    help: helpFrom(async () => (await import('./record.js')).RECORD_USAGE),
  },
  {
    name: 'replay',
    summary: 'derive drafts again and compare their digests',
    load: async () => (await import('./replay.js')).replay,
    help: helpFrom(async () => (await import('./replay.js')).REPLAY_USAGE),
  },
  {
    name: 'verify',
    summary: 'compare a published issue with its evidence',
    load: async () => (await import('./verify.js')).verify,
    help: helpFrom(async () => (await import('./verify.js')).VERIFY_USAGE),
  },
  {
    name: 'map',
    summary: 'show which repository file a stack path maps to, and why',
    load: async () => (await import('./map.js')).map,
    help: helpFrom(async () => (await import('./map.js')).MAP_USAGE),
  },
  {
    name: 'blame',
    summary: 'show the suspect commits for one frame, and why',
    load: async () => (await import('./blame.js')).blame,
    help: helpFrom(async () => (await import('./blame.js')).BLAME_USAGE),
  },
  {
    name: 'audit',
    summary: 'verify or export the history of every run',
    load: async () => (await import('./audit.js')).audit,
    help: helpFrom(async () => (await import('./audit.js')).AUDIT_USAGE),
  },
  {
    name: 'store',
    summary: 'manage the storage: info, export, import, migrate, compact',
    load: async () => (await import('./store.js')).store,
    help: helpFrom(async () => (await import('./store.js')).STORE_USAGE),
  },
  {
    name: 'erase',
    summary: 'erase a person from everything that is stored',
    load: async () => (await import('./erase.js')).erase,
    help: helpFrom(async () => (await import('./erase.js')).ERASE_USAGE),
  },
  {
    name: 'doctor',
    summary: 'check the configuration and every connector',
    load: async () => (await import('./doctor.js')).doctor,
    help: helpFrom(async () => (await import('./doctor.js')).DOCTOR_USAGE),
  },
  {
    name: 'scrub',
    summary: 'show what would be redacted from a crash, and why',
    load: async () => (await import('./scrub.js')).scrub,
    help: helpFrom(async () => (await import('./scrub.js')).SCRUB_USAGE),
  },
  {
    name: 'connector',
    summary: 'create a new connector with its contract test',
    load: async () => (await import('./connector.js')).connector,
    help: helpFrom(async () => (await import('./connector.js')).CONNECTOR_USAGE),
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async () => (await import('./version.js')).version,
  },
  { name: 'help', summary: 'print this help', load: async () => help },
];

export function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Culprit: from a crash to a reviewed issue that names the change, not the person.

Usage: culprit <command> [flags]

${lines.join('\n')}

Flags of a command: culprit <command> --help
`;
}

async function help([name]: readonly string[]): Promise<number> {
  const command = COMMANDS.find((known) => known.name === name);
  process.stdout.write((await command?.help?.()) ?? helpText());
  return 0;
}
