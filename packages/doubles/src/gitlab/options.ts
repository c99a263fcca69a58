import type { BaseOptions, BaseRepository, BaseToken, Live } from '../shared/options.js';

/** Scopes of personal, project and group access tokens that matter here. */
export type Scope = 'api' | 'read_api' | 'read_repository';

export interface DoubleToken extends BaseToken {
  readonly scopes: readonly Scope[];
  /** Role of the user in every project. Default: developer. */
  readonly role?: 'guest' | 'reporter' | 'developer';
  /** Visible projects; absent: all. */
  readonly projects?: readonly string[];
  readonly revoked?: boolean;
  /** A token of an OAuth application, which does not tell its scopes. */
  readonly oauth?: boolean;
}

/** A merge request of the project. */
export interface DoubleMergeRequest {
  readonly iid: number;
  readonly title: string;
  /** Its commits. */
  readonly commits: readonly string[];
  readonly state: 'opened' | 'merged' | 'closed';
  readonly merged_at?: string;
  readonly merge_commit_sha?: string;
  /** Numbers of the issues that it closes when it is merged. */
  readonly closes?: readonly number[];
}

export interface DoubleDeployment {
  readonly sha: string;
  readonly ref: string;
  readonly environment: string;
  readonly status: 'success' | 'failed' | 'running';
  readonly created_at: string;
}

/** Its name is its path with all groups. */
export interface DoubleRepository extends BaseRepository {
  readonly mergeRequests?: readonly DoubleMergeRequest[];
  /** Names of releases by their tag. */
  readonly releases?: Readonly<Record<string, string>>;
  readonly deployments?: readonly DoubleDeployment[];
}

export interface DoubleLimits {
  /** Authenticated requests of one user in a minute. */
  readonly requestsPerMinute: number;
  /** Issues that one user may create in a project in a minute. */
  readonly issuesPerMinute: number;
}

/** The secret of `webhook` is a signing token if it starts with `whsec_`; otherwise the secret token. */
export interface DoubleOptions extends BaseOptions<DoubleRepository, DoubleToken> {
  /** An issue with this text is taken for spam. */
  readonly spam?: string;
  /** A paid plan: an issue may have several assignees. */
  readonly paid?: boolean;
  /** Users besides those of the tokens. */
  readonly users?: readonly string[];
  /** `false`: none, as on self-managed servers by default. Default: those of GitLab.com. */
  readonly limits?: Partial<DoubleLimits> | false;
  /** Files of one commit's diff; the others are left out. Default 1,000. */
  readonly diffFilesAtMost?: number;
  /** Characters of one file's diff; a longer one is left out. Default 200 KiB. */
  readonly diffCharsAtMost?: number;
  /** Leaves out files from a tenth of `diffCharsAtMost` on, as `collapsed`. Default: no file is collapsed. */
  readonly collapsesDiffs?: boolean;
}

export type LiveOptions = Live<DoubleOptions>;
