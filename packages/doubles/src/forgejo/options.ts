import type { BaseOptions, BaseRepository, BaseToken, Live } from '../shared/options.js';

/** A scope of an access token, such as `read:issue`. `write:…` contains `read:…`. */
export type Scope = `${'read' | 'write'}:${'repository' | 'issue' | 'user' | 'organization'}`;

/** `expiresAt` is when it was deleted; tokens do not expire. */
export interface DoubleToken extends BaseToken {
  readonly scopes: readonly Scope[];
  /** Visible repositories; absent: all. */
  readonly repositories?: readonly string[];
  /** False: the user may only read, so labels and assignees of a new issue are dropped. Default true. */
  readonly writes?: boolean;
}

/** With disabled issues, pull requests stay enabled, as is usual. The server's lists do not lag; a cache in front of it may. */
export interface DoubleRepository extends BaseRepository {
  /** Who can be assigned, besides the users of the tokens. */
  readonly assignable?: readonly string[];
}

export interface DoubleOptions extends BaseOptions<DoubleRepository, DoubleToken> {
  /** Owners that are organisations, and the names of their labels. Other owners are people. */
  readonly organizations?: Readonly<Record<string, readonly string[]>>;
  /** Which program it is; it decides the headers of events. Default `forgejo`. */
  readonly program?: 'forgejo' | 'gitea';
  /** Largest page, the server's `MAX_RESPONSE_ITEMS`. Default 50. */
  readonly pageSize?: number;
}

export type LiveOptions = Live<DoubleOptions>;
