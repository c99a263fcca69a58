/**
 * What each scope allows. Scopes are independent of each other: none contains another, and only
 * `release` is of use without `read`.
 */
export const SCOPES = {
  read: 'See runs, evidence, drafts, the digest, edges and figures, over the API, the live feed and MCP',
  comment: 'Comment on runs, claim, pin and snooze them, and save views',
  investigate:
    'Ask questions about a run’s repository, read its source and history, start investigations and hand in findings',
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
  triager: ['read', 'comment', 'investigate', 'gate1'],
  reviewer: ['read', 'comment', 'investigate', 'gate1', 'gate2'],
  operator: ALL_SCOPES,
} as const satisfies Readonly<Record<string, readonly Scope[]>>;
export type Role = keyof typeof ROLES;

/** Scopes, and the projects that they hold in. */
export interface Grant {
  readonly scopes: readonly Scope[];
  /** Names of projects; `null`: all of them, also those that do not exist yet. */
  readonly projects: readonly string[] | null;
}

/** What a credential may do: the sum of its grants. Also what the API shows as `grants`, so the board asks the same functions. */
export type Access = readonly Grant[];

/** The access of the tokens in the configuration. */
export const FULL_ACCESS: Access = [{ scopes: ALL_SCOPES, projects: null }];

/** The projects in which the access has the scope; `null`: all. `any`: in which it has at least one. */
export function projectsWith(access: Access, scope: Scope | 'any'): readonly string[] | null {
  const held = access.filter(({ scopes }) => (scope === 'any' ? scopes.length > 0 : scopes.includes(scope)));
  const names = new Set<string>();
  for (const { projects } of held) {
    if (projects === null) return null;
    for (const project of projects) names.add(project);
  }
  return [...names];
}

export function mayIn(access: Access, scope: Scope, project: string): boolean {
  return access.some(({ scopes, projects }) => scopes.includes(scope) && includes(projects, project));
}

/** Whether a list as of {@link projectsWith} has the project. */
export function includes(projects: readonly string[] | null, project: string): boolean {
  return projects === null || projects.includes(project);
}

/** The scopes that hold in at least one project. */
export function scopesOf(access: Access): readonly Scope[] {
  return ALL_SCOPES.filter((scope) => access.some(({ scopes }) => scopes.includes(scope)));
}

/** What both allow. */
export function narrow(access: Access, limit: Access): Access {
  const everywhere = ALL_SCOPES.filter(
    (scope) => projectsWith(access, scope) === null && projectsWith(limit, scope) === null,
  );
  const byProject = new Map<string | null, readonly Scope[]>([[null, everywhere]]);
  for (const project of [...access, ...limit].flatMap(({ projects }) => projects ?? [])) {
    const both = ALL_SCOPES.filter((scope) => mayIn(access, scope, project) && mayIn(limit, scope, project));
    byProject.set(project, both);
  }
  return accessOf(byProject);
}

/** The grants of scopes by project (`null`: all projects); projects with the same scopes share one. */
export function accessOf(byProject: ReadonlyMap<string | null, Iterable<Scope>>): Access {
  const everywhere = new Set(byProject.get(null) ?? []);
  const grants = new Map<string, { scopes: readonly Scope[]; projects: string[] }>();
  for (const [project, own] of byProject) {
    const held = new Set([...own, ...everywhere]);
    if (project === null || held.size === everywhere.size) continue;
    const scopes = ALL_SCOPES.filter((scope) => held.has(scope));
    const grant = grants.get(scopes.join()) ?? { scopes, projects: [] };
    grant.projects.push(project);
    grants.set(scopes.join(), grant);
  }
  const all = { scopes: ALL_SCOPES.filter((scope) => everywhere.has(scope)), projects: null };
  return [...(all.scopes.length === 0 ? [] : [all]), ...grants.values()];
}

/** Limits of API tokens. Names in characters, times in days. */
export const TOKEN_LIMITS = { name: 60, projects: 50, days: 365, defaultDays: 90 } as const;
