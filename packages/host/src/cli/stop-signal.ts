/** Resolves once the process is asked to end: SIGTERM, SIGINT, or the supervisor is gone. A second SIGINT ends at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // A listener of the channel to the supervisor would keep the process alive.
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
