import { LIVE_VERSION } from '@culprit/client/live';
import { jsonObjectSchema } from '@culprit/core/internal/domain/json';
import { runSummarySchema } from '@culprit/core/internal/domain/run';
import { errorSchema } from '@culprit/core/internal/domain/run-error';
import { about, named } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const guardSchema = about(
  v.array(v.object({ edge: v.string(), received_at: v.string(), figures: jsonObjectSchema })),
  'The latest guard figures of every known edge.',
);
const sequence = v.pipe(v.number(), v.safeInteger());

/** Sent on connect and when the sequence cannot continue. Replaces everything received before. */
const snapshotSchema = v.object({
  type: v.literal('snapshot'),
  version: about(v.literal(LIVE_VERSION), 'Version of these messages.'),
  epoch: about(v.string(), 'Changes when the sequence restarts, with a new or restored store.'),
  sequence: about(sequence, 'Sequence number of the last change included.'),
  runs: about(v.array(runSummarySchema), 'Open runs, latest activity first.'),
  more: about(v.boolean(), '`true` if there are more open runs; page through `GET /api/v1/runs`.'),
  guard: guardSchema,
  reset: about(v.boolean(), '`true` if core could not resume after `since`.'),
});
/** One change of one run. */
const runDeltaSchema = v.object({
  type: v.literal('run'),
  sequence: about(sequence, 'The previous sequence number plus one.'),
  run: runSummarySchema,
});
/** Guard figures of every known edge. Not numbered; each message replaces the previous one. */
const guardMessageSchema = v.object({ type: v.literal('guard'), guard: guardSchema });

/** Sent every five seconds, so that a reader can distinguish a quiet feed from a dead connection. */
const beatSchema = v.object({ type: v.literal('beat') });

/** The finished steps of a running analysis. Not numbered; each message replaces the previous one of its run. */
export const progressSchema = v.object({
  type: v.literal('progress'),
  run_id: about(v.string(), 'A run that this core analyses now.'),
  steps: about(
    v.array(v.object({ name: v.string(), ms: v.number(), detail: jsonObjectSchema, error: errorSchema })),
    'First step first: `tree`, `locate`, `blame`, `rank`, `read` if a model reads the suspects, `owners` if the code host knows code owners, `explain`, `compose`.',
  ),
});

export const liveMessageSchema = named(
  'LiveMessage',
  'A message of the live feed.',
  v.variant('type', [snapshotSchema, runDeltaSchema, guardMessageSchema, progressSchema, beatSchema]),
);

/** Parses `epoch.sequence`, the value of `?since=`; `null` if it is invalid. */
export function parseSince(text: string): { readonly epoch: string; readonly sequence: number } | null {
  const match = /^([A-Za-z0-9_:-]{1,100})\.(\d{1,15})$/.exec(text);
  return match?.[1] === undefined ? null : { epoch: match[1], sequence: Number(match[2]) };
}
