import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly port: number;
  /** The target of new connections. */
  target(port: number): void;
  /** Cuts new connections after this many bytes from the server; `null`: never. */
  cutAfter(bytes: () => number | null): void;
  readonly cuts: number;
  /** Resolves after the next cut. */
  nextCut(): Promise<void>;
  cutAll(): void;
  close(): Promise<void>;
}

/** A TCP proxy that cuts connections at any byte. */
export async function cuttingProxy(): Promise<CuttingProxy> {
  let port = 0;
  let limit: () => number | null = () => null;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const cut = (...pair: Socket[]) => {
    if (!pair.some((socket) => sockets.has(socket))) return;
    for (const socket of pair) {
      sockets.delete(socket);
      socket.destroy();
    }
    cuts += 1;
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const most = limit();
    let seen = 0;
    sockets.add(near).add(far);
    near.on('error', () => {}).on('data', (chunk) => far.write(chunk));
    far
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        seen += chunk.length;
        if (most === null || seen <= most) return void near.write(chunk);
        near.write(chunk.subarray(0, Math.max(0, chunk.length - (seen - most))), () => cut(near, far));
      });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    target: (next) => {
      port = next;
    },
    cutAfter: (bytes) => {
      limit = bytes;
    },
    get cuts() {
      return cuts;
    },
    nextCut: () => new Promise((resolve) => void waiting.add(resolve)),
    cutAll: () => cut(...sockets),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
