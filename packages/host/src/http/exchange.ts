import { CulpritError } from '@culprit/core';
import type { Arrival, Arrivals } from './arrivals.js';
import { networkOf } from './client-address.js';
import type { Deadlines } from './deadlines.js';
import type { ReadHead, Wire } from './driver.js';
import { answerEarly, type Lingering } from './early-answer.js';
import { feedReader, LONG_BODY_BYTES } from './long-body.js';
import type { HttpResponse, RequestHead, Route } from './message.js';
import { isBodiless, proofOf, type RequestPolicy, timedOut, tooLarge } from './request-policy.js';

export interface Exchange {
  readonly read: ReadHead;
  readonly wire: Wire;
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
  const { read, wire, route, deadlines, policy } = exchange;
  const { head } = read;
  const limit = route.bodyLimit ?? 0;
  const chunks: Buffer[] = [];
  let received = 0;
  let phase: Phase = 'arriving';
  let lingering: Lingering | null = null;
  const pauses = new Set<'arrivals' | 'reader'>();
  let feed: ReturnType<typeof feedReader> | null = null;
  let arrival: Arrival | null = null;

  const isDone = () => phase === 'done';
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
    resumeAll();
    if (read.ambiguous && (head.method === 'HEAD' || isBodiless(answer))) {
      done();
      wire.close();
      return;
    }
    if (hasNoBody(head) && !read.ambiguous) {
      done();
      wire.answer(answer, head.method);
      return;
    }
    if (head.method === 'HEAD' || isBodiless(answer)) {
      // There is no last byte to hold back.
      done();
      const last = { ...answer, headers: { ...answer.headers, connection: 'close' } };
      wire.answer(last, head.method);
      return;
    }
    phase = 'refused';
    exchange.finished(false);
    lingering = answerEarly(wire, answer, read.ambiguous);
  };
  const flow = (who: 'arrivals' | 'reader', pause: boolean) => {
    const before = pauses.size > 0;
    if (pause) pauses.add(who);
    else pauses.delete(who);
    if (pauses.size > 0 === before) return;
    if (pause) wire.pause();
    else wire.resume();
  };
  const resumeAll = () => {
    for (const who of pauses) flow(who, false);
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
    wire.answer(value, head.method);
  };
  const handle = () => {
    arrival?.leave();
    // The last piece may have come while the sender was paused; its next request must be read.
    resumeAll();
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
      // So that this deadline is the one that responds.
      if (pauses.size === 0) wire.keepAlive();
    },
  );
  wire.onAborted(() => {
    lingering?.aborted();
    const before = phase;
    phase = 'done';
    if (before === 'arriving' || before === 'handling') exchange.finished(before === 'handling');
    if (before === 'arriving') policy.abandoned(head, route);
    arrival?.leave();
    leaveDeadline();
    head.leave();
  });
  const arrived = (piece: Buffer, isLast: boolean) => {
    if (phase === 'refused') return lingering?.arrived(isLast);
    if (phase !== 'arriving') return;
    received += piece.byteLength;
    if (received > limit) return refuse(tooLarge(limit));
    if (feed === null && !isLast && received > LONG_BODY_BYTES) beginReading();
    if (feed !== null) return feed(wire.keep(piece), isLast);
    const borrowed = isLast && chunks.length === 0 && route.borrowsBody === true;
    if (piece.byteLength > 0) chunks.push(borrowed ? piece : wire.keep(piece));
    if (isLast) handle();
    else arrival?.keep(piece.byteLength);
  };
  const early = read.ambiguous ? ambiguousHead() : admitted;
  if (early !== null) refuse(early);
  else {
    arrival = exchange.arrivals.enter({
      address: networkOf(head.remoteAddress),
      proof: () => proofOf(route, head),
      refuse,
      pause: () => flow('arrivals', true),
      resume: () => flow('arrivals', false),
    });
  }
  // After a whole answer nothing may be asked of the wire.
  if (!isDone()) wire.onData(arrived);
}

function hasNoBody({ headers }: RequestHead): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
}

export const ambiguousHead = () =>
  new CulpritError(
    'malformed',
    'Send one Content-Length or "Transfer-Encoding: chunked", and one Host. The connection is closed.',
  );
