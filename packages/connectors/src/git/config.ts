import * as v from 'valibot';
import { positiveInteger } from '../shared/config.js';

/** Where git usually lives; a relative entry would let a repository bring its own. */
const USUAL_FOLDERS = ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', '/bin'];

const template = v.pipe(
  v.string(),
  v.regex(/^https?:\/\/[^\s<>"`\\]+$/, 'must be an http or https address'),
  v.includes('{sha}', 'must hold {sha}'),
);

export const gitConfig = v.strictObject({
  /** The program, or its full path. */
  gitBinary: v.optional(v.pipe(v.string(), v.nonEmpty()), 'git'),
  /** Folders in which `git` is looked for, as in PATH; relative ones are left out. */
  searchPath: v.optional(v.string(), USUAL_FOLDERS.join(':')),
  /** For each git process. */
  timeoutMs: v.optional(positiveInteger, 30_000),
  /** For each git process. */
  maxOutputBytes: v.optional(positiveInteger, 64 * 1024 * 1024),
  /** Templates of permanent links with `{sha}`, `{path}` and `{line}`; absent: read from the remote `origin`. */
  links: v.optional(v.strictObject({ commit: v.optional(template), line: v.optional(template) }), {}),
});
export type GitConfig = v.InferOutput<typeof gitConfig>;

export const outboxConfig = v.strictObject({
  /** Issues are kept here as Markdown files; made where it is missing. */
  directory: v.pipe(v.string(), v.nonEmpty()),
  /** Where the host serves `/outbox/{number}`, without a slash at the end. */
  baseUrl: v.pipe(
    v.string(),
    v.regex(/^https?:\/\/[^\s<>"`\\]+$/, 'must be an http or https address'),
    v.transform((url) => url.replace(/\/+$/, '')),
  ),
});
export type OutboxConfig = v.InferOutput<typeof outboxConfig>;
