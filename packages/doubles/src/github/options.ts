import type { Policy } from './policies.js';

/** A permission level of a fine-grained token. */
export type Level = 'read' | 'write';
export interface Permissions {
  readonly metadata?: 'read';
  readonly contents?: Level;
  readonly issues?: Level;
  readonly pull_requests?: Level;
  readonly deployments?: Level;
}

export interface DoubleToken {
  /** The token's user, who becomes the author of issues. */
  readonly user: string;
  readonly permissions: Permissions;
  /** Visible repositories; absent: all. */
  readonly repositories?: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /**
   * The user's role in the repositories; default `push`. Without it the labels and assignees of a new issue are silently
   * dropped; with `triage` they can be added afterwards.
   */
  readonly role?: 'read' | 'triage' | 'push';
  /** True: an App's installation token. It has no user, so `GET /user` is refused. */
  readonly app?: true;
}

/** A GitHub App that is installed on repositories. Its id is its key in `apps`. */
export interface DoubleApp {
  /** Its issues are by `slug[bot]`. */
  readonly slug: string;
  /** PEM of the public half of its key. */
  readonly publicKey: string;
  readonly permissions: Permissions;
  /** Where it is installed; absent: everywhere. */
  readonly repositories?: readonly string[];
  /** True: its owner suspended it, so it gets no token. */
  readonly suspended?: true;
  /** Life of its tokens; default one hour. */
  readonly tokenMs?: number;
}

/** A release; its commit is the one of its tag. */
export interface DoubleRelease {
  readonly name: string;
  readonly tag: string;
}

export interface DoubleDeployment {
  readonly sha: string;
  /** A branch or tag. */
  readonly ref?: string;
  readonly environment: string;
  /** JSON, as the deploying system sent it. */
  readonly payload?: string;
  /** Default: INACTIVE, as after a later one succeeded. */
  readonly state?: 'ACTIVE' | 'INACTIVE' | 'FAILURE';
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface DoubleRepository {
  /** Path of the git repository that provides the history. */
  readonly git: string;
  readonly issuesDisabled?: boolean;
  readonly archived?: boolean;
  /** The organisation refuses the token, whatever its permissions. */
  readonly policy?: Policy;
  /** The current name; requests with the old one are redirected. */
  readonly renamedTo?: string;
  /** How long a new issue of this repository is missing from the list; default: the double's. */
  readonly listingLagMs?: number;
  /** Labels that exist from the start. */
  readonly labels?: readonly string[];
  /** Who can be assigned, besides the users of the tokens. */
  readonly assignable?: readonly string[];
  /** True: Copilot's coding agent is turned on, so it can be assigned. */
  readonly codingAgent?: boolean;
  readonly releases?: readonly DoubleRelease[];
  readonly deployments?: readonly DoubleDeployment[];
}

export interface DoubleOptions {
  readonly repositories: Readonly<Record<string, DoubleRepository>>;
  readonly tokens: Readonly<Record<string, DoubleToken>>;
  readonly apps?: Readonly<Record<string, DoubleApp>>;
  /** The issue types of the organisations that have them, by login. */
  readonly issueTypes?: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds since 1970; default the system's. */
  readonly now?: () => number;
  /** How many times faster time passes from `timeOrigin` on: lags, slow responses and limits shrink with it. Default 1. */
  readonly timeScale?: number;
  /** Milliseconds since 1970, real time: where scaled and real time coincide. Default: the start. */
  readonly timeOrigin?: number;
  /** Limits of one user; `false`: none. Default: GitHub's figures, on Enterprise `false`. */
  readonly limits?: Partial<DoubleLimits> | false;
  /** How long a new issue is missing from the list. */
  readonly listingLagMs?: number;
  /** Maximum number of blamed files per query; more exceed resource limits. Default 8. */
  readonly blameFilesAtOnce?: number;
  /** Entries of one recursive tree; more are truncated. Default GitHub's 100,000. */
  readonly treeEntriesAtMost?: number;
  /** Where the double sends `issues` events, signed like GitHub's. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** File that stores issues and labels and is read at the start. */
  readonly persistTo?: string;
  readonly port?: number;
  /** True: Enterprise Server paths, `/api/v3` and `/api/graphql`, and no rate-limit headers. */
  readonly enterprise?: boolean;
}

/** GitHub's documented limits of one user (see RULES.md, limits). */
export interface DoubleLimits {
  /** Issues and labels created. */
  readonly contentPerMinute: number;
  readonly contentPerHour: number;
  /** Primary limit: REST requests, and GraphQL points, each. */
  readonly requestsPerHour: number;
  /** Secondary limits in points: a read costs 1, a write 5. */
  readonly restPointsPerMinute: number;
  readonly graphqlPointsPerMinute: number;
}

/** A matching request is held until it is released, so that clients can be killed around it. */
export interface Hold {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  /** `before`: nothing has happened. `after`: the request took effect (or its fault prevented that), but no response was sent. */
  readonly when: 'before' | 'after';
  /** How many times; default once. */
  readonly times?: number;
}

/** A fault for matching requests. The first match in order is used, `times` times. */
export interface Fault {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  /** How many times; default once. */
  readonly times?: number;
  readonly kind:
    | 'status'
    | 'reset-before'
    | 'reset-after'
    | 'hang'
    | 'hang-after'
    | 'slow'
    | 'garbage'
    | 'expired-token'
    | 'graphql-errors'
    | 'graphql-unknown-error'
    | 'graphql-rate-limited'
    | 'graphql-resource-limits'
    | 'graphql-partial';
  /** With `status`. 403 and 429 read as secondary limits. */
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** With `status` and `graphql-unknown-error`: replaces GitHub's usual message. */
  readonly message?: string;
  /** With `slow`: milliseconds of the double's time, after which the request takes effect. */
  readonly ms?: number;
  /** With `status`: the request takes effect first. */
  readonly afterEffect?: boolean;
}
