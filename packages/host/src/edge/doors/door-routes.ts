import { CulpritError } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import { isLoopback, networkOf } from '../../http/client-address.js';
import type { HttpResponse, RequestHead, Route } from '../../http/message.js';
import type { Refusals } from '../../http/request-policy.js';
import { bodyLimitOf, countLimit } from '../guards/guards.js';
import {
  type Answers,
  NATIVE_ANSWERS,
  otlpAnswers,
  PIXEL_ANSWERS,
  SDK_ANSWERS,
  sdkPreflight,
  WEBHOOK_ANSWERS,
} from './answers.js';
import { proofOfHead } from './decode-delivery.js';
import type { DoorContext, OpenDoor } from './door.js';
import { createFairWork } from './fair-work.js';
import { outcomeOf } from './outcome-of.js';
import { receive } from './receive.js';
import { sdkBodyReader } from './sdk-body.js';

export interface DoorRoutes {
  readonly routes: readonly Route[];
  /** Refuses requests before their handler runs, in the format of their door, and counts them. */
  readonly refusals: Refusals;
}

const NATIVE_PATH = '/api/v1/telemetry/ingest';
const STORE_PATHS = ['/api/:project/store', '/api/store'];
/** `/tunnel` accepts deliveries only if the tracker has a list of allowed DSNs. */
const SDK_PATHS = ['/api/:project/envelope', ...STORE_PATHS, '/tunnel'];
/** OTLP/HTTP. Its exporters append the signal's path to the endpoint they are given. */
const OTLP_PATHS = ['/v1/logs', '/v1/traces'];
/** Where the same exporters send signals that have no exceptions. */
export const OTLP_REFUSED_PATHS = ['/v1/metrics', '/v1development/profiles'];
/** Trackers with their own door. */
const OWN_DOORS = new Set(['native', 'sentry', 'otlp']);

type DoorPlace = Pick<OpenDoor, 'kind' | 'answersOf'>;

const always = (answers: Answers) => () => answers;

/**
 * The routes of all doors. The door of a tracker that is not configured is closed: 401, or 404 for an unknown webhook.
 */
export function doorRoutes(
  parts: Omit<DoorContext, 'fairly'>,
  trackers: ReadonlyMap<string, Tracker>,
): DoorRoutes {
  const context: DoorContext = { ...parts, fairly: createFairWork() };
  const places = new Map<Route, DoorPlace>();
  const doors = new Map<string, OpenDoor>();
  const doorOf = ({ kind, answersOf }: DoorPlace, name: string): OpenDoor => {
    const known = doors.get(name);
    if (known !== undefined) return known;
    const door = { kind, answersOf, name, tracker: trackers.get(name) ?? CLOSED };
    if (trackers.has(name)) doors.set(name, door);
    return door;
  };
  const open = (pattern: string, place: DoorPlace, nameOf: (head: RequestHead) => string): Route => {
    const route: Route = {
      method: 'POST',
      pattern,
      borrowsBody: true,
      get bodyLimit() {
        return bodyLimitOf(context.guards.limits, place.kind);
      },
      reader: (head) =>
        place.kind === 'sdk' ? sdkBodyReader(context, doorOf(place, nameOf(head)), head) : null,
      admit: (head) => admit(context, place, trackers.get(nameOf(head)), head),
      proof: (head) => proofOfHead(place.kind, trackers.get(nameOf(head)) ?? CLOSED, head),
      handle: (request) => {
        return receive(context, doorOf(place, nameOf(request)), request);
      },
    };
    places.set(route, place);
    return route;
  };
  const webhook: DoorPlace = { kind: 'webhook', answersOf: always(WEBHOOK_ANSWERS) };
  const sdk: DoorPlace = { kind: 'sdk', answersOf: always(SDK_ANSWERS) };
  const sdkPatterns = withSlash(SDK_PATHS);
  return {
    routes: [
      open('/webhook/:connector', webhook, ({ params }) => params.connector ?? ''),
      open(NATIVE_PATH, { kind: 'native', answersOf: always(NATIVE_ANSWERS) }, () => 'native'),
      ...withSlash(OTLP_PATHS).map((pattern) =>
        open(pattern, { kind: 'native', answersOf: otlpAnswers }, () => 'otlp'),
      ),
      ...withSlash(OTLP_REFUSED_PATHS).map(
        (pattern): Route => ({ method: 'POST', pattern, admit: noSuchSignal, handle: noSuchSignal }),
      ),
      ...sdkPatterns.map((pattern) => open(pattern, sdk, () => 'sentry')),
      ...withSlash(STORE_PATHS).map((pattern) => pixel(context, trackers, places, pattern)),
      ...sdkPatterns.map((pattern): Route => ({ method: 'OPTIONS', pattern, handle: sdkPreflight })),
    ],
    refusals: refusals(context, places),
  };
}

