import { randomUUID } from 'node:crypto';
import type { Logger, Values } from '@culprit/core';

const LEADER = 'webhook:leader';
/** Another process takes over this long after the last renewal. */
const LEASE_MS = 15_000;
const EVERY_MS = 3_000;

export interface Leadership {
  close(): Promise<void>;
}

/** Keeps exactly one of the processes on a shared storage working. `start` is called while this one leads. */
export function lead(
  values: Values,
  start: () => Promise<{ close(): Promise<void> }>,
  logger: Logger,
): Leadership {
  const me = randomUUID();
  let working: { close(): Promise<void> } | null = null;
  let closed = false;
  let renewed = 0;
  let timer: NodeJS.Timeout | null = null;

  const claim = async (): Promise<boolean> => {
    const owner = await values.change(
      LEADER,
      (text) => (text === undefined || text === me ? me : undefined),
      LEASE_MS,
    );
    return owner === me;
  };
  const stop = async () => {
    const ended = working;
    working = null;
    await ended?.close();
  };
  const step = async () => {
    const asked = performance.now();
    const mine = await claim();
    if (closed) return;
    if (mine) renewed = asked;
    if (mine && working === null) working = await start();
    if (!mine && working !== null) await stop();
  };
  let turn: Promise<void> = Promise.resolve();
  const next = () => {
    turn = step()
      .catch(async (err) => {
        if (closed) return;
        logger.warn({ err }, 'the lease of webhook deliveries could not be renewed');
        if (performance.now() - renewed > LEASE_MS) await stop().catch(() => {});
      })
      .finally(() => {
        if (!closed) timer = setTimeout(next, EVERY_MS).unref();
      });
  };
  next();
  return {
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await turn;
      const led = working !== null;
      await stop();
      // Another process need not wait for the lease to end.
      if (led) await values.change(LEADER, (text) => (text === me ? '' : undefined), 1).catch(() => {});
    },
  };
}
