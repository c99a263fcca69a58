import { RUN_STATES } from '@culprit/core/model';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';

const failedSchema = v.object({
  connector: v.string(),
  run_id: v.string(),
  state: v.picklist(RUN_STATES),
  at: v.string(),
  attempts: v.number(),
  code: v.string(),
  detail: v.string(),
});
const listSchema = v.object({ notifications: v.array(failedSchema), next: v.nullable(v.string()) });
const name = v.pipe(v.string(), v.maxLength(64, 'is too long'));
const retrySchema = v.strictObject({ connector: name, run_id: name });
const queuedSchema = v.object({ status: v.literal('queued') });

/** Notifications that could not be delivered. */
export function notificationRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/notifications/failed',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      doc: {
        id: 'listFailedNotifications',
        summary: 'List failed notifications, newest first',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'At most 200', schema: listSchema } },
        problems: ['storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle({ request, engine }: ReviewerCall) {
        const failed = await engine.failedNotifications();
        const keyOf = ({ connector, run_id }: (typeof failed)[number]) => `${connector} ${run_id}`;
        const { page, next } = pageOf(failed, request.query, keyOf);
        return pageResponse(request, { notifications: page, next });
      },
    },
    {
      method: 'POST',
      pattern: '/api/v1/notifications/retry',
      access: 'reviewer',
      scope: 'operate',
      reach: 'projects',
      bodyLimit: 4 * 1024,
      doc: {
        id: 'retryNotification',
        summary: 'Retry a notification with the run’s latest state',
        body: { schema: retrySchema, required: true },
        answers: { 202: { what: 'Queued', schema: queuedSchema } },
        problems: ['malformed', 'not_found', 'run_not_found'],
      },
      async handle({ request, engine }: ReviewerCall) {
        const { connector, run_id } = readBody(request, retrySchema);
        await engine.run(run_id);
        await engine.retryNotification(connector, run_id);
        return jsonResponse(202, { status: 'queued' });
      },
    },
  ];
}
