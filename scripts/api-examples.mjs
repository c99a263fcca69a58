// Writes the examples of core's API description: what a real core answers, shortened. Run it after a build with tests, when answers change.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/root.mjs';

const { coreBench } = await import('../packages/host/dist-test/support/core-bench.js');
const { walkApi } = await import('../packages/host/dist-test/support/api-walk.js');
const { withModel } = await import('../packages/host/dist-test/support/speaking-model.js');
const { operationsOf } = await import('../packages/host/dist-test/support/openapi-kit.js');
const FILE = 'packages/host/src/core/openapi-examples.ts';
const LONGEST = 160;

const bench = await coreBench({ change: withModel });
try {
  const document = (await bench.api({ path: '/openapi.json' })).json;
  const examples = {};
  for (const { id, body, answer } of await walkApi(bench, operationsOf(document))) {
    if (answer.status >= 300) throw new Error(`${id}: ${answer.status} ${answer.text}`);
    if (id === 'makeToken') answer.json.token = `${answer.json.token.slice(0, 8)}…`;
    examples[id] ??= {
      ...(body === undefined ? {} : { body }),
      status: answer.status,
      answer: shortened(answer.json ?? answer.text),
    };
  }
  const text = JSON.stringify(Object.fromEntries(Object.entries(examples).sort()), null, 1)
    .replaceAll(bench.core.url, 'https://culprit.example')
    .replaceAll(bench.repository.directory, '/srv/shop');
  writeFileSync(
    join(root, FILE),
    `// Over 300 lines: recorded from a real core by scripts/api-examples.mjs. Record it again, do not edit it.

/** What a program sent to an operation, and what core answered. */
export interface Example {
  readonly body?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** By \`operationId\`. */
export const EXAMPLES: Readonly<Record<string, Example>> = ${text};
`,
  );
  console.log(`${FILE}: ${Object.keys(examples).length} operations`);
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
