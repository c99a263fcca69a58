import type { GateTwoResult, Run } from '@culprit/core';
import * as v from 'valibot';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { ifMatch } from '../entity-tag.js';
import { runId, runOperation } from '../operation.js';
import { readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { runSchema } from '../schema/run.js';
import { mergeRoutes } from './merge.js';

const LIMIT = 16 * 1024;
/** Approvals have no members; unknown ones are rejected. */
const approvalSchema = v.strictObject({});
const reason = v.pipe(v.string(), v.description('Stored in the history; at most 2,000 characters.'));
const rejectOneSchema = v.strictObject({ reason });
const rejectTwoSchema = v.strictObject({ reason, to: v.picklist(['staged_raw', 'rejected']) });

const analyzedSchema = v.object({
  status: v.literal('analyzed'),
  state: v.pipe(
    v.picklist(['staged_draft', 'publishing', 'published']),
    v.description('Of the run. A repeated approval may find it signed or published.'),
  ),
});
const publishedSchema = v.object({ status: v.literal('published'), issue_url: v.string() });
const publishingSchema = v.object({ status: v.literal('publishing'), state: v.literal('publishing') });
const rejectedSchema = v.object({
  status: v.picklist(['rejected', 'returned']),
  state: v.picklist(['rejected', 'staged_raw']),
});

const GATE = { access: 'reviewer', reach: 'projects', method: 'POST', bodyLimit: LIMIT } as const;
const GATE_ONE = { ...GATE, scope: 'gate1' } as const;
const GATE_TWO = { ...GATE, scope: 'gate2' } as const;

const PREFER = { Prefer: '`respond-async`: respond with 202 and the run as soon as the approval is stored' };

/** RFC 7240. */
function prefersAsync({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return (headers.prefer ?? '').split(/[,;]/).some((one) => one.trim().toLowerCase() === 'respond-async');
}

function accepted(run: Run): HttpResponse {
  const response = jsonResponse(202, run);
  return { ...response, headers: { ...response.headers, 'preference-applied': 'respond-async' } };
}

/** The decisions that only a reviewer can make. */
export function gateRoutes(): CoreRoute[] {
  return [...gateOne(), ...gateTwo(), reopenRoute(), ...mergeRoutes()];
}

function reopenRoute(): CoreRoute {
  return runOperation({
    at: 'POST /reopen',
    scope: 'gate1',
    id: 'reopenRun',
    summary: 'Undo a rejection: return the run to the gate where it was rejected',
    body: approvalSchema,
    what: 'The run, at that gate',
    schema: runSchema,
    problems: ['state_conflict'],
    run: ({ engine, runId, reviewer }) => engine.reopen(runId, reviewer),
  });
}

function gateOne(): CoreRoute[] {
  return [
    {
      ...GATE_ONE,
      pattern: '/api/v1/runs/:run_id/gate1/approve',
      doc: {
        id: 'approveGateOne',
        summary: 'Approve Gate 1: analyse the run',
        headers: PREFER,
        body: { schema: approvalSchema, required: false },
        answers: {
          200: { what: 'Analysed; the draft is ready for Gate 2', schema: analyzedSchema },
          202: {
            what: 'Approved, with `Prefer: respond-async`: the run, usually `analyzing`',
            schema: runSchema,
          },
        },
        problems: ['run_not_found', 'state_conflict', 'code_host_unavailable', 'code_host_forbidden'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, approvalSchema);
        const { reviewer } = identity;
        if (prefersAsync(request)) return accepted(await engine.startGateOne(runId(request), reviewer));
        return jsonResponse(200, await engine.approveGateOne(runId(request), reviewer));
      },
    },
    runOperation({
      at: 'POST /gate1/reject',
      scope: 'gate1',
      id: 'rejectGateOne',
      summary: 'Reject at Gate 1',
      body: rejectOneSchema,
      what: 'Rejected',
      schema: rejectedSchema,
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer, body }) => engine.rejectGateOne(runId, reviewer, body.reason),
    }),
  ];
}

function gateTwo(): CoreRoute[] {
  return [
    {
      ...GATE_TWO,
      pattern: '/api/v1/runs/:run_id/gate2/approve',
      doc: {
        id: 'approveGateTwo',
        summary: 'Approve Gate 2: sign and publish the draft',
        headers: {
          'If-Match':
            'The digest of the draft that was reviewed; without it the approval is recorded as unbound',
          ...PREFER,
        },
        body: { schema: approvalSchema, required: false },
        answers: {
          200: { what: 'Published', schema: publishedSchema },
          202: {
            what: 'Signed; waiting for the code host. With `Prefer: respond-async` the run, usually `publishing`',
            schema: v.union([publishingSchema, runSchema]),
          },
        },
        problems: ['run_not_found', 'state_conflict', 'draft_changed', 'precondition_required'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, approvalSchema);
        const digest = ifMatch(request) ?? undefined;
        const { reviewer } = identity;
        if (prefersAsync(request))
          return accepted(await engine.startGateTwo(runId(request), reviewer, digest));
        return gateTwoResponse(await engine.approveGateTwo(runId(request), reviewer, digest));
      },
    },
    runOperation({
      at: 'POST /gate2/reject',
      scope: 'gate2',
      id: 'rejectGateTwo',
      summary: 'Reject at Gate 2, or return to Gate 1',
      body: rejectTwoSchema,
      what: 'Rejected or returned',
      schema: rejectedSchema,
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer, body }) => engine.rejectGateTwo(runId, reviewer, body.reason, body.to),
    }),
  ];
}

function gateTwoResponse(result: GateTwoResult): HttpResponse {
  return jsonResponse(result.status === 'published' ? 200 : 202, result);
}
