import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DoubleClock } from './clock.js';
import type { Holds } from './holds.js';

/** Without a port, any free one. */
export function listen(server: Server, port = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Base address of a listening server, without a slash at its end. */
export function originOf(server: Server): string {
  return `http://127.0.0.1:${portOf(server)}`;
}

interface Running {
  readonly holds: Holds;
  readonly clock: DoubleClock;
  readonly bugs: readonly string[];
  readonly violations: readonly string[];
}

/** Ends all requests, also held and slow ones. Rejects with the bugs and violations, if there are any. */
export function closeServer(server: Server, { holds, clock, bugs, violations }: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    holds.release();
    clock.close();
    server.closeAllConnections();
    const found = [...bugs, ...violations];
    server.close(() => (found.length === 0 ? resolve() : reject(new Error(found.join('\n')))));
  });
}
