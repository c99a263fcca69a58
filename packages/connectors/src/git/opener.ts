import type { Git } from './client.js';
import { type Opened, openRepository } from './repository.js';

/** Opens a repository for a request. The steps of one request share it. `setting`: what errors call the setting that names it. */
export function createOpener(
  client: Git,
  setting: string,
): (path: string, signal: AbortSignal) => Promise<Opened> {
  const requests = new WeakMap<AbortSignal, Map<string, RecentCheck<Opened>>>();
  return async (path, signal) => {
    signal.throwIfAborted();
    const opened = requests.get(signal) ?? new Map<string, RecentCheck<Opened>>();
    requests.set(signal, opened);
    const known = opened.get(path);
    if (known !== undefined) return known.get();
    const fresh = recentCheck(async () => {
      const repository = await openRepository(path, setting);
      return { repository, git: client.at(repository, signal) };
    });
    opened.set(path, fresh);
    return fresh.get();
  };
}

/** How long something is taken as unchanged that an analysis would look up several hundred times. */
const TRUSTED_MS = 1_000;

interface RecentCheck<T> {
  /** The last answer, or a new one if that is older than a second. A failure is not kept. */
  get(): Promise<T>;
  /** Makes the next `get` ask again. */
  forget(): void;
}

export function recentCheck<T>(ask: () => Promise<T>): RecentCheck<T> {
  let last: { readonly answer: Promise<T>; readonly at: number } | null = null;
  const forget = () => {
    last = null;
  };
  return {
    forget,
    get() {
      if (last !== null && performance.now() - last.at < TRUSTED_MS) return last.answer;
      const made = { answer: ask(), at: performance.now() };
      last = made;
      made.answer.catch(() => {
        if (last === made) forget();
      });
      return made.answer;
    },
  };
}
