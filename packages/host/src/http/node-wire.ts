import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Wire } from './driver.js';
import type { HttpResponse } from './message.js';
import { headerLines, isPlain } from './node-answer.js';
import { isBodiless } from './request-policy.js';

const NOTHING = Buffer.alloc(0);
/** A client that does not take its answer for this long is disconnected, as by the native server. */
export const IDLE_MS = 10_000;

/** What a wire tells its connection. */
export interface WireOwner {
  /** Accepts no request after the one whose answer says that the connection closes. */
  seal(): void;
  /** The answer is complete: the next request may begin. */
  answered(): void;
  /** The connection closes after the next answer. */
  readonly closing: boolean;
}

/** A request and its response on `node:http`. */
export class NodeWire implements Wire {
  private abort: (() => void) | null = null;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    private readonly owner: WireOwner,
  ) {}

  onAborted(act: () => void): void {
    this.abort = act;
  }

  /** The connection is gone. */
  gone(): void {
    this.abort?.();
    this.abort = null;
  }

  /** Whether the whole request has been read. */
  get complete(): boolean {
    return this.incoming.complete;
  }

  /** The last piece is known by its length, where that is declared: the end comes a turn later. */
  onData(act: (piece: Buffer, isLast: boolean) => void): void {
    const { incoming } = this;
    const { 'content-length': declared, 'transfer-encoding': coding } = incoming.headers;
    if (coding !== undefined) {
      incoming.on('data', (piece: Buffer) => act(piece, false));
      incoming.on('end', () => act(NOTHING, true));
      return;
    }
    let left = Number(declared ?? 0);
    if (left === 0) act(NOTHING, true);
    else
      incoming.on('data', (piece: Buffer) => {
        left -= piece.length;
        act(piece, left === 0);
      });
  }

  keep(piece: Buffer): Buffer {
    return piece;
  }

  pause(): void {
    this.incoming.pause();
  }

  resume(): void {
    this.incoming.resume();
  }

  /** `node:http` has no time limit between the bytes of a request here. */
  keepAlive(): void {}

  answer(answer: HttpResponse, method: string): void {
    const body = answer.body ?? '';
    const empty = isBodiless(answer);
    const lines = headerLines(answer, empty ? null : Buffer.byteLength(body));
    if (answer.headers?.connection === 'close') this.owner.seal();
    else if (this.owner.closing) lines.push('connection', 'close');
    if (this.writeHead(answer.status, lines)) {
      if (method === 'HEAD' || empty) this.outgoing.end();
      // A head with other characters must not be encoded together with the body.
      else this.outgoing.end(typeof body === 'string' && !isPlain(lines) ? Buffer.from(body) : body);
      this.timeLimit();
    }
    this.done();
  }

  answerBut(answer: HttpResponse, body: Buffer, last: number): void {
    this.owner.seal();
    if (this.writeHead(answer.status, headerLines(answer, body.length)))
      this.outgoing.write(body.subarray(0, last));
  }

  /** The response is complete for the client, but where bytes may follow, the connection stays open and is not read: closing it could lose the response. */
  answerLast(body: Buffer, sealed: boolean): void {
    if (!this.outgoing.destroyed) {
      if (sealed) {
        this.outgoing.write(body.subarray(-1));
        this.incoming.pause();
        setTimeout(() => this.close(), IDLE_MS).unref();
      } else {
        this.outgoing.end(body.subarray(-1));
        this.timeLimit();
      }
    }
    this.done();
  }

  close(): void {
    this.incoming.socket.destroy();
  }

  /** False if the connection is gone. */
  private writeHead(status: number, lines: string[]): boolean {
    if (this.outgoing.destroyed || this.incoming.socket.destroyed) return false;
    this.outgoing.writeHead(status, lines);
    return true;
  }

  /** The default action of a socket's timeout in `node:http` is to close it. */
  private timeLimit(): void {
    const { socket } = this.incoming;
    if (socket.writableLength > 0) socket.setTimeout(IDLE_MS);
  }

  private done(): void {
    this.abort = null;
    this.owner.answered();
  }
}
