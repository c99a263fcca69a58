import { createHmac } from 'node:crypto';
import { unreachable } from '@culprit/client';
import { CulpritError } from '@culprit/core';
import type { DoorSecrets } from '../config/load-config.js';
import type { CapturedRequest } from './captured.js';

export interface DoorAnswer {
  readonly status: number;
  readonly event_id: string | null;
  readonly detail: string | null;
}

/** The headers for the request's door, with a credential. Throws `unauthenticated` if none is known. */
export function signedHeaders(request: CapturedRequest, secrets: DoorSecrets): Record<string, string> {
  const needed = (value: string | null, name: string) => {
    if (value !== null) return value;
    const fix = `Set ${name}, or name the data directory of the running edge with --data (DATA_DIR).`;
    throw new CulpritError('unauthenticated', `No credential found for the ${request.door} door. ${fix}`);
  };
  const headers = withoutCredentials(request.headers);
  switch (request.door) {
    case 'native':
      return { ...headers, 'x-service-token': needed(secrets.serviceToken, 'SERVICE_TOKENS') };
    case 'sdk': {
      const key = needed(secrets.sdkKey, 'SDK_KEYS');
      return {
        ...headers,
        'x-sentry-auth': `Sentry sentry_version=7, sentry_client=culprit/1, sentry_key=${key}`,
      };
    }
    case 'webhook': {
      const secret = needed(secrets.hookSecret, 'TRACKER_HOOK_SECRET');
      const signature = createHmac('sha256', secret).update(request.body).digest('hex');
      return { ...headers, 'tracker-hook-signature': signature };
    }
  }
}

const CREDENTIALS = ['x-service-token', 'tracker-hook-signature', 'x-sentry-auth', 'authorization', 'cookie'];
/** Set by the HTTP client. */
const OWN = ['host', 'content-length', 'connection', 'transfer-encoding'];

function withoutCredentials(headers: CapturedRequest['headers']): Record<string, string> {
  const left = Object.entries(headers).filter(([name]) => ![...CREDENTIALS, ...OWN].includes(name));
  return Object.fromEntries(left);
}

/** Sends one delivery through its door. */
export async function sendThroughDoor(
  edgeUrl: string,
  request: CapturedRequest,
  secrets: DoorSecrets,
): Promise<DoorAnswer> {
  const url = `${edgeUrl}${request.path}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: signedHeaders(request, secrets),
    body: Buffer.from(request.body),
    signal: AbortSignal.timeout(30_000),
  }).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const answer = (await response.json().catch(() => ({}))) as { id?: unknown; detail?: unknown };
  return {
    status: response.status,
    event_id: typeof answer.id === 'string' ? answer.id : null,
    detail: typeof answer.detail === 'string' ? answer.detail : null,
  };
}
