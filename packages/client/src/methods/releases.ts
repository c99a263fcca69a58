import type { Call } from '../call.js';
import type { Operations } from '../operations.js';

type Facts = NonNullable<Operations['recordRelease']['body']>;
type NewDeploy = Operations['recordDeploy']['body'];

/** Releases, their deploys, and what is counted of them. */
export function releaseMethods(call: Call) {
  return {
    /** Newest first. */
    list: (query: Operations['listReleases']['query'] = {}) => call('listReleases', { query }),
    get: (project: string, version: string) => call('getRelease', { path: { project, version } }),
    /** Records the release, or changes one that is recorded. */
    record: (project: string, version: string, facts: Facts = {}) =>
      call('recordRelease', { path: { project, version }, body: facts }),
    /** Changes a recorded release. Rejects with `not_found` if it is not recorded. */
    change: (project: string, version: string, facts: Facts) =>
      call('recordRelease', { path: { project, version }, body: facts, headers: { 'if-match': '*' } }),
    deploy: (project: string, version: string, deploy: NewDeploy) =>
      call('recordDeploy', { path: { project, version }, body: deploy }),
    delete: (project: string, version: string) => call('deleteRelease', { path: { project, version } }),
  };
}
