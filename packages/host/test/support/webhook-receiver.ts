import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: ReturnType<typeof JSON.parse>;
}
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Awaited before the reply. */
  readonly until?: Promise<unknown>;
}

/** A receiver of webhooks: `reply` decides about each request. */
export async function webhookReceiver(reply: (got: Received) => Reply = () => ({ status: 204 })) {
  const received: Received[] = [];
  let heard = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      const got = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body) };
      received.push(got);
      const { status, headers = {}, until } = reply(got);
      heard();
      await until;
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** Resolves with what `found` finds, at once or after a later request. */
    async until<Found>(found: () => Found | undefined | false): Promise<Found> {
      for (;;) {
        const now = found();
        if (now !== undefined && now !== false) return now;
        await new Promise<void>((next) => {
          heard = next;
        });
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