const withSlash = (paths: readonly string[]) => paths.flatMap((path) => [path, `${path}/`]);

/** Exporters do not repeat a 404. */
function noSuchSignal(head: Pick<RequestHead, 'path' | 'headers'>): HttpResponse {
  const detail =
    'Culprit takes exceptions from logs and traces, and no other signal. Set OTEL_METRICS_EXPORTER=none, or send metrics elsewhere.';
  return otlpAnswers(head).refused(new CulpritError('not_found', detail));
}

/** The event is in the query; it is then handled like any other. */
function pixel(
  context: DoorContext,
  trackers: ReadonlyMap<string, Tracker>,
  places: Map<Route, DoorPlace>,
  pattern: string,
): Route {
  const place: DoorPlace = { kind: 'sdk', answersOf: always(PIXEL_ANSWERS) };
  const tracker = trackers.get('sentry') ?? CLOSED;
  const route: Route = {
    method: 'GET',
    pattern,
    admit: (head) => admit(context, place, tracker, head),
    handle: (request) => {
      const body = new TextEncoder().encode(request.query.sentry_data ?? '');
      return receive(context, { ...place, name: 'sentry', tracker }, { ...request, body });
    },
  };
  places.set(route, place);
  return route;
}

const CLOSED: Tracker = {
  verify: () => ({
    ok: false,
    status: 401,
    reason: 'No credential is configured for this door.',
  }),
  parse: () => ({ crashes: [], ignored: {}, event_id: null }),
};

/** Runs before the body is read: checks that the door exists and that the client is within its rate. */
function admit(
  { guards }: DoorContext,
  { kind, answersOf }: DoorPlace,
  tracker: Tracker | undefined,
  head: RequestHead,
): HttpResponse | null {
  const { connector } = head.params;
  const unknown = tracker === undefined && connector !== 'errortracker';
  if (connector !== undefined && (unknown || OWN_DOORS.has(connector))) {
    throw new CulpritError(
      'not_found',
      'No webhook with this name exists. Check the path and the configuration.',
    );
  }
  if (isLoopback(head.remoteAddress)) return null;
  const wait = guards.addressRate.take(networkOf(head.remoteAddress));
  if (wait === 0) return null;
  guards.count(kind, 'rate_limited');
  return answersOf(head).refused(
    new CulpritError('rate_limited', 'Rate limit of this address exceeded. Send more slowly.', {
      retryAfterMs: wait,
    }),
  );
}

function refusals({ guards }: DoorContext, places: ReadonlyMap<Route, DoorPlace>): Refusals {
  return {
    refuse(error, head, route) {
      const place = places.get(route);
      if (place === undefined) return NATIVE_ANSWERS.refused(error);
      const answers = place.answersOf(head);
      if (error.code === 'not_found') return answers.refused(error);
      // A limit in bytes is that of the body as sent.
      if (typeof error.members.limit === 'number') guards.bodySent[place.kind].refused++;
      countLimit(guards, error);
      if (error.code === 'timed_out') guards.requestTime.refused++;
      guards.count(place.kind, outcomeOf(error));
      return answers.refused(error);
    },
    abandoned(_head, route) {
      const place = places.get(route);
      if (place !== undefined) guards.count(place.kind, 'aborted');
    },
  };
}
