import { timeLimit } from '@culprit/core/connector';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import {
  type ApiSurface,
  type HttpFailure,
  Limits,
  RequestFailure,
  requestFailure,
} from '../shared/hosts/errors.js';
import { isRateLimit } from './ask.js';

/** Who asks GitHub: a personal access token, or an App through its installation on the repository. */
export interface Credential {
  /** The token for requests about `owner/name`. Rejects with a {@link RequestFailure} that was `unsent`. */
  token(repository: string, signal: AbortSignal): Promise<string>;
  /** Another token in place of one that GitHub answered with 401; `null`: there is none. */
  renewed(repository: string, rejected: string, signal: AbortSignal): Promise<string | null>;
  /** What shares one rate limit with this repository: an App has one for each account that installed it. */
  account(repository: string): string;
}

/** A personal access token, or the token of GitHub Actions. */
export function tokenCredential(token: string): Credential {
  return { token: async () => token, renewed: async () => null, account: () => '' };
}

/** What a request is about. */
export interface Asked {
  /** `owner/name`: whose token and limits count. */
  readonly repository: string;
  /** The caller's. */
  readonly signal: AbortSignal;
}

/** Accounts whose limits are kept. */
const MAX_ACCOUNTS = 100;

/**
 * Nothing is sent twice, except once with a new token of an App after a 401, which did nothing. While a rate limit lasts nothing
 * is sent: it rejects with what GitHub reported and the remaining time.
 */
export function requestPolicy(credential: Credential, timeoutMs: number) {
  const accounts = boundedMap<string, Limits>(MAX_ACCOUNTS);
  const limitsOf = ({ repository }: Asked) => {
    const account = credential.account(repository);
    const limits = accounts.get(account) ?? new Limits(isRateLimit);
    accounts.set(account, limits);
    return limits;
  };
  let expiresAt: number | null = null;
  const noteExpiry = ({ headers }: Pick<HttpFailure, 'headers'>) => {
    const at = Date.parse(String(headers['github-authentication-token-expiration']));
    if (Number.isFinite(at)) expiresAt = at;
  };
  return {
    /**
     * One request within the limits of time and rate, with the repository's token. `send`: it ends with this signal, and rejects with
     * {@link RequestFailure}.
     */
    async ask<Answer extends Pick<HttpFailure, 'headers'>>(
      asked: Asked,
      surface: ApiSurface,
      send: (token: string, signal: AbortSignal) => Promise<Answer>,
    ): Promise<Answer> {
      const { repository, signal } = asked;
      const limits = limitsOf(asked);
      const attempt = async (token: string) => {
        const refusal = limits.refusal(surface, Date.now());
        if (refusal) throw refusal;
        try {
          const answer = await send(token, timeLimit(timeoutMs, signal));
          noteExpiry(answer);
          return answer;
        } catch (error) {
          const failure = requestFailure(error);
          noteExpiry(failure);
          limits.observe(surface, failure, Date.now());
          throw withExpiry(error, expiresAt);
        }
      };
      const token = await credential.token(repository, signal);
      try {
        return await attempt(token);
      } catch (error) {
        const rejected = requestFailure(error).status === 401;
        const renewed = rejected ? await credential.renewed(repository, token, signal) : null;
        if (renewed === null) throw error;
        return attempt(renewed);
      }
    },
    /** GitHub reports a rate limit in a response without a rate-limit status. */
    limited(asked: Asked, surface: ApiSurface, headers: HttpFailure['headers']): void {
      limitsOf(asked).observe(surface, { status: 429, headers, message: '' }, Date.now());
    },
    /** When the personal token expires, in milliseconds since 1970, as GitHub's last response said; `null`: unknown or never. */
    tokenExpiresAt: (): number | null => expiresAt,
  };
}

/** Adds when the token expired, if that is why GitHub rejects it. */
function withExpiry(error: unknown, expiresAt: number | null): unknown {
  const failure = requestFailure(error);
  const expired = expiresAt !== null && expiresAt <= Date.now() && failure.status === 401;
  return expired ? new RequestFailure({ ...failure, expiredAt: expiresAt }) : error;
}
