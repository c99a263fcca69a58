import { secret } from '@culprit/core';
import * as v from 'valibot';

const url = v.pipe(
  v.string(),
  v.url('must be a URL'),
  v.transform((text) => text.replace(/\/+$/, '')),
);

const name = v.pipe(v.string(), v.regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be owner/name'));

export const githubConfig = v.strictObject({
  /** Fine-grained token with Contents: read and Metadata: read; also Issues: write unless `publishToken` is given. */
  token: secret(),
  /** Used for issues and labels alone: Issues: write and Metadata: read. */
  publishToken: v.optional(secret()),
  /** `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise server. */
  apiUrl: v.optional(url, 'https://api.github.com'),
  /** Provides one port where another connector provides the other. Default: both. */
  only: v.optional(v.picklist(['codeHost', 'publisher'])),
  /** Read by `check()`; runs bring their own. */
  repository: v.optional(name),
  /** Whose issues `check()` looks at, if they are not those of `repository`. */
  publishRepository: v.optional(name),
  /** True: `check()` also tries to write an issue, one that GitHub must refuse. For `culprit doctor`; `/readyz` only reads. */
  tryWriting: v.optional(v.boolean(), false),
  /** Milliseconds for one request. GitHub itself gives up after ten seconds. */
  timeoutMs: v.optional(v.pipe(v.number(), v.minValue(100)), 20_000),
});
export type GithubConfig = v.InferOutput<typeof githubConfig>;

/** Where GraphQL is spoken: `/graphql` beside api.github.com, `/api/graphql` on an Enterprise server. */
export function graphqlBase(apiUrl: string): string {
  return apiUrl.replace(/\/api\/v3$/, '/api');
}

/** Where people look at commits and files. */
export function webUrl(apiUrl: string): string {
  if (apiUrl === 'https://api.github.com') return 'https://github.com';
  return new URL(apiUrl).origin;
}
