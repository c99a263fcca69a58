import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from './message.js';
import { headerValue, isBodiless } from './request-policy.js';
import type { UwsResponse } from './uws-load.js';

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
  else res.end(body);
}

const LINES = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]));
const statusLine = (status: number) => LINES.get(status) ?? `${status} Status`;

export function writeHead(res: UwsResponse, answer: HttpResponse): void {
  res.writeStatus(statusLine(answer.status));
  const { headers } = answer;
  for (const name in headers) {
    res.writeHeader(name, headerValue(headers[name] ?? ''));
  }
  for (const cookie of answer.cookies ?? []) res.writeHeader('set-cookie', headerValue(cookie));
}

const QUIET_MS = 200;
const LINGER_MS = 2_000;

export interface Lingering {
  /** Call for each further chunk. */
  arrived(isLast: boolean): void;
  aborted(): void;
}

/**
 * Responds while the body is still arriving. Closing the connection at once would make many clients lose the response,
 * so everything but the last byte is sent, further chunks are discarded, and the last byte follows once the client has
 * stopped sending, or after 2 s. A client that keeps sending is closed by the idle timeout.
 *
 * `sealed`: where the body ends is not known. The response then stays incomplete as long as bytes may follow: the native
 * server closes a connection on which another request begins before the response is complete, and a paused one is not
 * read again.
 */
export function answerEarly(res: UwsResponse, answer: HttpResponse, sealed: boolean): Lingering {
  const body = Buffer.from(answer.body || '\n');
  let ended = false;
  const stop = () => {
    ended = true;
    clearTimeout(quiet);
    clearTimeout(late);
  };
  const end = (complete: boolean) => {
    if (ended) return;
    stop();
    res.cork(() => {
      if (!complete) res.pause();
      res.tryEnd(body.subarray(-1), body.length);
    });
  };
  const late = setTimeout(end, LINGER_MS, false);
  let quiet = setTimeout(end, QUIET_MS, false);
  res.cork(() => {
    writeHead(res, { ...answer, headers: { ...answer.headers, connection: 'close' } });
    res.tryEnd(body.subarray(0, -1), body.length);
  });
  return {
    arrived(isLast) {
      if (ended) return;
      if (isLast && !sealed) return end(true);
      clearTimeout(quiet);
      quiet = setTimeout(end, QUIET_MS, false);
    },
    aborted: stop,
  };
}
