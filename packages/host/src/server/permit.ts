import { CulpritError } from '@culprit/core';
import { type Access, includes, mayIn, projectsWith, type Scope } from '@culprit/core/internal/domain/access';

/**
 * What a route shows of projects:
 * - `projects`: only what belongs to the projects in which the identity has the route's scope. It reads through its call's `engine`,
 *   which shows no others, or compares with the call's `within` itself.
 * - `installation`: something of all projects together, so an identity needs the scope in all of them.
 * - `none`: nothing that belongs to a project, such as the caller's own settings.
 */
export type Reach = 'projects' | 'installation' | 'none';

/** What a route requires of an identity. */
export interface Requirement {
  /** `any`: every valid credential. */
  readonly scope: Scope | 'any';
  readonly reach: Reach;
}

/** Where an identity may do what a route does. */
export interface Within {
  /** Names of projects; `null`: all of them. */
  readonly projects: readonly string[] | null;
  /** What an attempt in another project meets: the scope that is missing there, or `null` if it has the scope there, or does not see that project. */
  readonly refusal: (project: string) => CulpritError | null;
}

/** @throws `forbidden`, with the scope if it is missing in every project */
export function permit({ scope, reach }: Requirement, access: Access): Within {
  const within = withinScope(access, scope);
  if (scope !== 'any' && within.projects?.length === 0) throw missing(scope);
  if (reach === 'installation' && within.projects !== null) {
    const detail =
      'This concerns all projects, but your credential allows it only in some. Use a credential without a limit.';
    throw new CulpritError('forbidden', detail);
  }
  return within;
}

/** Where the access has the scope. */
export function withinScope(access: Access, scope: Scope | 'any'): Within {
  const projects = projectsWith(access, scope);
  const lacks = (project: string) => !includes(projects, project) && mayIn(access, 'read', project);
  return {
    projects,
    refusal: (project) => (scope !== 'any' && lacks(project) ? missing(scope, project) : null),
  };
}

export function isWithin({ projects }: Within, project: string): boolean {
  return includes(projects, project);
}

function missing(scope: Scope, project?: string): CulpritError {
  const place = project === undefined ? '' : ` in the project ${project}`;
  const detail = `This needs the scope "${scope}"${place}, which your credential does not have. Use a token or a role with this scope.`;
  return new CulpritError('forbidden', detail, { members: { scope } });
}
