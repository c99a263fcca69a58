/** A right of a fine-grained token. */
export type Level = 'read' | 'write';
export interface Permissions {
  readonly metadata?: 'read';
  readonly contents?: Level;
  readonly issues?: Level;
  readonly pull_requests?: Level;
}

export interface DoubleToken {
  /** Whose token it is; issues carry this login. */
  readonly user: string;
  readonly permissions: Permissions;
  /** Repositories it may see; absent: all. */
  readonly repositories?: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** False: labels and assignees of a new issue are silently dropped. Default: true with `issues: write`. */
  readonly triage?: boolean;
}

export interface DoubleRepository {
  /** Path of the git repository whose history is told. */
  readonly git: string;
  readonly issuesDisabled?: boolean;
  readonly archived?: boolean;
  /** The name it has now: requests by the old one are redirected. */
  readonly renamedTo?: string;
  /** How long a new issue of this repository stays invisible to the list; default the double's. */
  readonly listingLagMs?: number;
  /** Labels that exist from the start. */
  readonly labels?: readonly string[];
}

export interface DoubleOptions {
  readonly repositories: Readonly<Record<string, DoubleRepository>>;
  readonly tokens: Readonly<Record<string, DoubleToken>>;
  /** Milliseconds since 1970; default the system's. */
  readonly now?: () => number;
  /** So many times faster time passes here, from `timeOrigin` on: lags, slow answers and limits shrink with it. Default 1. */
  readonly timeScale?: number;
  /** Milliseconds since 1970, real time: where scaled time and real time are the same. Default the start. */
  readonly timeOrigin?: number;
  /** What GitHub lets one user do; `false`: anything. Default GitHub's figures, on Enterprise `false`. */
  readonly limits?: Partial<DoubleLimits> | false;
  /** How long a new issue stays invisible to the list. */
  readonly listingLagMs?: number;
  /** Blame of more files than this in one question is too much. Default 8. */
  readonly blameFilesAtOnce?: number;
  /** Issues and labels are kept in this file and read again at the start. */
  readonly persistTo?: string;
  readonly port?: number;
  /** True: paths as on an Enterprise server, `/api/v3` and `/api/graphql`, and no rate-limit headers. */
  readonly enterprise?: boolean;
}

/** GitHub's documented limits of one user (RULES.md, limits). */
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

/** A request that matches stands still until it is released, so that clients can be killed around it. */
export interface Hold {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  /** `before` anything happens, or `after` it took effect (or its fault decided that it does not), before the answer. */
  readonly when: 'before' | 'after';
  /** How often; default once. */
  readonly times?: number;
}

/** What goes wrong, for requests that match. The first match in order is used, `times` times. */
export interface Fault {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  /** How often; default once. */
  readonly times?: number;
  readonly kind:
    | 'status'
    | 'reset-before'
    | 'reset-after'
    | 'hang'
    | 'hang-after'
    | 'slow'
    | 'garbage'
    | 'graphql-errors'
    | 'graphql-rate-limited'
    | 'graphql-resource-limits'
    | 'graphql-partial';
  /** With `status`. 403 and 429 read as secondary limits. */
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** With `status`: what it says instead of the usual words. */
  readonly message?: string;
  /** With `slow`, milliseconds of the double's time; only then is the request carried out. */
  readonly ms?: number;
  /** With `status`: the request takes effect first. */
  readonly afterEffect?: boolean;
}
