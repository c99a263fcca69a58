import { STATUS_CODES } from 'node:http';
import type { Wire } from './driver.js';
import type { HttpResponse } from './message.js';
import { headerValue, isBodiless } from './request-policy.js';
import type { UwsResponse } from './uws-load.js';

/** A request and its response on the native server. */
export class UwsWire implements Wire {
  constructor(private readonly res: UwsResponse) {}

  onAborted(act: () => void): void {
    this.res.onAborted(act);
  }

  onData(act: (piece: Buffer, isLast: boolean) => void): void {
    this.res.onData((chunk, isLast) => act(Buffer.from(chunk), isLast));
  }

  /** The native server reuses the memory. */
  keep(piece: Buffer): Buffer {
    return Buffer.from(piece);
  }

  pause(): void {
    this.res.pause();
  }

  resume(): void {
    this.res.resume();
  }

  /** The native idle timeout is 8 to 12 s. A paused request has none. */
  keepAlive(): void {
    this.res.pause();
    this.res.resume();
  }

  answer(answer: HttpResponse, method: string): void {
    this.res.cork(() => writeAnswer(this.res, answer, method));
  }

  answerBut(answer: HttpResponse, body: Buffer, last: number): void {
    this.res.cork(() => {
      writeHead(this.res, answer);
      this.res.tryEnd(body.subarray(0, last), body.length);
    });
  }

  /**
   * The native server closes a connection on which another request begins before the response is complete, and a paused
   * one is not read again.
   */
  answerLast(body: Buffer, sealed: boolean): void {
    this.res.cork(() => {
      if (sealed) this.res.pause();
      this.res.tryEnd(body.subarray(-1), body.length);
    });
  }

  close(): void {
    this.res.close();
  }
}

/**
 * Writes a whole response. Call only inside `cork`, once, and never after an abort. The length of a HEAD response is
 * written as a plain header: if `endWithoutBody` gets it, uWebSockets.js waits for the body and closes the connection
 * at the next request.
 */
export function writeAnswer(res: UwsResponse, answer: HttpResponse, method: string): void {
  writeHead(res, answer);
  const body = answer.body ?? '';
  const empty = isBodiless(answer);
  if (method === 'HEAD' && !empty) res.writeHeader('content-length', String(Buffer.byteLength(body)));
  if (method === 'HEAD' || empty) res.endWithoutBody();
  else res.end(typeof body === 'string' ? Buffer.from(body) : body);
}

const ASCII = /^[\0-\x7f]*$/;
const PLAIN = /^[ -~]*$/;

/**
 * Only ASCII may go to the native server as a string. Its binary for Node 24 sends Latin-1 characters as Latin-1
 * instead of UTF-8: https://github.com/uNetworking/uWebSockets.js/issues/1280.
 */
function headerText(text: string): string | Buffer {
  if (PLAIN.test(text)) return text;
  const value = headerValue(text);
  return ASCII.test(value) ? value : Buffer.from(value);
}

const LINES = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]));
const statusLine = (status: number) => LINES.get(status) ?? `${status} Status`;

function writeHead(res: UwsResponse, answer: HttpResponse): void {
  res.writeStatus(statusLine(answer.status));
  const { headers } = answer;
  for (const name in headers) {
    res.writeHeader(name, headerText(headers[name] ?? ''));
  }
  for (const cookie of answer.cookies ?? []) res.writeHeader('set-cookie', headerText(cookie));
}
