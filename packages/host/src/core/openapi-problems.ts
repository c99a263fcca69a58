import type { ErrorCode } from '@culprit/core';
import { ERRORS } from '@culprit/core/model';

/** One entry per status, with its codes. */
export function problemResponses(codes: readonly ErrorCode[]): Record<string, object> {
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
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}
