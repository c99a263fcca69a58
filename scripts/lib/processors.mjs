import { cpus } from 'node:os';

/** Measures what all processors do, for every program on the machine: the busy share, 0 to 1, since the call before or the start. */
export function busyProcessors() {
  let before = read();
  return () => {
    const now = read();
    const [busy, all] = [now.busy - before.busy, now.all - before.all];
    before = now;
    return all === 0 ? 1 : busy / all;
  };
}

function read() {
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) };
}
