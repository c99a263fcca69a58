import type { Logger, Values } from '@culprit/core';
import * as v from 'valibot';

/** How often a core looks for sessions that another core has ended. */
const LOOK_MS = 1_000;
/** Longer than any core takes to look. */
const KEPT_MS = 2 * 60_000;
const MOST = 1_000;
const LIST = 'ended-sessions';

/** Storage key and time of each, in milliseconds since 1970. */
const endingsSchema = v.array(v.tuple([v.string(), v.number()]));
type Endings = v.InferOutput<typeof endingsSchema>;

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
  let known: ReadonlySet<string> = new Set();
  const look = async () => {
    const endings = read(await values.get(LIST), now());
    for (const [key] of endings) if (!known.has(key)) ended(key);
    known = new Set(endings.map(([key]) => key));
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => logger.warn({ err: error }, 'cannot read which sessions have ended'));
  }, LOOK_MS);
  timer.unref();
  return {
    async announce(key) {
      const add = (before: string | undefined) =>
        JSON.stringify([...read(before, now()), [key, now()]].slice(-MOST));
      await values.change(LIST, add, KEPT_MS);
    },
    look,
    close: () => clearInterval(timer),
  };
}

function read(text: string | undefined, now: number): Endings {
  const stored = text === undefined ? null : v.safeParse(endingsSchema, JSON.parse(text));
  return stored?.success ? stored.output.filter(([, at]) => at > now - KEPT_MS) : [];
}
