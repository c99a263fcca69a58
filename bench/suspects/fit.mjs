// Prints the weights fitted on all core cases, to be copied to packages/core/src/pipeline/rank/weights.ts.
import { CORE_STAGE_ONE, CORE_STAGE_TWO } from '../../packages/core/dist/pipeline/rank/weights.js';
import { CASES, readCases } from './cases.mjs';
import { fitWeights } from './model.mjs';

const cases = readCases();
if (cases === null) {
  console.error(
    `There are no cases at ${CASES}. Set CULPRIT_SHARED to the folder that holds bench/suspects.`,
  );
  process.exit(2);
}
const core = cases.filter(({ tier }) => tier === 'core');
const fitted = fitWeights(core, { stageOne: CORE_STAGE_ONE, stageTwo: CORE_STAGE_TWO });
for (const [name, weights] of Object.entries(fitted)) {
  console.log(`${name}: {`);
  for (const [feature, weight] of Object.entries(weights)) console.log(`  ${feature}: ${weight.toFixed(3)},`);
  console.log('}');
}
