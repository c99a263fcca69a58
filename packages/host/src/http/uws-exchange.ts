import { CulpritError } from '@culprit/core';
import type { Deadlines } from './deadlines.js';
import type { HttpResponse, Route } from './message.js';
import { problemResponse } from './problem-response.js';
import { answerEarly, type Lingering, writeAnswer } from './uws-answer.js';
import type { ReadHead, RequestHead } from './uws-head.js';
import type { UwsResponse } from './uws-load.js';

/** What a server does when a request fails before its handler ran. */
export interface Refusals {
  /** The answer to a request that was not let through. Default: a problem document. */
  refuse?(error: CulpritError, head: RequestHead, route: Route): HttpResponse;
  /** The client went away before the request was complete; nobody reads an answer. */
  abandoned?(head: RequestHead, route: Route): void;
}

export interface Exchange {
  readonly read: ReadHead;
  readonly res: UwsResponse;
  readonly route: Route;
  readonly deadlines: Deadlines;
  readonly refusals: Refusals;
  /** Called once, when the request holds no more of the server. */
  readonly finished: () => void;
  readonly failed: (error: unknown, route: Route) => void;
}

type Phase = 'arriving' | 'handling' | 'refused' | 'done';

/** Takes one request from its head to its answer. Nothing is written after an abort, nothing twice. */
export function runExchange(exchange: Exchange, admitted: CulpritError | HttpResponse | null): void {
  const { read, res, route, deadlines, refusals } = exchange;
  const { head } = read;
  const limit = route.bodyLimit ?? 0;
  const chunks: Buffer[] = [];
  let received = 0;
  let phase: Phase = 'arriving';
  let lingering: Lingering | null = null;

  const done = () => {
    phase = 'done';
    exchange.finished();
  };
  const refuse = (reason: CulpritError | HttpResponse) => {
    const answer = reason instanceof CulpritError ? refusal(refusals, reason, head, route) : reason;
    leaveDeadline();
    chunks.length = 0;
    if (hasNoBody(head)) {
      done();
      res.cork(() => writeAnswer(res, answer, head.method));
      return;
    }
    if (head.method === 'HEAD' || answer.status === 204 || answer.status === 304) {
      // There is no last byte to hold back.
      done();
      const last = { ...answer, headers: { ...answer.headers, connection: 'close' } };
      res.cork(() => writeAnswer(res, last, head.method));
      return;
    }
    phase = 'refused';
    exchange.finished();
    lingering = answerEarly(res, answer);
  };
  const answer = (value: HttpResponse) => {
    if (phase !== 'handling') return;
    done();
    res.cork(() => writeAnswer(res, value, head.method));
  };
  const handle = () => {
    phase = 'handling';
    leaveDeadline();
    head.body = chunks.length === 1 ? (chunks[0] ?? head.body) : Buffer.concat(chunks, received);
    chunks.length = 0;
    respond(route, head, exchange.failed).then(answer);
  };
  const leaveDeadline = deadlines.add(
    () =>
      refuse(
        new CulpritError('timed_out', 'The whole request must arrive within the time limit; send it again.'),
      ),
    () => {
      // Starts the native idle limit (8 to 12 s) anew, so that ours is the one that answers.
      res.pause();
      res.resume();
    },
  );
  res.onAborted(() => {
    lingering?.aborted();
    const before = phase;
    phase = 'done';
    if (before === 'arriving' || before === 'handling') exchange.finished();
    if (before === 'arriving') refusals.abandoned?.(head, route);
    leaveDeadline();
    head.leave();
  });
  res.onData((chunk, isLast) => {
    if (phase === 'refused') return lingering?.arrived(isLast);
    if (phase !== 'arriving') return;
    received += chunk.byteLength;
    if (received > limit) return refuse(tooLarge(limit));
    const borrowed = isLast && chunks.length === 0 && route.borrowsBody === true;
    if (borrowed) chunks.push(Buffer.from(chunk));
    else if (chunk.byteLength > 0) chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (isLast) handle();
  });
  const early = admitted ?? checkHead(read, limit);
  if (early !== null) refuse(early);
}

function checkHead({ ambiguous, declaredLength }: ReadHead, limit: number): CulpritError | null {
  if (ambiguous)
    return new CulpritError('malformed', 'Content-Length or Host came twice with different values.');
  return declaredLength !== null && declaredLength > limit ? tooLarge(limit) : null;
}

function hasNoBody({ headers }: RequestHead): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
}

async function respond(
  route: Route,
  request: Parameters<Route['handle']>[0],
  failed: Exchange['failed'],
): Promise<HttpResponse> {
  try {
    return await route.handle(request);
  } catch (error) {
    failed(error, route);
    return problemResponse(error);
  }
}

/** A refusal must always answer, whatever the server's own hook does. */
function refusal(refusals: Refusals, error: CulpritError, head: RequestHead, route: Route): HttpResponse {
  return refusals.refuse?.(error, head, route) ?? problemResponse(error);
}

function tooLarge(limit: number): CulpritError {
  const fix = limit === 0 ? 'Send no body here.' : `Send at most ${limit} bytes.`;
  return new CulpritError('too_large', `The body is over its ceiling. ${fix}`, { members: { limit } });
}
