/** The part of a WebSocket that the client uses. */
export interface LiveSocket {
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
  close(): void;
}
/** A WebSocket class. With a token it is called with `{ headers }`, which browsers do not support. */
export type LiveSocketClass = new (url: string, ...rest: never[]) => LiveSocket;

type WithHeaders = new (
  url: string,
  options?: { readonly headers: Readonly<Record<string, string>> },
) => LiveSocket;

/** Not a literal, so that bundlers for browsers do not look for the package. */
const FOR_NODE_20: string = 'ws';

/** The global WebSocket of browsers and Node 22; on Node 20 the one of `ws`, or `null` without that package. */
export async function defaultSocketClass(): Promise<LiveSocketClass | null> {
  const { WebSocket } = globalThis as { readonly WebSocket?: LiveSocketClass };
  if (WebSocket !== undefined) return WebSocket;
  const found = await import(/* @vite-ignore */ FOR_NODE_20).catch(() => null);
  return found === null ? null : found.WebSocket;
}

export function openSocket(socket: LiveSocketClass, url: string, token: string | undefined): LiveSocket {
  if (token === undefined) return new socket(url);
  return new (socket as unknown as WithHeaders)(url, { headers: { authorization: `Bearer ${token}` } });
}
