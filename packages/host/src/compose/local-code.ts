import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { CulpritError } from '@culprit/core';
import type { Config } from '../config/config.js';

/** Paths of the local repositories, by project. */
export type LocalRepositories = ReadonlyMap<string, string>;

/** Without a code host every repository must be a local path. */
export function localRepositories({ projects }: Config): LocalRepositories {
  const paths = new Map<string, string>();
  for (const [name, { repository }] of Object.entries(projects)) {
    if (repository === undefined) continue;
    if (!isAbsolute(repository)) {
      throw new CulpritError(
        'configuration',
        `REPOSITORY of project ${name} reads as owner/name, and no code host is configured. Set GITHUB_TOKEN, or give the path of a local git repository.`,
        { path: 'repository' },
      );
    }
    paths.set(name, repository);
  }
  return paths;
}

/** What is probably a mistyped path; it may also be cloned later, so it is no refusal. */
export function missingRepositories({ projects }: Config): readonly string[] {
  const paths = Object.values(projects).flatMap(({ repository = '' }) => repository);
  return [...new Set(paths)]
    .filter((path) => isAbsolute(path) && !existsSync(path))
    .map((path) => `The repository ${path} is not there; nothing is blamed until it is.`);
}

/** The project's repository first: links carry one project for all, and a commit names its repository. */
export function repositoriesFor(repositories: LocalRepositories, project: string): readonly string[] {
  const own = repositories.get(project);
  const others = [...repositories.values()].filter((path) => path !== own);
  return [...new Set(own === undefined ? others : [own, ...others])];
}
