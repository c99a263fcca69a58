import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface LiveClient {
  /** The next JSON message. */
  next(): Promise<Record<string, unknown>>;
  /** Resolves with code and reason of the close frame. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Stops reading, so that the server's buffers fill. */
  pause(): void;
  resume(): void;
  end(): void;
}

/** A WebSocket client of few words: any headers, text messages only. Rejects with the status of a refusal. */
export function openSocket(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<LiveClient> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const lines = Object.entries({
      host: `127.0.0.1:${port}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const onHead = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onHead);
      const status = Number(head.toString('latin1', 9, 12));
      if (status !== 101) {
        socket.destroy();
        reject(Object.assign(new Error(`refused with ${status}`), { status }));
        return;
      }
      resolve(client(socket, head.subarray(end + 4)));
    };
    socket.on('data', onHead);
    socket.on('error', reject);
  });
}

function client(socket: Socket, rest: Buffer): LiveClient {
  const messages: Record<string, unknown>[] = [];
  const waiting: ((message: Record<string, unknown>) => void)[] = [];
  let buffer = rest;
  let settle: (value: { code: number; reason: string }) => void;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    settle = resolve;
  });
  const read = () => {
    for (;;) {
      const frame = takeFrame(buffer);
      if (frame === null) return;
      buffer = buffer.subarray(frame.size);
      if (frame.opcode === 8) {
        settle({ code: frame.payload.readUInt16BE(0), reason: frame.payload.toString('utf8', 2) });
        socket.end();
      } else if (frame.opcode === 1) {
        const message = JSON.parse(frame.payload.toString()) as Record<string, unknown>;
        const reader = waiting.shift();
        if (reader) reader(message);
        else messages.push(message);
      }
    }
  };
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk as Buffer]);
    read();
  });
  socket.on('close', () => settle({ code: 1006, reason: '' }));
  read();
  return {
    next: () => {
      const message = messages.shift();
      return message ? Promise.resolve(message) : new Promise((resolve) => waiting.push(resolve));
    },
    closed,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.destroy(),
  };
}

function takeFrame(buffer: Buffer): { opcode: number; payload: Buffer; size: number } | null {
  if (buffer.length < 2) return null;
  const short = (buffer[1] ?? 0) & 127;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (buffer.length < at) return null;
  const length =
    short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
  if (buffer.length < at + length) return null;
  return { opcode: (buffer[0] ?? 0) & 15, payload: buffer.subarray(at, at + length), size: at + length };
}
