import type { ErrorCode } from '@culprit/core';
import { ERRORS } from '@culprit/core/internal/errors/catalogue';

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
  const schema = { $ref: '#/components/schemas/Problem' };
  return { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } };
}
