import { usedHosts } from '../compose/core-parts.js';
import { describeModel } from '../compose/explainers.js';
import { describeChat } from '../compose/notifiers.js';
import type { WithSecrets } from '../config/generated-secrets.js';

export interface BannerParts extends WithSecrets {
  readonly edgeUrl: string;
  readonly coreUrl: string;
  readonly boardUrl: string;
}

/** Printed once both servers run. Shows secrets only when they were generated just now. */
export function banner(parts: BannerParts): string {
  const { config } = parts;
  const rows: [string, string][] = [
    ['Board', parts.boardUrl],
    ['Edge', `${parts.edgeUrl}  (send crashes here)`],
    ['Core', parts.coreUrl],
    ['Data', config.dataDirectory],
    ['Repository', config.repository ?? 'none, so there is no blame. Set REPOSITORY or --repository.'],
    ...issueRows(parts),
    ['Model', describeModel(config)],
    ['Chat', describeChat(config)],
    ...secretRows(parts, parts.edgeUrl),
  ];
  return `\nCulprit is up.\n\n${inColumns(rows)}\n\n`;
}

/** None where external connectors may be the publisher. */
function issueRows({ config }: BannerParts): [string, string][] {
  if (config.connectors.length > 0) return [];
  const publisher = usedHosts(config).find(({ roles }) => roles.publisher);
  return publisher === undefined ? [] : [['Issues', `are created in ${publisher.host.titles.publisher}`]];
}

/** For a server that runs alone: prints secrets that were generated just now. */
export function showFreshSecrets(loaded: WithSecrets): void {
  if (loaded.fresh) process.stderr.write(`\n${inColumns(secretRows(loaded))}\n\n`);
}

function inColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n');
}

function secretRows(
  { config, generated, fresh, file }: WithSecrets,
  edgeUrl: string | null = null,
): [string, string][] {
  if (generated.length === 0) return [['Sign in', 'with a token from REVIEWER_TOKENS']];
  const rows: [string, string][] = [['Secrets', `${file}  (mode 0600)`]];
  if (!fresh) {
    if (generated.includes('reviewerTokens')) rows.push(['Sign in', 'with "reviewerToken" from that file']);
    return rows;
  }
  rows.push(['', 'Generated just now and shown only once:']);
  const token = config.reviewerTokens[0]?.token.reveal();
  if (generated.includes('reviewerTokens') && token !== undefined) rows.push(['Sign in', token]);
  const service = config.serviceTokens[0]?.token.reveal();
  if (generated.includes('serviceTokens') && service !== undefined) rows.push(['X-Service-Token', service]);
  const hook = config.trackerHookSecret[0]?.secret.reveal();
  if (generated.includes('trackerHookSecret') && hook !== undefined) rows.push(['Hook secret', hook]);
  const key = config.sdkKeys[0];
  if (generated.includes('sdkKeys') && key !== undefined) {
    rows.push(['SDK key', `${key.key}  (project ${key.project})`]);
    if (edgeUrl !== null) rows.push(['SDK DSN', dsnOf(edgeUrl, key.key)]);
  }
  return rows;
}

/** SDKs require a number as project; the key identifies ours. */
const dsnOf = (edgeUrl: string, key: string) => `${edgeUrl.replace('://', `://${key}@`)}/1`;
