import type { Engine } from '@culprit/core';
import { notASocket } from '../live/live-route.js';
import type { Activity } from './activity.js';
import type { BoardFiles } from './board-files.js';
import type { EdgeBook } from './edge-book.js';
import type { GuardSnapshots } from './guard-snapshots.js';
import type { Metrics } from './metrics.js';
import { openApiDocument } from './openapi.js';
import type { CoreRoute } from './route.js';
import { activityRoutes } from './routes/activity.js';
import { boardRoutes } from './routes/board.js';
import { type ChatRouteParts, chatRoutes } from './routes/chat.js';
import { deliveryRoutes } from './routes/deliveries.js';
import { type Documents, documentRoutes } from './routes/documents.js';
import { draftRoutes } from './routes/draft.js';
import { edgeRoutes } from './routes/edges.js';
import { evidenceRoutes } from './routes/evidence.js';
import { gateRoutes } from './routes/gates.js';
import { healthRoutes } from './routes/health.js';
import { notificationRoutes } from './routes/notifications.js';
import { runRoutes } from './routes/runs.js';
import { type SessionRouteParts, sessionRoutes } from './routes/session.js';

export interface CoreRouteParts extends SessionRouteParts, ChatRouteParts {
  /** `null` while the engine starts. */
  readonly ready: () => Engine | null;
  readonly guards: GuardSnapshots;
  readonly edges: EdgeBook;
  readonly activity: () => Activity;
  readonly metrics: Metrics;
  readonly documents: Documents;
  readonly board: BoardFiles;
}

/** Every route of core. `/openapi.json` describes exactly this list and the edge's doors. */
export function coreRoutes(parts: CoreRouteParts): CoreRoute[] {
  const routes: CoreRoute[] = [
    ...sessionRoutes(parts),
    ...runRoutes(),
    ...draftRoutes(),
    ...evidenceRoutes(),
    ...gateRoutes(),
    ...notificationRoutes(),
    ...edgeRoutes(parts),
    ...activityRoutes(parts.activity),
    liveDescription(),
    ...chatRoutes(parts),
    ...deliveryRoutes(parts),
    ...documentRoutes(parts.documents, parts.board),
    ...boardRoutes(parts.board, parts.site),
    ...healthRoutes({ engine: parts.ready, metrics: parts.metrics }),
  ];
  let text: string | null = null;
  routes.push({
    method: 'GET',
    pattern: '/openapi.json',
    access: 'reviewer',
    doc: { summary: 'This description', answers: { 200: { what: 'OpenAPI 3.1', type: 'application/json' } } },
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
    doc: {
      summary: 'The live feed, a WebSocket: a snapshot, then one numbered message for every change',
      query: {
        since: '`epoch.sequence` of the last message: resumes there, or a snapshot with `reset: true`',
        topics:
          'at most 20 of `state:STATE`, `project:NAME`, `run:ID`: only changes of any of these, numbers may be left out',
        version: 'of the messages; another one than this core speaks is refused',
      },
      answers: { 101: { what: 'The feed; messages are LiveMessage' } },
      problems: ['malformed', 'origin_refused'],
    },
    handle: notASocket,
  };
}
