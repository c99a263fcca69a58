import type { CrashObject, Door } from './event.js';

/** What arrived at a door, before anything was checked. Exists only in memory. */
export interface RawDelivery {
  readonly method: string;
  /** Path without query, as requested. */
  readonly path: string;
  /** Parts of the path that the route names, such as `project`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case; a header that came twice is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent; for the SDK door after content decoding. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Bytes that one crash of several in a body may have, where the receiver has such a ceiling. */
  readonly itemBytes?: number;
}

/** A sanitised delivery on its way from the edge to core. This is what the spool holds. */
export interface Delivery {
  /** Its place in the edge's order, from 1, no gaps promised. */
  readonly sequence: number;
  readonly event_id: string;
  readonly project: string;
  readonly door: Door;
  /** The tracker connector that verified and parsed it. */
  readonly tracker: string;
  /** ISO 8601, UTC. */
  readonly received_at: string;
  /** SHA-256 of the body as sent, lower-case hex. */
  readonly raw_sha256: string;
  /** Allow-listed request headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly { readonly name: string; readonly bytes: number }[];
  readonly redactions: number;
  /** The sanitised crash. */
  readonly crash: CrashObject;
}

/** An ordered batch from one edge. */
export interface DeliveryBatch {
  /** The edge's identity, made once and kept beside its spool. */
  readonly edge: string;
  readonly deliveries: readonly Delivery[];
  /** The watermark that the edge was told last; see `RecordBatch.after`. */
  readonly after?: number | undefined;
}
