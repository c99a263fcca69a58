// The program of the process that starts git for another one; `starter.ts` says why.
import { type ProcessEnd, type ProcessSpec, type StartedProcess, startProcess } from './process.js';

export type StarterOrder =
  | { readonly id: number; readonly spec: ProcessSpec }
  | { readonly id: number; readonly kill: true };
/** The first one, without an end, says that orders are taken. */
export type StarterAnswer = { readonly ready: true } | { readonly id: number; readonly end: ProcessEnd };

const running = new Map<number, StartedProcess>();
const answer = (message: StarterAnswer) => {
  if (process.connected) process.send?.(message);
};

process.on('message', (order: StarterOrder) => {
  if ('kill' in order) {
    running.get(order.id)?.kill();
    running.delete(order.id);
    return;
  }
  const started = startProcess(order.spec);
  running.set(order.id, started);
  void started.ended.then((end) => {
    if (running.delete(order.id)) answer({ id: order.id, end });
  });
});
// A signal to the whole group is for the one that it serves; it ends with that one, however that one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => {
  for (const started of running.values()) started.kill();
  process.exit(0);
});
answer({ ready: true });
