import type { Tree } from '@culprit/core';

/**
 * Templates of a repository's pages. An issue that contains the address of a pull request writes a reference into it, but not
 * one that contains the address of its files.
 */
export function linkTemplates(url: string, name: string): Tree['links'] {
  const base = `${url}/${name}`;
  return {
    commit: `${base}/commit/{sha}`,
    line: `${base}/src/commit/{sha}/{path}#L{line}`,
    pull_request: `${base}/pulls/{number}/files`,
  };
}
