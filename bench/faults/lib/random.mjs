// Random numbers for kill moments and other choices of tests and fault runs, from one seed, so that a failure can be repeated.

/** The seed of this run. `npm test` sets it, `npm run test:full` and `npm run faults` choose one and print it. */
export const seed = Number(process.env.CULPRIT_TEST_SEED ?? 1);

/** Whether `npm run test:full` runs: some properties then try more than in `npm test`. */
export const isFull = process.env.CULPRIT_TEST_FULL === '1';

/** Mulberry32: equal seeds give equal sequences of numbers from 0 (inclusive) to 1 (exclusive). */
export function randomOf(from) {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** From 0 (inclusive) to 1 (exclusive), in the order of this process's calls. */
export const random = randomOf(seed);

/** A whole number from `from` (inclusive) to `to` (exclusive). */
export const randomBetween = (from, to) => from + Math.floor(random() * (to - from));
