/** Seed of all random input in `npm test`: the same tests every time. */
export const FIXED_SEED = 20_260_105;
