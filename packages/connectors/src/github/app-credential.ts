import { createPrivateKey } from 'node:crypto';
import { CulpritError, timeLimit } from '@culprit/core/connector';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import * as v from 'valibot';
import { RequestFailure } from '../shared/hosts/errors.js';
import { refusalOf } from './ask.js';
import { API_VERSION, asFailure, exchange, type OctokitParts, openOctokit } from './client.js';
import type { Credential } from './policy.js';

/** A token is replaced this long before it expires, so that it outlives the requests that carry it. */
const RENEW_EARLY_MS = 5 * 60_000;
/** Repositories whose token is kept. */
const MAX_REPOSITORIES = 1_000;

const installation = v.object({ id: v.number() });
const issuedToken = v.object({ token: v.string(), expires_at: v.string() });
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

interface Issued {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * A GitHub App. `@octokit/auth-app` signs, and corrects a wrong clock of this machine by GitHub's. The installation is found by
 * repository, and its tokens (one hour) are renewed before they expire: the library's own cache ignores when GitHub lets a token expire, and
 * shares a request with any other server that gives an installation the same number.
 */
export function appCredential(
  app: { readonly id: string; readonly privateKey: string },
  parts: OctokitParts,
): Credential {
  const kept = boundedMap<string, Promise<Issued>>(MAX_REPOSITORIES);
  const { timeoutMs } = parts.config;
  const octokit = openOctokit(parts, {
    authStrategy: parts.library.createAppAuth,
    auth: { appId: app.id, privateKey: appKey(app.privateKey) },
  });
  octokit.hook.wrap('request', (send, options) => {
    options.headers['x-github-api-version'] = API_VERSION;
    return exchange(
      () => send(options),
      (text) => text,
    );
  });

  async function issue(repository: string): Promise<Issued> {
    const [owner = '', repo = ''] = repository.split('/');
    const request = { signal: timeLimit(timeoutMs) };
    const step = async (name: Step, answer: Promise<{ readonly data: unknown }>) => {
      try {
        return (await answer).data;
      } catch (error) {
        throw unsent(error, app.id, repository, name);
      }
    };
    const found = await step('installation', octokit.rest.apps.getRepoInstallation({ owner, repo, request }));
    const { id } = v.parse(installation, found);
    const made = octokit.rest.apps.createInstallationAccessToken({ installation_id: id, request });
    const { token, expires_at } = v.parse(issuedToken, await step('token', made));
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
function unsent(error: unknown, id: string, repository: string, step: Step): RequestFailure {
  const { status, headers, message } = asFailure(error).failure;
  const reported = message.replace(JWT, '[redacted]').slice(0, 200);
  const why = whyUnsent(status, reported, repository, step);
  const cannot = `GitHub gives App ${id} no token for ${repository}`;
  return new RequestFailure({ status, headers, message: reported, unsent: `${cannot}: ${why}` });
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

/** PKCS#1 or PKCS#8 as PEM. Environments often have `\n` in place of line breaks. Throws `configuration`. */
function appKey(pem: string): string {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType !== 'rsa') throw new TypeError(`a key of type ${key.asymmetricKeyType}`);
    return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch (cause) {
    const wanted =
      'is not an RSA private key. Paste the PEM file that GitHub created for the App, without a password.';
    throw new CulpritError('configuration', `Connector github: app.privateKey ${wanted}`, {
      path: 'app.privateKey',
      cause,
    });
  }
}
