/** What a repository has on every host. */
export interface BaseRepository {
  /** Path of the git repository that provides the history. */
  readonly git: string;
  /** Its size as the API says it. Default: less than one. */
  readonly megabytes?: number;
  readonly archived?: boolean;
  readonly issuesDisabled?: boolean;
  /** The current name; requests with the old one are redirected. */
  readonly renamedTo?: string;
  /** How long a new issue or comment is missing from lists; default: the double's, or none. */
  readonly listingLagMs?: number;
}

/** What a token has on every host. */
export interface BaseToken {
  /** The token's user, who becomes the author of issues. */
  readonly user: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** Where a double sends events, and with which secret. */
export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

/** The options of every double. */
export interface BaseOptions<
  Repository extends BaseRepository = BaseRepository,
  Token extends BaseToken = BaseToken,
> {
  /** By full name. */
  readonly repositories: Readonly<Record<string, Repository>>;
  readonly tokens: Readonly<Record<string, Token>>;
  readonly webhook?: Webhook;
  /** How long a new issue or comment is missing from lists; default: not at all. */
  readonly listingLagMs?: number;
  /** Milliseconds since 1970; default the system's. */
  readonly now?: () => number;
  /** How many times faster time passes from `timeOrigin` on: lags, slow responses and limits shrink with it. Default 1. */
  readonly timeScale?: number;
  /** Milliseconds since 1970, real time: where scaled and real time coincide. Default: the start. */
  readonly timeOrigin?: number;
  /** File that stores issues, comments and labels, and is read at the start. */
  readonly persistTo?: string;
  readonly port?: number;
}

/** Options of which repositories, tokens and the receiver of events may change while the double runs. */
export type Live<Options extends BaseOptions> = Omit<Options, 'repositories' | 'tokens' | 'webhook'> & {
  readonly repositories: Record<string, Options['repositories'][string]>;
  readonly tokens: Record<string, Options['tokens'][string]>;
  webhook?: Webhook;
};
