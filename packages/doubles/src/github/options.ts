import type { BaseOptions, BaseRepository, BaseToken, Live } from '../shared/options.js';
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

export interface DoubleToken extends BaseToken {
  readonly permissions: Permissions;
  /** Visible repositories; absent: all. */
  readonly repositories?: readonly string[];
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

export interface DoubleRepository extends BaseRepository {
  /** The organisation refuses the token, whatever its permissions. */
  readonly policy?: Policy;
  /** Labels that exist from the start. */
  readonly labels?: readonly string[];
  /** Who can be assigned, besides the users of the tokens. */
  readonly assignable?: readonly string[];
  /** True: Copilot's coding agent is turned on, so it can be assigned. */
  readonly codingAgent?: boolean;
  readonly releases?: readonly DoubleRelease[];
  readonly deployments?: readonly DoubleDeployment[];
}

export interface DoubleOptions extends BaseOptions<DoubleRepository, DoubleToken> {
  /** May change while the double runs. */
  apps?: Readonly<Record<string, DoubleApp>>;
  /** The issue types of the organisations that have them, by login. */
  readonly issueTypes?: Readonly<Record<string, readonly string[]>>;
  /** Limits of one user; `false`: none. Default: GitHub's figures, on Enterprise `false`. */
  readonly limits?: Partial<DoubleLimits> | false;
  /** Maximum number of blamed files per query; more exceed resource limits. Default 8. */
  readonly blameFilesAtOnce?: number;
  /** Entries of one recursive tree; more are truncated. Default GitHub's 100,000. */
  readonly treeEntriesAtMost?: number;
  /** True: Enterprise Server paths, `/api/v3` and `/api/graphql`, and no rate-limit headers. */
  readonly enterprise?: boolean;
}

export type LiveOptions = Live<DoubleOptions>;

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
