import type { CulpritError } from '@culprit/core';
import type { Arrival } from './arrivals.js';
import { networkOf } from './client-address.js';
import type { Deadline } from './deadlines.js';
import { answerEarly, type Lingering } from './early-answer.js';
import type { Exchange } from './exchange.js';
import type { HttpResponse } from './message.js';
import { clientGone, proofOf, timedOut, tooLarge } from './request-policy.js';

/** Takes an admitted request of a route that reads its body while it arrives to its response. */
export function runStream(exchange: Exchange): void {
  const { read, wire, route, deadlines, policy } = exchange;
  const { head } = read;
  const limit = route.bodyLimit ?? 0;
  let phase: 'open' | 'answered' | 'gone' = 'open';
  let received = 0;
  let complete = false;
  let paused = false;
  let lingering: Lingering | null = null;
  let arrival: Arrival | null = null;
  // Only the time that the sender needs counts, not that of a busy disk.
  let waited = 0;
  let since = performance.now();
  const deadline: Deadline = {
    overdue: () => body.fail(timedOut()),
    keepAlive() {
      if (phase === 'open') wire.keepAlive();
    },
  };
  deadlines.add(deadline);
  const body = arrivingBody({
    begun: () => arrival?.leave(),
    pause() {
      // After the last byte the connection stays open, to notice that the client leaves.
      if (phase !== 'open' || complete) return;
      paused = true;
      deadlines.leave(deadline);
      waited += performance.now() - since;
      wire.pause();
    },
    resume() {
      if (phase !== 'open' || !paused) return;
      paused = false;
      wire.resume();
      if (complete) return;
      if (waited > deadlines.ms()) return deadline.overdue();
      since = performance.now();
      deadlines.add(deadline);
    },
  });
  const answer = (value: HttpResponse, begun: boolean) => {
    deadlines.leave(deadline);
    arrival?.leave();
    if (phase !== 'open') return;
    phase = 'answered';
    if (paused) wire.resume();
    exchange.finished(begun);
    if (complete) wire.answer(value, head.method);
    else lingering = answerEarly(wire, value, false);
  };
  wire.onAborted(() => {
    lingering?.aborted();
    deadlines.leave(deadline);
    arrival?.leave();
    const before = phase;
    phase = 'gone';
    if (before === 'open') exchange.finished(true);
    if (before === 'open' && !complete) policy.abandoned(head, route);
    body.fail(clientGone());
    head.leave();
  });
  wire.onData((piece, isLast) => {
    if (phase === 'answered') return lingering?.arrived(isLast);
    received += piece.byteLength;
    complete = isLast;
    if (isLast) deadlines.leave(deadline);
    if (received > limit) return body.fail(tooLarge(limit));
    if (piece.byteLength > 0) {
      body.arrived(wire.keep(piece));
      arrival?.keep(piece.byteLength);
    }
    if (isLast) body.end();
  });
  const busy = policy.begin(head, route);
  if (busy !== null) {
    answer(policy.refuse(busy, head, route), false);
    return;
  }
  arrival = exchange.arrivals.enter({
    address: networkOf(head.remoteAddress),
    proof: () => proofOf(route, head),
    refuse: (reason) => body.fail(reason),
    pause: () => {},
    resume: () => {},
  });
  head.pieces = body.pieces;
  policy.handle(head, route).then((value) => answer(value, true));
}

/** A body that is read while it arrives. */
interface ArrivingBody {
  /** May be iterated once. Throws the reason of {@link ArrivingBody.fail}. */
  readonly pieces: AsyncIterable<Uint8Array>;
  arrived(piece: Uint8Array): void;
  end(): void;
  /** What has not been read yet is dropped. */
  fail(reason: CulpritError): void;
}

interface Flow {
  /** Called when the handler begins to read. */
  begun(): void;
  pause(): void;
  resume(): void;
}

/** The sender is paused while pieces wait to be read, so that at most one read of the socket is in memory. */
function arrivingBody(flow: Flow): ArrivingBody {
  let waiting: Uint8Array[] = [];
  let ended = false;
  let paused = false;
  let failure: CulpritError | null = null;
  let wake: (() => void) | null = null;
  const changed = () => {
    wake?.();
    wake = null;
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    flow.begun();
    for (;;) {
      if (failure !== null) throw failure;
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (ended) return;
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (paused) {
        paused = false;
        flow.resume();
      }
      await more;
    }
  }
  return {
    pieces: pieces(),
    arrived(piece) {
      if (failure !== null) return;
      waiting.push(piece);
      if (!paused) {
        paused = true;
        flow.pause();
      }
      changed();
    },
    end() {
      ended = true;
      changed();
    },
    fail(reason) {
      failure ??= reason;
      waiting = [];
      changed();
    },
  };
}
