import { CulpritError } from '@culprit/core';
import { ROLES, type Role } from '../scopes.js';

/** A role in all projects, or in one: `reviewer@shop`. */
export type RoleText = Role | `${Role}@${string}`;
/** As the name of a project: all of them. */
export const ALL_PROJECTS = '*';
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/** The role, and its project; `null`: all projects. @throws `configuration` if there is no such role */
export function readRole(text: string): { readonly role: Role; readonly project: string | null } {
  const [, name = '', project = ALL_PROJECTS] = /^([a-z]+)(?:@(.+))?$/.exec(text) ?? [];
  const role = ROLE_NAMES.find((known) => known === name);
  if (role !== undefined) return { role, project: project === ALL_PROJECTS ? null : project };
  const detail = `${JSON.stringify(text)} is not one of the roles ${ROLE_NAMES.join(', ')}, alone or as role@project.`;
  throw new CulpritError('configuration', detail, { path: 'oidc.roles' });
}
