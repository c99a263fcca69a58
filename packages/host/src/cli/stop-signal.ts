/** Resolves when the process must stop: SIGTERM, SIGINT, or the supervisor has exited. A second SIGINT exits at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // A listener on the supervisor's channel would keep the process alive.
      process.off('disconnect', stop);
      resolve();
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', () => {
      process.once('SIGINT', () => process.exit(130));
      stop();
    });
    if (process.connected) process.once('disconnect', stop);
  });
}
