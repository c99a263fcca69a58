import { CulpritError } from '@culprit/core';
import type { Access, Reach, Scope } from './scopes.js';

/** What a route requires of an identity. */
export interface Requirement {
  /** `any`: every valid credential. */
  readonly scope: Scope | 'any';
  readonly reach: Reach;
}

/** @throws `forbidden` with the missing scope. */
export function permit({ scope, reach }: Requirement, { scopes, projects }: Access): void {
  if (scope !== 'any' && !scopes.has(scope)) {
    const detail = `This needs the scope "${scope}", which your credential does not have. Use a token or a role with this scope.`;
    throw new CulpritError('forbidden', detail, { members: { scope } });
  }
  if (reach === 'installation' && projects !== null) {
    const detail =
      'This concerns all projects, and your credential is limited to some. Use a credential without a limit.';
    throw new CulpritError('forbidden', detail);
  }
}
