import type { Engine } from '@culprit/core';
import { runId } from '../server/operation.js';
import { readOccurrenceQuery } from '../server/routes/occurrences.js';
import { readRunQuery } from '../server/routes/runs.js';
import type { RunReads } from './reads.js';

/** Reads of this process's engine, with the same limits as the API. */
export function engineReads(engine: Engine): RunReads {
  const known = (params: { readonly run_id: string }) => runId({ params });
  return {
    listRuns: async (query = {}) => engine.runs(readRunQuery(texts({ ...query }))),
    getRun: async (input) => engine.run(known(input)),
    getStack: async (input) => engine.stack(known(input)),
    async listOccurrences({ run_id, ...query }) {
      const page = await engine.occurrences(known({ run_id }), readOccurrenceQuery(texts(query)));
      return { ...page, next: page.next === null ? null : String(page.next) };
    },
    getOccurrence: async (input) => engine.occurrence(known(input), input.number),
    getEvidence: async (input) => engine.evidence(known(input)),
    getBrief: async (input) => engine.brief(known(input)),
    scrub: (dirty) => engine.sanitiser.text(dirty).value,
  };
}

/** The members of a query as they stand in an address. */
function texts(query: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
