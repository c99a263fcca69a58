import type { Config } from '../../config/config.js';
import type { RepositoryHost, Roles } from './host.js';
import { HOSTS } from './hosts.js';

/** Where a project's code and its issues are, each with its system: `acme/web (GitHub)`. */
export interface ProjectSystems {
  readonly project: string;
  /** `null`: none, so there is no blame. */
  readonly code: string | null;
  /** `null`: no address is set. */
  readonly issues: string | null;
}

/** The systems of every project that has an address. `hostOf` throws for an address that no host recognises. */
export function systemsOf(
  { projects }: Pick<Config, 'projects'>,
  hostOf: (address: string, role: keyof Roles, project: string) => RepositoryHost,
): readonly ProjectSystems[] {
  return Object.entries(projects).flatMap(([project, { repository, publishRepository = repository }]) => {
    const at = (address: string | undefined, role: keyof Roles) => {
      if (address === undefined) return null;
      const host = hostOf(address, role, project);
      const title = host.titles[role];
      return host === HOSTS.local && role === 'publisher' ? title : `${address} (${title})`;
    };
    if (publishRepository === undefined) return [];
    return [{ project, code: at(repository, 'codeHost'), issues: at(publishRepository, 'publisher') }];
  });
}

/** One project in a line: `shop: code acme/web (GitHub), issues the local outbox`. */
export function systemsText({ project, code, issues }: ProjectSystems): string {
  return `${project}: code ${code ?? 'none'}, issues ${issues ?? 'none'}`;
}
