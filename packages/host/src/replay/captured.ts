import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@culprit/core';
import type { HttpDoor } from '../edge/guards/guards.js';

/** A sender's request, or one written by `culprit record` or a test. */
export interface CapturedRequest {
  readonly door: HttpDoor;
  /** The tracker connector that reads it: `errortracker`, `native`, `otlp`, `sentry`. */
  readonly tracker: string;
  readonly path: string;
  /** Lower-case names, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Tracker and path of each door, for deliveries that contain only the door. */
const DOOR_PATHS: Readonly<Record<HttpDoor, { readonly tracker: string; readonly path: string }>> = {
  webhook: { tracker: 'errortracker', path: '/webhook/errortracker' },
  native: { tracker: 'native', path: '/api/v1/telemetry/ingest' },
  sdk: { tracker: 'sentry', path: '/api/1/envelope/' },
};

export function throughDoor(
  door: HttpDoor,
  body: Uint8Array,
  headers: CapturedRequest['headers'] = {},
): CapturedRequest {
  return { door, ...DOOR_PATHS[door], headers, body };
}

export function newEventId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The crash with a new event ID and the current time, unless it has its own. */
export function freshCrash(crash: JsonObject): JsonObject {
  return { event_id: newEventId(), timestamp: new Date().toISOString(), ...crash };
}

/** A request to the door with this path; `null` if no door has it. */
export function atPath(
  path: string,
  body: Uint8Array,
  headers: CapturedRequest['headers'],
): CapturedRequest | null {
  const [pathname = ''] = path.split('?');
  const connector = /^\/webhook\/([a-z][a-z0-9-]{0,39})$/.exec(pathname)?.[1];
  if (connector !== undefined) return { door: 'webhook', tracker: connector, path, headers, body };
  if (pathname === DOOR_PATHS.native.path) return { ...throughDoor('native', body, headers), path };
  if (/^\/v1\/(?:logs|traces)\/?$/.test(pathname))
    return { door: 'native', tracker: 'otlp', path, headers, body };
  if (/^\/api\/(?:[^/]+\/)?(?:envelope|store)\/?$/.test(pathname)) {
    return { ...throughDoor('sdk', body, headers), path };
  }
  return null;
}
