import { readFileSync } from 'node:fs';
import { searchWorst, type WorstBody } from '../../../../bench/lib/worst-bodies.mjs';
import type { JsonObject } from '../../src/domain/json.js';
import { fingerprintEvent } from '../../src/pipeline/fingerprint/index.js';
import { normalise } from '../../src/pipeline/normalise/index.js';
import { sanitiseJson } from '../../src/pipeline/sanitise/index.js';
import { countSteps } from './steps.js';

/** Everything that a host does with a crash before a reviewer sees it. */
export function receive(crash: JsonObject): void {
  const { value } = sanitiseJson(crash);
  const event = normalise({
    sequence: 1,
    event_id: 'e',
    project: 'default',
    door: 'sdk',
    tracker: 'sentry',
    raw_sha256: '',
    received_at: '2026-11-21T10:00:00.000Z',
    headers: {},
    attachments: [],
    redactions: 0,
    crash: value,
  });
  fingerprintEvent(event);
}

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

export const stepsOfCharacter = (crash: JsonObject): number =>
  PARSED + countSteps(() => receive(crash)) / JSON.stringify(crash).length;

/** The costliest crash of a search, with how many times an ordinary one it costs. */
export function worstCrash(search: { seed: number; rounds: number; size: number }): {
  body: WorstBody;
  times: number;
} {
  const ordinary = stepsOfCharacter(ordinaryCrash(search.size));
  const [worst] = searchWorst({ ...search, costOf: stepsOfCharacter });
  if (worst === undefined) throw new Error('nothing was searched');
  return { body: worst.body, times: worst.cost / ordinary };
}
