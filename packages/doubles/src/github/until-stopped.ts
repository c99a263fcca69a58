/**
 * Prints `ready` and these values as one JSON line. When the process is stopped, closes the double and exits, with status 1
 * and what it found if there were bugs or violations.
 */
export function serveUntilStopped(
  double: { close(): Promise<void> },
  values: Readonly<Record<string, unknown>>,
): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...values })}\n`);
  const stop = () =>
    void double.close().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`);
        process.exit(1);
      },
    );
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
}
