import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FetchHandler } from './fetch-handler.js';

/** What a `node:http` server needs of a handler, besides calling it. */
export interface HandlerParts {
  /** Whether this path, as in the request line, is Culprit's: of one of its routes, or below `/api/` of its own path. The method may still be wrong. */
  serves(method: string, path: string): boolean;
  /** The path of the live feed in the request line. */
  readonly livePath: string;
  /** Turns a request for the live feed into a WebSocket. */
  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void>;
}

const parts = new WeakMap<FetchHandler, HandlerParts>();

export function keepParts(handler: FetchHandler, its: HandlerParts): void {
  parts.set(handler, its);
}

/** `undefined` for a function that wraps a handler. */
export const partsOf = (handler: FetchHandler): HandlerParts | undefined => parts.get(handler);
