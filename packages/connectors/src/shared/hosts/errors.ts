import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { parseRetryAfterMs } from '@culprit/core/internal/resilience/retry-delay';
import * as v from 'valibot';

/** A host refused a request, or did not respond. */
export interface HttpFailure {
  /** 0: no response. */
  readonly status: number;
  /** True: the time limit was reached, or the caller gave up. */
  readonly timedOut?: boolean;
  /** True: the response is larger than what is read. */
  readonly tooLarge?: boolean;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** The host's message, without the token. */
  readonly message: string;
  /** What the host found invalid in a request that it rejected with 422. */
  readonly errors?: readonly FieldError[];
  /** The host takes the text for spam, and wants a captcha to be solved. */
  readonly captcha?: boolean;
  /** The request was not sent because the host gave no token: why, and what to do. */
  readonly unsent?: string;
  /** With 401: the personal token expired then, in milliseconds since 1970. */
  readonly expiredAt?: number;
}

interface FieldError {
  readonly field?: string;
  readonly code?: string;
  readonly value?: unknown;
  readonly message?: string;
}

/**
 * What a request rejects with. It has no `status` of its own: Octokit would end a list of pages at an error of status 409, and an issue
 * that is not in the list is created.
 */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  constructor(readonly failure: HttpFailure) {
    super(failure.message);
  }
}

/** Throws anything that is not a failed request, because it is a bug or the caller's abort. */
export function requestFailure(error: unknown): HttpFailure {
  if (error instanceof RequestFailure) return error.failure;
  throw error;
}

/** The failure of a request that got no response, as `fetch` or Octokit reports it. */
export function noResponse(error: unknown, message = 'no response'): HttpFailure {
  const { name, cause } = Object(error) as { readonly name?: unknown; readonly cause?: unknown };
  const timedOut = [name, Object(cause).name].some((one) => one === 'TimeoutError' || one === 'AbortError');
  return { status: 0, timedOut, headers: {}, message };
}

/** A failed request is an answer. */
export async function outcomeOf<Answer>(request: Promise<Answer>): Promise<Answer | RequestFailure> {
  return request.catch((error: unknown) => {
    if (error instanceof RequestFailure) return error;
    throw error;
  });
}

/** `Retry-After`, else the reset of the limit, else a minute: the order that the hosts document. */
export function retryAfterMs({ headers }: Pick<HttpFailure, 'headers'>, now: number): number {
  const asked = parseRetryAfterMs(headers['retry-after'], now);
  if (asked !== undefined) return Math.max(1_000, asked);
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  const reset = Number(isUsedUp ? headers['x-ratelimit-reset'] : headers['ratelimit-reset']);
  return Number.isFinite(reset) && reset > 0 ? Math.max(1_000, reset * 1_000 - now) : 60_000;
}

/** A host has one limit for both of its interfaces, or one for each. */
export type ApiSurface = 'graphql' | 'rest';

/** Limits reset by the hour. Longer waits can only come from a wrong clock. */
const LONGEST_MS = 60 * 60_000;
/** A caller that waited as instructed may be early by the timer's resolution. */
const EARLY_MS = 1_000;

/**
 * The time until which a host's rate limits block one token. Nothing is sent before then: further requests prolong the block
 * (docs.github.com, "Best practices for using the REST API"). A primary limit of GitHub blocks its own interface, any other limit both.
 * GitHub Enterprise has no limits unless its administrator enables them; then they have the same format.
 */
export class Limits {
  private readonly until: Record<ApiSurface, number> = { graphql: 0, rest: 0 };

  constructor(private readonly isRateLimit: (failure: HttpFailure) => boolean) {}

  observe(surface: ApiSurface, failure: HttpFailure, now: number): void {
    if (!this.isRateLimit(failure)) return;
    const until = now + Math.min(retryAfterMs(failure, now), LONGEST_MS);
    const primary =
      failure.headers['x-ratelimit-remaining'] === '0' && failure.headers['retry-after'] === undefined;
    for (const closed of primary ? [surface] : (['graphql', 'rest'] as const)) {
      this.until[closed] = Math.max(this.until[closed], until);
    }
  }

