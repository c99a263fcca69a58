/**
 * What each scope allows. Scopes are independent of each other: none contains another, and only
 * `release` is of use without `read`.
 */
export const SCOPES = {
  read: 'See runs, evidence, drafts, the digest, edges and figures, over the API, the live feed and MCP',
  comment: 'Comment on runs, claim and snooze them, propose changes of drafts, and save views',
  gate1: 'Approve and reject at Gate 1, undo a rejection, merge and split runs',
  gate2: 'Edit drafts, sign or reject them at Gate 2, and mark published runs as fixed',
  operate:
    'Command edges, check the installation, resend notifications, manage tokens and webhooks, verify and export histories, and erase people',
  release: 'Report releases and deploys, and upload source maps; for CI',
} as const;
export type Scope = keyof typeof SCOPES;
export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[];

/** Sets of scopes for people. */
export const ROLES = {
  reader: ['read'],
  triager: ['read', 'comment', 'gate1'],
  reviewer: ['read', 'comment', 'gate1', 'gate2'],
  operator: ALL_SCOPES,
} as const satisfies Readonly<Record<string, readonly Scope[]>>;
export type Role = keyof typeof ROLES;

/**
 * What a route shows of projects:
 * - `projects`: only what belongs to the projects in which the identity has the route's scope. It reads through its call's `engine`,
 *   which shows no others, or compares with the call's `within` itself.
 * - `installation`: something of all projects together, so an identity needs the scope in all of them.
 * - `none`: nothing that belongs to a project, such as the caller's own settings.
 */
export type Reach = 'projects' | 'installation' | 'none';
