import { dirname } from 'node:path';
import type { Connector } from '@culprit/core';
import type { PersonErasure } from '@culprit/core/internal/ports/person-erasure';
import { coreBench, OTHER_TOKEN, TOKEN } from './core-bench.js';

/**
 * A core on the storage of its first argument, with six runs that name the second one, who is also an operator. It kills itself
 * (`kill -9`) at the moment of an erasure that the third one names. Prints its URL, its folder and the runs.
 */
const [url = '', person = '', moment = ''] = process.argv.slice(2);
const RUNS = 6;
const KILLED_AFTER = 4;
/** Of the values that were looked at. */
const VALUES = 3;

const dieAt = (now: string) => {
  if (now === moment) process.kill(process.pid, 'SIGKILL');
};

function dying(erasure: PersonErasure): PersonErasure {
  return {
    countRuns: () => erasure.countRuns(),
    async *walk(order, from) {
      const erasing = !order.dryRun;
      for await (const step of erasure.walk(order, from)) {
        if (step.part === 'runs' && step.looked === KILLED_AFTER) dieAt(erasing ? 'runs' : 'counting');
        if (erasing && step.part === 'values') dieAt(step.looked === 0 ? 'deliveries' : 'delivered');
        if (erasing && step.part === 'values' && step.looked === VALUES) dieAt('values');
        yield step;
      }
      if (erasing) dieAt('feed');
    },
    async compact() {
      dieAt('files');
      await erasure.compact();
      dieAt('compacted');
    },
  };
}

const connectors = (real: readonly Connector[]): readonly Connector[] =>
  real.map((connector) => ({
    ...connector,
    async setup(context) {
      const parts = await connector.setup(context);
      const { personErasure } = parts;
      return personErasure === undefined ? parts : { ...parts, personErasure: dying(personErasure) };
    },
  }));

const bench = await coreBench(
  {
    change: connectors,
    reviewers: [
      { name: 'ada', token: TOKEN },
      { name: person, token: OTHER_TOKEN },
    ],
    webhooks: { allowedHosts: ['127.0.0.1'], pausesMs: [60_000] },
  },
  url,
);
const ids: string[] = [];
for (let at = 0; at < RUNS; at++) ids.push(await bench.stage(`cart ${at} of ${person}`));
await bench.engine.ingest({
  crash: { event_id: 'released', message: 'cart', fingerprint: ['own-1'], release: `built-by-${person}` },
});
process.stdout.write(
  `${JSON.stringify({ core: bench.core.url, folder: dirname(bench.repository.directory), ids })}\n`,
);
