import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from './message.js';
import { headerValue, isBodiless } from './request-policy.js';
import type { UwsResponse } from './uws-load.js';

/**
 * Writes a whole answer. Only inside `cork`, only once, never after an abort. The length of a HEAD answer is written as
 * any header: told to `endWithoutBody`, uWebSockets.js waits for that body and drops the line at the next request.
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
}

const QUIET_MS = 200;
const LINGER_MS = 2_000;

export interface Lingering {
  /** To be called for each chunk that still comes. */
  arrived(isLast: boolean): void;
  aborted(): void;
}

/**
 * Answers a request whose body is still coming. Cutting the line at once would make many clients lose the answer, so
 * all of it but the last byte is sent at once, what comes meanwhile is dropped, and the last byte follows when the
 * client has stopped sending or 2 s are over. Who sends on regardless is read no more and cut by the idle limit.
 */
export function answerEarly(res: UwsResponse, answer: HttpResponse): Lingering {
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
      if (isLast) return end(true);
      clearTimeout(quiet);
      quiet = setTimeout(end, QUIET_MS, false);
    },
    aborted: stop,
  };
}
