import type { RawDelivery } from '../domain/delivery.js';
import type { JsonValue } from '../domain/json.js';
import type { Trust } from '../domain/trust.js';

/** Whether a delivery is authentic, and for which project. */
export type Verification =
  | {
      readonly ok: true;
      readonly project: string;
      readonly credential: string;
      /** `untrusted` if the credential is public. Default: the trust of the door, `trusted` for a webhook. */
      readonly trust?: Trust;
    }
  | { readonly ok: false; readonly status: 400 | 401 | 403; readonly reason: string };

/** One crash of a delivery, with its event id if the sender set one. */
export interface ParsedCrash {
  /** As sent; `null` if the receiver must generate it. */
  readonly event_id: string | null;
  /** The crash as received: JSON of unknown shape, not sanitised. */
  readonly crash: JsonValue;
  readonly attachments: readonly { readonly name: string; readonly bytes: number }[];
  /** Bytes of its own part of the body, if a body may contain several. */
  readonly bytes?: number;
  /** Another project than the credential's, which the tracker's configuration names for this sender. */
  readonly project?: string;
}

/** Crashes of a delivery that were refused while others were accepted, for protocols that can say so. */
export interface RejectedCrashes {
  readonly count: number;
  /** For the sender; no text of the crashes. */
  readonly reason: string;
}

/** The crashes of one verified delivery. */
export interface ParsedDelivery {
  readonly crashes: readonly ParsedCrash[];
  /** Counts of other items, by kind. */
  readonly ignored: Readonly<Record<string, number>>;
  /** The id to return if there is no crash; `null` if none. */
  readonly event_id: string | null;
  /** The sender's id of this delivery, if any; a repeated id is the same delivery. */
  readonly delivery_id?: string;
  /** Absent: none. */
  readonly rejected?: RejectedCrashes;
}

/**
 * Receives one tracker's deliveries. `verify` reads only headers, query and raw bytes, compares in constant
 * time, rejects everything if the secret is empty, and never throws. `parse` is called only with verified bytes and rejects
 * what it cannot read with `malformed` and the field's path. Both are synchronous and perform no I/O.
 */
export interface Tracker {
  verify(delivery: RawDelivery): Verification;
  parse(delivery: RawDelivery): ParsedDelivery;
}
