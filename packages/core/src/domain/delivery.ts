import type { Door } from './event.js';
import type { JsonObject } from './json.js';
import type { Trust } from './trust.js';

/** A request at a door, before any check. Exists only in memory. */
export interface RawDelivery {
  readonly method: string;
  /** Path without query, as requested. */
  readonly path: string;
  /** Named parts of the route, such as `project`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent; for the SDK door after content decoding. */
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Maximum bytes of one crash in a body with several, if the receiver limits it. */
  readonly itemBytes?: number;
}

/** A sanitised delivery as the spool stores it and the edge forwards it. */
export interface Delivery {
  /** Ascending per edge, from 1, possibly with gaps. */
  readonly sequence: number;
  readonly event_id: string;
  readonly project: string;
  readonly door: Door;
  /** Absent in deliveries from older edges: the door's; see `trustOf`. */
  readonly trust?: Trust | undefined;
  /** Names the credential that the sender used, without its secret. Absent in deliveries from older edges. */
  readonly key?: string | undefined;
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
  /** What the door cut from the crash, for people. Absent: nothing. */
  readonly trimmed?: readonly string[] | undefined;
  /** The sanitised crash. */
  readonly crash: JsonObject;
}

/** An ordered batch from one edge. */
export interface DeliveryBatch {
  /** The edge's id, generated once and stored with its spool. */
  readonly edge: string;
  readonly deliveries: readonly Delivery[];
  /** The last watermark that the edge received; see `RecordBatch.after`. */
  readonly after?: number | undefined;
}
