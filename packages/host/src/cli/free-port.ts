import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Systems take the ports of outgoing connections from above these (Linux from 32,768 on). */
const FIRST = 16_384;
const LAST = 32_767;

/**
 * A port that is free now, and that no outgoing connection takes while its server is away for a moment. The native server
 * takes port 0 without SO_REUSEADDR, and a port taken so cannot be had again for a minute after its process was killed; a
 * port that is named can.
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

/** Listens for a moment; 0 is whatever the system gives. Rejects where that cannot be. */
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
