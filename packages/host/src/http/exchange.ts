import { CulpritError } from '@culprit/core';
import type { Arrival, Arrivals, Visitor } from './arrivals.js';
import { networkOf } from './client-address.js';
import type { Deadline, Deadlines } from './deadlines.js';
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

/** Takes one request from its head to its response. Never writes after an abort, and never twice. */
export function runExchange(exchange: Exchange, admitted: CulpritError | HttpResponse | null): void {
  new RunningExchange(exchange).begin(admitted);
}

type Phase = 'arriving' | 'handling' | 'refused' | 'done';

/** Who pauses the sender. */
const ARRIVALS = 1;
const READER = 2;

/** One object for each request, because closures for what few requests need would cost more than the rest of the exchange. */
class RunningExchange implements Deadline, Visitor {
  readonly address: string;
  private readonly chunks: Buffer[] = [];
  private received = 0;
  private phase: Phase = 'arriving';
  private lingering: Lingering | null = null;
  private arrival: Arrival | null = null;
  private feed: ReturnType<typeof feedReader> | null = null;
  private pauses = 0;

  constructor(private readonly exchange: Exchange) {
    this.address = networkOf(exchange.read.head.remoteAddress);
  }

  begin(admitted: CulpritError | HttpResponse | null): void {
    const { read, wire, deadlines, arrivals } = this.exchange;
    deadlines.add(this);
    wire.onAborted(() => this.aborted());
    const early = read.ambiguous ? ambiguousHead() : admitted;
    if (early !== null) this.refuse(early);
    else this.arrival = arrivals.enter(this);
    // After a whole answer nothing may be asked of the wire.
    if (this.phase !== 'done') wire.onData((piece, isLast) => this.arrived(piece, isLast));
  }

  proof() {
    return proofOf(this.exchange.route, this.exchange.read.head);
  }

  pause(): void {
    this.flow(ARRIVALS, true);
  }

  resume(): void {
    this.flow(ARRIVALS, false);
  }

  overdue(): void {
    this.refuse(timedOut());
  }

  keepAlive(): void {
    // So that this deadline is the one that responds.
    if (this.pauses === 0) this.exchange.wire.keepAlive();
  }

  refuse(reason: CulpritError | HttpResponse): void {
    const { read, wire, route, deadlines, policy } = this.exchange;
    const { head } = read;
    const answer = policy.refuse(reason, head, route);
    deadlines.leave(this);
    this.arrival?.leave();
    this.chunks.length = 0;
    this.resumeAll();
    if (read.ambiguous && (head.method === 'HEAD' || isBodiless(answer))) {
      this.done();
      wire.close();
      return;
    }
    if (hasNoBody(head) && !read.ambiguous) {
      this.done();
      wire.answer(answer, head.method);
      return;
    }
    if (head.method === 'HEAD' || isBodiless(answer)) {
      // There is no last byte to hold back.
      this.done();
      const last = { ...answer, headers: { ...answer.headers, connection: 'close' } };
      wire.answer(last, head.method);
      return;
    }
    this.phase = 'refused';
    this.exchange.finished(false);
    this.lingering = answerEarly(wire, answer, read.ambiguous);
  }

  private done(): void {
    const begun = this.phase === 'handling';
    this.phase = 'done';
    this.exchange.finished(begun);
  }

  private flow(who: number, pause: boolean): void {
    const before = this.pauses;
    this.pauses = pause ? before | who : before & ~who;
    if (this.pauses > 0 === before > 0) return;
    if (pause) this.exchange.wire.pause();
    else this.exchange.wire.resume();
  }

  private resumeAll(): void {
    if (this.pauses > 0) this.flow(ARRIVALS | READER, false);
  }

  private aborted(): void {
    const { read, route, deadlines, policy, finished } = this.exchange;
    this.lingering?.aborted();
    const before = this.phase;
    this.phase = 'done';
    if (before === 'arriving' || before === 'handling') finished(before === 'handling');
    if (before === 'arriving') policy.abandoned(read.head, route);
    this.arrival?.leave();
    deadlines.leave(this);
    read.head.leave();
  }

  private arrived(piece: Buffer, isLast: boolean) {
    const { wire, route } = this.exchange;
    if (this.phase === 'refused') return this.lingering?.arrived(isLast);
    if (this.phase !== 'arriving') return;
    this.received += piece.byteLength;
    const limit = route.bodyLimit ?? 0;
    if (this.received > limit) return this.refuse(tooLarge(limit));
    if (this.feed === null && !isLast && this.received > LONG_BODY_BYTES) this.beginReading();
    if (this.feed !== null) return this.feed(wire.keep(piece), isLast);
    const borrowed = isLast && this.chunks.length === 0 && route.borrowsBody === true;
    if (piece.byteLength > 0) this.chunks.push(borrowed ? piece : wire.keep(piece));
    if (isLast) this.handle();
    else this.arrival?.keep(piece.byteLength);
  }

  /** Long bodies are read while they arrive. */
  private beginReading(): void {
    const { read, route } = this.exchange;
    const reader = route.reader?.(read.head) ?? null;
    if (reader === null) return;
    const whileArriving =
      <Given extends unknown[]>(act: (...given: Given) => void) =>
      (...given: Given) => {
        if (this.phase === 'arriving') act(...given);
      };
    this.feed = feedReader(reader, {
      keep: (bytes) => this.arrival?.keep(bytes),
      pause: () => this.flow(READER, true),
      resume: whileArriving(() => this.flow(READER, false)),
      refuse: whileArriving((reason) => this.refuse(reason)),
      done: whileArriving((kept) => {
        read.head.kept = kept;
        this.chunks.push(Buffer.from(kept.body.buffer, kept.body.byteOffset, kept.body.byteLength));
        this.received = kept.body.byteLength;
        this.handle();
      }),
    });
    for (const chunk of this.chunks.splice(0)) this.feed(chunk, false);
  }

  private handle() {
    const { read, wire, route, deadlines, policy } = this.exchange;
    const { head } = read;
    const { chunks } = this;
    this.arrival?.leave();
    // The last piece may have come while the sender was paused; its next request must be read.
    this.resumeAll();
    const busy = policy.begin(head, route);
    if (busy !== null) return this.refuse(busy);
    this.phase = 'handling';
    deadlines.leave(this);
    head.body = chunks.length === 1 ? (chunks[0] ?? head.body) : Buffer.concat(chunks, this.received);
    chunks.length = 0;
    policy.handle(head, route).then((value) => {
      if (this.phase !== 'handling') return;
      this.done();
      wire.answer(value, head.method);
    });
  }
}

function hasNoBody({ headers }: RequestHead): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
}

export const ambiguousHead = () =>
  new CulpritError(
    'malformed',
    'Send one Content-Length or "Transfer-Encoding: chunked", and one Host. The connection is closed.',
  );
