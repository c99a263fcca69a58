// Main file of the process that starts git on behalf of another process; see `starter.ts`.
import { createProcesses, type ProcessEnd, type ProcessSpec, type StartedProcess } from './process.js';

export type StarterOrder =
  | { readonly id: number; readonly spec: ProcessSpec }
  | { readonly id: number; readonly kill: true };
/** The first message has no end: it says that the process accepts commands. */
export type StarterAnswer = { readonly ready: true } | { readonly id: number; readonly end: ProcessEnd };

const processes = createProcesses();
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
  const started = processes.start(order.spec);
  running.set(order.id, started);
  void started.ended.then((end) => {
    if (running.delete(order.id)) answer({ id: order.id, end });
  });
});
// A signal to the process group is meant for the parent; this process ends with the parent, however that ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => {
  for (const started of running.values()) started.kill();
  processes.close();
  process.exit(0);
});
answer({ ready: true });
