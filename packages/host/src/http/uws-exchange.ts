import { CulpritError } from '@culprit/core';
import type { Arrival, Arrivals } from './arrivals.js';
import { networkOf } from './client-address.js';
import type { Deadlines } from './deadlines.js';
import { feedReader, LONG_BODY_BYTES } from './long-body.js';
import type { HttpResponse, RequestHead, Route } from './message.js';
import { isBodiless, proofOf, type RequestPolicy, timedOut, tooLarge } from './request-policy.js';
import { answerEarly, type Lingering, writeAnswer } from './uws-answer.js';
import type { ReadHead } from './uws-head.js';
import type { UwsResponse } from './uws-load.js';

export interface Exchange {
  readonly read: ReadHead;
  readonly res: UwsResponse;
  readonly route: Route;
  readonly deadlines: Deadlines;
  readonly policy: RequestPolicy;
  readonly arrivals: Arrivals;
  /** Called once, when the request holds no more of the server's resources. `begun`: it was being handled. */
  readonly finished: (begun: boolean) => void;
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
  const pauses = new Set<'arrivals' | 'reader'>();
  let feed: ReturnType<typeof feedReader> | null = null;
  let arrival: Arrival | null = null;

  const done = () => {
    const begun = phase === 'handling';
    phase = 'done';
    exchange.finished(begun);
  };
  const refuse = (reason: CulpritError | HttpResponse) => {
    const answer = policy.refuse(reason, head, route);
    leaveDeadline();
    arrival?.leave();
    chunks.length = 0;
    for (const who of pauses) flow(who, false);
    if (read.ambiguous && (head.method === 'HEAD' || isBodiless(answer))) {
      done();
      res.close();
      return;
    }
    if (hasNoBody(head) && !read.ambiguous) {
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
    exchange.finished(false);
    lingering = answerEarly(res, answer, read.ambiguous);
  };
  const flow = (who: 'arrivals' | 'reader', pause: boolean) => {
    const before = pauses.size > 0;
    if (pause) pauses.add(who);
    else pauses.delete(who);
    if (pauses.size > 0 === before) return;
    if (pause) res.pause();
    else res.resume();
  };
  /** Long bodies are read while they arrive. */
  const beginReading = () => {
    const reader = route.reader?.(head) ?? null;
    if (reader === null) return;
    const whileArriving =
      <Given extends unknown[]>(act: (...given: Given) => void) =>
      (...given: Given) => {
        if (phase === 'arriving') act(...given);
      };
    feed = feedReader(reader, {
      keep: (bytes) => arrival?.keep(bytes),
      pause: () => flow('reader', true),
      resume: whileArriving(() => flow('reader', false)),
      refuse: whileArriving(refuse),
      done: whileArriving((kept) => {
        head.kept = kept;
        chunks.push(Buffer.from(kept.body.buffer, kept.body.byteOffset, kept.body.byteLength));
        received = kept.body.byteLength;
        handle();
      }),
    });
    for (const chunk of chunks.splice(0)) feed(chunk, false);
  };
  const answer = (value: HttpResponse) => {
    if (phase !== 'handling') return;
    done();
    res.cork(() => writeAnswer(res, value, head.method));
  };
  const handle = () => {
    arrival?.leave();
    const busy = policy.begin(head, route);
    if (busy !== null) return refuse(busy);
    phase = 'handling';
    leaveDeadline();
    head.body = chunks.length === 1 ? (chunks[0] ?? head.body) : Buffer.concat(chunks, received);
    chunks.length = 0;
    policy.handle(head, route).then(answer);
  };
  const leaveDeadline = deadlines.add(
    () => refuse(timedOut()),
    () => {
      // Restarts the native idle timeout (8 to 12 s), so that this deadline is the one that responds. A paused request has none.
      if (pauses.size > 0) return;
      res.pause();
      res.resume();
    },
  );
  res.onAborted(() => {
    lingering?.aborted();
    const before = phase;
    phase = 'done';
    if (before === 'arriving' || before === 'handling') exchange.finished(before === 'handling');
    if (before === 'arriving') policy.abandoned(head, route);
    arrival?.leave();
    leaveDeadline();
    head.leave();
  });
  res.onData((chunk, isLast) => {
    if (phase === 'refused') return lingering?.arrived(isLast);
    if (phase !== 'arriving') return;
    received += chunk.byteLength;
    if (received > limit) return refuse(tooLarge(limit));
    if (feed === null && !isLast && received > LONG_BODY_BYTES) beginReading();
    if (feed !== null) return feed(Buffer.from(new Uint8Array(chunk)), isLast);
    const borrowed = isLast && chunks.length === 0 && route.borrowsBody === true;
    if (borrowed) chunks.push(Buffer.from(chunk));
    else if (chunk.byteLength > 0) chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (isLast) handle();
    else arrival?.keep(chunk.byteLength);
  });
  const early = read.ambiguous ? ambiguousHead() : admitted;
  if (early !== null) {
    refuse(early);
    return;
  }
  arrival = exchange.arrivals.enter({
    address: networkOf(head.remoteAddress),
    proof: () => proofOf(route, head),
    refuse,
    pause: () => flow('arrivals', true),
    resume: () => flow('arrivals', false),
  });
}

function hasNoBody({ headers }: RequestHead): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
}

const ambiguousHead = () =>
  new CulpritError(
    'malformed',
    'Send one Content-Length or "Transfer-Encoding: chunked", and one Host. The connection is closed.',
  );
