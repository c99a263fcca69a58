import { CulpritError } from '@culprit/core';
import { DRAFT_LIMITS } from '@culprit/core/internal/domain/draft';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { listing, runOperation } from '../operation.js';
import { dismissProposal, proposalsOf, proposeEdit } from '../proposals.js';
import type { CoreRoute } from '../route.js';
import { proposalSchema } from '../schema/proposals.js';

const editSchema = v.strictObject({
  title: v.exactOptional(about(v.string(), 'Default: the title of the draft.')),
  body: v.string(),
  note: v.exactOptional(
    about(v.pipe(v.string(), v.maxLength(DRAFT_LIMITS.noteChars)), 'What the change is for.'),
  ),
});

/** Proposed changes of a draft. A person with `gate2` takes one over in the editor, saves it and signs; nothing here changes the draft. */
export function proposalRoutes(): CoreRoute[] {
  return [
    listing({
      path: '/api/v1/runs/:run_id/proposals',
      scope: 'read',
      reach: 'projects',
      id: 'listProposals',
      summary: 'List the proposed changes of a draft, oldest first',
      what: 'The proposals',
      name: 'proposals',
      entries: v.array(proposalSchema),
      async all({ engine, runId }) {
        const { run_id } = await engine.run(runId);
        return proposalsOf(engine.values, run_id).get();
      },
      key: ({ id }) => id,
    }),
    runOperation({
      at: 'POST /proposals',
      scope: 'comment',
      bodyLimit: 512 * 1024,
      id: 'proposeDraftEdit',
      summary: 'Propose a change of the draft, and comment on the run. The draft stays as it is',
      body: editSchema,
      status: 201,
      what: 'The proposal',
      schema: proposalSchema,
      problems: ['state_conflict'],
      run: ({ engine, runId, reviewer, body }) => proposeEdit(engine, runId, reviewer, body),
    }),
    runOperation({
      at: 'DELETE /proposals/:proposal_id',
      scope: 'gate2',
      id: 'dismissProposal',
      summary: 'Dismiss a proposed change of the draft',
      what: 'Dismissed',
      problems: ['not_found'],
      async run({ request, engine, runId }) {
        const { run_id } = await engine.run(runId);
        const found = await dismissProposal(engine.values, run_id, request.params.proposal_id ?? '');
        if (!found) throw new CulpritError('not_found', 'Proposal not found.');
      },
    }),
  ];
}
