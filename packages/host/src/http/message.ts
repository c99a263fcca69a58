import type { Proof } from './arrivals.js';
import type { BodyReader, KeptBody } from './long-body.js';

/** A request as handlers see it, on any server. */
export interface HttpRequest {
  readonly method: string;
  /** Path without query, not decoded. */
  readonly path: string;
  /** Named parts of the route's pattern, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The last value of a repeated parameter wins. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The socket's peer, or the client that a trusted proxy names. */
  readonly remoteAddress: string;
  /** The whole body as sent; empty if there is none. Never longer than the route's limit. */
  readonly body: Uint8Array;
  /** The body while it arrives, in place of {@link HttpRequest.body}, if the route and the server stream it. To be read once. */
  readonly pieces?: AsyncIterable<Uint8Array>;
  /** Of a long body, what the route's reader kept; {@link HttpRequest.body} is then that. */
  readonly kept?: KeptBody;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 when the head arrived. */
  readonly receivedAt: number;
}

/** A request before its body is read. */
export type RequestHead = Omit<HttpRequest, 'body' | 'pieces' | 'kept' | 'signal'>;

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, one header each. */
  readonly cookies?: readonly string[];
  readonly body?: string | Uint8Array;
}

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** Segments separated by `/`; `:name` matches one segment, a final `*name` matches the rest. */
  readonly pattern: string;
  /** Bytes. A longer body is refused with 413 while it arrives. Absent: any body is refused. */
  readonly bodyLimit?: number;
  /**
   * The handler copies what it needs before its first await. A body received in one piece is then not copied for it,
   * and its memory is reused afterwards.
   */
  readonly borrowsBody?: boolean;
  /**
   * The handler starts when the head has arrived, and reads the body in pieces. While it does not read, the sender is paused. A
   * piece beyond `bodyLimit` or the time limit ends the body with an error.
   */
  readonly streams?: boolean;
  /** Reads a body that is longer than most while it arrives. `null`: as any other body. */
  readonly reader?: (head: RequestHead) => BodyReader | null;
  /** Runs before the body is read. A response refuses the request. */
  readonly admit?: (head: RequestHead) => HttpResponse | null;
  /**
   * What the head proves about the sender; absent: nothing. Decides who gives way while the server is under attack, not
   * who is admitted.
   */
  readonly proof?: (head: RequestHead) => Proof;
  /** The answer to a request that never reaches its handler, such as 413. Default: the server's. */
  readonly refusal?: (error: unknown, head: RequestHead) => HttpResponse;
  readonly handle: Handler;
}

/** A WebSocket as the live feed sees it. */
export interface Socket {
  readonly remoteAddress: string;
  /** `dropped`: the reader is too slow; the socket is closing. */
  send(text: string): 'sent' | 'queued' | 'dropped';
  /** Batches everything sent during the call into few system calls. */
  together(send: () => void): void;
  /** Subscribes to a topic. Its messages stay in order with those sent to the socket alone. */
  subscribe(topic: string): void;
  /** Bytes buffered for the reader. */
  waiting(): number;
  close(code: number, reason: string): void;
}

/** Sends a message to every socket of a topic; the native server frames it once. */
export type Publish = (topic: string, text: string) => void;

export interface SocketRoute {
  readonly pattern: string;
  /** Bytes buffered for a slow reader before it is closed. */
  readonly maxBackpressure: number;
  /** A response refuses the upgrade; otherwise the value is passed to `open`. */
  readonly upgrade: (
    head: RequestHead,
  ) => Promise<{ readonly refuse: HttpResponse } | { readonly accept: unknown }>;
  /** Called once, before any socket opens. */
  readonly mounted?: (publish: Publish) => void;
  readonly open: (socket: Socket, accepted: unknown) => void;
  readonly message?: (socket: Socket, text: string) => void;
  readonly closed: (socket: Socket) => void;
}
