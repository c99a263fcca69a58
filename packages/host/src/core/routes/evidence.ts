import { jsonResponse } from '../../http/problem-response.js';
import type { CoreRoute } from '../route.js';
import { draftDifferenceSchema, evidenceSchema, placedStackSchema, proofSchema } from '../schema/evidence.js';
import { runId } from './runs.js';

/** What a draft was made from, what people changed in it, and whether the issue is still what was signed. */
export function evidenceRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/evidence',
      access: 'reviewer',
      doc: {
        summary: 'Everything the latest analysis was made from; `culprit replay` derives its draft again',
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
        summary: 'Where the latest analysis found the frames in the repository, with the lines around them',
        answers: { 200: { what: 'The frames that were found, crash first', schema: placedStackSchema } },
        problems: ['run_not_found', 'not_found'],
      },
      handle: async ({ request, engine }) => jsonResponse(200, await engine.stack(runId(request))),
    },
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/draft/difference',
      access: 'reviewer',
      doc: {
        summary: 'What reviewers changed in the machine’s draft',
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
        summary: 'A published issue derived again and compared with what stands on the code host',
        answers: { 200: { what: 'Each step, held or not', schema: proofSchema } },
        problems: ['run_not_found', 'not_found', 'state_conflict', 'code_host_unavailable'],
      },
      handle: async ({ request, engine }) => jsonResponse(200, await engine.verify(runId(request))),
    },
  ];
}
