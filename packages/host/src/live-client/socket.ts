/** What is used of a WebSocket: the browser's, Node's own (22 and later), or that of the package `ws`. */
export interface LiveSocket {
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
  close(): void;
}
/** A WebSocket class. With a token it is called with `{ headers }`, which browsers do not know. */
export type LiveSocketClass = new (url: string, ...rest: never[]) => LiveSocket;

type WithHeaders = new (
  url: string,
  options?: { readonly headers: Readonly<Record<string, string>> },
) => LiveSocket;

/** The class that was given, or the one of this environment. Throws where there is none. */
export function socketClass(given: LiveSocketClass | undefined): LiveSocketClass {
  const found = given ?? (globalThis as { readonly WebSocket?: LiveSocketClass }).WebSocket;
  if (found !== undefined) return found;
  throw new TypeError(
    'This Node has no WebSocket of its own: npm install ws, and pass { WebSocket } from "ws".',
  );
}

export function openSocket(socket: LiveSocketClass, url: string, token: string | undefined): LiveSocket {
  if (token === undefined) return new socket(url);
  return new (socket as unknown as WithHeaders)(url, { headers: { authorization: `Bearer ${token}` } });
}
