/** A request as handlers see it, whichever server carries it. */
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
  /** The whole body as sent; empty where there is none. Never longer than the route's limit. */
  readonly body: Uint8Array;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 when the head arrived. */
  readonly receivedAt: number;
}

/** A request before its body is read. */
export type RequestHead = Omit<HttpRequest, 'body' | 'signal'>;

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** Segments separated by `/`; `:name` takes one segment, a last `*name` takes the rest. */
  readonly pattern: string;
  /** Bytes; a longer body is refused with 413 while it arrives. Absent: no body is read (a body is refused). */
  readonly bodyLimit?: number;
  /**
   * True: the handler copies what it needs of the body before it first waits for anything. Then a body that came in one
   * piece is not copied for it; where it lay is another's afterwards.
   */
  readonly borrowsBody?: boolean;
  /** Runs before any of the body is read: an answer refuses the request. */
  readonly admit?: (head: RequestHead) => HttpResponse | null;
  readonly handle: Handler;
}

/** A WebSocket as the live feed sees it. */
export interface Socket {
  readonly remoteAddress: string;
  /** `dropped`: the reader is too slow and is being closed. */
  send(text: string): 'sent' | 'queued' | 'dropped';
  /** What is sent meanwhile goes out in few writes to the system. */
  together(send: () => void): void;
  /** From now on the socket gets what is published to the topic, in order with what is sent to it alone. */
  subscribe(topic: string): void;
  /** Bytes that wait for the reader. */
  waiting(): number;
  close(code: number, reason: string): void;
}

/** One message to every socket of a topic, framed once by the native server. */
export type Publish = (topic: string, text: string) => void;

export interface SocketRoute {
  readonly pattern: string;
  /** Bytes that may wait for a slow reader before it is closed. */
  readonly maxBackpressure: number;
  /** An answer refuses the upgrade; otherwise a value that is handed to `open`. */
  readonly upgrade: (
    head: RequestHead,
  ) => Promise<{ readonly refuse: HttpResponse } | { readonly accept: unknown }>;
  /** Told once, before any socket opens, how to publish to topics. */
  readonly mounted?: (publish: Publish) => void;
  readonly open: (socket: Socket, accepted: unknown) => void;
  readonly message?: (socket: Socket, text: string) => void;
  readonly closed: (socket: Socket) => void;
}
