import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tree } from '@culprit/core/connector';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { GitConfig } from './config.js';
import type { Opened } from './repository.js';
import { decode } from './text.js';

type LinkTemplates = Tree['links'];

const NONE: LinkTemplates = { commit: null, line: null };

/** Page paths of known hosts, after the repository's address. */
const PAGES: Readonly<Record<string, { readonly commit: string; readonly line: string }>> = {
  'github.com': { commit: '/commit/{sha}', line: '/blob/{sha}/{path}#L{line}' },
  'gitlab.com': { commit: '/-/commit/{sha}', line: '/-/blob/{sha}/{path}#L{line}' },
  'bitbucket.org': { commit: '/commits/{sha}', line: '/src/{sha}/{path}#lines-{line}' },
};

const URL_FORM = /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([A-Za-z0-9.-]+)(?::\d{1,5})?\/([^\s?#]+)$/;
const SCP_FORM = /^(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):([^/\s][^\s?#]*)$/;
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

/** Link templates for a remote's web pages. Credentials in the remote's address are dropped. */
export function linksFromRemote(remote: string): LinkTemplates {
  if (remote.length > 1_000) return NONE;
  const match = URL_FORM.exec(remote) ?? SCP_FORM.exec(remote);
  const host = match?.[1]?.toLowerCase() ?? '';
  const segments = (match?.[2] ?? '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/');
  const page = Object.hasOwn(PAGES, host) ? PAGES[host] : undefined;
  if (!page || segments.length < 2 || !segments.every((segment) => SEGMENT.test(segment))) return NONE;
  const base = `https://${host}/${segments.join('/')}`;
  return { commit: base + page.commit, line: base + page.line };
}

export function commitUrl(links: LinkTemplates, sha: string): string | null {
  return links.commit?.replaceAll('{sha}', sha) ?? null;
}

const MAX_REPOSITORIES = 64;
/** Relative to the git directory; the last is that of a linked work tree. */
const CONFIG_FILES = ['config', 'config.worktree', '../../config'];

/** The address of a repository's remote `origin`; empty without one. */
type Origins = (opened: Opened) => Promise<string>;

/** Asked for when the file that contains it changes. */
export function createOrigins(): Origins {
  const known = boundedMap<string, string>(MAX_REPOSITORIES);
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
