import { createServer } from 'node:net';

/**
 * A port that is free now. The native server takes port 0 without SO_REUSEADDR, and a port taken so cannot be had again
 * for a minute after its process was killed; a port that is named can.
 */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host, exclusive: true }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
