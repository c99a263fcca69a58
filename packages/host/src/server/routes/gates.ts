import type { ErrorCode, GateOneResult, GateTwoResult, Run } from '@culprit/core';
import { runSchema } from '@culprit/core/internal/domain/run';
import {
  gateOneResultSchema,
  gateTwoPublishedSchema,
  gateTwoPublishingSchema,
} from '@culprit/core/internal/engine-results';
import * as v from 'valibot';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { ifMatch } from '../entity-tag.js';
import { runId } from '../operation.js';
import { readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall, RouteDoc } from '../route.js';

/** Approvals have no members; unknown ones are rejected. */
const approvalSchema = v.strictObject({});
const PREFER = { Prefer: '`respond-async`: respond with 202 and the run as soon as the approval is stored' };

/** RFC 7240. */
function prefersAsync({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return (headers.prefer ?? '').split(/[,;]/).some((one) => one.trim().toLowerCase() === 'respond-async');
}

function accepted(run: Run): HttpResponse {
  const response = jsonResponse(202, run);
  return { ...response, headers: { ...response.headers, 'preference-applied': 'respond-async' } };
}

/** Approvals of the gates, which can be waited for. */
export function gateRoutes(): CoreRoute[] {
  return [
    approvalRoute({
      gate: 1,
      id: 'approveGateOne',
      summary: 'Approve Gate 1: analyse the run',
      headers: PREFER,
      answers: {
        200: { what: 'Analysed; the draft is ready for Gate 2', schema: gateOneResultSchema },
        202: {
          what: 'Approved, with `Prefer: respond-async`: the run, usually `analyzing`',
          schema: runSchema,
        },
      },
      problems: ['state_conflict', 'code_host_unavailable', 'code_host_forbidden'],
      start: ({ engine, identity }, runId) => engine.startGateOne(runId, identity.reviewer),
      finish: ({ engine, identity }, runId) => engine.approveGateOne(runId, identity.reviewer),
    }),
    approvalRoute({
      gate: 2,
      id: 'approveGateTwo',
      summary: 'Approve Gate 2: sign and publish the draft',
      headers: {
        'If-Match':
          'The digest of the draft that was reviewed; without it the approval is recorded as unbound',
        ...PREFER,
      },
      answers: {
        200: { what: 'Published', schema: gateTwoPublishedSchema },
        202: {
          what: 'Signed; waiting for the code host. With `Prefer: respond-async` the run, usually `publishing`',
          schema: v.union([gateTwoPublishingSchema, runSchema]),
        },
      },
      problems: ['state_conflict', 'draft_changed', 'precondition_required'],
      start: (call, runId) => call.engine.startGateTwo(runId, call.identity.reviewer, signedOf(call)),
      finish: (call, runId) => call.engine.approveGateTwo(runId, call.identity.reviewer, signedOf(call)),
    }),
  ];
}

interface Approval extends Pick<RouteDoc, 'id' | 'summary' | 'answers'> {
  readonly gate: 1 | 2;
  readonly headers: NonNullable<RouteDoc['headers']>;
  readonly problems: readonly ErrorCode[];
  readonly start: (call: ReviewerCall, runId: string) => Promise<Run>;
  readonly finish: (call: ReviewerCall, runId: string) => Promise<GateOneResult | GateTwoResult>;
}

function approvalRoute({ gate, problems, start, finish, ...doc }: Approval): CoreRoute {
  return {
    access: 'reviewer',
    reach: 'projects',
    method: 'POST',
    bodyLimit: 16 * 1024,
    scope: `gate${gate}`,
    pattern: `/api/v1/runs/:run_id/gate${gate}/approve`,
    doc: {
      ...doc,
      body: { schema: approvalSchema, required: false },
      problems: ['run_not_found', ...problems],
    },
    async handle(call) {
      readOptionalBody(call.request, approvalSchema);
      const id = runId(call.request);
      if (prefersAsync(call.request)) return accepted(await start(call, id));
      const result = await finish(call, id);
      return jsonResponse(result.status === 'publishing' ? 202 : 200, result);
    },
  };
}

function signedOf({ request }: ReviewerCall) {
  return { digest: ifMatch(request) ?? undefined };
}
