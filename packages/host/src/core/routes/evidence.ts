import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';
import { draftDifferenceSchema, evidenceSchema, placedStackSchema, proofSchema } from '../schema/evidence.js';
import { runId } from './runs.js';

/** Evidence, located stack, draft differences and verification. */
export function evidenceRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/evidence',
      access: 'reviewer',
      doc: {
        summary: 'Get the evidence of the latest analysis; `culprit replay` derives the draft from it',
        answers: { 200: { what: 'The evidence bundle', schema: evidenceSchema } },
        problems: ['run_not_found', 'not_found'],
      },
      handle: async ({ request, engine }) => jsonResponse(200, await engine.evidence(runId(request))),
    },
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/stack',
      access: 'reviewer',
      doc: {
        summary: 'Get the frames that the latest analysis located in the repository, with source',
        answers: { 200: { what: 'The located frames, the throwing frame first', schema: placedStackSchema } },
        problems: ['run_not_found', 'not_found'],
      },
      handle: async ({ request, engine }) => jsonResponse(200, await engine.stack(runId(request))),
    },
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/draft/difference',
      access: 'reviewer',
      doc: {
        summary: 'Compare the draft with the generated one',
        answers: { 200: { what: 'The difference; `body` is a unified diff', schema: draftDifferenceSchema } },
        problems: ['run_not_found', 'not_found'],
      },
      handle: async ({ request, engine }) => jsonResponse(200, await engine.draftDifference(runId(request))),
    },
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/verification',
      access: 'reviewer',
      doc: {
        summary: 'Verify the published issue: derive it again and compare it with the code host',
        answers: { 200: { what: 'The result of each step', schema: proofSchema } },
        problems: ['run_not_found', 'not_found', 'state_conflict', 'code_host_unavailable'],
      },
      handle: async ({ request, engine }) => jsonResponse(200, await engine.verify(runId(request))),
    },
  ];
}
