import { CLAIMED_DIFFS, CORE_STAGE_ONE, FEATURES } from '../../packages/core/dist/pipeline/rank/weights.js';
import { answer, foldModels } from './fit.mjs';
import { measuredCases } from './measured.mjs';

const BUDGETS = [12, 25, CLAIMED_DIFFS];
const NO_DIFFS_HAVE = FEATURES.filter((name) => CORE_STAGE_ONE[name] === undefined);

/**
 * Answers by the number of diffs read, out of sample: both the weights that choose the diffs and the weights that rank are
 * fitted without the case's organisation. `extra` and `none`: cases for the fit alone.
 */
export async function answersByBudget({ cache, names, cases, none, extra, share }) {
  const ranking = foldModels([...cases, ...none, ...extra], names);
  const blind = await measuredCases(cache, 0);
  const made = blind.made.map((one) => ({ ...one, share }));
  const choosing = foldModels([...blind.cases, ...made], names, NO_DIFFS_HAVE);
  const weightsOf = (organisation) => ({
    stageOne: weightsOfModel(choosing(organisation), names),
    stageTwo: weightsOfModel(ranking(organisation), names),
  });
  const found = new Map();
  for (const budget of BUDGETS) {
    const read = await measuredCases(cache, budget, weightsOf);
    found.set(
      budget,
      read.cases.map((one) => answer(one, ranking(one.organisation))),
    );
  }
  return found;
}

export function weightsOfModel({ weights, none, environment }, names) {
  const fitted = Object.fromEntries(names.map((name, index) => [name, weights[index]]));
  return { ...fitted, none, environment };
}
