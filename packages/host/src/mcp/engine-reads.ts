import { type Engine, isCulpritError } from '@culprit/core';
import { runId } from '../server/operation.js';
import { readOccurrenceQuery } from '../server/routes/occurrences.js';
import { readRunQuery } from '../server/routes/runs.js';
import type { RunReads } from './reads.js';

/** Reads of this process's engine, with the same limits as the API. */
export function engineReads(engine: Engine): RunReads {
  const known = (id: string) => runId({ params: { run_id: id } });
  return {
    runs: async (query) => engine.runs(readRunQuery(texts({ ...query }))),
    run: async (id) => engine.run(known(id)),
    stack: async (id) =>
      engine.stack(known(id)).catch((error: unknown) => {
        if (isCulpritError(error, 'not_found')) return null;
        throw error;
      }),
    async occurrences(id, query = {}) {
      const page = await engine.occurrences(known(id), readOccurrenceQuery(texts({ ...query })));
      return { ...page, next: page.next === null ? null : String(page.next) };
    },
    occurrence: async (id, number) => engine.occurrence(known(id), number),
    evidence: async (id) => engine.evidence(known(id)),
    brief: async (id) => engine.brief(known(id)),
    scrub: (dirty) => engine.sanitiser.text(dirty).value,
  };
}

/** The members of a query as they stand in an address. */
function texts(query: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
