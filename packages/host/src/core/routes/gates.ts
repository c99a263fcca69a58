import type { GateTwoResult } from '@culprit/core';
import * as v from 'valibot';
import type { HttpResponse } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { ifMatch } from '../entity-tag.js';
import { readBody, readOptionalBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { runId } from './run-reader.js';

const LIMIT = 16 * 1024;
/** Approvals have no members; unknown ones are rejected. */
const approvalSchema = v.strictObject({});
const reason = v.pipe(v.string(), v.description('Stored in the history; at most 2,000 characters.'));
const rejectOneSchema = v.strictObject({ reason });
const rejectTwoSchema = v.strictObject({ reason, to: v.picklist(['staged_raw', 'rejected']) });

const analyzedSchema = v.object({ status: v.literal('analyzed'), state: v.literal('staged_draft') });
const publishedSchema = v.object({ status: v.literal('published'), issue_url: v.string() });
const publishingSchema = v.object({ status: v.literal('publishing'), state: v.literal('publishing') });
const rejectedSchema = v.object({
  status: v.picklist(['rejected', 'returned']),
  state: v.picklist(['rejected', 'staged_raw']),
});

const GATE = { access: 'reviewer', method: 'POST', bodyLimit: LIMIT } as const;

/** The two decisions that only a reviewer can make. */
export function gateRoutes(): CoreRoute[] {
  return [...gateOne(), ...gateTwo()];
}

function gateOne(): CoreRoute[] {
  return [
    {
      ...GATE,
      pattern: '/api/v1/runs/:run_id/gate1/approve',
      doc: {
        summary: 'Approve Gate 1: analyse the run',
        body: { schema: approvalSchema, required: false },
        answers: { 200: { what: 'Analysed; the draft is ready for Gate 2', schema: analyzedSchema } },
        problems: [
          'malformed',
          'run_not_found',
          'state_conflict',
          'code_host_unavailable',
          'code_host_forbidden',
        ],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, approvalSchema);
        return jsonResponse(200, await engine.approveGateOne(runId(request), identity.reviewer));
      },
    },
    {
      ...GATE,
      pattern: '/api/v1/runs/:run_id/gate1/reject',
      doc: {
        summary: 'Reject at Gate 1',
        body: { schema: rejectOneSchema, required: true },
        answers: { 200: { what: 'Rejected', schema: rejectedSchema } },
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const body = readBody(request, rejectOneSchema);
        return jsonResponse(200, await engine.rejectGateOne(runId(request), identity.reviewer, body.reason));
      },
    },
  ];
}

function gateTwo(): CoreRoute[] {
  return [
    {
      ...GATE,
      pattern: '/api/v1/runs/:run_id/gate2/approve',
      doc: {
        summary: 'Approve Gate 2: sign and publish the draft',
        headers: {
          'If-Match':
            'The digest of the draft that was reviewed; without it the approval is recorded as unbound',
        },
        body: { schema: approvalSchema, required: false },
        answers: {
          200: { what: 'Published', schema: publishedSchema },
          202: { what: 'Signed; waiting for the code host', schema: publishingSchema },
        },
        problems: ['malformed', 'run_not_found', 'state_conflict', 'draft_changed', 'precondition_required'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        readOptionalBody(request, approvalSchema);
        const digest = ifMatch(request) ?? undefined;
        return gateTwoResponse(await engine.approveGateTwo(runId(request), identity.reviewer, digest));
      },
    },
    {
      ...GATE,
      pattern: '/api/v1/runs/:run_id/gate2/reject',
      doc: {
        summary: 'Reject at Gate 2, or return to Gate 1',
        body: { schema: rejectTwoSchema, required: true },
        answers: { 200: { what: 'Rejected or returned', schema: rejectedSchema } },
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const body = readBody(request, rejectTwoSchema);
        const { reviewer } = identity;
        return jsonResponse(200, await engine.rejectGateTwo(runId(request), reviewer, body.reason, body.to));
      },
    },
  ];
}

function gateTwoResponse(result: GateTwoResult): HttpResponse {
  return jsonResponse(result.status === 'published' ? 200 : 202, result);
}
