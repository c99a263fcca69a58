import type { Fault } from '../shared/rules.js';
import { type Answer, retryHeaders } from '../shared/server.js';
import { refuse, SECONDARY } from './rest/request.js';

/** GitHub's words beside a status (GitHub docs: rate limits). */
function usualMessage(status: number): string {
  if (status === 403 || status === 429) return SECONDARY;
  if (status === 401) return 'Bad credentials';
  if (status === 502 || status === 504)
    return "We couldn't respond to your request in time. Sorry about that.";
  return 'Server Error';
}

/** The bad response, or the good one without a part of its data. */
export function brokenAnswer(fault: Fault, answer: Answer | null): Answer | null {
  const graphql = (error: object): Answer => ({ status: 200, body: { data: null, errors: [error] } });
  switch (fault.kind) {
    case 'graphql-partial':
      return answer && withPartialData(answer);
    case 'expired-token':
      return refuse(401, usualMessage(401));
    case 'garbage':
      return { status: 200, body: '{"data":{"repos', type: 'application/json; charset=utf-8' };
    case 'graphql-errors':
      return graphql({ message: 'Something went wrong while executing your query.' });
    case 'graphql-unknown-error':
      return graphql({ message: fault.message ?? 'Internal error' });
    case 'graphql-rate-limited':
      return graphql({ type: 'RATE_LIMITED', message: 'API rate limit exceeded.' });
    case 'graphql-resource-limits':
      return graphql(RESOURCE_LIMITS);
    default: {
      const { status = 500, message = usualMessage(status) } = fault;
      return refuse(status, message, {}, retryHeaders(fault));
    }
  }
}

const RESOURCE_LIMITS = {
  type: 'RESOURCE_LIMITS_EXCEEDED',
  message: 'Resource limits for this query exceeded.',
};

/** The response without its first file or commit, as when resources run out midway. */
function withPartialData(answer: Answer): Answer {
  const { data } = answer.body as { data?: { repository?: Record<string, unknown> | null } };
  const repository = data?.repository;
  const alias = Object.keys(repository ?? {}).find((name) => /^[fc]\d+$/.test(name));
  if (!repository || alias === undefined) return answer;
  const error = { ...RESOURCE_LIMITS, path: ['repository', alias] };
  return { ...answer, body: { data: { repository: { ...repository, [alias]: null } }, errors: [error] } };
}
