import { measure, poolOf, rankCandidates } from '../../packages/core/dist/pipeline/rank/rank-candidates.js';
import { FIT } from '../../packages/core/dist/pipeline/rank/weights.js';
import { withDiffs } from './cases.mjs';
import { fitLogit } from './logit.mjs';

/** The commits whose diffs are read at a budget: the likeliest by stage one. */
export function chosenDiffs(one, budget, weights) {
  const most = one.input.native ? Math.min(budget, 10) : budget;
  const order = most === 0 ? [] : rankCandidates(one.input, weights);
  return order
    .map(({ sha }) => sha)
    .filter((sha) => one.facts.has(sha))
    .slice(0, most);
}

/** The product's answer to a case, likeliest first. */
export function answer(one, budget, weights) {
  return rankCandidates(withDiffs(one, chosenDiffs(one, budget, weights)), weights);
}

/** Fits both stages on the given cases, as the product would use them. */
export function fitWeights(cases, shipped, budget = FIT.diffs) {
  const stageOne = fitStage(
    FIT.stageOne,
    cases,
    ({ input }) => measure(input, poolOf(input, shipped.stageOne)),
    shipped.stageOne,
  );
  const first = { stageOne, stageTwo: shipped.stageTwo };
  const stageTwo = fitStage(
    FIT.stageTwo,
    cases,
    (one) => measure(withDiffs(one, chosenDiffs(one, budget, first)), poolOf(one.input, stageOne)),
    shipped.stageTwo,
  );
  return { stageOne, stageTwo };
}

function fitStage(names, cases, measured, shipped) {
  const groups = cases.map((one) => {
    const pool = measured(one);
    return {
      rows: pool.map(({ features }) => names.map((name) => features[name])),
      hits: pool.map(({ traces }) => one.culprits.has(traces.sha)),
    };
  });
  const { weights, none } = fitLogit(groups, FIT.ridge);
  const fitted = Object.fromEntries(names.map((name, index) => [name, weights[index]]));
  return { ...shipped, ...fitted, none };
}

/** Every case answered with weights that no case of its organisation had a part in. */
export function leaveOneOrganisationOut(cases, shipped) {
  const folds = new Map();
  for (const org of [...new Set(cases.map((one) => one.org))].sort()) {
    folds.set(
      org,
      fitWeights(
        cases.filter((one) => one.org !== org),
        shipped,
      ),
    );
  }
  return folds;
}
