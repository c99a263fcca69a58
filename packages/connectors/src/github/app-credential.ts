import { boundedMap, timeLimit, untilAborted } from '@culprit/core/resilience';
import * as v from 'valibot';
import { appKey, appToken, clockDifference } from './app-token.js';
import { API_VERSION, type ClientParts } from './client.js';
import type { Credential } from './credential.js';
import { httpFailure } from './errors.js';
import { refusalOf } from './refusals.js';
import { sendRest } from './transport.js';

/** A token is replaced this long before it expires, so that it outlives the requests that carry it. */
const RENEW_EARLY_MS = 5 * 60_000;
/** Repositories whose token is kept. */
const MOST_REPOSITORIES = 1_000;

const installation = v.object({ id: v.number() });
const issuedToken = v.object({ token: v.string(), expires_at: v.string() });
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

interface Issued {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * A GitHub App. Its installation is found by repository, and its tokens (one hour) are renewed before they expire. A
 * clock of this machine that is wrong is corrected by GitHub's.
 */
export function appCredential(
  app: { readonly id: string; readonly privateKey: string },
  { config, fetch }: Pick<ClientParts, 'config' | 'fetch'>,
): Credential {
  const kept = boundedMap<string, Promise<Issued>>(MOST_REPOSITORIES);
  const key = appKey(app.privateKey);
  let aheadMs = 0;

  async function send(route: string, parameters: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const attempt = () => {
      const headers = {
        authorization: `Bearer ${appToken(app.id, key, aheadMs)}`,
        'x-github-api-version': API_VERSION,
      };
      return sendRest(route, parameters, { baseUrl: config.apiUrl, fetch, headers, signal });
    };
    try {
      return await attempt();
    } catch (error) {
      const { message, headers } = httpFailure(error);
      const difference = clockDifference(message, headers.date);
      if (difference === null) throw error;
      aheadMs = difference;
      return attempt();
    }
  }

  async function issue(repository: string): Promise<Issued> {
    const [owner, repo] = repository.split('/');
    const signal = timeLimit(config.timeoutMs);
    const ask = async (route: string, parameters: Readonly<Record<string, unknown>>, step: Step) => {
      try {
        return (await send(route, parameters, signal)).data;
      } catch (error) {
        throw unsent(error, app.id, repository, step);
      }
    };
    const { id } = v.parse(
      installation,
      await ask('GET /repos/{owner}/{repo}/installation', { owner, repo }, 'installation'),
    );
    const route = 'POST /app/installations/{installation_id}/access_tokens';
    const { token, expires_at } = v.parse(issuedToken, await ask(route, { installation_id: id }, 'token'));
    return { text: token, expiresAt: Date.parse(expires_at) };
  }

  /** Callers share one request, so the signal of none of them ends it. */
  function request(repository: string): Promise<Issued> {
    const asked = issue(repository);
    kept.set(repository, asked);
    asked.catch(() => {
      if (kept.get(repository) === asked) kept.delete(repository);
    });
    return asked;
  }

  /** The kept token if it is good; otherwise a new one, which concurrent callers share. */
  async function good(repository: string, isGood: (issued: Issued) => boolean): Promise<string> {
    const asked = kept.get(repository);
    const issued = await (asked ?? request(repository));
    if (isGood(issued)) return issued.text;
    const newer = kept.get(repository);
    return (await (newer === undefined || newer === asked ? request(repository) : newer)).text;
  }

  const lasts = ({ expiresAt }: Issued) => expiresAt - RENEW_EARLY_MS > Date.now();
  return {
    token: (repository, signal) => untilAborted(good(repository, lasts), signal),
    renewed: (repository, rejected, signal) =>
      untilAborted(
        good(repository, ({ text }) => text !== rejected),
        signal,
      ),
    account: (repository) => repository.split('/')[0]?.toLowerCase() ?? '',
  };
}

type Step = 'installation' | 'token';

/** The error of a request that was not sent because GitHub gave the App no token. */
function unsent(error: unknown, id: string, repository: string, step: Step): Error {
  const { message, ...failure } = httpFailure(error);
  const reported = message.replace(JWT, '[redacted]').slice(0, 200);
  const cannot = `GitHub gives App ${id} no token for ${repository}`;
  return Object.assign(new Error(reported), {
    status: failure.status,
    response: { headers: failure.headers, data: { message: reported } },
    unsent: `${cannot}: ${whyUnsent(failure.status, reported, repository, step)}`,
  });
}

function whyUnsent(status: number, reported: string, repository: string, step: Step): string {
  if (status === 401)
    return `it rejects the App's key or id (${reported}). Check GITHUB_APP_ID and GITHUB_APP_KEY.`;
  if (status === 404 && /integration/i.test(reported)) return 'there is no such App. Check GITHUB_APP_ID.';
  if (status === 404 && step === 'installation')
    return `the App is not installed on ${repository}. Install it in the App's settings, under "Install App".`;
  const refusal = refusalOf({ status, message: reported, headers: {} }, repository);
  if (refusal !== null) return refusal;
  return status === 0 ? 'it is unreachable.' : `it returned ${status} (${reported}).`;
}
