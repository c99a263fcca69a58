import type { Duplex } from 'node:stream';
import type { HttpResponse } from './message.js';
import { headerValue } from './request-policy.js';

/** Names and values in turn. `length`: of the body; `null` if the answer has none. */
export function headerLines({ headers, cookies }: HttpResponse, length: number | null): string[] {
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headerBytes(headers[name] ?? ''));
  for (const cookie of cookies ?? []) lines.push('set-cookie', headerBytes(cookie));
  if (length !== null) lines.push('content-length', String(length));
  return lines;
}

const UNUSUAL = /[^\t\x20-\x7e]/;

/** `node:http` writes one byte for each character, and throws for those that do not fit. */
function headerBytes(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return Buffer.from(headerValue(text)).toString('latin1');
}

export const isPlain = (lines: readonly string[]): boolean => !lines.some((line) => UNUSUAL.test(line));

/** Answers on a connection whose requests are not read any further, and closes it. */
export function answerRaw(socket: Duplex, answer: HttpResponse): void {
  const body = answer.body ?? '';
  const lines = headerLines(answer, Buffer.byteLength(body));
  let head = `HTTP/1.1 ${answer.status} Refused\r\nconnection: close\r\n`;
  for (let at = 0; at < lines.length; at += 2) head += `${lines[at]}: ${lines[at + 1]}\r\n`;
  socket.write(`${head}\r\n`, 'latin1');
  socket.end(body);
}
