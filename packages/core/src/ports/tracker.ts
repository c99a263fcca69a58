import type { RawDelivery } from '../domain/delivery.js';
import type { JsonValue } from '../domain/json.js';

/** Whether a delivery is authentic, and for which project. */
export type Verification =
  | { readonly ok: true; readonly project: string; readonly credential: string }
  | { readonly ok: false; readonly status: 400 | 401 | 403; readonly reason: string };

/** One crash of a delivery, with its event id if the sender set one. */
export interface ParsedCrash {
  /** As the sender gave it; `null`: to be made. */
  readonly event_id: string | null;
  /** The crash as it came: JSON of unknown shape, not sanitised. */
  readonly crash: JsonValue;
  readonly attachments: readonly { readonly name: string; readonly bytes: number }[];
  /** Of its own part of the body, where a body may hold several. */
  readonly bytes?: number;
}
/** The crashes of one verified delivery. */
export interface ParsedDelivery {
  readonly crashes: readonly ParsedCrash[];
  /** What else was in it and is not for us: counted by kind. */
  readonly ignored: Readonly<Record<string, number>>;
  /** The id to echo where there is no crash; `null` if none. */
  readonly event_id: string | null;
  /** What the sender calls this very delivery, where it does: the same id again is the same delivery. */
  readonly delivery_id?: string;
}

/**
 * Receives one tracker's deliveries. Law: `verify` looks at headers, query and raw bytes only, compares in constant
 * time, fails closed on an empty secret and never throws; `parse` is called only on verified bytes and rejects what it
 * cannot read with `malformed` and the field's path. Both are synchronous and do no I/O.
 */
export interface Tracker {
  verify(delivery: RawDelivery): Verification;
  parse(delivery: RawDelivery): ParsedDelivery;
}
