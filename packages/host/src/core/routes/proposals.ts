import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { NOTE_CHARS } from '../proposal-limits.js';
import { dismissProposal, listProposals, proposeEdit } from '../proposals.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { proposalSchema } from '../schema/proposals.js';
import { runId } from './run-reader.js';

const editSchema = v.strictObject({
  title: v.exactOptional(v.pipe(v.string(), v.description('Default: the title of the draft.'))),
  body: v.string(),
  note: v.exactOptional(
    v.pipe(v.string(), v.maxLength(NOTE_CHARS), v.description('What the change is for.')),
  ),
});
const proposalsSchema = v.object({ proposals: v.array(proposalSchema), next: v.nullable(v.string()) });
const pattern = '/api/v1/runs/:run_id/proposals';

/** Proposed changes of a draft. A person with `gate2` takes one over in the editor, saves it and signs; nothing here changes the draft. */
export function proposalRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern,
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      doc: {
        id: 'listProposals',
        summary: 'List the proposed changes of a draft, oldest first',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'The proposals', schema: proposalsSchema } },
        problems: ['run_not_found', 'malformed', 'invalid_cursor'],
      },
      async handle({ request, engine }: ReviewerCall) {
        const { run_id } = await engine.run(runId(request));
        const all = await listProposals(engine.values, run_id);
        const { page, next } = pageOf(all, request.query, ({ id }) => id);
        return pageResponse(request, { proposals: page, next });
      },
    },
    {
      method: 'POST',
      pattern,
      access: 'reviewer',
      scope: 'comment',
      reach: 'projects',
      bodyLimit: 512 * 1024,
      doc: {
        id: 'proposeDraftEdit',
        summary: 'Propose a change of the draft, and comment on the run. The draft stays as it is',
        body: { schema: editSchema, required: true },
        answers: { 201: { what: 'The proposal', schema: proposalSchema } },
        problems: ['malformed', 'run_not_found', 'state_conflict'],
      },
      async handle({ request, engine, identity }: ReviewerCall) {
        const edit = readBody(request, editSchema);
        return jsonResponse(201, await proposeEdit(engine, runId(request), identity.reviewer, edit));
      },
    },
    {
      method: 'DELETE',
      pattern: `${pattern}/:proposal_id`,
      access: 'reviewer',
      scope: 'gate2',
      reach: 'projects',
      doc: {
        id: 'dismissProposal',
        summary: 'Dismiss a proposed change of the draft',
        answers: { 204: { what: 'Dismissed' } },
        problems: ['run_not_found', 'not_found'],
      },
      async handle({ request, engine }: ReviewerCall) {
        const { run_id } = await engine.run(runId(request));
        const found = await dismissProposal(engine.values, run_id, request.params.proposal_id ?? '');
        if (!found) throw new CulpritError('not_found', 'Proposal not found.');
        return { status: 204 };
      },
    },
  ];
}
