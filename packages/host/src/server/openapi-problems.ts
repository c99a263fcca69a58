import type { ErrorCode } from '@culprit/core';
import { about, named } from '@culprit/core/internal/domain/schema';
import { ERRORS } from '@culprit/core/internal/errors/catalogue';
import * as v from 'valibot';
import { schemaOf } from './openapi-schemas.js';

/** RFC 9457. */
const problemSchema = named(
  'Problem',
  'An error (RFC 9457). `code` is stable, `detail` says what to do.',
  v.object({
    type: v.string(),
    title: v.string(),
    status: v.number(),
    code: v.picklist(Object.keys(ERRORS) as ErrorCode[]),
    detail: v.string(),
    path: v.exactOptional(about(v.string(), 'The invalid member.')),
    state: v.exactOptional(about(v.string(), 'With state_conflict: the current state of the run.')),
    scope: v.exactOptional(about(v.string(), 'With forbidden: the missing scope.')),
    digest: v.exactOptional(about(v.string(), 'With draft_changed: the current digest.')),
    limit: v.exactOptional(
      about(v.union([v.number(), v.string()]), 'The limit: of bytes with too_large, else its name.'),
    ),
    reason: v.exactOptional(
      about(v.string(), 'The code of the reason: with merge_refused, and unknown_path with not_found.'),
    ),
    latest: v.exactOptional(about(v.string(), 'The later run of the crash.')),
    claim: v.exactOptional(
      about(
        v.object({ by: v.string(), at: v.string(), until: v.string() }),
        'With claimed: who is looking at the run.',
      ),
    ),
    comments: v.exactOptional(
      about(
        v.object({
          digest: v.string(),
          count: v.number(),
          entries: v.array(v.object({ url: v.string(), by: v.string(), at: v.string() })),
        }),
        'With comments_unconfirmed: what the coding agent reads besides the signed text; the latest 20. `digest` confirms all.',
      ),
    ),
    opened_by: v.exactOptional(about(v.string(), 'With second_person_required: who approved Gate 1.')),
    edited_by: v.exactOptional(
      about(
        v.string(),
        'With second_person_required: the reviewer, who edited the draft or decided about its suspects.',
      ),
    ),
  }),
);

/** The errors of the paths that `sentry-cli` asks for. */
export const DETAIL_ALONE = {
  'application/json': {
    schema: { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] },
    example: { detail: 'Not found' },
  },
};

/** One entry per status, with its codes. */
export function problemResponses(
  codes: readonly ErrorCode[],
  content?: object,
): Record<string, { readonly description: string; readonly content: object }> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: [...all].map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
        content: content ?? problemContent([...all]),
      },
    ]),
  );
}

/** With an example for each code. */
function problemContent(codes: readonly ErrorCode[]): object {
  const examples = codes.map((code) => {
    const { status, title } = ERRORS[code];
    return [code, { value: { type: 'about:blank', title, status, code, detail: `${title}.` } }];
  });
  const schema = schemaOf(problemSchema, 'output');
  return { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } };
}
