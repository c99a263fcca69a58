import { SHAPE_LIMITS } from '@culprit/core';
import { SPOOL_LIMITS } from './spool/spool.js';

const MIB = 1024 * 1024;
/** What a body's ceiling may be raised to; core takes batches of 32 MiB. */
const LARGEST_BODY_BYTES = 24 * MIB;

/** What a limit may be raised to: beyond it core would not take what the edge took. */
export function highest(name: string): number {
  if (name === 'jsonDepth') return SHAPE_LIMITS.depth;
  if (name === 'jsonWidth') return SHAPE_LIMITS.width;
  return name.endsWith('Bytes') && !name.startsWith('spool') ? LARGEST_BODY_BYTES : Number.MAX_SAFE_INTEGER;
}

/** Every guard of the edge. Read anew for each request, so an operator may change them while it runs. */
export interface EdgeLimits {
  /** Bytes as sent, by door. */
  webhookBodyBytes: number;
  nativeBodyBytes: number;
  sdkBodyBytes: number;
  /** Bytes after content decoding, by door. */
  webhookDecodedBytes: number;
  nativeDecodedBytes: number;
  sdkDecodedBytes: number;
  /** Bytes of one event in an SDK's body, after content decoding. */
  eventItemBytes: number;
  /** Levels of nesting in a crash, and members or items in one container of it. */
  jsonDepth: number;
  jsonWidth: number;
  /** Deliveries a second for each key, and how many may come at once. */
  keyRate: number;
  keyBurst: number;
  /** The same for each client address; loopback is not counted. */
  addressRate: number;
  addressBurst: number;
  concurrentRequests: number;
  /** A whole request must arrive within this. */
  requestMs: number;
  /** How long a webhook's delivery id is remembered; the same id again is answered as a success and not kept. */
  replayMs: number;
  spoolBytes: number;
  spoolDeliveries: number;
}

/** The contract's table. */
export const EDGE_LIMITS: Readonly<EdgeLimits> = {
  webhookBodyBytes: MIB,
  nativeBodyBytes: MIB,
  sdkBodyBytes: 5 * MIB,
  webhookDecodedBytes: MIB,
  nativeDecodedBytes: MIB,
  sdkDecodedBytes: 20 * MIB,
  eventItemBytes: MIB,
  jsonDepth: SHAPE_LIMITS.depth,
  jsonWidth: SHAPE_LIMITS.width,
  keyRate: 1_000,
  keyBurst: 5_000,
  addressRate: 200,
  addressBurst: 1_000,
  concurrentRequests: 512,
  requestMs: 10_000,
  replayMs: 600_000,
  spoolBytes: SPOOL_LIMITS.bytes,
  spoolDeliveries: SPOOL_LIMITS.deliveries,
};
