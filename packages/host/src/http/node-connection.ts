import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { plainAddress } from './client-address.js';
import type { BindOptions } from './driver.js';
import { QUIET_MS } from './early-answer.js';
import { answerRaw } from './node-answer.js';
import { readNodeHead } from './node-head.js';
import { NodeWire, type WireOwner } from './node-wire.js';

/** Requests that a client may send before it has the answer to the first. */
const MOST_WAITING = 64;

/** What `node:http` says of bytes that are not a request. */
export interface ParseFailure extends Error {
  readonly code?: string;
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

/** One client. Its requests are served one after the other, as by the native server. */
export class NodeConnection implements WireOwner {
  readonly peer: string;
  private current: NodeWire | null = null;
  private waiting: [IncomingMessage, ServerResponse][] = [];
  private sealed = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: BindOptions,
    private readonly isStopping: () => boolean,
  ) {
    const { remoteAddress = '' } = socket;
    this.peer = plainAddress(remoteAddress) ?? remoteAddress;
  }

  get closing(): boolean {
    return this.sealed || this.isStopping();
  }

  take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.sealed) return;
    if (this.current === null) this.begin(incoming, outgoing);
    else if (this.waiting.length < MOST_WAITING) this.waiting.push([incoming, outgoing]);
    else this.socket.destroy();
  }

  private begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const read = readNodeHead(incoming, this.peer, this.options.clientAddress);
    if (read.ambiguous) this.seal();
    this.current = new NodeWire(incoming, outgoing, this);
    this.options.request(read, this.current);
  }

  seal(): void {
    this.sealed = true;
    this.waiting = [];
  }

  answered(): void {
    this.current = null;
    const next = this.waiting.shift();
    if (next !== undefined) this.begin(...next);
  }

  /** The answer to a request that is complete still goes out; one whose body is unreadable gets the refusal in its place. */
  failed(failure: ParseFailure): void {
    const { code = '' } = failure;
    const isForeign = code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';
    if (!isForeign || !this.socket.writable) return void this.socket.destroy();
    if (this.sealed) return;
    const { current } = this;
    this.seal();
    if (current?.complete === true) return;
    const [method, path] = requestLine(failure);
    const answer =
      code === 'HPE_HEADER_OVERFLOW' ? { status: 431 } : this.options.malformed(method, path, this.peer);
    answerRaw(this.socket, answer);
    setTimeout(() => this.socket.destroy(), QUIET_MS).unref();
  }

  gone(): void {
    this.seal();
    this.current?.gone();
    this.current = null;
  }
}

/** Of the request that could not be read, as far as it is in the last packet. */
function requestLine({ rawPacket, bytesParsed = 0 }: ParseFailure): [string, string] {
  const text = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  const [, method = 'GET', target = ''] = [...text.matchAll(/(?:^|\n)([A-Z]+) (\S+) HTTP\/1/g)].at(-1) ?? [];
  return [method, target.split('?', 1)[0] ?? ''];
}
