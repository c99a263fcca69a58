import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { boundedMap } from '@culprit/core/resilience';
import type { GitConfig } from './config.js';
import { type LinkTemplates, linksFromRemote } from './links.js';
import type { Opened } from './repository.js';
import { decode } from './text.js';

const MOST_REPOSITORIES = 64;
/** Relative to the git directory; the last is that of a linked work tree. */
const CONFIG_FILES = ['config', 'config.worktree', '../../config'];

/** The address of a repository's remote `origin`; empty without one. */
export type Origins = (opened: Opened) => Promise<string>;

/** Asked for when the file that contains it changes. */
export function createOrigins(): Origins {
  const known = boundedMap<string, string>(MOST_REPOSITORIES);
  return async ({ git, repository }) => {
    const key = `${repository.gitDirectory} ${await stateOf(repository.gitDirectory)}`;
    const origin = known.get(key) ?? (await originOf(git));
    known.set(key, origin);
    return origin;
  };
}

/** Templates of links to web pages: configured, or derived from the remote `origin`. */
export function createLinks(
  links: GitConfig['links'],
  origins: Origins,
): (opened: Opened) => Promise<LinkTemplates> {
  return async (opened) => {
    const { commit, line } = links;
    if (commit !== undefined && line !== undefined) return { commit, line };
    const remote = linksFromRemote(await origins(opened));
    return { commit: commit ?? remote.commit, line: line ?? remote.line };
  };
}

async function originOf(git: Opened['git']): Promise<string> {
  const outcome = await git.run(['config', '--get', 'remote.origin.url'], { refs: true });
  return decode(outcome.stdout).trim();
}

async function stateOf(gitDirectory: string): Promise<string> {
  const states = CONFIG_FILES.map(async (name) => {
    try {
      const { ino, size, mtimeMs } = await stat(join(gitDirectory, name));
      return `${ino}.${size}.${mtimeMs}`;
    } catch {
      return 'none';
    }
  });
  return (await Promise.all(states)).join(' ');
}
