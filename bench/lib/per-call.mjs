import { performance } from 'node:perf_hooks';

/** Microseconds per call: the minimum of many short samples, because other work on the machine only adds time. */
export function perCall(act, samples, warm = 3) {
  for (let index = 0; index < warm; index++) act();
  const started = performance.now();
  act();
  const calls = Math.max(1, Math.min(400, Math.round(1 / Math.max(0.001, performance.now() - started))));
  if (warm > 1) for (let index = 0; index < calls * 20; index++) act();
  let best = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < samples; sample++) {
    const from = performance.now();
    for (let call = 0; call < calls; call++) act();
    best = Math.min(best, ((performance.now() - from) * 1000) / calls);
  }
  return best;
}
