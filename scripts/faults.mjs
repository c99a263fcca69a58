// Injects faults into one area, named like its file in `faults`. With --json the last line is one JSON object.
import { randomInt } from 'node:crypto';
import { runArea } from './lib/areas.mjs';

const seed = process.env.CULPRIT_TEST_SEED ?? String(randomInt(2 ** 31));
process.env.CULPRIT_TEST_SEED = seed;
console.log(`seed ${seed}; the same random choices with: CULPRIT_TEST_SEED=${seed} npm run faults -- …`);
runArea('faults', '[--rounds N] [--json]');
