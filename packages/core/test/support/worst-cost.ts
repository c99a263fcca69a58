import { readFileSync } from 'node:fs';
import { draftWith, type Receiver, receiveWith } from '../../../../bench/lib/receive.mjs';
import { searchWorst, type WorstBody } from '../../../../bench/lib/worst-bodies.mjs';
import type { JsonObject } from '../../src/domain/json.js';
import { checkCrashObject } from '../../src/pipeline/crash-object/check-crash-object.js';
import { fitShape } from '../../src/pipeline/crash-object/fit-shape.js';
import { composeDraft } from '../../src/pipeline/draft/compose-draft.js';
import { fingerprintsOf } from '../../src/pipeline/fingerprint/fingerprints-of.js';
import { crashException } from '../../src/pipeline/locate/crash-exception.js';
import { boundEvent, EVENT_BYTES } from '../../src/pipeline/normalise/bound-event.js';
import { normalise } from '../../src/pipeline/normalise/normalise.js';
import { titleOf } from '../../src/pipeline/normalise/title-of.js';
import { sanitiseJson } from '../../src/pipeline/sanitise/sanitise.js';
import { countSteps } from './steps.js';

const sources: Receiver = {
  boundEvent,
  checkCrashObject,
  composeDraft,
  crashException,
  EVENT_BYTES,
  fingerprintsOf,
  fitShape,
  normalise,
  sanitiseJson,
  titleOf,
};

/** An ordinary crash of about `size` characters: what an SDK sends, with its own secrets, over and over. */
export function ordinaryCrash(size: number): JsonObject {
  const path = new URL('../../test/fixtures/ingest/ev-laravel.json', import.meta.url);
  const one = readFileSync(path, 'utf8');
  const parts = Array.from({ length: Math.ceil(size / one.length) }, (_, index) => [
    `part${index}`,
    JSON.parse(one),
  ]);
  return { ...JSON.parse(one), extra: Object.fromEntries(parts) };
}

/** What parsing and scanning a character costs, as measured by `npm run bench -- ingest --worst`. Neither can be made expensive. */
const PARSED = 10;

/** The event of a crash, as the host makes it. */
export const eventOf = (crash: JsonObject) => receiveWith(sources, crash).event;

/** Steps of a crash until its draft, for each of its characters: what patterns read, and the characters that stages make. */
export function stepsOfCharacter(crash: JsonObject): number {
  let made = 0;
  const read = countSteps(() => {
    const received = receiveWith(sources, crash);
    const draft = draftWith(sources, received);
    made = JSON.stringify([received.event, received.fingerprint.parts, draft.body]).length;
  });
  return PARSED + (read + made) / JSON.stringify(crash).length;
}

/** The costliest crash of a search, with how many times an ordinary one it costs. */
export function worstCrash(search: {
  readonly seed: number;
  readonly rounds: number;
  readonly size: number;
  readonly places: readonly string[];
}): {
  body: WorstBody;
  times: number;
} {
  const ordinary = stepsOfCharacter(ordinaryCrash(search.size));
  const [worst] = searchWorst({ ...search, costOf: stepsOfCharacter });
  if (worst === undefined) throw new Error('nothing was searched');
  return { body: worst.body, times: worst.cost / ordinary };
}
