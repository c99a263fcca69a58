import { CulpritError, type EngineReleases } from '@culprit/core';
import { isWithin, type Within } from './permit.js';

/** Releases within projects: others are refused, or do not exist. */
export function limitReleases(releases: EngineReleases, within: Within): EngineReleases {
  const own = (project: string) => isWithin(within, project);
  /** Calls with a project as the first argument. */
  const ofProject =
    <Rest extends readonly unknown[], Result>(call: (project: string, ...rest: Rest) => Promise<Result>) =>
    async (project: string, ...rest: Rest): Promise<Result> => {
      if (!own(project)) throw within.refusal(project) ?? absent(project);
      return call(project, ...rest);
    };
  return {
    projects: () => releases.projects().filter(({ name }) => own(name)),
    record: ofProject(releases.record),
    update: ofProject(releases.update),
    setCommits: ofProject(releases.setCommits),
    deploy: ofProject(releases.deploy),
    find: ofProject(releases.find),
    commits: ofProject(releases.commits),
    page: (query) => releases.page({ ...query, projects: query.projects.filter(own) }),
    versions: ofProject(releases.versions),
    before: ofProject(releases.before),
    remove: ofProject(releases.remove),
    counts: ofProject(releases.counts),
  };
}

function absent(project: string): CulpritError {
  return new CulpritError('not_found', `There is no project ${JSON.stringify(project.slice(0, 64))}.`);
}
