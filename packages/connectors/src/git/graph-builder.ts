import type { Git } from './client.js';
import type { Graphs } from './graphs.js';
import { openRepository } from './repository.js';

/** Blame that somebody waits for goes first. */
const DELAY_MS = 3_000;

export interface GraphBuilder {
  /** Builds the repository's graph now, or once nothing was blamed for a few seconds; one repository after another. */
  readonly now: (repository: string) => void;
  readonly soon: (repository: string) => void;
  /** Stops a build; resolves once it writes nothing more. */
  close(): Promise<void>;
}

export function createGraphBuilder(client: Git, graphs: Graphs): GraphBuilder {
  const stop = new AbortController();
  const wanted = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();

  const build = async (path: string) => {
    if (stop.signal.aborted) return;
    try {
      const repository = await openRepository(path);
      await graphs.build(client.at(repository, stop.signal), repository);
    } catch {
      // Without a graph everything works, slower. What is wrong with the repository, its next analysis reports.
    }
  };
  const buildAll = () => {
    const paths = [...wanted];
    wanted.clear();
    for (const path of paths) turn = turn.then(() => build(path));
  };
  return {
    now(repository) {
      wanted.add(repository);
      buildAll();
    },
    soon(repository) {
      wanted.add(repository);
      clearTimeout(timer);
      timer = setTimeout(buildAll, DELAY_MS).unref();
    },
    close() {
      clearTimeout(timer);
      stop.abort(new Error('the connector is closed'));
      return turn;
    },
  };
}
