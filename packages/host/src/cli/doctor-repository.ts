import { git } from '@culprit/connectors/git';
import { type Check, isCulpritError, silentLogger } from '@culprit/core';
import { timeLimit } from '@culprit/core/resilience';
import type { Config } from '../config/config.js';

const TIMEOUT_MS = 20_000;

/** Can each project's local repository be read? Those of a code host are looked at by its connector. */
export async function checkRepositories(config: Config): Promise<readonly Check[]> {
  const named = Object.entries(config.projects).flatMap(([project, { repository }]) =>
    repository === undefined ? [] : [{ project, repository }],
  );
  if (named.length === 0) {
    const detail = 'none, so nothing is blamed. Set REPOSITORY to owner/name or to the path of a repository.';
    return [{ name: 'repository', ok: false, detail }];
  }
  if (config.github.token !== null) {
    const names = [...new Set(named.map(({ repository }) => repository))];
    return [{ name: 'repository', ok: true, detail: `${names.join(', ')} on GitHub` }];
  }
  return Promise.all(named.map(({ project, repository }) => checkLocal(project, repository)));
}

async function checkLocal(project: string, repository: string): Promise<Check> {
  const name = project === 'default' ? 'repository' : `repository of ${project}`;
  const signal = timeLimit(TIMEOUT_MS);
  try {
    const { codeHost } = await git({}).setup({ fetch, logger: silentLogger, signal });
    const hints = { commit: null, release: null, at: new Date().toISOString() };
    const tree = await codeHost?.tree(repository, hints, signal);
    const detail = `${repository} at ${tree?.revision.sha.slice(0, 12)}, ${tree?.paths.length} files`;
    return { name, ok: true, detail };
  } catch (error) {
    if (signal.aborted) return { name, ok: false, detail: `${repository} was not read within 20 s.` };
    if (!isCulpritError(error)) throw error;
    return { name, ok: false, detail: error.message };
  }
}
