import {
  addressesOf,
  NO_DSN,
  placeText,
  type Sender,
  SNIPPETS,
  snippetFor,
} from '@culprit/core/internal/domain/send-crashes';
import type { Config } from '../config/config.js';
import { commandName } from '../config/own-name.js';
import { print, printError } from '../log/terminal.js';
import { sendersOf } from '../send-crashes/senders.js';
import { clientConfig, EDGE_FLAGS, unknownProject } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { CONFIG_FLAG, settingFlags } from './server-flags.js';

const KINDS = SNIPPETS.map(({ id }) => id);

export const usage: CommandUsage = {
  forms: ['dsn [PROJECT] [--for KIND] [flags]'],
  flags: {
    for: { value: KINDS.join('|'), meaning: 'print a program that sends crashes, with the project’s DSN' },
    ...settingFlags(['dataDirectory']),
    ...CONFIG_FLAG,
    ...EDGE_FLAGS,
  },
  notes: [
    'A DSN is public. Tokens and hook secrets are not, so the command names the file or the setting that has them. Pass --edge-url if programs reach the edge by another address.',
  ],
};

/** Where crashes of each project are sent. Reads the configuration of this folder; asks no server. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 1) throw usageError('culprit dsn takes one project.');
  const source = clientConfig(flags);
  const edgeUrl = source.edge.url;
  const all = sendersOf(source);
  if (all.length === 0) throw new CommandFailure(nothingIn(source.config), EXIT.notFound);
  if (!source.running) printError(`culprit: ${settingsFrom(source.config)}\n`);
  const [name] = flags.positionals;
  const chosen = name === undefined ? all : all.filter(({ project }) => project === name);
  const names = all.map(({ project }) => project);
  if (chosen.length === 0 && name !== undefined) throw unknownProject(name, names);
  const kind = flags.text('for') === null ? null : flags.oneOf('for', KINDS, 'node');
  const [first] = chosen;
  if (kind !== null && first !== undefined) {
    if (chosen.length > 1) throw usageError(`Name a project: ${names.join(', ')}.`);
    const programs = SNIPPETS.filter(({ id }) => id === kind);
    if (programs.some(({ text }) => text.includes('{dsn}')) && addressesOf(first, edgeUrl).dsn === null)
      throw new CommandFailure(`The project ${first.project} has no DSN: ${noneOf(source)}.`, EXIT.notFound);
    for (const snippet of programs) {
      const text = snippetFor(snippet, first, edgeUrl);
      if (flags.has('json')) printJson({ project: first.project, for: kind, snippet: text });
      else print(text);
    }
  } else if (flags.has('json'))
    printJson({
      edge_url: edgeUrl,
      projects: chosen.map((one) => ({ ...one, ...addressesOf(one, edgeUrl) })),
    });
  else {
    print(chosen.map((one) => textOf(one, edgeUrl, noneOf(source))).join('\n'));
  }
  return EXIT.done;
}

/** Why a project has no DSN. */
function noneOf({ generated }: ReturnType<typeof clientConfig>): string {
  return generated.includes('sdkKeys') ? `none yet: ${commandName()} up generates its key` : NO_DSN;
}

/** Said where no host runs, because what the command prints may be that of another one. */
function settingsFrom({ dataDirectory, settingsFile: { path, isThere } }: Config): string {
  return `no host runs in ${dataDirectory}; ${isThere ? `settings are from ${path}` : `there is no ${path}`}.`;
}

function nothingIn({ dataDirectory, settingsFile: { path, isThere } }: Config): string {
  const file = isThere ? `${path} configures no project` : `there is no ${path}`;
  return `No project is known: no host runs in ${dataDirectory}, and ${file}. Start \`${commandName()} up\`, which generates keys; or name the data directory of the running servers with --data (DATA_DIR), or its settings with --config.`;
}

function textOf(sender: Sender, edgeUrl: string, none: string): string {
  const { dsn, ingest_url, hook_url } = addressesOf(sender, edgeUrl);
  return `Project ${sender.project}
  DSN          ${dsn ?? none}
  Ingest       ${ingest_url}
  Token        ${placeText(sender.service_token)}
  Hook         ${hook_url}
  Hook secret  ${placeText(sender.hook_secret)}
`;
}
