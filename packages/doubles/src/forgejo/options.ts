/** A scope of an access token, such as `read:issue`. `write:…` contains `read:…`. */
export type Scope = `${'read' | 'write'}:${'repository' | 'issue' | 'user' | 'organization'}`;

export interface DoubleToken {
  /** The token's user, who becomes the author of issues. */
  readonly user: string;
  readonly scopes: readonly Scope[];
  /** Visible repositories; absent: all. */
  readonly repositories?: readonly string[];
  /** False: the user may only read, so labels and assignees of a new issue are dropped. Default true. */
  readonly writes?: boolean;
  /** Milliseconds since 1970 when the token was deleted; tokens do not expire. */
  readonly expiresAt?: number;
}

export interface DoubleRepository {
  /** Path of the git repository that provides the history. */
  readonly git: string;
  readonly archived?: boolean;
  /** Pull requests stay enabled, as is usual. */
  readonly issuesDisabled?: boolean;
  /** The current name; requests with the old one are redirected. */
  readonly renamedTo?: string;
  /** How long a new issue or comment is missing from the list. The server has no such lag; a cache in front of it may. */
  readonly listingLagMs?: number;
  /** Who can be assigned, besides the users of the tokens. */
  readonly assignable?: readonly string[];
}

export interface DoubleOptions {
  readonly repositories: Readonly<Record<string, DoubleRepository>>;
  readonly tokens: Readonly<Record<string, DoubleToken>>;
  /** Owners that are organisations, and the names of their labels. Other owners are people. */
  readonly organizations?: Readonly<Record<string, readonly string[]>>;
  /** Which program it is; it decides the headers of events. Default `forgejo`. */
  readonly program?: 'forgejo' | 'gitea';
  /** Largest page, the server's `MAX_RESPONSE_ITEMS`. Default 50. */
  readonly pageSize?: number;
  /** Where events of issues and pull requests are sent. */
  readonly webhook?: Webhook;
  /** File that stores issues and labels and is read at the start. */
  readonly persistTo?: string;
  readonly port?: number;
  /** How many times faster time passes from `timeOrigin` on (milliseconds since 1970, real time). Default 1. */
  readonly timeScale?: number;
  readonly timeOrigin?: number;
}

export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

/** Options with repositories and tokens that may change while the double runs. */
export interface LiveOptions extends Omit<DoubleOptions, 'repositories' | 'tokens' | 'webhook'> {
  readonly repositories: Record<string, DoubleRepository>;
  readonly tokens: Record<string, DoubleToken>;
  webhook?: Webhook;
}
