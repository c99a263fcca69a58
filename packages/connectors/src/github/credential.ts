/** Who asks GitHub: a personal access token, or an App through its installation on the repository. */
export interface Credential {
  /** The token for requests about `owner/name`. Rejects with an {@link unsent} error. */
  token(repository: string, signal: AbortSignal): Promise<string>;
  /** Another token in place of one that GitHub answered with 401; `null`: there is none. */
  renewed(repository: string, rejected: string, signal: AbortSignal): Promise<string | null>;
  /** What shares one rate limit with this repository: an App has one for each account that installed it. */
  account(repository: string): string;
}

/** A personal access token, or the token of GitHub Actions. */
export function tokenCredential(token: string): Credential {
  return { token: async () => token, renewed: async () => null, account: () => '' };
}
