import type { ErrorCode } from '@culprit/core';
import { ERRORS } from '@culprit/core/model';

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
/** The errors of the paths that `sentry-cli` asks for. */
export const DETAIL_ALONE = {
  'application/json': {
    schema: { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] },
  },
};

/** One entry per status, with its codes. */
export function problemResponses(
  codes: readonly ErrorCode[],
  content: object = PROBLEM,
): Record<string, object> {
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
        content,
      },
    ]),
  );
}
