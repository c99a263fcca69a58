import { dsnOf } from '@culprit/core/internal/domain/send-crashes';
import { hostOf } from '../compose/core-parts.js';
import { describeModel } from '../compose/explainers.js';
import { systemsOf, systemsText } from '../compose/hosts/describe.js';
import { describeChat } from '../compose/notifiers.js';
import type { Config } from '../config/config.js';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import type { GeneratedKey, WithSecrets } from '../config/generated-secrets.js';
import { commandName } from '../config/own-name.js';
import { shellWord } from '../config/shell-word.js';
import { printError } from '../log/terminal.js';
import { ONCE } from './link.js';

export interface BannerParts extends WithSecrets {
  readonly edgeUrl: string;
  readonly coreUrl: string;
  readonly boardUrl: string;
  /** `null`: the log says it. */
  readonly servedBy: string | null;
  /** Signs in once, beside the token. */
  readonly link?: string | null;
  /** What is wrong with the repositories. */
  readonly warnings?: readonly string[];
  /** False: others may read it, as in a journal, so it shows no secret. */
  readonly onTerminal: boolean;
}

/** Printed once both servers run. Shows secrets only on a terminal, and only when they were generated just now. */
export function banner(parts: BannerParts): string {
  const { config } = parts;
  const rows: [string, string][] = [
    ['Board', parts.boardUrl],
    ['Edge', `${parts.edgeUrl}  (send crashes here)`],
    ['Core', parts.coreUrl],
    ...(parts.servedBy === null ? [] : [['HTTP', parts.servedBy] as [string, string]]),
    ['Data', config.dataDirectory],
    ...systemRows(config),
    ...(parts.warnings ?? []).map((text): [string, string] => ['Warning', text]),
    ['Model', describeModel(config)],
    ['Chat', describeChat(config)],
    ...(parts.link == null ? [] : [['Sign in', `${parts.link}  ${ONCE}`] as [string, string]]),
    ...secretRows(parts, parts.onTerminal, parts.edgeUrl),
  ];
  return `\nCulprit is up.\n\n${inColumns(rows)}\n\n`;
}

/** Where code and issues are; without issues where external connectors may be the publisher. */
function systemRows(config: Config): [string, string][] {
  const none =
    'none, so there is no blame. Set REPOSITORY or --repository to owner/name or to the path of a repository.';
  if (config.connectors.length > 0) return [['Repository', config.repository ?? none]];
  const systems = systemsOf(config, hostOf);
  const [only] = systems;
  if (only === undefined)
    return [
      ['Repository', none],
      ['Issues', 'are created in the local outbox'],
    ];
  if (systems.length > 1) return systems.map((one, at) => [at === 0 ? 'Projects' : '', systemsText(one)]);
  return [
    ['Repository', only.code ?? none],
    ['Issues', `are created in ${only.issues}`],
  ];
}

/** For a server that runs alone: prints secrets that were generated just now, or where they are. */
export function showFreshSecrets(loaded: WithSecrets): void {
  if (loaded.fresh.length === 0) return;
  printError(`\n${inColumns(secretRows(loaded, process.stderr.isTTY === true))}\n\n`);
}

function inColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n');
}

/** Values of secrets are shown only on a terminal, when they were generated just now. The SDK key is public. */
function secretRows(
  { config, generated, fresh, file }: WithSecrets,
  onTerminal: boolean,
  edgeUrl: string | null = null,
): [string, string][] {
  const at = onTerminal ? '' : ` --data ${shellWord(config.dataDirectory)}`;
  const rows: [string, string][] = generated.length === 0 ? [] : [['Secrets', `${file}  (mode 0600)`]];
  const isFresh = (key: GeneratedKey, project: string) =>
    onTerminal && fresh.some((one) => one.key === key && one.project === project);
  const several = config.sdkKeys.length > 1;
  const once = (project: string) => `(${several ? `project ${project}, ` : ''}kept in that file)`;
  const token = config.reviewerTokens[0]?.token.reveal();
  if (!generated.includes('reviewerTokens')) rows.push(['Sign in', 'with a token from REVIEWER_TOKENS']);
  else if (!isFresh('reviewerTokens', DEFAULT_PROJECT))
    rows.push([
      'Sign in',
      `with "reviewerToken" from that file, or with a link that "${commandName()} link${at}" prints`,
    ]);
  else if (token !== undefined) rows.push(['Token', `${token}  (signs in; kept in that file)`]);
  for (const { token, project } of config.serviceTokens) {
    if (isFresh('serviceTokens', project))
      rows.push(['X-Service-Token', `${token.reveal()}  ${once(project)}`]);
  }
  for (const { secret, project } of config.trackerHookSecret) {
    if (isFresh('trackerHookSecret', project))
      rows.push(['Hook secret', `${secret.reveal()}  ${once(project)}`]);
  }
  for (const { key, project } of config.sdkKeys) {
    const dsn = edgeUrl === null ? `key ${key}` : dsnOf(edgeUrl, key);
    rows.push(['SDK DSN', `${dsn}  (project ${project})`]);
  }
  rows.push([
    'Send crashes',
    `"${commandName()} dsn${at} --for node" prints a ready program; also for other languages, curl and OpenTelemetry`,
  ]);
  return rows;
}
