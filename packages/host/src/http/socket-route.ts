import type { Logger } from '@culprit/core';
import type { HttpResponse, RequestHead, SocketRoute } from './message.js';
import { problemResponse } from './problem-response.js';

/** Close codes; those from 4000 on are our own. */
export const CLOSE_CODES = { going_away: 1001, too_slow: 4008 } as const;
export const CLOSING = 'the server is closing';
export const TOO_SLOW = 'too slow: reconnect and read faster';
/** Bytes of the largest message that a client may send. */
export const MAX_RECEIVED = 64 * 1024;

type Decision = { readonly refuse: HttpResponse } | { readonly accept: unknown };

/** Whether the route accepts the upgrade. Never rejects. */
export async function decide(route: SocketRoute, head: RequestHead, logger: Logger): Promise<Decision> {
  try {
    return await route.upgrade(head);
  } catch (error) {
    logger.error({ error, route: route.pattern }, 'a WebSocket upgrade failed');
    return { refuse: problemResponse(error) };
  }
}

/** Runs a handler in the callback of a server, which must not throw. */
export function guarded(logger: Logger, act: () => void): void {
  try {
    act();
  } catch (error) {
    logger.error({ error }, 'a WebSocket handler failed');
  }
}
