import { code, page, table } from './markdown.mjs';
import { coreRouteList } from './pages-host.mjs';

const REACH = { projects: 'its projects', installation: 'refused', none: 'yes' };

/** Which scope and role each route of core needs. host/test/access.full.test.ts asks core for every cell, access-projects.full.test.ts for each project. */
export function accessPage(
  { SCOPES, ROLES },
  routes,
  issueEvents,
  { TOOLS },
  { QUESTION_TOOLS },
  { WRITE_TOOLS },
) {
  const tools = [...TOOLS, ...QUESTION_TOOLS, ...WRITE_TOOLS];
  const roles = Object.keys(ROLES);
  const mark = (allowed) => (allowed ? 'yes' : '');
  const scopes = Object.entries(SCOPES).map(([scope, meaning]) => [
    code(scope),
    meaning,
    ...roles.map((role) => mark(ROLES[role].includes(scope))),
  ]);
  const rows = coreRouteList(routes, issueEvents)
    .filter(({ access }) => access === 'reviewer')
    .map(({ method, pattern, scope, reach }) => [
      method,
      code(pattern),
      scope === 'any' ? 'any' : code(scope),
      ...roles.map((role) => mark(scope === 'any' || ROLES[role].includes(scope))),
      REACH[reach],
    ]);
  return page(
    'Access',
    `What each scope and role may do. The tokens of \`REVIEWER_TOKENS\` have every scope and all projects; [API tokens](../guides/access.md) have
the scopes that they were given. A request without the scope is answered with 403 \`forbidden\`, and \`scope\` names the missing one.`,
    `${table(['Scope', 'Allows', ...roles], scopes)}
## Routes

The column *Limited* shows what a credential that is limited to some projects gets: only the data of *its projects* (other runs are not found, 404), everything
(*yes*: the answer contains no data of a project), or a refusal (*refused*, 403), because the answer concerns all projects together. The live feed follows its row. \`/mcp\` is one
route; its tools need the scope of the row, too.

[Roles by project](../guides/sign-in.md#roles-and-projects) are checked for each project. A route with *its projects* in the last column needs the scope in the
project of the run or release: without it the answer is 403 with the scope if the project may be read, and 404 otherwise. *Refused* routes need the scope in all
projects.

${table(['Method', 'Path', 'Scope', ...roles, 'Limited'], rows)}
Other routes take no reviewer: see [routes](routes.md).

## MCP tools

An API token has the tools of its scopes; a reviewer's own token has those of \`read\`. No tool approves a gate or publishes.

${table(
  ['Tool', 'Scope', 'Does'],
  tools.map(({ name, scope = 'read', description }) => [code(name), code(scope), description]),
)}`,
  );
}
