import type { IdGenerator } from '../ports/id-generator.js';

/** Ids that are the same in every test run: `run_` and 26 digits, `eventId` 32 digits, counted from 1. */
export function sequentialIds(): IdGenerator {
  let runs = 0;
  let events = 0;
  return {
    runId: () => `run_${String(++runs).padStart(26, '0')}`,
    eventId: () => String(++events).padStart(32, '0'),
  };
}
