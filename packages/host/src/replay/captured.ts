import type { HttpDoor } from '../edge/guards/guards.js';

/** A request as a sender made it, or as `culprit record` and tests write it down. */
export interface CapturedRequest {
  readonly door: HttpDoor;
  /** The tracker connector that reads it: `errortracker`, `native`, `sentry`. */
  readonly tracker: string;
  readonly path: string;
  /** Names in lower case; credentials are not among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Where each door is, for a delivery that says only which door it came through. */
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

/** A request whose door is told by its path; `null` where no door has this path. */
export function atPath(
  path: string,
  body: Uint8Array,
  headers: CapturedRequest['headers'],
): CapturedRequest | null {
  const [place = ''] = path.split('?');
  const connector = /^\/webhook\/([a-z][a-z0-9-]{0,39})$/.exec(place)?.[1];
  if (connector !== undefined) return { door: 'webhook', tracker: connector, path, headers, body };
  if (place === DOOR_PATHS.native.path) return { ...throughDoor('native', body, headers), path };
  if (/^\/api\/(?:[^/]+\/)?(?:envelope|store)\/?$/.test(place)) {
    return { ...throughDoor('sdk', body, headers), path };
  }
  return null;
}
