import { CORE_STAGE_ONE, CORE_STAGE_TWO, FIT } from '../../packages/core/dist/pipeline/rank/weights.js';
import { BASELINES } from './baselines.mjs';
import { placeOf } from './measure.mjs';
import { answer, leaveOneOrganisationOut } from './model.mjs';
import { summarise } from './summary.mjs';

/** Twelve is what the GitHub connector allows. */
export const BUDGETS = [0, 1, 10, 12, 25, FIT.diffs];

/**
 * The shared cases: core by weights that no case of the same organisation had a part in, native by the rule.
 * `quick`: every third case of each tier, for a smoke test; its figures say nothing.
 */
export function benchShared(all, { quick }) {
  const cases = quick ? all.filter((_, index) => index % 3 === 0) : all;
  const shipped = { stageOne: CORE_STAGE_ONE, stageTwo: CORE_STAGE_TWO };
  const core = cases.filter(({ tier }) => tier === 'core');
  const native = cases.filter(({ tier }) => tier === 'native');
  const folds = leaveOneOrganisationOut(core, shipped);
  const weightsOf = (one) => folds.get(one.org) ?? shipped;
  return {
    core: { ...benchTier(core, weightsOf), leave_out: 'organisation' },
    native: { ...benchTier(native, () => shipped), leave_out: null },
  };
}

function benchTier(cases, weightsOf) {
  const at = (budget) =>
    cases.map((one) => {
      const ranked = answer(one, budget, weightsOf(one));
      const place = placeOf(
        ranked.map(({ sha }) => sha),
        one.culprits,
      );
      return { language: one.language, place, p: ranked[0]?.probability ?? 0, right: place === 1 };
    });
  const budgets = new Map(BUDGETS.map((budget) => [budget, at(budget)]));
  const baselines = Object.fromEntries(
    Object.entries(BASELINES).map(([name, order]) => [
      name,
      cases.map((one) => placeOf(order(one.input), one.culprits)),
    ]),
  );
  return summarise(budgets.get(FIT.diffs), {
    baselines,
    budgets,
    claimed: FIT.diffs,
    native: cases[0]?.tier === 'native',
  });
}
