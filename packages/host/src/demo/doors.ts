import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonObject } from '@culprit/core';
import type { CapturedError } from './capture-preload.js';

/** The response of a door. */
export interface DoorAnswer {
  readonly status: number;
  readonly eventId: string;
  readonly ms: number;
  /** The problem's detail, if the edge rejected it. */
  readonly detail: string | null;
}

export function newEventId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Sends a crash object with a service token to the native door. */
export function sendNative(edgeUrl: string, token: string, crash: JsonObject): Promise<DoorAnswer> {
  return post(`${edgeUrl}/api/v1/telemetry/ingest`, JSON.stringify(crash), { 'x-service-token': token });
}

/** Sends a signed JSON alert to the webhook door. */
export function sendAlert(edgeUrl: string, secret: string, alert: JsonObject): Promise<DoorAnswer> {
  const body = JSON.stringify(alert);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return post(`${edgeUrl}/webhook/errortracker`, body, { 'tracker-hook-signature': signature });
}

/** An alert in the format of an error tracker, from the call sites of a real error. */
export function alertOf(
  error: CapturedError,
  about: {
    readonly eventId: string;
    readonly root: string;
    readonly release: string;
    readonly environment: string;
  },
): JsonObject {
  const frames = error.frames.map(({ file, line, column, function: name }, index) => {
    const internal = file === null || file.startsWith('node:');
    return {
      filename: internal ? file : relative(about.root, file),
      abs_path: file,
      function: name,
      lineno: line,
      colno: column,
      ...(internal || index < error.frames.length - 1 ? {} : { context_line: lineAt(file, line) }),
      in_app: !internal,
    };
  });
  return {
    event_id: about.eventId,
    message: `${error.type}: ${error.value}`,
    timestamp: new Date().toISOString(),
    level: 'fatal',
    platform: 'node',
    release: about.release,
    environment: about.environment,
    exception: {
      values: [
        {
          type: error.type,
          value: error.value,
          mechanism: { type: 'onuncaughtexception', handled: false },
          stacktrace: { frames },
        },
      ],
    },
  };
}

/** Alerts include the source line of the throwing frame. */
function lineAt(file: string, line: number | null): string | null {
  return line === null ? null : (readFileSync(file, 'utf8').split('\n')[line - 1] ?? null);
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<DoorAnswer> {
  const started = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  const ms = performance.now() - started;
  const answer = (await response.json().catch(() => ({}))) as { id?: unknown; detail?: unknown };
  return {
    status: response.status,
    eventId: typeof answer.id === 'string' ? answer.id : '',
    ms,
    detail: typeof answer.detail === 'string' ? answer.detail : null,
  };
}
