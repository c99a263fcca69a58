import type { Fault } from './options.js';
import { type Answer, SECONDARY } from './rest/request.js';

/** Faults that wait for matching requests, in order. */
export class Faults {
  private readonly waiting: { fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.waiting.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.waiting.length = 0;
  }

  /** The fault of this request; uses up one of its times. */
  take(method: string, path: string): Fault | null {
    const at = this.waiting.findIndex(
      ({ fault }) =>
        (fault.method === undefined || fault.method === method) &&
        (fault.path === undefined || path.includes(fault.path)),
    );
    const found = this.waiting[at];
    if (!found) return null;
    found.left -= 1;
    if (found.left <= 0) this.waiting.splice(at, 1);
    return found.fault;
  }
}

/** GitHub's headers beside the status (GitHub docs: rate limits). */
function faultBody(status: number): { readonly message: string; readonly documentation_url: string } {
  const documentation_url = 'https://docs.github.com/rest';
  if (status === 403 || status === 429) return { message: SECONDARY, documentation_url };
  if (status === 401) return { message: 'Bad credentials', documentation_url };
  if (status === 502 || status === 504) {
    return { message: "We couldn't respond to your request in time. Sorry about that.", documentation_url };
  }
  return { message: 'Server Error', documentation_url };
}

/** True if the request takes effect and only its response is lost or bad. */
export function takesEffect(fault: Fault): boolean {
  return (
    fault.afterEffect === true ||
    ['reset-after', 'hang-after', 'slow', 'graphql-partial'].includes(fault.kind)
  );
}

/** The bad response; `null` if the connection is cut instead. */
export function brokenAnswer(fault: Fault): Answer | null {
  const graphql = (error: object): Answer => ({ status: 200, body: { data: null, errors: [error] } });
  switch (fault.kind) {
    case 'reset-before':
    case 'reset-after':
    case 'hang':
    case 'hang-after':
      return null;
    case 'expired-token':
      return { status: 401, body: faultBody(401) };
    case 'garbage':
      return { status: 200, body: '{"data":{"repos', type: 'application/json; charset=utf-8' };
    case 'graphql-errors':
      return graphql({ message: 'Something went wrong while executing your query.' });
    case 'graphql-unknown-error':
      return graphql({ message: fault.message ?? 'Internal error' });
    case 'graphql-rate-limited':
      return graphql({ type: 'RATE_LIMITED', message: 'API rate limit exceeded.' });
    case 'graphql-resource-limits':
      return graphql({
        type: 'RESOURCE_LIMITS_EXCEEDED',
        message: 'Resource limits for this query exceeded.',
      });
    default: {
      const status = fault.status ?? 500;
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      const body = {
        ...faultBody(status),
        ...(fault.message === undefined ? {} : { message: fault.message }),
      };
      return { status, body, headers };
    }
  }
}

/** The response without its first file or commit, as when resources run out midway. */
export function withPartialData(answer: Answer): Answer {
  const { data } = answer.body as { data?: { repository?: Record<string, unknown> | null } };
  const repository = data?.repository;
  const alias = Object.keys(repository ?? {}).find((name) => /^[fc]\d+$/.test(name));
  if (!repository || alias === undefined) return answer;
  const error = {
    type: 'RESOURCE_LIMITS_EXCEEDED',
    path: ['repository', alias],
    message: 'Resource limits for this query exceeded.',
  };
  return { ...answer, body: { data: { repository: { ...repository, [alias]: null } }, errors: [error] } };
}
