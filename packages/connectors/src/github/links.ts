import type { Tree } from '@culprit/core';

const GITHUB = 'https://github.com';
/**
 * On github.com an issue that contains a pull request's address writes a reference into that pull request, except through
 * this host. GHE.com and Enterprise Server have no such host.
 */
const QUIET = 'https://redirect.github.com';

/** Templates of a repository's pages. `web` is the base address of the pages. */
export function linkTemplates(web: string, repository: string): Tree['links'] {
  const base = `${web}/${repository}`;
  return {
    commit: `${base}/commit/{sha}`,
    line: `${base}/blob/{sha}/{path}#L{line}`,
    pull_request: web === GITHUB ? `${QUIET}/${repository}/pull/{number}` : null,
  };
}
