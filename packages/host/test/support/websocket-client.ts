import { WebSocket } from 'ws';

export interface SocketClient {
  /** The next JSON message. */
  next(): Promise<Record<string, unknown>>;
  /** Resolves with code and reason of the close frame. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Stops reading, so that the server's buffers fill. */
  pause(): void;
  resume(): void;
  end(): void;
}

/** A WebSocket with any headers that queues its messages, except beats. Rejects with `{ status }` if the handshake is refused. */
export function openSocket(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<SocketClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  const messages: Record<string, unknown>[] = [];
  const waiting: ((message: Record<string, unknown>) => void)[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Record<string, unknown>;
    if (message.type === 'beat') return;
    const reader = waiting.shift();
    if (reader) reader(message);
    else messages.push(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('unexpected-response', (request, { statusCode: status }) => {
      request.destroy();
      reject(Object.assign(new Error(`refused with ${status}`), { status }));
    });
    socket.on('open', () =>
      resolve({
        next: () => {
          const message = messages.shift();
          return message ? Promise.resolve(message) : new Promise((resolve) => waiting.push(resolve));
        },
        closed,
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        end: () => socket.terminate(),
      }),
    );
  });
}
