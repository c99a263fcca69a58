// Preloaded into test programs that use fast-check: all their properties start from the seed of this run.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.CULPRIT_TEST_SEED) });
