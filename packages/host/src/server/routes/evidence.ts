import { evidenceSchema } from '@culprit/core/internal/domain/evidence';
import { draftDifferenceSchema } from '@culprit/core/internal/pipeline/draft-difference';
import { placedStackSchema } from '@culprit/core/internal/pipeline/evidence/placed-frames';
import { proofSchema } from '@culprit/core/internal/pipeline/verify-publication';
import { runId, runReader } from '../operation.js';
import type { CoreRoute } from '../route.js';

/** Evidence, located stack, fix brief, draft differences and verification. */
export function evidenceRoutes(): CoreRoute[] {
  return [
    runReader('/evidence', evidenceSchema, ({ engine, runId }) => engine.evidence(runId), {
      id: 'getEvidence',
      summary: 'Get the evidence of the latest analysis; `culprit replay` derives the draft from it',
      what: 'The evidence bundle',
      problems: ['not_found'],
    }),
    runReader('/stack', placedStackSchema, ({ engine, runId }) => engine.stack(runId), {
      id: 'getStack',
      summary:
        'Get the frames that the latest analysis located in the repository, with source; at Gate 1 also why no suspect can be found',
      what: 'The located frames, the throwing frame first',
      problems: ['not_found'],
    }),
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/brief',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      doc: {
        id: 'getBrief',
        summary: 'Get the fix brief: one page to start a fix from. Text from outside appears only in code',
        answers: { 200: { what: 'The page', type: 'text/markdown' } },
        problems: ['run_not_found'],
      },
      handle: async ({ request, engine }) => ({
        status: 200,
        headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
        body: await engine.brief(runId(request)),
      }),
    },
    runReader(
      '/draft/difference',
      draftDifferenceSchema,
      ({ engine, runId }) => engine.draftDifference(runId),
      {
        id: 'getDraftDifference',
        summary: 'Compare the draft with the generated one',
        what: 'The difference; `body` is a unified diff',
        problems: ['not_found'],
      },
    ),
    runReader('/verification', proofSchema, ({ engine, runId }) => engine.verify(runId), {
      id: 'verifyPublication',
      summary: 'Verify the published issue: derive it again and compare it with the code host',
      what: 'The result of each step',
      problems: ['not_found', 'state_conflict', 'code_host_unavailable'],
    }),
  ];
}
