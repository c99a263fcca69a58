import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback, and its base address without a slash at its end. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Ends all requests. */
  close(): Promise<void>;
}

/** Without a port, listens on any free one. */
export async function listen(serve: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, port: bound, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends an event in the background, and never again. */
export function sendEvent(url: string, headers: Readonly<Record<string, string>>, body: string): void {
  const type = { 'content-type': 'application/json' };
  fetch(url, { method: 'POST', headers: { ...type, ...headers }, body }).catch(() => {});
}

/** A page of a list, counted from 1. */
interface Page {
  readonly page: number;
  readonly size: number;
}

/** The page that a request asks for. `sizeName`: the parameter with the number of entries of a page. */
export function pageIn(query: URLSearchParams, sizeName: string, usual: number, most = 100): Page {
  const whole = (name: string, otherwise: number) =>
    Math.max(1, Number(query.get(name) ?? otherwise) || otherwise);
  return { page: whole('page', 1), size: Math.min(most, whole(sizeName, usual)) };
}

export function entriesOf<Entry>(all: readonly Entry[], { page, size }: Page): readonly Entry[] {
  return all.slice((page - 1) * size, page * size);
}

/** A `Link` header that names the next page, if there is one. */
export function nextPage(all: readonly unknown[], { page, size }: Page, url: URL): Record<string, string> {
  return page * size < all.length ? linkTo(url, { page: String(page + 1) }) : {};
}

/** A `Link` header to the same list with other parameters; `null` removes one. */
export function linkTo(url: URL, changes: Readonly<Record<string, string | null>>): Record<string, string> {
  const next = new URL(url);
  for (const [name, value] of Object.entries(changes))
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  return { link: `<${next}>; rel="next"` };
}
