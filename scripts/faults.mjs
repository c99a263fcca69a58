// Injects faults into one area, named like its file in `bench/faults`. With --json the last line is one JSON object.
import { randomInt } from 'node:crypto';
import { runArea } from './lib/areas.mjs';

if (process.argv.length > 2) {
  process.env.CULPRIT_TEST_SEED ??= String(randomInt(2 ** 31));
  console.log(
    `seed ${process.env.CULPRIT_TEST_SEED}; repeat it with the environment variable CULPRIT_TEST_SEED`,
  );
}
runArea('bench/faults', '[--rounds N] [--json]');
