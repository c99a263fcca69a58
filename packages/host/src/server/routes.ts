import type { Logger } from '@culprit/core';
import type { SourceMapStore } from '../source-maps/store.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { BoardFiles } from './board-files.js';
import type { EdgeHistory } from './edge-history.js';
import type { EdgeRegistry } from './edge-registry.js';
import type { Erasures } from './erasures/erasures.js';
import type { GuardSnapshots } from './guard-snapshots.js';
import type { Health } from './health.js';
import { LIVE_REQUIREMENT, notASocket } from './live/live-route.js';
import type { Metrics } from './metrics.js';
import { openApiDocument } from './openapi.js';
import type { CoreRoute } from './route.js';
import { activityRoutes } from './routes/activity.js';
import { auditRoutes } from './routes/audit.js';
import { boardRoutes } from './routes/board.js';
import { type ChatRouteParts, chatRoutes } from './routes/chat.js';
import { commandRoutes, readRoutes } from './routes/commands.js';
import { deliveryRoutes } from './routes/deliveries.js';
import { digestRoutes } from './routes/digest.js';
import { type Documents, documentRoutes } from './routes/documents.js';
import { edgeRoutes } from './routes/edges.js';
import { erasureRoutes } from './routes/erasures.js';
import { gateRoutes } from './routes/gates.js';
import { handOffRoutes } from './routes/hand-offs.js';
import { healthRoutes } from './routes/health.js';
import { type IssueEventParts, issueEventRoutes } from './routes/issue-events.js';
import { mcpRoutes } from './routes/mcp.js';
import { modelRoutes } from './routes/model.js';
import { notificationRoutes } from './routes/notifications.js';
import { occurrenceRoutes } from './routes/occurrences.js';
import { quotaRoutes } from './routes/quotas.js';
import { releaseRoutes } from './routes/releases.js';
import { resolutionRoutes } from './routes/resolution.js';
import { runRoutes } from './routes/runs.js';
import { type SessionRouteParts, sessionRoutes } from './routes/session.js';
import { sessionsRoutes } from './routes/sessions.js';
import { type SignInRouteParts, signInRoutes } from './routes/sign-in.js';
import { sourceMapRoutes } from './routes/source-maps.js';
import { type TokenRouteParts, tokenRoutes } from './routes/tokens.js';
import { viewRoutes } from './routes/views.js';
import { webhookRoutes } from './routes/webhooks.js';
import { sentryArtifactRoutes } from './sentry-api/artifact-routes.js';
import { sentryOrganisationRoutes } from './sentry-api/organisation-routes.js';
import { sentryReleaseRoutes } from './sentry-api/release-routes.js';

export interface CoreRouteParts
  extends SessionRouteParts,
    SignInRouteParts,
    TokenRouteParts,
    ChatRouteParts,
    IssueEventParts {
  readonly health: Health;
  readonly guards: GuardSnapshots;
  readonly edges: EdgeRegistry;
  readonly history: EdgeHistory;
  readonly webhooks: () => Webhooks;
  readonly erasures: () => Erasures;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly documents: Documents;
  readonly sourceMaps: SourceMapStore | null;
  readonly auditKey: string | null;
  readonly externalStore: string | null;
  readonly board: BoardFiles;
}

/** Every route of core. `/openapi.json` describes these and the edge's routes. */
export function coreRoutes(parts: CoreRouteParts): CoreRoute[] {
  const routes: CoreRoute[] = [
    ...sessionRoutes(parts),
    ...sessionsRoutes(parts),
    ...tokenRoutes(parts),
    ...signInRoutes(parts),
    ...runRoutes(),
    ...readRoutes(),
    ...occurrenceRoutes(),
    ...viewRoutes(),
    ...modelRoutes(),
    ...gateRoutes(),
    ...commandRoutes(),
    ...resolutionRoutes(),
    ...notificationRoutes(),
    ...webhookRoutes(parts.webhooks),
    ...handOffRoutes(parts.webhooks),
    ...erasureRoutes(parts.erasures),
    ...auditRoutes(parts),
    ...edgeRoutes(parts),
    ...quotaRoutes(parts.now),
    ...sourceMapRoutes(parts.sourceMaps),
    ...activityRoutes(parts.now),
    ...digestRoutes(parts.now),
    liveDescription(),
    ...chatRoutes(parts),
    ...issueEventRoutes(parts),
    ...deliveryRoutes(parts),
    ...releaseRoutes(),
    ...sentryOrganisationRoutes(),
    ...sentryArtifactRoutes(parts.sourceMaps),
    ...sentryReleaseRoutes(),
    ...mcpRoutes(parts.site, () => routes, parts.logger),
    ...documentRoutes(parts.documents, parts.board, parts.site),
    ...boardRoutes(parts.board, parts.site),
    ...healthRoutes(parts),
  ];
  let text: string | null = null;
  routes.push({
    method: 'GET',
    pattern: '/openapi.json',
    access: 'reviewer',
    scope: 'any',
    reach: 'none',
    doc: {
      id: 'getOpenApi',
      summary: 'Get this API description',
      answers: { 200: { what: 'OpenAPI 3.1', type: 'application/json' } },
    },
    handle() {
      text ??= JSON.stringify(openApiDocument(routes, parts.site().url));
      return { status: 200, headers: { 'content-type': 'application/json' }, body: text };
    },
  });
  return routes;
}

function liveDescription(): CoreRoute {
  return {
    method: 'GET',
    pattern: '/api/v1/live',
    access: 'reviewer',
    ...LIVE_REQUIREMENT,
    doc: {
      id: 'followLiveFeed',
      summary: 'Follow the live feed, a WebSocket: a snapshot, then one numbered message per change',
      query: {
        since:
          '`epoch.sequence` of the last message, to resume after it. If that is impossible, the snapshot has `reset: true`',
        topics:
          'At most 20 of `state:STATE`, `project:NAME`, `run:ID`: only runs that match one. The sequence then has gaps',
        version: 'Version of the messages. Core refuses versions other than its own',
      },
      answers: { 101: { what: 'The feed. Messages match LiveMessage' } },
      problems: ['origin_refused'],
    },
    handle: notASocket,
  };
}
