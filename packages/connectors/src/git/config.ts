import * as v from 'valibot';
import { positiveInteger } from '../shared/config.js';

/** Usual folders of git. A relative entry would let a repository supply its own program. */
const USUAL_FOLDERS = ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', '/bin'];

const template = v.pipe(
  v.string(),
  v.regex(/^https?:\/\/[^\s<>"`\\]+$/, 'must be an http or https address'),
  v.includes('{sha}', 'must contain {sha}'),
);

export const gitConfig = v.strictObject({
  /** The program's name or full path. */
  gitBinary: v.optional(v.pipe(v.string(), v.nonEmpty()), 'git'),
  /** Folders to search for `git`, as in PATH; relative ones are ignored. */
  searchPath: v.optional(v.string(), USUAL_FOLDERS.join(':')),
  /** For each git process. */
  timeoutMs: v.optional(positiveInteger, 30_000),
  /** For each git process. */
  maxOutputBytes: v.optional(positiveInteger, 64 * 1024 * 1024),
  /** Folder for commit graphs, which make blame of long histories faster. Absent: none are used. */
  graphDirectory: v.optional(v.pipe(v.string(), v.nonEmpty())),
  /** True: graphs of the repositories that are blamed are built, in the background. False: those in the folder are used. */
  buildGraphs: v.optional(v.boolean(), true),
  /** Repositories whose graph is built at once, before the first crash. */
  repositories: v.optional(v.array(v.string()), []),
  /** Templates of permanent links with `{sha}`, `{path}`, `{line}` and, if each project has pages of its own, `{project}`; absent: derived from the remote `origin`. */
  links: v.optional(v.strictObject({ commit: v.optional(template), line: v.optional(template) }), {}),
  /** What errors call the setting that names the repository. */
  repositorySetting: v.optional(
    v.pipe(v.string(), v.nonEmpty()),
    'the repository of the project (projects.default.repository)',
  ),
});
export type GitConfig = v.InferOutput<typeof gitConfig>;

export const outboxConfig = v.strictObject({
  /** Folder for issues as Markdown files. Created if missing. */
  directory: v.pipe(v.string(), v.nonEmpty()),
  /** Where the host serves `/outbox/{number}`, without a trailing slash. */
  baseUrl: v.pipe(
    v.string(),
    v.regex(/^https?:\/\/[^\s<>"`\\]+$/, 'must be an http or https address'),
    v.transform((url) => url.replace(/\/+$/, '')),
  ),
});
export type OutboxConfig = v.InferOutput<typeof outboxConfig>;
