import type { Logger } from '@culprit/core';
import type { Values } from '@culprit/core/internal/ports/values';
import { storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';

/** How often a core looks for sessions that another core has ended. */
const LOOK_MS = 1_000;
/** Longer than any core takes to look. */
const KEPT_MS = 2 * 60_000;
const MAX = 1_000;

/** Storage key and time of each, in milliseconds since 1970. */
const endingSchema = v.tuple([v.string(), v.number()]);

export interface SharedEndings {
  /** Tells the other cores that a session has ended, so that they close its live feeds. */
  announce(key: string): Promise<void>;
  /** Reads what other cores have announced since the last look. */
  look(): Promise<void>;
  close(): void;
}

export interface SharedEndingsParts {
  readonly values: Values;
  readonly ended: (key: string) => void;
  readonly now: () => number;
  readonly logger: Logger;
}

/** Sessions that have ended, among all cores of a fleet. */
export function shareEndings({ values, ended, now, logger }: SharedEndingsParts): SharedEndings {
  const list = storedList(values, 'ended-sessions', {
    ...{ schema: endingSchema, newest: 'last', most: MAX, ttlMs: KEPT_MS },
    current: ([, at]) => at > now() - KEPT_MS,
  });
  let known: ReadonlySet<string> = new Set();
  const look = async () => {
    const endings = await list.get();
    for (const [key] of endings) if (!known.has(key)) ended(key);
    known = new Set(endings.map(([key]) => key));
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => logger.warn({ err: error }, 'cannot read which sessions have ended'));
  }, LOOK_MS);
  timer.unref();
  return {
    announce: (key) => list.add([key, now()]),
    look,
    close: () => clearInterval(timer),
  };
}
