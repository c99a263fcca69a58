import { dirname } from 'node:path';
import type { Connector, PersonErasure } from '@culprit/core';
import { coreBench } from './core-bench.js';

/**
 * A core on the storage of its first argument, with six runs that name the second one. It kills itself (`kill -9`) in the middle of an
 * erasure, after four runs. Prints its URL, its folder and the runs.
 */
const [url = '', person = ''] = process.argv.slice(2);
const RUNS = 6;
const KILLED_AFTER = 4;

function dying(erasure: PersonErasure): PersonErasure {
  return {
    countRuns: () => erasure.countRuns(),
    values: (order) => erasure.values(order),
    compact: () => erasure.compact(),
    async *runs(order) {
      for await (const step of erasure.runs(order)) {
        if (!order.dryRun && step.looked === KILLED_AFTER) process.kill(process.pid, 'SIGKILL');
        yield step;
      }
    },
  };
}

const change = (real: readonly Connector[]): readonly Connector[] =>
  real.map((connector) => ({
    ...connector,
    async setup(context) {
      const parts = await connector.setup(context);
      const { personErasure } = parts;
      return personErasure === undefined ? parts : { ...parts, personErasure: dying(personErasure) };
    },
  }));

const bench = await coreBench({ change }, url);
const ids: string[] = [];
for (let at = 0; at < RUNS; at++) ids.push(await bench.stage(`cart ${at} of ${person}`));
process.stdout.write(
  `${JSON.stringify({ core: bench.core.url, folder: dirname(bench.repository.directory), ids })}\n`,
);
