import { RUN_STATES } from '@culprit/core/internal/domain/run';
import * as v from 'valibot';
import { listing, operation } from '../operation.js';
import type { CoreRoute } from '../route.js';

const failedSchema = v.object({
  connector: v.string(),
  run_id: v.string(),
  state: v.picklist(RUN_STATES),
  at: v.string(),
  attempts: v.number(),
  code: v.string(),
  detail: v.string(),
});
const name = v.pipe(v.string(), v.maxLength(64, 'is too long'));

/** Notifications that could not be delivered. */
export function notificationRoutes(): CoreRoute[] {
  return [
    listing({
      path: '/api/v1/notifications/failed',
      scope: 'read',
      reach: 'projects',
      id: 'listFailedNotifications',
      summary: 'List failed notifications, newest first',
      what: 'At most 200',
      name: 'notifications',
      entries: v.array(failedSchema),
      all: ({ engine }) => engine.failedNotifications(),
      key: ({ connector, run_id }) => `${connector} ${run_id}`,
    }),
    operation({
      at: 'POST /api/v1/notifications/retry',
      scope: 'operate',
      reach: 'projects',
      bodyLimit: 4 * 1024,
      id: 'retryNotification',
      summary: 'Retry a notification with the run’s latest state',
      body: v.strictObject({ connector: name, run_id: name }),
      status: 202,
      what: 'Queued',
      schema: v.object({ status: v.literal('queued') }),
      problems: ['not_found', 'run_not_found'],
      async run({ engine, body: { connector, run_id } }) {
        await engine.run(run_id);
        await engine.retryNotification(connector, run_id);
        return { status: 'queued' };
      },
    }),
  ];
}
