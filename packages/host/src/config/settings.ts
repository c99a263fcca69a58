import { ollamaSettings, openaiSettings, slackSettings } from '@culprit/connectors/settings';
import { DEFAULT_POLICY } from '@culprit/core';
import { AUDIT_KEY_CHARS } from '@culprit/core/internal/domain/history';
import { ASSIGN_RULES } from '@culprit/core/internal/domain/ownership';
import { CLOSED_ISSUES, REGRESSION_ISSUES, RESOLVED_RUNS } from '@culprit/core/internal/domain/resolution';
import { EVENT_BYTES, MIN_EVENT_BYTES } from '@culprit/core/internal/pipeline/normalise/bound-event';
import { address, HOST_SETTINGS } from '../compose/hosts/hosts.js';
import { DRIVER_CHOICES } from '../http/driver.js';
import {
  hookSecrets,
  otlpServices,
  reviewerTokens,
  sdkKeys,
  secret,
  secrets,
  serviceTokens,
  slackReviewers,
} from './credentials.js';
import { claimProjects, claimRoles, issuer } from './oidc.js';
import { fromConnector } from './own-settings.js';
import { named, type Setting, setting } from './setting.js';
import { connectors, limits, projects, scrub } from './structured.js';
import {
  amount,
  anyText,
  boolean,
  codeMappings,
  DEFAULT_QUOTAS_TEXT,
  DEFAULT_RETENTION_TEXT,
  duration,
  filePath,
  hostName,
  list,
  lowerCase,
  oneOf,
  origin,
  port,
  quotas,
  retention,
  seconds,
  secretUrl,
  text,
  tokenPrice,
  url,
  wholeNumber,
} from './types.js';

const { investigation: INVESTIGATION } = DEFAULT_POLICY;
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Every setting, by its name in `culprit.json` and in `Config`. Configuration, errors, `--help`, `culprit doctor` and
 * docs/reference/configuration.md are derived from this table.
 */
