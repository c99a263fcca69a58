import { CulpritError } from '@culprit/core';
import { draftSchema } from '@culprit/core/internal/domain/draft';
import { linkedIssueSchema } from '@culprit/core/internal/domain/resolution';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { runOperation, runReader } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { draftTag } from './commands.js';

const previewSchema = v.object({
  title: v.string(),
  body: v.string(),
  reopens: draftSchema.entries.reopens,
  link_back: v.optional(
    about(linkedIssueSchema, 'The earlier issue, which then gets a comment with the link of this one.'),
  ),
  divergence: about(v.array(v.string()), 'What the code host would change or drop.'),
});

/** The draft that Gate 2 signs. Its ETag is its digest. */
export function draftRoutes(): CoreRoute[] {
  return [
    runOperation({
      at: 'GET /draft',
      scope: 'read',
      id: 'getDraft',
      summary: 'Get the draft; its ETag is its digest',
      what: 'The draft',
      schema: draftSchema,
      answerHeaders: draftTag,
      problems: ['not_found'],
      async run({ engine, runId }) {
        const { draft } = await engine.run(runId);
        if (draft !== null) return draft;
        throw new CulpritError('not_found', 'The run has no draft yet. Approve Gate 1 first.');
      },
    }),
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
  ];
}
