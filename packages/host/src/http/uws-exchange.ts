import { CulpritError } from '@culprit/core';
import type { Deadlines } from './deadlines.js';
import type { HttpResponse, RequestHead, Route } from './message.js';
import { isBodiless, type RequestPolicy, timedOut, tooLarge } from './request-policy.js';
import { answerEarly, type Lingering, writeAnswer } from './uws-answer.js';
import type { ReadHead } from './uws-head.js';
import type { UwsResponse } from './uws-load.js';

export interface Exchange {
  readonly read: ReadHead;
  readonly res: UwsResponse;
  readonly route: Route;
  readonly deadlines: Deadlines;
  readonly policy: RequestPolicy;
  /** Called once, when the request holds no more of the server's resources. */
  readonly finished: () => void;
}

type Phase = 'arriving' | 'handling' | 'refused' | 'done';

/** Takes one request from its head to its response. Never writes after an abort, and never twice. */
export function runExchange(exchange: Exchange, admitted: CulpritError | HttpResponse | null): void {
  const { read, res, route, deadlines, policy } = exchange;
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
    const answer = policy.refuse(reason, head, route);
    leaveDeadline();
    chunks.length = 0;
    if (hasNoBody(head)) {
      done();
      res.cork(() => writeAnswer(res, answer, head.method));
      return;
    }
    if (head.method === 'HEAD' || isBodiless(answer)) {
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
    policy.handle(head, route).then(answer);
  };
  const leaveDeadline = deadlines.add(
    () => refuse(timedOut()),
    () => {
      // Restarts the native idle timeout (8 to 12 s), so that this deadline is the one that responds.
      res.pause();
      res.resume();
    },
  );
  res.onAborted(() => {
    lingering?.aborted();
    const before = phase;
    phase = 'done';
    if (before === 'arriving' || before === 'handling') exchange.finished();
    if (before === 'arriving') policy.abandoned(head, route);
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
  const early = admitted ?? (read.ambiguous ? ambiguousHead() : null);
  if (early !== null) refuse(early);
}

function hasNoBody({ headers }: RequestHead): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
}

const ambiguousHead = () =>
  new CulpritError('malformed', 'Content-Length or Host is repeated with different values.');
