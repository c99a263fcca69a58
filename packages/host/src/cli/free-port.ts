import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems use for outgoing connections (Linux: from 32,768). */
const FIRST = 16_384;
const LAST = 32_767;

/**
 * A port that is free now and that no outgoing connection uses while its server restarts. The native server binds port 0
 * without SO_REUSEADDR, so that port is blocked for a minute after its process was killed; an explicit port is not.
 */
export async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port, host)) return port;
  }
  return listen(0, host);
}

export function isFree(port: number, host: string): Promise<boolean> {
  return listen(port, host).then(
    () => true,
    () => false,
  );
}

/** Binds the port briefly; 0 is any free port. Rejects if it cannot be bound. */
function listen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
