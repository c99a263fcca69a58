import { ownEnvironment } from '../config/child-env.js';
import { EXIT } from './exit-codes.js';

/** Resolves when the process must stop: SIGTERM, SIGINT, or the supervisor has exited. A second Ctrl-C exits at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // A listener on the supervisor's channel would keep the process alive.
      process.off('disconnect', stop);
      resolve();
    };
    // Kept, since servers get SIGTERM twice: from systemd, which sends it to all processes, and from their supervisor.
    process.on('SIGTERM', stop);
    onInterrupt(stop);
    if (process.connected) process.once('disconnect', stop);
  });
}

let interrupted = false;

/** True after Ctrl-C. */
export const wasInterrupted = () => interrupted;

/** Calls `stop` at Ctrl-C. A second one exits at once. Returns a function that ends this. */
export function onInterrupt(stop: () => void): () => void {
  // The terminal sends SIGINT to all its processes; npm and npx send it to their child once more.
  const signalsToExit = ownEnvironment().npm_command === undefined ? 2 : 3;
  let signals = 0;
  const interrupt = () => {
    signals += 1;
    interrupted = true;
    if (signals === 1) stop();
    if (signals === signalsToExit) process.exit(EXIT.interrupted);
  };
  process.on('SIGINT', interrupt);
  return () => process.off('SIGINT', interrupt);
}
