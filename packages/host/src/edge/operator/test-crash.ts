import { CulpritError } from '@culprit/core';

export interface OwnDoor {
  /** The edge's own URL. */
  readonly url: string;
  /** Of a sender; `null` if no service token is configured, which closes the door. */
  readonly token: string | null;
}

const LONGEST_MS = 10_000;

/**
 * Sends a crash to the native door of this edge over HTTP, as a program does, so that it takes the whole way: credential, limits,
 * sanitiser, spool, core. Each call starts a run of its own. Resolves with what the door answered.
 */
export async function sendTestCrash({ url, token }: OwnDoor, commandId: string): Promise<string> {
  if (token === null)
    throw new CulpritError('configuration', 'No service token is configured here. Set SERVICE_TOKENS.');
  const response = await fetch(`${reachable(url)}/api/v1/telemetry/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-token': token },
    body: JSON.stringify(crashOf(commandId)),
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  const text = await response.text();
  if (response.status !== 202)
    throw new CulpritError('malformed', `The native door refused it with ${response.status}: ${text}`);
  return 'accepted by the native door with 202';
}

function crashOf(commandId: string): object {
  return {
    event_id: `test-${commandId}`,
    timestamp: new Date().toISOString(),
    platform: 'node',
    level: 'info',
    environment: 'culprit-test',
    tags: { 'culprit.test': 'true' },
    fingerprint: ['culprit-test', commandId],
    stack:
      'TestCrash: This crash was sent by an operator to test the way to the board\n    at sendTestCrash (test-crash.js:1:1)',
  };
}

/** An edge that listens on every address is on this machine, too. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
