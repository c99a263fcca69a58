import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { recordedDeliverySchema } from '../server/schema/delivery-batch.js';

const object = v.looseObject({});

/** What a replay needs of evidence, also of older versions. The file may come from anybody. */
const evidenceShape = v.looseObject({
  run_id: v.pipe(v.string(), v.regex(/^[\w.:-]{1,128}$/, 'must be the id of a run')),
  project: v.string(),
  generation: v.number(),
  cycle: v.number(),
  analyzed_at: v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time in UTC')),
  versions: v.record(v.string(), v.string()),
  config: object,
  incident: v.looseObject({ title: v.string(), fingerprint: v.looseObject({ version: v.string() }) }),
  event: v.looseObject({
    event_id: v.string(),
    exceptions: v.array(v.looseObject({ frames: v.array(object) })),
  }),
  calls: v.array(
    v.looseObject({
      port: v.string(),
      method: v.string(),
      error: v.nullable(v.looseObject({ code: v.string(), detail: v.string() })),
    }),
  ),
  draft: v.looseObject({ digest: v.string() }),
});

const SHAPES = { evidence: evidenceShape, delivery: recordedDeliverySchema };

/** @throws `malformed` with the member that is wrong */
export function checkDocument(kind: keyof typeof SHAPES, document: unknown, where: string): void {
  const { issues: [issue] = [] } = v.safeParse(SHAPES[kind], document);
  if (issue === undefined) return;
  const path = v.getDotPath<(typeof SHAPES)[typeof kind]>(issue as never) ?? '';
  throw new CulpritError('malformed', `${where} is not a recorded ${kind}: "${path}" ${issue.message}.`);
}

/** Levels of nested values. An event has at most 64. */
const MOST_LEVELS = 200;

/** @throws `malformed` if values are nested so deeply that reading them could end the process */
export function checkDepth(document: unknown, where: string): void {
  let level: readonly unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS)
      throw new CulpritError('malformed', `${where} is nested more than ${MOST_LEVELS} levels deep.`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
}
