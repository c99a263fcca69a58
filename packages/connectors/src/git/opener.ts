import type { Git } from './client.js';
import { type RecentCheck, recentCheck } from './recent-check.js';
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
