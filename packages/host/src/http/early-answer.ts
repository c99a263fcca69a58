import type { Wire } from './driver.js';
import type { HttpResponse } from './message.js';

/** A client that has sent nothing for this long has read the answer. */
export const QUIET_MS = 200;
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
 * `sealed`: where the body ends is not known. The response then stays incomplete as long as bytes may follow.
 */
export function answerEarly(wire: Wire, answer: HttpResponse, sealed: boolean): Lingering {
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
    wire.answerLast(body, !complete);
  };
  const late = setTimeout(end, LINGER_MS, false);
  let quiet = setTimeout(end, QUIET_MS, false);
  wire.answerBut({ ...answer, headers: { ...answer.headers, connection: 'close' } }, body, body.length - 1);
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
