import { LIVE_VERSION } from '@culprit/client/live';
import { CulpritError, type Engine } from '@culprit/core';
import type { HttpRequest, Publish, SocketRoute } from '../../http/message.js';
import { problemResponse } from '../../http/problem-response.js';
import type { Authenticator, Identity } from '../authenticate.js';
import { permit, type Requirement } from '../permit.js';
import { checkHost, type Site } from '../site.js';
import type { Hub, Reader } from './hub.js';
import { parseSince } from './protocol.js';
import { type Filter, parseTopics, withinProjects } from './topics.js';

/** Upper limit of the send buffer per reader in bytes; the hub closes slow readers well before. */
const BACKPRESSURE = 8 * 1024 * 1024;

/** Of the feed; also in core's list of routes. */
export const LIVE_REQUIREMENT = { scope: 'read', reach: 'projects' } as const satisfies Requirement;

/** Open feeds. The hub limits their send buffers in total. */
export const MAX_READERS = 16_384;

export interface LiveRouteParts {
  readonly site: () => Site;
  readonly engine: () => Promise<Engine>;
  readonly authenticator: Authenticator;
  readonly hub: () => Hub;
  readonly mounted: (publish: Publish) => void;
  readonly mostReaders: number;
}

/** `GET /api/v1/live`. A session cookie requires the board's `Origin`; otherwise a bearer token is required. */
export function liveRoute({
  site,
  engine,
  authenticator,
  hub,
  mounted,
  mostReaders,
}: LiveRouteParts): SocketRoute {
  return {
    pattern: '/api/v1/live',
    maxBackpressure: BACKPRESSURE,
    async upgrade(head) {
      try {
        checkHost(site(), head);
        // The driver may drop the upgrade header, which marks the request as unsafe.
        const asSocket = { ...head, headers: { ...head.headers, upgrade: 'websocket' } };
        authenticator.precheck(asSocket);
        checkVersion(head);
        const filter = parseTopics(head.query.topics);
        const identity = await authenticator.authenticate(await engine(), asSocket);
        const { projects } = permit(LIVE_REQUIREMENT, identity.access);
        if (hub().size >= mostReaders) {
          throw new CulpritError('overloaded', 'Too many live feeds are open; close some, or poll the runs.');
        }
        return { accept: readerOf(identity, head.query.since, withinProjects(filter, projects)) };
      } catch (error) {
        return { refuse: problemResponse(error) };
      }
    },
    mounted,
    open: (socket, accepted) => hub().open(socket, accepted as Reader),
    closed: (socket) => hub().closed(socket),
  };
}

/** Begins the key of an API token in {@link Reader.session}. */
export const TOKEN_KEY = 'token:';

function readerOf({ session, token }: Identity, text: string | undefined, filter: Filter): Reader {
  const since = text === undefined || text === '' ? null : parseSince(text);
  return {
    since,
    unreadable: since === null && text !== undefined && text !== '',
    filter,
    session: session?.key ?? (token === null ? null : `${TOKEN_KEY}${token.id}`),
    expiresAt: session?.expiresAt ?? token?.expiresAt ?? null,
    confirmAt: session?.confirmation?.next_at ?? null,
  };
}

/** `?version=`; default: this core's version. */
function checkVersion({ query }: Pick<HttpRequest, 'query'>): void {
  if (query.version === undefined || query.version === String(LIVE_VERSION)) return;
  throw new CulpritError(
    'malformed',
    `This core uses version ${LIVE_VERSION} of the live feed. Use a client of the same release.`,
    { path: 'version' },
  );
}

/** Handles a GET without a WebSocket upgrade. */
export function notASocket({ request }: { readonly request: HttpRequest }): never {
  checkVersion(request);
  parseTopics(request.query.topics);
  throw new CulpritError('malformed', 'This route requires a WebSocket upgrade.');
}
