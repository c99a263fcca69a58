import type { SlackInteractions } from '@culprit/connectors/slack';
import type { Check, Engine, Logger } from '@culprit/core';
import type { Sender } from '@culprit/core/internal/domain/send-crashes';
import { type Closable, lead } from '@culprit/core/internal/runs/lease';
import type { Publish, Route, SocketRoute } from '../http/message.js';
import type { SourceMapStore } from '../source-maps/store.js';
import {
  createWebhooks,
  type Webhooks,
  type WebhooksOptions,
  type WebhooksParts,
} from '../webhooks/webhooks.js';
import { createAuthenticator } from './authenticate.js';
import { bindRoutes } from './bind-routes.js';
import { readBoardFiles } from './board-files.js';
import { createEdgeHistory } from './edge-history.js';
import { createEdgeRegistry, type EdgeRegistry } from './edge-registry.js';
import { createErasures, type Erasures } from './erasures/erasures.js';
import { createGuardBook } from './guard-snapshots.js';
import { createHealth } from './health.js';
import { Hub, type HubParts } from './live/hub.js';
import { liveRoute, MAX_READERS, TOKEN_KEY } from './live/live-route.js';
import { createMetrics, type Metrics } from './metrics.js';
import { openOidc, providedAccess } from './oidc/open-oidc.js';
import { type OidcSettings, oidcOptions } from './oidc/options.js';
import type { OidcSignInParts } from './oidc/sign-in.js';
import { createReviewers, createSecretCheck, type ReviewerCredential } from './reviewers.js';
import type { Documents } from './routes/documents.js';
import type { IssueWebhook } from './routes/issue-events.js';
import { coreRoutes } from './routes.js';
import { createSessions } from './sessions.js';
import { type SharedEdges, shareEdges } from './shared-edges.js';
import { type SharedEndings, shareEndings } from './shared-endings.js';
import { createSignInLimit } from './sign-in-limit.js';
import { createSignInLinks } from './sign-in-links.js';
import { createSite, type Site } from './site.js';
import { createTokens, type Tokens } from './tokens/tokens.js';

/** Failed sign-ins and bearer tokens per address within five minutes. */
const SIGN_IN_FAILURES = 10;
const BEARER_FAILURES = 100;