  /** The error that the host would return during the wait; `null` once it is over. */
  refusal(surface: ApiSurface, now: number): RequestFailure | null {
    const left = this.until[surface] - now;
    if (left <= EARLY_MS) return null;
    const headers = { 'retry-after': String(Math.ceil(left / 1_000)) };
    return new RequestFailure({ status: 429, headers, message: 'rate limit exceeded' });
  }
}

/** What a request is about. */
export interface Subject {
  /** As the caller names it. */
  readonly repository: string;
  /** The caller's. */
  readonly signal: AbortSignal;
}

type Created = 'issue' | 'comment';

/** How one host refuses, and how Culprit says so. */
interface HostWords {
  /** As a sentence begins. */
  readonly name: string;
  /** The permissions that it takes to read code, to read issues and to write issues, as its pages name them. */
  readonly needs: { readonly code: string; readonly issues: string; readonly write: string };
  /** Refused because of a rate limit, so nothing was done. */
  isRateLimit(failure: HttpFailure): boolean;
  badToken(failure: HttpFailure): string;
  /** 403. */
  forbidden(failure: HttpFailure, repository: string, need: string): string;
  /** Where a repository is hidden. */
  notShown(repository: string, need: string): string;
  /** Statuses by which it hides a repository. */
  readonly hiding: readonly number[];
  /** True: the requested object does not exist, rather than its repository. */
  isNothing(failure: HttpFailure): boolean;
  /** Failures of reads that this host explains in its own way. `null`: as on every host. */
  unread?(failure: HttpFailure, repository: string): CulpritError | null;
  /** Statuses of a request that it found invalid; nothing was created. */
  readonly rejecting: readonly number[];
  /** Other failures which prove that nothing was created: why. `null`: as on every host. */
  uncreated?(failure: HttpFailure, repository: string, what: Created): string | null;
}

/** `overload`: the host gave up on the request, and a smaller one may succeed. `timeout`: no response within `timeoutMs`. */
type UnavailableReason = 'overload' | 'timeout';

