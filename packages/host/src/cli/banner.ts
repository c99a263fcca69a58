import { modelInWords } from '../compose/explainers.js';
import { chatInWords } from '../compose/notifiers.js';
import type { WithSecrets } from '../config/generated-secrets.js';

export interface BannerParts extends WithSecrets {
  readonly edgeUrl: string;
  readonly coreUrl: string;
  readonly boardUrl: string;
}

/** What a person wants to know once both servers run. Secrets are shown only when they were made just now. */
export function banner(parts: BannerParts): string {
  const { config } = parts;
  const rows: [string, string][] = [
    ['Board', parts.boardUrl],
    ['Edge', `${parts.edgeUrl}  (crashes go here)`],
    ['Core', parts.coreUrl],
    ['Data', config.dataDirectory],
    ['Repository', config.repository ?? 'none, so nothing is blamed: set REPOSITORY or --repository'],
    ['Issues', config.github.token === null ? 'go to the local outbox' : 'go to GitHub'],
    ['Model', modelInWords(config)],
    ['Chat', chatInWords(config)],
    ...secretRows(parts, parts.edgeUrl),
  ];
  return `\nCulprit is up.\n\n${inColumns(rows)}\n\n`;
}

/** For a server that runs alone: what it made up just now, once; otherwise nothing. */
export function tellMadeSecrets(loaded: WithSecrets): void {
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
  if (generated.length === 0) return [['Sign in', 'with a token of REVIEWER_TOKENS']];
  const made = new Set(generated);
  const rows: [string, string][] = [['Secrets', `${file}  (mode 0600)`]];
  if (!fresh) {
    if (made.has('reviewers')) rows.push(['Sign in', `with "reviewerToken" of that file`]);
    return rows;
  }
  rows.push(['', 'made just now and shown this once:']);
  const token = config.reviewers[0]?.token.reveal();
  if (made.has('reviewers') && token !== undefined) rows.push(['Sign in', token]);
  const service = config.serviceTokens[0]?.token.reveal();
  if (made.has('serviceTokens') && service !== undefined) rows.push(['X-Service-Token', service]);
  const hook = config.hookSecrets[0]?.secret.reveal();
  if (made.has('hookSecrets') && hook !== undefined) rows.push(['Hook secret', hook]);
  const key = config.sdkKeys[0];
  if (made.has('sdkKeys') && key !== undefined) {
    rows.push(['SDK key', `${key.key}  (project ${key.project})`]);
    if (edgeUrl !== null) rows.push(['SDK DSN', dsnOf(edgeUrl, key.key)]);
  }
  return rows;
}

/** SDKs want a number for a project; the key tells ours. */
const dsnOf = (edgeUrl: string, key: string) => `${edgeUrl.replace('://', `://${key}@`)}/1`;
