// Records the examples of core's API description: what a real core answers, shortened. Run it after a build with tests, when answers change.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_EXAMPLES } from './lib/generate-sources.mjs';
import { root } from './lib/root.mjs';

const { coreBench } = await import('../packages/host/dist-test/support/core-bench.js');
const { walkApi } = await import('../packages/host/dist-test/support/api-walk.js');
const { withModel } = await import('../packages/host/dist-test/support/speaking-model.js');
const { operationsOf } = await import('../packages/host/dist-test/support/openapi-kit.js');
const LONGEST = 160;
/** Where an answer has the schema of this name. The others are sampled from their schemas. */
const RECORDED = {
  Run: ['getRun', (answer) => answer],
  RunSummary: ['listRuns', (answer) => answer.runs[0]],
  Event: ['getOccurrence', (answer) => answer.event],
  Draft: ['getDraft', (answer) => answer],
  HistoryEntry: ['getHistory', (answer) => answer.entries[0]],
  Evidence: ['getEvidence', (answer) => answer],
};

const bench = await coreBench({ change: withModel });
try {
  const document = (await bench.api({ path: '/openapi.json' })).json;
  const seen = await walkApi(bench, operationsOf(document));
  const examples = Object.entries(RECORDED).map(([schema, [operation, pick]]) => {
    const { answer } = seen.find(({ id }) => id === operation);
    if (answer.status >= 300) throw new Error(`${operation}: ${answer.status} ${answer.text}`);
    return [schema, shortened(pick(answer.json))];
  });
  const text = JSON.stringify(Object.fromEntries(examples), null, 2)
    .replaceAll(bench.core.url, 'https://culprit.example')
    .replaceAll(bench.repository.directory, '/srv/shop');
  writeFileSync(join(root, API_EXAMPLES), `${text}\n`);
} finally {
  await bench.close();
}

/** Lists with one entry, and texts in one line: an example shows the shape. */
function shortened(value) {
  if (typeof value === 'string') return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
}
