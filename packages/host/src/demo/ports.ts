import { createServer } from 'node:net';
import { CulpritError } from '@culprit/core';

const HOST = '127.0.0.1';

/** The port to use: the one asked for, or the usual one, or any free one if that is taken (`moved`). */
export async function choosePort(
  asked: number | null,
  usual: number,
): Promise<{ readonly port: number; readonly moved: boolean }> {
  const wanted = asked ?? usual;
  const free = await tryPort(wanted);
  if (free !== null) return { port: free, moved: false };
  if (asked !== null) {
    throw new CulpritError('configuration', `Port ${asked} is taken. Choose another, or 0 for any free one.`);
  }
  return { port: (await tryPort(0)) ?? 0, moved: true };
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : null;
      server.close(() => resolve(bound));
    });
  });
}
