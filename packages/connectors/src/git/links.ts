import type { Tree } from '@culprit/core';

export type LinkTemplates = Tree['links'];

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
