import { CulpritError } from '@culprit/core';
import type { HttpRequest } from '../http/message.js';
import type { CoreRoute } from './route.js';

/** Whether a route refuses parameters that it does not name. Other servers’ paths, pages and files take what comes. */
export function checksQuery({ access, pattern }: CoreRoute): boolean {
  return access === 'reviewer' && pattern.startsWith('/api/v1/');
}

/** The check of a route’s queries: a misspelt filter would otherwise return everything. It throws `malformed` with the name. */
export function queryCheck(route: CoreRoute): (query: HttpRequest['query']) => void {
  if (!checksQuery(route)) return () => {};
  const known = new Set(Object.keys(route.doc.query ?? {}));
  const allowed = known.size === 0 ? 'none' : [...known].map((name) => `"${name}"`).join(', ');
  return (query) => {
    const unknown = Object.keys(query).find((name) => !known.has(name));
    if (unknown === undefined) return;
    const path = unknown.slice(0, 60);
    throw new CulpritError('malformed', `"${path}" is not a parameter of this address. Known: ${allowed}.`, {
      path,
    });
  };
}
