import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git, GitReader } from './client.js';
import { openRepository, type Repository } from './repository.js';

const DAY_MS = 86_400_000;
/** A graph is extended when it is older. Newer commits are read without it. */
const STALE_MS = DAY_MS;
/** Graphs of repositories that were not used for so long are deleted. */
const UNUSED_MS = 30 * DAY_MS;
/** A lock this old belongs to a process that was killed. */
const LOCK_MS = 3_600_000;
const BUILD_TIMEOUT_MS = 30 * 60_000;

/**
 * Commit graphs with changed paths, in our own folder: git finds the commits that changed a file without reading every
 * tree, so blame and history of a long history take a tenth of the time. Nothing is written to the repository, and nothing
 * needs a graph: a command whose graph fails is repeated without it.
 */
export interface Graphs {
  /** The folder of the repository's graph, if there is one. */
  folderOf(repository: Repository): Promise<string | null>;
  /** Deletes a graph that git could not read. */
  drop(repository: Repository): Promise<void>;
  /** Builds the graph, or extends a stale one, at the lowest priority. A failure changes nothing. */
  build(git: GitReader, repository: Repository): Promise<void>;
}

export const NO_GRAPHS: Graphs = {
  folderOf: async () => null,
  drop: async () => {},
  build: async () => {},
};

export function createGraphs(directory: string, now: () => number = Date.now): Graphs {
  const building = new Set<string>();
  const folder = ({ objects }: Repository) =>
    join(directory, createHash('sha256').update(objects).digest('hex').slice(0, 32));
  const fileOf = (repository: Repository) => join(folder(repository), 'info', 'commit-graph');

  const build: Graphs['build'] = async (git, repository) => {
    // git ignores commit graphs of shallow clones.
    if (repository.shallow !== null || building.has(repository.objects)) return;
    building.add(repository.objects);
    try {
      const age = now() - ((await changedAt(fileOf(repository))) ?? 0);
      if (age < STALE_MS) return;
      await mkdir(join(folder(repository), 'info'), { recursive: true, mode: 0o700 });
      await removeOlder(`${fileOf(repository)}.lock`, now() - LOCK_MS);
      await write(git, folder(repository));
      await removeUnused(directory, now() - UNUSED_MS);
    } catch {
      git.signal.throwIfAborted();
    } finally {
      building.delete(repository.objects);
    }
  };
  return {
    build,
    folderOf: async (repository) =>
      repository.shallow === null && (await changedAt(fileOf(repository))) !== null
        ? folder(repository)
        : null,
    drop: (repository) => rm(fileOf(repository), { force: true }),
  };
}

/** Of everything that branches and tags reach. */
async function write(git: GitReader, folder: string): Promise<void> {
  const listed = ['for-each-ref', '--format=%(objectname)', 'refs/heads', 'refs/remotes', 'refs/tags'];
  const refs = await git.output(listed, { refs: true });
  const head = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { refs: true });
  const tips = new Set(`${refs.toString('latin1')}${head.stdout.toString('latin1')}`.split('\n'));
  tips.delete('');
  if (tips.size === 0) return;
  await git.output(['commit-graph', 'write', '--stdin-commits', '--changed-paths', '--no-progress'], {
    input: [...tips].map((tip) => `${tip}\n`).join(''),
    graphFolder: folder,
    background: true,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
}

async function removeUnused(directory: string, before: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const changed = await changedAt(join(directory, name, 'info', 'commit-graph'));
    if (changed !== null && changed < before) {
      await rm(join(directory, name), { recursive: true, force: true });
    }
  }
}

async function removeOlder(path: string, before: number): Promise<void> {
  const changed = await changedAt(path);
  if (changed !== null && changed < before) await rm(path, { force: true });
}

async function changedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return null;
  }
}

/** Names the repository's objects as an addition to our own folder, for `GIT_ALTERNATE_OBJECT_DIRECTORIES`. */
export function quotedPath(path: string): string {
  const escaped = path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n');
  return `"${escaped}"`;
}

/** Blame that somebody waits for goes first. */
const DELAY_MS = 3_000;

interface GraphBuilder {
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
