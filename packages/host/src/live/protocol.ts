import * as v from 'valibot';
import { jsonObjectSchema } from '../core/schema/event.js';
import { runSummarySchema } from '../core/schema/run.js';
import { LIVE_VERSION } from './messages.js';

const guardSchema = v.pipe(
  v.array(v.object({ edge: v.string(), received_at: v.string(), figures: jsonObjectSchema })),
  v.description('The latest guard figures of every edge heard of.'),
);
const sequence = v.pipe(v.number(), v.safeInteger());

/** On connect, and whenever the numbers cannot be continued: forget what was known. */
export const snapshotSchema = v.object({
  type: v.literal('snapshot'),
  version: v.pipe(v.literal(LIVE_VERSION), v.description('Of these messages.')),
  epoch: v.pipe(v.string(), v.description('Changes when numbering starts anew: a new or restored store.')),
  sequence: v.pipe(sequence, v.description('Of the last change that is in it.')),
  runs: v.pipe(v.array(runSummarySchema), v.description('Open runs, latest activity first.')),
  more: v.pipe(
    v.boolean(),
    v.description('`true`: there are more open runs than were sent; page through `GET /api/v1/runs`.'),
  ),
  guard: guardSchema,
  reset: v.pipe(v.boolean(), v.description('`true`: a `since` was given and could not be resumed.')),
});
/** One change of one run; its number is the last one's plus one. */
export const runDeltaSchema = v.object({
  type: v.literal('run'),
  sequence: v.pipe(sequence, v.description('The last one plus one.')),
  run: v.pipe(
    runSummarySchema,
    v.description('The run as it is after the change; also one that was closed.'),
  ),
});
/** Guard figures of every edge heard of. Not numbered: only the latest counts. */
export const guardMessageSchema = v.object({ type: v.literal('guard'), guard: guardSchema });

export const liveMessageSchema = v.variant('type', [snapshotSchema, runDeltaSchema, guardMessageSchema]);

/** `epoch.sequence` of `?since=`; `null` where it is not one. */
export function parseSince(text: string): { readonly epoch: string; readonly sequence: number } | null {
  const match = /^([A-Za-z0-9_:-]{1,100})\.(\d{1,15})$/.exec(text);
  return match?.[1] === undefined ? null : { epoch: match[1], sequence: Number(match[2]) };
}