/** The parts of core that do not depend on the server. */
export interface CoreAppOptions {
  readonly reviewers: readonly ReviewerCredential[];
  /** Bearer tokens of edges; an empty list rejects every edge. */
  readonly internalSecrets: readonly string[];
  readonly documents?: Documents;
  /** Handles buttons pressed in Slack. Without it the route is disabled. Closed with core. */
  readonly chat?: SlackInteractions | null;
  /** By which systems report changes of issues. Default: none. */
  readonly issueWebhooks?: readonly IssueWebhook[];
  /** Outgoing webhooks. Default: only to hosts on the public internet. */
  readonly webhooks?: WebhooksOptions;
  /** Uploaded source maps; `null`: none are taken. Not closed with core. Default: `null`. */
  readonly sourceMaps?: SourceMapStore | null;
  /** With which the storage seals histories, to verify them. Default: they are not sealed. */
  readonly auditKey?: string | null;
  /** The connector that replaces the storage of `STORAGE_URL`; it has its own audit key. Default: none. */
  readonly externalStore?: string | null;
  /** Where core keeps its data, for the commands that the board shows. */
  readonly dataDirectory?: string;
  /** Who sends crashes, for the page that shows how. */
  readonly senders?: readonly Sender[];
  /** What Settings, Health checks besides the connectors. Default: nothing. */
  readonly checkSurroundings?: () => Promise<readonly Check[]>;
  /** The built board. Default: the one of this package. */
  readonly boardDirectory?: string;
  /** Where people sign in, besides with a token. */
  readonly oidc?: OidcSettings | null;
  /** Maximum open live feeds. Default 16,384. */
  readonly liveReaders?: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

export interface CoreApp {
  readonly routes: readonly Route[];
  readonly live: SocketRoute;
  /** Call once core's URL is known. Until then only loopback names are allowed. */
  placedAt(site: Site): void;
  /** Call once the engine has started. Until then requests wait. */
  started(engine: Engine): void;
  /** The engine cannot start at the moment; requests get this error. */
  delayed(error: unknown): void;
  failed(error: unknown): void;
  /** Ends the live feed. The owner of the engine closes the engine. */
  close(): Promise<void>;
}

function optionalParts(options: CoreAppOptions) {
  return {
    dataDirectory: options.dataDirectory,
    senders: options.senders ?? [],
    documents: options.documents ?? {},
    chat: options.chat ?? null,
    issueWebhooks: options.issueWebhooks ?? [],
    sourceMaps: options.sourceMaps ?? null,
    auditKey: options.auditKey ?? null,
    externalStore: options.externalStore ?? null,
    board: readBoardFiles(options.boardDirectory),
  };
}

function healthOf(
  { checkSurroundings = async () => [], now = Date.now, logger }: CoreAppOptions,
  engine: () => Engine | null,
) {
  return createHealth({ engine, surroundings: checkSurroundings, now, logger });
}

/** What ends with a token: its live feeds on every core, and its unfinished uploads. */
function endingToken({ sourceMaps }: CoreAppOptions, ended: (key: string) => Promise<void>) {
  return async (id: string) => {
    await ended(`${TOKEN_KEY}${id}`);
    await sourceMaps?.dropChunks(id);
  };
}

/** Core's routes and live feed for one engine, without a server. */
export function createCoreApp(options: CoreAppOptions): CoreApp {
  const { logger, now = Date.now } = options;
  const metrics = createMetrics();
  const guards = createGuardBook(now);
  const edges = createEdgeRegistry(() => (running as Running).engine.values, now);
  const reviewers = createReviewers(options.reviewers);
  const oidc = options.oidc ? oidcOptions(options.oidc) : null;
  const [sessions, tokens] = storesOf(reviewers, now, providedAccess(oidc));
  // Only credentials that are configured are ever added.
  const proven = new Set<string>();
  const started = deferred<Running>();
  let running: Running | null = null;
  let publish: Publish = () => {};
  let site: Site | null = null;
  const getSite = () => site ?? createSite({ publicUrl: 'http://127.0.0.1', port: 0, allowedHosts: [] });
  let delay: unknown = null;
  const getEngine = async () => {
    if (running === null && delay !== null) throw delay;
    return (running ?? (await started.promise)).engine;
  };
  const authenticator = createAuthenticator({
    ...{ site: getSite, reviewers, sessions, tokens },
    confirm: async (values, id, session) =>
      signIn.oidc === null ? session : signIn.oidc.confirm(values, id, session),
    limit: createSignInLimit(BEARER_FAILURES, now, proven),
  });
  const ended = async (key: string) => running?.ended(key);
  const tokenRevoked = endingToken(options, ended);
  const place = { site: getSite, engine: getEngine };
  const judged = { sessions, judgeTokens: tokensJudge(tokens, tokenRevoked) };
  const cache = () => running?.engine.cache ?? null;
  const signIn = openOidc(oidc, { ...place, ...judged, ended, now, logger, cache });
  const routes = coreRoutes({
    ...{ ...signIn, ...place },
    health: healthOf(options, () => running?.engine ?? null),
    ...{ reviewers, sessions, ended },
    limit: createSignInLimit(SIGN_IN_FAILURES, now, proven),
    links: createSignInLinks(reviewers, now),
    tokens,
    tokenRevoked,
    guards,
    edges,
    history: createEdgeHistory(guards),
    webhooks: () => (running as Running).webhooks,
    erasures: () => (running as Running).erasures,
    now,
    ...{ metrics, logger },
    ...optionalParts(options),
  });
  const live = liveRoute({
    site: getSite,
    engine: getEngine,
    authenticator,
    hub: () => (running as Running).hub,
    mounted(native) {
      publish = native;
    },
    mostReaders: options.liveReaders ?? MAX_READERS,
  });
  return {
    routes: bindRoutes(routes, {
      site: getSite,
      engine: getEngine,
      authenticator,
      isInternalSecret: createSecretCheck(options.internalSecrets),
      metrics,
      logger,
      now,
    }),
    live,
    placedAt(place) {
      site = place;
    },
    started(engine) {
      running = startParts(engine, {
        ...{ guards, edges, tokens, now, logger },
        publish: (topic, text) => publish(topic, text),
        webhooks: { ...options.webhooks, boardUrl: getSite().url },
      });
      observe(metrics, running.hub);
      signIn.oidc?.problem();
      started.resolve(running);
    },
    delayed(error) {
      delay = error;
    },
    failed: started.reject,
    async close() {
      options.chat?.close();
      running?.hub.close();
      running?.sharing?.close();
      running?.endings?.close();
      running?.webhooks.close();
      await running?.leading.close();
    },
  };
}

/** What credentials are found in. */
function storesOf(...[reviewers, now, judge]: Required<Parameters<typeof createSessions>>) {
  return [createSessions(reviewers, now, judge), createTokens(now, judge)] as const;
}

/** Ends the live feeds of tokens whose maker's claims have changed. */
function tokensJudge(
  tokens: Tokens,
  tokenRevoked: (id: string) => Promise<void>,
): OidcSignInParts['judgeTokens'] {
  return async (values, provided) => {
    for (const id of await tokens.signedIn(values, provided)) await tokenRevoked(id);
  };
}

interface StartingParts extends Pick<HubParts, 'guards' | 'publish' | 'now' | 'logger'> {
  readonly edges: EdgeRegistry;
  readonly tokens: Tokens;
  readonly webhooks: Omit<WebhooksParts, 'engine' | 'now' | 'logger'>;
}

/** What runs beside the engine. */
function startParts(engine: Engine, parts: StartingParts): Running {
  const { guards, edges, tokens, publish, now, logger } = parts;
  const { values, shared } = engine;
  const hub = new Hub({ engine, guards, publish, now, logger });
  const endHere = (key: string) => {
    if (key.startsWith(TOKEN_KEY)) tokens.changed();
    hub.end(key);
  };
  const endings = shared ? shareEndings({ values, ended: endHere, now, logger }) : null;
  const ended = async (key: string) => {
    endHere(key);
    await endings?.announce(key);
  };
  const webhooks = createWebhooks({ ...parts.webhooks, engine, logger, now });
  const erasures = createErasures({ engine, tokens, ended, now, logger });
  const leading = lead({ values: shared ? values : null, key: 'webhook:leader', logger }, async (term) => {
    const delivering = await webhooks.deliver(term);
    const erasing = erasures.work(term, delivering);
    return {
      async close() {
        await Promise.all([erasing.close(), delivering.close()]);
      },
    };
  });
  return {
    engine,
    sharing: shared ? shareEdges({ values, guards, edges, logger }) : null,
    endings,
    hub,
    ended,
    webhooks,
    erasures,
    leading,
  };
}

interface Running {
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  readonly erasures: Erasures;
  /** What only one of the cores on a shared storage does: it sends webhooks and erases people. */
  readonly leading: Closable;
  readonly sharing: SharedEdges | null;
  readonly endings: SharedEndings | null;
  readonly hub: Hub;
  /** Ends the live feeds of a session or an API token, on every core. `key` as in `Reader.session`. */
  readonly ended: (key: string) => Promise<void>;
}

function observe(metrics: Metrics, hub: Hub): void {
  metrics.gauge('culprit_live_sockets', () => hub.size);
  metrics.gauge('culprit_process_resident_bytes', () => process.memoryUsage.rss());
  metrics.gauge('culprit_process_uptime_seconds', () => Math.round(process.uptime()));
}

function deferred<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
