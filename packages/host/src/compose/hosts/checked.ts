import { DEFAULT_PROJECT } from '../../config/credentials.js';
import type { HostRequest, Roles } from './host.js';

/** What a connector's check uses: the repositories of the default project, or of the first one. */
export function checkedRepositories({ repositories }: Pick<HostRequest, 'repositories'>) {
  const of = (role: keyof Roles) => {
    const all = repositories.filter((one) => one.role === role);
    return (all.find(({ project }) => project === DEFAULT_PROJECT) ?? all[0])?.address;
  };
  const [repository, publishRepository] = [of('codeHost'), of('publisher')];
  return {
    ...(repository === undefined ? {} : { repository }),
    ...(publishRepository === undefined ? {} : { publishRepository }),
  };
}

/** The one role of a host that has not both. */
export function onlyRole({ codeHost, publisher }: Roles) {
  return {
    ...(codeHost ? {} : { only: 'publisher' as const }),
    ...(publisher ? {} : { only: 'codeHost' as const }),
  };
}
