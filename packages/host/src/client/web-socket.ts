import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { CulpritError } from '@culprit/core';
import { Unreachable } from './core-api.js';

/** Why and how the server closed; 1006 where it just went away. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

export interface WebSocketOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Bytes of one message; core's snapshots are far below. */
const MOST_BYTES = 64 * 1024 * 1024;
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * A WebSocket reader for Node 20, which has none: text messages in, pongs out. Resolves when it is closed; rejects where
 * the upgrade is refused or nobody answers.
 */
export function readWebSocket(url: string, options: WebSocketOptions): Promise<Closing> {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64');
    const target = new URL(url);
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(target, {
      signal: options.signal,
      headers: {
        ...options.headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
      },
    });
    request.on('error', (error) => {
      if (options.signal.aborted) resolve({ code: 1000, reason: '' });
      else
        reject(
          new Unreachable(`Nobody answers at ${target.origin} (${(error as NodeJS.ErrnoException).code}).`),
        );
    });
    request.on('response', (response) => refuse(response, reject));
    request.on('upgrade', (response, socket, head) => {
      const accept = createHash('sha1')
        .update(key + GUID)
        .digest('base64');
      if (response.headers['sec-websocket-accept'] !== accept) {
        socket.destroy();
        reject(new CulpritError('internal', `${target.origin} does not speak WebSocket.`));
        return;
      }
      read(socket as Socket, head, options, resolve);
    });
    request.end();
  });
}

function refuse(response: IncomingMessage, reject: (error: Error) => void): void {
  response.resume();
  const { statusCode: status = 0 } = response;
  const code = status === 401 ? 'unauthenticated' : status === 403 ? 'forbidden' : 'internal';
  reject(new CulpritError(code, `The live feed was refused with status ${status}.`));
}

function read(
  socket: Socket,
  head: Buffer,
  { onText, signal }: WebSocketOptions,
  resolve: (closing: Closing) => void,
): void {
  let buffer = head;
  let parts: Buffer[] = [];
  const end = (closing: Closing) => {
    resolve(closing);
    socket.destroy();
  };
  const take = ({ opcode, final, payload }: Frame) => {
    if (opcode === 9) socket.write(maskedFrame(10, payload));
    else if (opcode === 8) {
      socket.write(maskedFrame(8, payload.subarray(0, 2)));
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      end({ code, reason: payload.toString('utf8', 2) });
    } else if (opcode <= 2) {
      parts.push(payload);
      if (parts.reduce((sum, part) => sum + part.length, 0) > MOST_BYTES)
        end({ code: 1009, reason: 'too long' });
      if (!final) return;
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      onText(text);
    }
  };
  const drain = () => {
    for (let frame = takeFrame(buffer); frame !== null; frame = takeFrame(buffer)) {
      buffer = buffer.subarray(frame.size);
      take(frame);
    }
    if (buffer.length > MOST_BYTES + 14) end({ code: 1009, reason: 'too long' });
  };
  socket.on('data', (chunk: Buffer) => {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    drain();
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve({ code: 1006, reason: 'the connection was lost' }));
  signal.addEventListener('abort', () => end({ code: 1000, reason: '' }), { once: true });
  drain();
}

interface Frame {
  readonly opcode: number;
  readonly final: boolean;
  readonly payload: Buffer;
  readonly size: number;
}

function takeFrame(buffer: Buffer): Frame | null {
  if (buffer.length < 2) return null;
  const short = (buffer[1] ?? 0) & 127;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (buffer.length < at) return null;
  const length =
    short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
  if (buffer.length < at + length) return null;
  const first = buffer[0] ?? 0;
  const payload = buffer.subarray(at, at + length);
  return { opcode: first & 15, final: (first & 128) !== 0, payload, size: at + length };
}

/** What a client sends is masked; control frames are short. */
function maskedFrame(opcode: number, payload: Buffer): Buffer {
  const body = payload.subarray(0, 125);
  const mask = randomBytes(4);
  const masked = Buffer.from(body.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return Buffer.concat([Buffer.from([128 | opcode, 128 | body.length]), mask, masked]);
}
