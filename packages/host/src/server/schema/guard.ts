import { OUTCOMES, type Outcome } from '@culprit/core/internal/domain/outcome';
import { named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { HTTP_DOORS } from '../../edge/guards/guards.js';
import type { GuardTelemetry } from '../../edge/guards/telemetry.js';
import { EDGE_LIMITS, type EdgeLimits } from '../../edge/limits.js';
import { DRIVER_NAMES } from '../../http/driver.js';

const doors = v.picklist(HTTP_DOORS);
const settings = v.picklist(Object.keys(EDGE_LIMITS) as (keyof EdgeLimits)[]);
const outcomes = v.record(v.picklist(Object.keys(OUTCOMES) as Outcome[]), v.number());

/** Response of the edge's `GET /api/v1/guard`. */
export const guardTelemetrySchema = named(
  'GuardTelemetry',
  'The limits of an edge with their counters, and its spool.',
  v.object({
    edge: v.string(),
    at: v.string(),
    started_at: v.string(),
    http_driver: v.pipe(
      v.nullable(v.picklist(DRIVER_NAMES)),
      v.description('What serves HTTP: uWebSockets.js or node:http.'),
    ),
    limits: v.array(
      v.object({
        name: v.string(),
        door: v.nullable(doors),
        unit: v.picklist([
          'bytes',
          'per_second',
          'burst',
          'requests',
          'ms',
          'deliveries',
          'levels',
          'members',
        ]),
        value: v.number(),
        setting: v.pipe(
          v.nullable(settings),
          v.description('Name of the setting, if an operator may change it.'),
        ),
        configured: v.number(),
        allowed: v.number(),
        refused: v.number(),
        active_keys: v.nullable(v.number()),
        largest: v.pipe(v.number(), v.description('Peak, in `unit`.')),
      }),
    ),
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
      fault: v.pipe(v.nullable(v.string()), v.description('The last disk error; null while the disk works.')),
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
    outcomes: v.pipe(
      v.object({ webhook: outcomes, native: outcomes, sdk: outcomes }),
      v.description('By door.'),
    ),
    dropped: v.record(v.string(), v.number()),
  }),
) satisfies v.GenericSchema<unknown, GuardTelemetry>;