/** The errors of one host. */
export function hostErrors(host: HostWords) {
  const { name } = host;
  const unavailable = (detail: string, reason?: UnavailableReason) =>
    new CulpritError('code_host_unavailable', detail, reason && { reason });
  const unreadable = () => unavailable(`${name} sent an unreadable response.`);

  /** A failed read. `need`: the permission that it takes. */
  function codeHostError(
    error: unknown,
    { repository, signal }: Subject,
    need = host.needs.code,
  ): CulpritError {
    if (isCulpritError(error)) return error;
    signal.throwIfAborted();
    const failure = requestFailure(error);
    const { status, message, unsent } = failure;
    const forbidden = (detail: string) => new CulpritError('code_host_forbidden', detail);
    if (host.isRateLimit(failure))
      return new CulpritError('code_host_unavailable', `${name}’s rate limit is exceeded.`, {
        retryAfterMs: retryAfterMs(failure, Date.now()),
      });
    if (unsent !== undefined) return isOutage(failure) ? unavailable(unsent) : forbidden(unsent);
    if (status === 401) return forbidden(host.badToken(failure));
    const own = host.unread?.(failure, repository) ?? null;
    if (own !== null) return own;
    if (status === 403) return forbidden(host.forbidden(failure, repository, need));
    if (host.hiding.includes(status))
      return new CulpritError('repository_not_found', host.notShown(repository, need));
    if (status >= 400 && status < 500 && status !== 408)
      return forbidden(`${name} rejects the request (${status}): ${message}`);
    if (failure.timedOut) return unavailable(`${name} did not respond in time.`, 'timeout');
    if (status === 0) return unavailable(`${name} is unreachable.`);
    const overloaded = status === 502 || status === 504;
    return unavailable(`${name} returned ${status}.`, overloaded ? 'overload' : undefined);
  }

  /** What a refused write proves. Any failure that is not listed may have created the issue, or the comment. */
  function publishError(error: unknown, repository: string, what: Created): CulpritError {
    if (isCulpritError(error)) return error;
    const failure = requestFailure(error);
    const { status, message, unsent } = failure;
    const refused = (detail: string) => new CulpritError('publish_refused', detail);
    if (host.isRateLimit(failure))
      return new CulpritError(
        'publish_wait',
        `${name}’s rate limit is exceeded; the ${what} was not created.`,
        { retryAfterMs: retryAfterMs(failure, Date.now()) },
      );
    if (unsent !== undefined)
      return isOutage(failure) ? new CulpritError('publish_wait', unsent) : refused(unsent);
    const own = host.uncreated?.(failure, repository, what) ?? null;
    if (own !== null) return refused(own);
    if (status === 401) return refused(host.badToken(failure));
    if (status === 403) return refused(host.forbidden(failure, repository, host.needs.write));
    if (status === 404) return refused(host.notShown(repository, host.needs.write));
    if (host.rejecting.includes(status))
      return refused(`${name} rejects the ${what}: ${message}${describeFields(failure)}`);
    return uncertain(status === 0 ? `${name} did not respond.` : `${name} returned ${status}.`, what);
  }

  async function answered<Answer>(target: Subject, answer: Promise<Answer>, need?: string): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw codeHostError(error, target, need);
    }
  }

  return {
    name,
    needs: host.needs,
    unreadable,
    codeHostError,
    publishError,
    /** The response of a read, with failures translated. */
    answered,
    /** As `answered`, but `null` if the requested object does not exist. */
    answeredOrNull<Answer>(target: Subject, answer: Promise<Answer>): Promise<Answer | null> {
      const missing = (error: unknown) => {
        if (host.isNothing(requestFailure(error))) return null;
        throw error;
      };
      return answered(target, answer.catch(missing));
    },
    /** Validates a response's shape. A mismatch is the host's failure, not a bug here. */
    read<const Schema extends v.GenericSchema>(schema: Schema, data: unknown): v.InferOutput<Schema> {
      const parsed = v.safeParse(schema, data);
      if (!parsed.success) throw unreadable();
      return parsed.output;
    },
    /** What a POST created. A response that does not show it proves nothing. */
    created<const Schema extends v.GenericSchema>(
      schema: Schema,
      { status, data }: { readonly status: number; readonly data: unknown },
      what: Created,
    ): v.InferOutput<Schema> {
      const parsed = v.safeParse(schema, data);
      if (status === 201 && parsed.success) return parsed.output;
      throw uncertain(`${name} returned ${status} with an unreadable body.`, what);
    },
  };
}

/** The errors of one host, bound to its words. */
export type HostErrors = ReturnType<typeof hostErrors>;

function uncertain(detail: string, what: Created): CulpritError {
  const next = `${detail} The ${what} may exist; the ${what} list is checked next.`;
  return new CulpritError('publish_ambiguous', next);
}

/** The host may answer the same request later. */
function isOutage({ status }: HttpFailure): boolean {
  return status === 0 || status === 408 || status >= 500;
}

/** ` (assignees: ada is invalid; body: is too long)` */
function describeFields({ errors = [] }: HttpFailure): string {
  const texts = errors.map(({ field, code, value, message }) => {
    const shown = typeof value === 'string' ? `${value.slice(0, 60)} is ` : '';
    return `${field ?? 'issue'}: ${message ?? `${shown}${code ?? 'invalid'}`}`;
  });
  return texts.length === 0 ? '' : ` (${texts.join('; ').slice(0, 300)})`;
}

export function noRevision(sha: string, repository: string): CulpritError {
  return new CulpritError('revision_not_found', `${repository} has no commit ${sha.slice(0, 40)}.`);
}

/** The issue itself is why it cannot be reopened. `why` ends the sentence. */
export function reopenRefused(repository: string, number: number, why: string): CulpritError {
  const detail = `Issue ${Math.trunc(number)} of ${repository} cannot be reopened: ${why}. Return the run to Gate 1 and approve it again for a draft of a new issue.`;
  return new CulpritError('reopen_refused', detail);
}
