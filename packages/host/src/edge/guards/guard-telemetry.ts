import { OUTCOMES, type Outcome } from '@culprit/core/internal/domain/outcome';
import { about, type Doc, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { DRIVER_NAMES } from '../../http/driver.js';
import { EDGE_LIMITS, type EdgeLimits } from '../limits.js';
import { HTTP_DOORS } from './guards.js';

const doors = v.picklist(HTTP_DOORS);
const settings = v.picklist(Object.keys(EDGE_LIMITS) as (keyof EdgeLimits)[]);
const outcomes = v.record(v.picklist(Object.keys(OUTCOMES) as Outcome[]), v.number());

const limitSchema = v.object({
  name: v.string(),
  door: v.nullable(doors),
  unit: v.picklist(['bytes', 'per_second', 'burst', 'requests', 'ms', 'deliveries', 'levels', 'members']),
  value: v.number(),
  setting: about(v.nullable(settings), 'Name of the setting, if an operator may change it.'),
  configured: about(v.number(), 'Before changes by an operator.'),
  allowed: v.number(),
  refused: v.number(),
  active_keys: about(v.nullable(v.number()), '`null` if the guard has no keys.'),
  largest: about(v.number(), 'Peak, in `unit`.'),
});
/** One guard: its value and its counters since the edge started. */
export interface LimitTelemetry extends Doc<typeof limitSchema> {}

/** Response of the edge's `GET /api/v1/guard`. */
export const guardTelemetrySchema = named(
  'GuardTelemetry',
  'The limits of an edge with their counters, and its spool.',
  v.object({
    edge: v.string(),
    at: v.string(),
    started_at: v.string(),
    http_driver: about(
      v.nullable(v.picklist(DRIVER_NAMES)),
      'What serves HTTP: uWebSockets.js or node:http.',
    ),
    limits: v.array(limitSchema),
    spool: v.object({
      depth: v.number(),
      bytes: v.number(),
      disk_bytes: v.number(),
      largest_depth: v.number(),
      largest_bytes: v.number(),
      last_sequence: v.number(),
      acknowledged: v.number(),
      quarantined: v.number(),
      torn_tails: v.number(),
      fault: about(v.nullable(v.string()), 'The last disk error; null while the disk works.'),
      oldest_age_ms: v.nullable(v.number()),
    }),
    forwarder: v.object({
      state: v.picklist(['idle', 'sending', 'waiting', 'unauthorised']),
      sent: v.number(),
      failures: v.number(),
      last_error: v.nullable(v.string()),
      watermark: v.nullable(v.number()),
      oldest_at: v.nullable(v.string()),
      circuit: v.picklist(['closed', 'open']),
    }),
    dead_letters: v.number(),
    crashes: v.number(),
    outcomes: about(v.object({ webhook: outcomes, native: outcomes, sdk: outcomes }), 'By door.'),
    dropped: about(v.record(v.string(), v.number()), 'Ignored parts of deliveries, by kind.'),
  }),
);
/** The response of `GET /api/v1/guard`; also reported to core with each batch. */
export type GuardTelemetry = Doc<typeof guardTelemetrySchema>;
