import { CulpritError } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import * as v from 'valibot';
import type { HttpResponse } from '../../http/message.js';
import { jsonResponse } from '../../http/problem-response.js';
import { entityTag, ifMatch } from '../entity-tag.js';
import { runId, runReader } from '../operation.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import { linkedIssueSchema } from '../schema/resolution.js';
import { draftSchema, reopensSchema } from '../schema/run.js';

const texts = v.array(v.string());
/** Clients may send back the whole draft of GET; `digest`, `edited_by`, `reopens` and `trust` are ignored. */
const editSchema = v.strictObject({
  title: v.string(),
  body: v.string(),
  labels: v.optional(texts),
  assignees: v.optional(texts),
  repository: v.optional(v.string()),
  digest: v.optional(v.string()),
  edited_by: v.optional(v.nullable(v.string())),
  reopens: v.optional(v.unknown()),
  trust: v.optional(v.string()),
});

const previewSchema = v.object({
  title: v.string(),
  body: v.string(),
  reopens: v.optional(reopensSchema),
  link_back: v.optional(
    v.pipe(
      linkedIssueSchema,
      v.description('The earlier issue, which then gets a comment with the link of this one.'),
    ),
  ),
  divergence: v.pipe(v.array(v.string()), v.description('What the code host would change or drop.')),
});

/** The draft that Gate 2 signs. Its ETag is its digest. */
export function draftRoutes(): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/api/v1/runs/:run_id/draft',
      access: 'reviewer',
      scope: 'read',
      reach: 'projects',
      doc: {
        id: 'getDraft',
        summary: 'Get the draft; its ETag is its digest',
        answers: { 200: { what: 'The draft', schema: draftSchema } },
        problems: ['run_not_found', 'not_found'],
      },
      async handle({ request, engine }) {
        const { draft } = await engine.run(runId(request));
        if (draft === null)
          throw new CulpritError('not_found', 'The run has no draft yet. Approve Gate 1 first.');
        return draftResponse(draft);
      },
    },
    runReader(
      '/draft/preview',
      previewSchema,
      ({ engine, runId, reviewer }) => engine.preview(runId, reviewer),
      {
        id: 'previewDraft',
        summary:
          'Preview the issue that would be published if you signed it, byte for byte, including the trailer',
        what: 'Title, body, and what the code host would change',
        problems: ['not_found'],
      },
    ),
    {
      method: 'PUT',
      pattern: '/api/v1/runs/:run_id/draft',
      access: 'reviewer',
      scope: 'gate2',
      reach: 'projects',
      bodyLimit: 512 * 1024,
      doc: {
        id: 'editDraft',
        summary: 'Edit the draft; the response contains the new digest',
        headers: { 'If-Match': 'The ETag of the draft that was edited' },
        body: { schema: editSchema, required: true },
        answers: { 200: { what: 'The edited draft', schema: draftSchema } },
        problems: ['run_not_found', 'state_conflict', 'draft_changed', 'precondition_required'],
      },
      handle: edit,
    },
  ];
}

async function edit({ request, engine, identity }: ReviewerCall): Promise<HttpResponse> {
  const id = runId(request);
  const digest = ifMatch(request);
  const { state, draft } = await engine.run(id);
  if (state !== 'staged_draft' || draft === null) {
    const detail = `The draft cannot be edited while the run is ${state}.`;
    throw new CulpritError('state_conflict', detail, { members: { state } });
  }
  if (digest === null) {
    throw new CulpritError('precondition_required', 'Send If-Match with the ETag of the draft you edited.');
  }
  const { title, body, labels, assignees, repository } = readBody(request, editSchema);
  if (repository !== undefined && repository !== draft.repository) {
    const detail = '"repository" is set by the configuration and cannot be edited.';
    throw new CulpritError('malformed', detail, { path: 'repository' });
  }
  const content = { title, body, labels: labels ?? draft.labels, assignees: assignees ?? draft.assignees };
  return draftResponse(await engine.editDraft(id, content, identity.reviewer, digest));
}

function draftResponse(draft: Draft): HttpResponse {
  return jsonResponse(200, draft, { etag: entityTag(draft.digest) });
}
