import { CulpritError, type Logger } from '@culprit/core';
import type { ClientAddress } from './client-address.js';
import type { HttpResponse, SocketRoute } from './message.js';
import type { RequestInHand } from './request-in-hand.js';

/** What moves the bytes of {@link listen}: a native server, or `node:http`. Rules are in the exchange, for all drivers. */
export interface HttpDriver {
  readonly name: DriverName;
  /** Rejects with `configuration` if the port is in use. */
  bind(options: BindOptions): Promise<Bound>;
}

export const DRIVER_NAMES = ['uws', 'node'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

export const DRIVER_CHOICES = ['auto', ...DRIVER_NAMES] as const;
/** `auto`: uWebSockets.js where it can be loaded, otherwise `node:http`. */
export type DriverChoice = (typeof DRIVER_CHOICES)[number];

export interface BindOptions {
  readonly host: string;
  readonly port: number;
  readonly sockets: readonly SocketRoute[];
  readonly clientAddress: ClientAddress;
  /** Whether a peer may open another connection. */
  readonly mayConnect: (peer: string) => boolean;
  /** Called for each request, when its head has arrived. Does not throw. */
  readonly request: (read: ReadHead, wire: Wire) => void;
  /** Called for bytes that are not a request. Gives the answer, after which the connection is closed. */
  readonly malformed: (method: string, path: string, peer: string) => HttpResponse;
  readonly logger: Logger;
}

export interface Bound {
  readonly port: number;
  /** Accepts no more connections, and ends WebSockets. */
  stop(): void;
  /** Closes every connection that is left. */
  close(): Promise<void>;
}

export interface ReadHead {
  readonly head: RequestInHand;
  /** Peers may disagree about where the body ends, or about the host. The bytes that follow must not be read. */
  readonly ambiguous: boolean;
}

/** One request and its response on a connection. Nothing may be written after an abort, and only one answer. */
export interface Wire {
  /** Called once if the client leaves before it has its answer. */
  onAborted(act: () => void): void;
  /** `piece` is valid during the call; {@link Wire.keep} makes it last. */
  onData(act: (piece: Buffer, isLast: boolean) => void): void;
  keep(piece: Buffer): Buffer;
  /** The sender is not read until {@link Wire.resume}. */
  pause(): void;
  resume(): void;
  /** Starts the server's own time limit of a silent connection again. */
  keepAlive(): void;
  answer(answer: HttpResponse, method: string): void;
  /** Begins an answer while the body is still arriving: everything but the last byte, and that the connection closes. */
  answerBut(answer: HttpResponse, body: Buffer, last: number): void;
  /** The last byte. `sealed`: bytes that follow must not be read. */
  answerLast(body: Buffer, sealed: boolean): void;
  /** Closes the connection without an answer. */
  close(): void;
}

/** Why a port cannot be listened on, and what to do. */
export function cannotListen(host: string, port: number, cause?: unknown): CulpritError {
  const reason = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
  const fix = 'Stop the other process, or choose another port (0: any free one).';
  return new CulpritError('configuration', `Cannot listen on ${host}:${port}${reason}. ${fix}`);
}