export const SETTINGS = named({
  host: setting(hostName, {
    flag: 'host',
    default: '127.0.0.1',
    meaning: 'Address that both servers listen on.',
  }),
  edgePort: setting(port, {
    flag: 'edge-port',
    default: '8001',
    meaning: 'Port of the edge (Server A); 0 picks a free one.',
  }),
  corePort: setting(port, {
    flag: 'core-port',
    default: '8000',
    meaning: 'Port of core (Server B); 0 picks a free one.',
  }),
  httpDriver: setting(oneOf(DRIVER_CHOICES), {
    default: 'auto',
    meaning:
      'HTTP server: `uws` (uWebSockets.js, the faster one), `node` (`node:http`), or `auto`: uWebSockets.js where it can be loaded.',
  }),
  coreUrl: setting(url, {
    flag: 'core-url',
    otherwise: 'core’s own address',
    meaning: 'Where the edge reaches core. Must be https unless it is loopback or ALLOW_PLAINTEXT=1.',
  }),
  publicUrl: setting(origin, {
    flag: 'public-url',
    otherwise: 'core’s own address',
    meaning: 'How browsers reach the board. Requests with a session cookie must come from this origin.',
  }),
  allowedHosts: setting(lowerCase(list('host[:port],…')), {
    default: '',
    meaning:
      'Further values of the Host header that core accepts, besides PUBLIC_URL, CORE_URL and loopback names. A name without a port allows every port.',
  }),
  trustedProxies: setting(list('address or CIDR,…'), {
    default: '',
    meaning: 'Peers whose forwarding headers are trusted to name the client.',
  }),
  figuresNeedToken: setting(boolean, {
    default: '0',
    meaning:
      '1: the edge’s /metrics and /api/v1/guard need a service token even for requests from this machine. Set it behind a proxy on the same machine that adds no forwarding header.',
  }),
  allowPlaintext: setting(boolean, {
    default: '0',
    meaning: '1 allows http to services that are not on loopback.',
  }),
  dataDirectory: setting(anyText('directory'), {
    env: 'DATA_DIR',
    flag: 'data',
    otherwise: 'the directory of STORAGE_URL, or .culprit beside the configuration file',
    meaning: 'Contains the generated secrets, the edge’s spool and the local outbox.',
  }),
  internalGatewaySecret: setting(secrets('secret[,secret]'), {
    default: '',
    generated: 'server',
    meaning: 'Bearer token between edge and core. Core accepts either of two; the edge sends the first.',
  }),
  trackerHookSecret: setting(hookSecrets, {
    default: '',
    generated: 'door',
    meaning: 'HMAC keys of the error tracker webhook, at most two for each project.',
  }),
  serviceTokens: setting(serviceTokens, {
    default: '',
    generated: 'door',
    meaning: 'Tokens of the native door (X-Service-Token) and of OpenTelemetry exporters.',
  }),
  otlpServices: setting(otlpServices, {
    default: '',
    otherwise: 'the token’s project',
    meaning:
      'Projects of OpenTelemetry services by `service.name`, for a collector that forwards several services with one token.',
  }),
  sdkKeys: setting(sdkKeys, {
    default: '',
    generated: 'door',
    meaning: 'DSN public keys of the SDK door. They are public: they identify a project and prove nothing.',
  }),
  sdkTunnels: setting(
    lowerCase(
      list(
        'host[:port]/project,…',
        /^[^/@\s]+\/[^/\s]+$/,
        'must be host[:port]/project, separated by commas',
      ),
    ),
    {
      default: '',
      otherwise: 'none: closed',
      meaning: 'DSNs that `/tunnel` accepts, for browsers with ad blockers that block the SDK’s usual path.',
    },
  ),
  sentryHookSecrets: setting(hookSecrets, {
    default: '',
    otherwise: 'none: closed',
    meaning: 'Client secrets of Sentry integrations (`/webhook/sentry-hook`), at most two for each project.',
  }),
  sentryHookTolerance: setting(seconds, {
    otherwise: 'not checked',
    meaning: 'Largest difference in seconds between Sentry-Hook-Timestamp and the clock.',
  }),
  standardWebhookSecrets: setting(hookSecrets, {
    default: '',
    otherwise: 'none: closed',
    meaning: 'Keys of Standard Webhooks (`/webhook/standard-webhooks`), at most two for each project.',
  }),
  standardWebhookTolerance: setting(seconds, {
    default: '300',
    meaning: 'Largest difference in seconds between webhook-timestamp and the clock.',
  }),
  allowBrotli: setting(boolean, {
    default: '0',
    meaning:
      '1 accepts Brotli bodies. Brotli decoders have a history of decompression bombs and memory faults.',
  }),
  limits: setting(limits, {
    env: null,
    default: '{}',
    otherwise: 'see below',
    meaning: 'Limits of the edge.',
  }),
  scrubEmail: setting(boolean, {
    default: '1',
    meaning: '0 keeps e-mail addresses in crashes.',
  }),
  scrubIp: setting(oneOf(['off', 'keys', 'all']), {
    default: 'keys',
    meaning:
      'Where IP addresses are redacted: nowhere, in members that name a person’s address, or everywhere.',
  }),
  scrub: setting(scrub, {
    env: null,
    default: '{}',
    otherwise: 'none',
    meaning: 'Your own sanitising rules; see [sanitising](sanitising.md).',
  }),
  reviewerTokens: setting(reviewerTokens, {
    default: '',
    generated: 'server',
    meaning: 'Who may read runs and decide at gates.',
  }),
  oidcIssuer: setting(issuer, {
    otherwise: 'none: sign in with tokens only',
    meaning:
      'The OpenID provider at which people sign in, as named in its discovery document; see [sign-in](../guides/sign-in.md).',
  }),
  oidcClientId: setting(
    text('text', /^[\x21-\x7e]{1,255}$/, 'must be the id of the client, without spaces'),
    {
      meaning:
        'Culprit’s client id at the provider. The redirect URI is PUBLIC_URL and /sign-in/oidc/callback.',
    },
  ),
  oidcClientSecret: setting(secret('secret'), {
    otherwise: 'none: a public client',
    meaning: 'The client’s secret.',
  }),
  oidcScopes: setting(
    text('scopes', /^(?=.*\bopenid\b)[\w.:/ -]{6,500}$/, 'must be scopes separated by spaces, with openid'),
    {
      default: 'openid profile',
      meaning:
        'What Culprit asks the provider for. Add `email` or `groups` if the provider needs it to send a claim that you use.',
    },
  ),
  oidcName: setting(
    text(
      'text',
      /^[\p{L}\p{N}][\p{L}\p{N} ._&-]{0,39}$/u,
      'must be at most 40 letters, digits, spaces or . _ & -',
    ),
    {
      otherwise: 'the provider’s host',
      meaning: 'On the button: “Sign in with …”.',
    },
  ),
  oidcRolesClaim: setting(
    text(
      'name or path',
      /^[\x21-\x7e]{1,200}$/,
      'must be the name of a claim, or a path such as realm_access.roles',
    ),
    {
      default: 'groups',
      meaning: 'The claim that decides about roles. `email` counts only if the provider has verified it.',
    },
  ),
  oidcRoles: setting(claimRoles, {
    default: '',
    meaning:
      'The role for each value of that claim: reader, triager, reviewer or operator; `reviewer@shop` gives it in one project. `*` is everybody who can sign in. Several roles are combined in each project.',
  }),
  oidcProjectsClaim: setting(
    text('name or path', /^[\x21-\x7e]{1,200}$/, 'must be the name of a claim, or a path'),
    {
      otherwise: 'OIDC_ROLES_CLAIM',
      meaning: 'The claim that decides about projects.',
    },
  ),
  oidcProjects: setting(claimProjects, {
    default: '',
    otherwise: 'everybody has all projects',
    meaning:
      'The project for each value of that claim; `*` as a value means everybody, as a project all projects. If it is set, people see and decide only runs of their projects.',
  }),
  requireSecondPerson: setting(boolean, {
    default: '0',
    meaning:
      '1: the reviewer who approved Gate 1, and everyone who edited the draft, chose its suspects or found them, may not approve Gate 2, on the board, in Slack or over the API.',
  }),
  requireBoundApproval: setting(boolean, {
    default: '0',
    meaning:
      '1: approving Gate 2 requires `If-Match` with the digest of the draft; without it the response is 428.',
  }),
  claimTime: setting(duration, {
    default: '1h',
    meaning: 'How long a reviewer’s claim of a run lasts unless it is renewed.',
  }),
  quietAfterReject: setting(duration, {
    default: '7d',
    meaning:
      'How long crashes are only counted on a rejected run; after that they start a new run. If a rejected run had only untrusted crashes, a trusted one starts a new run at once.',
  }),
  investigate: setting(oneOf(['auto', 'ask', 'off']), {
    default: INVESTIGATION.when,
    meaning:
      '`auto`: after Gate 1 the configured model investigates each crash whose first suspect is not very likely, if it is up to it. `ask`: when a reviewer says so. `off`: never, and agents can neither ask questions nor hand in findings.',
  }),
  investigateQuestions: setting(wholeNumber(1, 200, 'a number of questions'), {
    default: String(INVESTIGATION.questions),
    meaning: 'Questions of one investigation.',
  }),
  investigateTokens: setting(wholeNumber(1_000, 100_000_000, 'a number of tokens'), {
    default: String(INVESTIGATION.tokens),
    meaning: 'Tokens of one investigation, of all calls to the model together.',
  }),
  investigateSeconds: setting(wholeNumber(1, 86_400, 'a number of seconds'), {
    default: String(INVESTIGATION.ms / 1_000),
    meaning: 'Time of one investigation.',
  }),
  investigatePrice: setting(tokenPrice, {
    otherwise: 'unknown: cost is not counted',
    meaning: 'What a million tokens of input and of output cost, in the currency of your bill.',
  }),
  investigateCost: setting(amount, {
    otherwise: 'not limited',
    meaning: 'Cost of one investigation. Needs INVESTIGATE_PRICE.',
  }),
  investigateCostPerDay: setting(amount, {
    otherwise: 'not limited',
    meaning: 'Cost of all investigations of a day (UTC). Needs INVESTIGATE_PRICE.',
  }),
  publishSearch: setting(duration, {
    default: '1h',
    meaning:
      'How long Culprit searches for an issue whose creation got no clear answer before it creates it again. If the list of issues lags longer than that, there are two issues.',
  }),
  regressionIssues: setting(oneOf(REGRESSION_ISSUES), {
    default: DEFAULT_POLICY.regressionIssues,
    meaning:
      '`new`: a regression becomes a new issue that links the earlier one. `reopen`: it becomes a comment on the earlier issue, which is then reopened. `comment`: only the comment. A new issue if the earlier one is gone, locked or in another repository, or in the outbox.',
  }),
  closedIssues: setting(oneOf(CLOSED_ISSUES), {
    default: DEFAULT_POLICY.closedIssues,
    meaning:
      '`resolve`: a closed issue ends its run, so the next crash is a regression (closed as not planned or as a duplicate: it is only counted). `nothing`: crashes are counted on the run until a reviewer marks it as fixed.',
  }),
  resolvedRuns: setting(oneOf(RESOLVED_RUNS), {
    default: DEFAULT_POLICY.resolvedRuns,
    meaning:
      'What a reviewer who marks a run as fixed does to its issue. `comment`: adds a comment. `close`: also closes it. `nothing`: leaves it as it is. The outbox supports neither comments nor closing.',
  }),
  storageUrl: setting(anyText('memory: · file:<dir> · sqlite:<file> · redis://…'), {
    otherwise: 'file:<data directory>',
    secret: true,
    meaning:
      'Where runs, history and evidence are stored. Any number of cores can share Redis. SQLite needs Node.js 22.13 or later.',
  }),
  auditKey: setting(secret(`${AUDIT_KEY_CHARS} characters or more`, AUDIT_KEY_CHARS), {
    otherwise: 'generated for file: and sqlite:, none for redis:',
    meaning:
      'Seals the history of every run, so that `culprit audit verify` detects changes. Must be the same for every core and kept outside the storage.',
  }),
  retention: setting(retention, {
    default: DEFAULT_RETENTION_TEXT,
    meaning:
      'For each state, how long runs are kept after their latest activity, and how many. Tombstones are kept.',
  }),
  quotas: setting(quotas, {
    default: DEFAULT_QUOTAS_TEXT,
    meaning:
      'What each key, each door of a project and each project may store: runs started in an hour, open runs, and MiB of events. Beyond a quota, crashes of existing runs are still counted.',
  }),
  eventBytes: setting(wholeNumber(MIN_EVENT_BYTES, 1_048_576, 'a number of bytes'), {
    default: String(EVENT_BYTES),
    meaning: 'Maximum bytes of one stored event; the event lists what was cut.',
  }),
  sourceMapsDirectory: setting(anyText('directory'), {
    env: 'SOURCE_MAPS_DIR',
    otherwise: '`source-maps` in the data directory',
    meaning: 'Contains uploaded source maps. Cores that share Redis must share this directory, too.',
  }),
  sourceMapsQuota: setting(wholeNumber(1, 1_048_576, 'a number of MiB'), {
    default: '2048',
    meaning:
      'MiB of uploaded source maps. Beyond it, uploads that were not used for 7 days are deleted, the least recently used first; if that is not enough, new ones are refused.',
  }),
  sourceMapsProjectQuota: setting(wholeNumber(1, 1_048_576, 'a number of MiB'), {
    otherwise: 'the quota of all',
    meaning:
      'MiB of uploaded source maps of each project. Beyond it, only uploads of this project are deleted.',
  }),
  sourceMapsRetention: setting(duration, {
    default: '90d',
    meaning: 'How long uploaded source maps are kept after they were uploaded or last used.',
  }),
  mirror: setting(filePath, {
    otherwise: 'no copies; those of Forgejo are in `mirrors` in the data directory',
    meaning:
      'Directory for bare copies of repositories on GitHub, GitLab and Forgejo, in which an investigator searches. Anyone who can read it can read the code. On GitLab, the token then needs read_repository too.',
  }),
  mirrorMaxMb: setting(wholeNumber(1, 1_048_576, 'a number of MB'), {
    default: '2000',
    meaning: 'A larger repository on GitHub or GitLab is not copied to MIRROR.',
  }),
  mirrorMaxDays: setting(wholeNumber(1, 3_650, 'a number of days'), {
    default: '30',
    meaning:
      'A copy in MIRROR of a repository on GitHub or GitLab is deleted once it was not used for so long.',
  }),
  repository: setting(address, {
    flag: 'repository',
    otherwise: 'none: no blame',
    meaning: 'The code that crashes.',
  }),
  publishRepository: setting(address, {
    otherwise: 'REPOSITORY',
    meaning: 'Where issues are created, if that is not REPOSITORY. `outbox:` is the local outbox.',
  }),
  codeMappings: setting(codeMappings, {
    default: '',
    otherwise: 'matched by path suffix',
    meaning: 'Maps path prefixes in stacks to path prefixes in the repository.',
  }),
  assign: setting(oneOf(ASSIGN_RULES), {
    default: 'none',
    meaning:
      'Who a new draft proposes as assignee: the code owners of the crashed file, the author of the first suspect, or nobody. Reviewers can change it.',
  }),
  projects: setting(projects, {
    env: null,
    default: '{}',
    otherwise: 'one project, `default`',
    meaning: 'Several projects, each with its own repository.',
  }),
  ...HOST_SETTINGS,
  ...fromConnector(ollamaSettings),
  ...fromConnector(openaiSettings),
  ...fromConnector(slackSettings),
  slackReviewers: setting(slackReviewers, {
    default: '',
    otherwise: 'none: no decisions in Slack',
    meaning:
      'Slack users who may decide at gates, and their names in the history; `U0123456789:ada=shop` decides in one project; several entries give several projects.',
  }),
  notifyWebhookUrl: setting(secretUrl, {
    meaning: 'Receives a POST for every change of a run, in the format of Standard Webhooks.',
  }),
  notifyWebhookSecret: setting(
    secrets(
      'whsec_…[,whsec_…]',
      /^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/,
      'must be whsec_ and base64 of 24 to 64 bytes: echo whsec_$(openssl rand -base64 32)',
    ),
    {
      default: '',
      meaning: 'Signs these requests. Set two secrets during a rotation: both sign.',
    },
  ),
  webhookAllowedHosts: setting(lowerCase(list('host,…')), {
    default: '',
    otherwise: 'only public addresses, over https',
    meaning:
      'Host names and addresses of webhook receivers that may be in a private network and may be called over http.',
  }),
  envFile: setting(filePath, {
    env: null,
    otherwise: 'none',
    meaning:
      'A file of `NAME=value` lines, for secrets. Each is read like an environment variable, which overrides it. `culprit init` writes `.env`.',
  }),
  connectors: setting(connectors, {
    default: '',
    meaning:
      'Third-party connectors, by package name or path. A value `$NAME` in `config` is read from the environment.',
  }),
  logLevel: setting(oneOf(LOG_LEVELS), {
    flag: 'log-level',
    default: 'info',
    meaning: 'Minimum log level.',
  }),
});

export type SettingKey = keyof typeof SETTINGS;

/** The default as help and the reference show it. */
export function defaultText({ default: value, otherwise, generated }: Setting): string {
  if (generated !== undefined) return 'generated on loopback';
  return otherwise ?? (value || 'none');
}
