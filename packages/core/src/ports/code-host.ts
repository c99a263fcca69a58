import type { GapFact } from '../domain/history-gap.js';
import type { OwnersDialect } from '../domain/ownership.js';
import type { Port } from '../domain/port.js';
import type { Revision } from '../domain/run.js';
import type { Systems } from './systems.js';

/** What an event says about the revision that crashed. */
export interface RevisionHints {
  readonly commit: string | null;
  readonly release: string | null;
  /** ISO 8601: no commit after this can have crashed. */
  readonly at: string;
  /** Paths that the crash may mean, crashed line first. A host that cannot list every file lists the folders of these, too. */
  readonly paths?: readonly string[];
}

/** The files of the repository at the crashed revision. */
export interface Tree {
  readonly revision: Revision & { readonly committed_at: string };
  /** The tagged release before the one at the revision; absent or `null` if the host does not know. */
  readonly previous_release?: {
    readonly tag: string;
    readonly sha: string;
    readonly committed_at: string;
  } | null;
  /** Paths of files, `/`-separated, no leading slash, sorted. */
  readonly paths: readonly string[];
  /** True if the host truncated the list. */
  readonly truncated: boolean;
  /** Paths of submodules; absent: unknown. */
  readonly submodules?: readonly string[];
  /** What the repository is known not to show at the revision. */
  readonly gaps?: readonly GapFact[];
  /**
   * Templates for permanent links with `{sha}`, `{path}` (URL-encoded, slashes kept), `{line}` and, if each project has pages of its
   * own, `{project}`; `null` if there are no pages.
   */
  readonly links: {
    readonly commit: string | null;
    readonly line: string | null;
    /**
     * With `{number}`: a pull request's page, at an address that writes no reference into the pull request when an issue
     * contains it. `null`: every address does, so drafts only name the pull request. Absent: its own address does not.
     */
    readonly pull_request?: string | null;
  };
}

/** Consecutive lines last changed by one commit. */
export interface BlameRange {
  /** First and last line, 1-based, inclusive. */
  readonly start: number;
  readonly end: number;
  readonly sha: string;
  /** ISO 8601. */
  readonly committed_at: string;
}
/** Blame of one file, or why there is none. */
export interface BlamedFile {
  readonly path: string;
  readonly status: 'ok' | 'missing' | 'skipped' | 'failed';
  /** The reason if the status is not `ok`. */
  readonly detail: string | null;
  /** Ascending, not overlapping; git's own result, without skipping any commit. */
  readonly ranges: readonly BlameRange[];
  /**
   * The last commits that touched the file up to the revision, newest first, at most 20; includes merges if the host cannot
   * exclude them.
   */
  readonly history: readonly { readonly sha: string; readonly committed_at: string }[];
  /** The file's lines at the revision; `null` if the file is too large or not text. */
  readonly lines: readonly string[] | null;
}
/** The result of one blame request for several files. */
export interface Blame {
  readonly files: readonly BlamedFile[];
  /** The last commits of the repository up to the revision, newest first, at most 100; merges as in `history`. */
  readonly recent: readonly { readonly sha: string; readonly committed_at: string; readonly title: string }[];
  /** Full SHAs listed in `.git-blame-ignore-revs` at the revision. */
  readonly ignored: readonly string[];
}

/** A commit as the code host shows it, with its pull request if it has one. */
export interface Commit {
  readonly sha: string;
  readonly title: string;
  readonly message: string;
  /** `account`: on the code host, without `@`; absent if the host does not know it. */
  readonly author: { readonly name: string; readonly account?: string | undefined };
  /** ISO 8601. */
  readonly committed_at: string;
  readonly parents: readonly string[];
  /**
   * Its own change is not known, so what blame attributes to it may be older, and it is never a suspect. `shallow`: its parents were
   * not fetched; `replaced`: git replace or a graft gives it others. Absent: its change is known.
   */
  readonly history_ends?: 'shallow' | 'replaced' | undefined;
  readonly url: string | null;
  readonly additions: number;
  readonly deletions: number;
  readonly pull_request: { readonly number: number; readonly url: string; readonly title: string } | null;
}

/** One hunk of a unified diff; line numbers are 1-based. */
export interface DiffHunk {
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  /** The text after the second `@@`. */
  readonly section: string;
  /** Each starts with ` `, `+` or `-`. */
  readonly lines: readonly string[];
}
/** The changes to one file in a commit. */
export interface DiffFile {
  readonly path: string;
  /** The path before the commit; equal to `path` unless renamed. */
  readonly old_path: string;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed';
  /** Empty for binary or very large files. */
  readonly hunks: readonly DiffHunk[];
}
/** What a commit changed against its first parent. */
export interface Diff {
  readonly sha: string;
  readonly files: readonly DiffFile[];
  readonly truncated: boolean;
}

/** A repository's list of code owners at a revision, from the first of its `OWNERS_PLACES` that exists. */
export interface OwnersFile {
  readonly path: string;
  readonly dialect: OwnersDialect;
  /** `null`: the file is not text, or larger than `OWNERS_BYTES` or what the host shows at once. */
  readonly text: string | null;
}

/** Reads the list of code owners. Fails like a `CodeHost`, and must never return a file of another revision. */
export interface OwnersReader {
  /** `null` if the repository has no such file at the revision. */
  file(repository: string, sha: string, signal: AbortSignal): Promise<OwnersFile | null>;
}

/** Knows which commits a release contains. Fails like a `CodeHost`, and must never guess: `null` is the honest answer. */
export interface Ancestry {
  /**
   * Whether the revision that the hints name contains a commit. `null` if they name none, or if the repository does not have
   * both.
   */
  contains(
    repository: string,
    commit: string,
    hints: RevisionHints,
    signal: AbortSignal,
  ): Promise<boolean | null>;
  /**
   * The name of the earliest release that contains a commit. `null` if none does yet, if the repository does not have the
   * commit, or if releases of several packages contain it. Absent: the host cannot tell.
   */
  firstRelease?(repository: string, commit: string, signal: AbortSignal): Promise<string | null>;
  /**
   * The commits that `to` contains and `from` does not, both full SHAs: newest first, at most `most`. `null` if the repository
   * does not have both. Absent: the host cannot tell.
   */
  range?(
    repository: string,
    from: string,
    to: string,
    most: number,
    signal: AbortSignal,
  ): Promise<CommitRange | null>;
}

/** The commits between two revisions. */
export interface CommitRange {
  readonly commits: readonly {
    readonly sha: string;
    readonly committed_at: string;
    readonly title: string;
  }[];
  /** There are more. */
  readonly more: boolean;
}

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'submodule';
}
/** A line that contains a searched text. */
export interface SourceMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}
/** What a search found, at most as many as were asked for. */
export interface Found<One> {
  readonly found: readonly One[];
  /** There is more, or the search ended early. */
  readonly more: boolean;
}
/** Of commits: which paths or changes they are searched by; see `QUESTIONS.search_history`. */
export interface HistoryQuery {
  readonly path?: string | undefined;
  /** With `path`: lines of it at the revision, 1-based, both included. */
  readonly lines?: { readonly from: number; readonly to: number } | undefined;
  readonly text?: string | undefined;
  readonly pattern?: boolean | undefined;
  /** `YYYY-MM-DD` */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly most: number;
  /** With `text`: see `IsAllowed`. */
  readonly isAllowed: IsAllowed;
}
/** A commit in a list. */
export type ListedCommit = Pick<Commit, 'sha' | 'title' | 'committed_at'>;

/**
 * The files in which a text is searched. A match in any other file must change nothing in the answer, neither what is found nor `more`, or
 * patterns could find out its content one character after another.
 */
export type IsAllowed = (path: string) => boolean;

/** The reason of an error: the answer needs a copy of the repository, which is too large, cannot be made, or is not complete yet. */
export const NOT_COPIED = 'not_copied';

/**
 * Answers questions about a repository at one revision, full SHA. It must never answer anything that the revision does not contain, must
 * run nothing that the repository says, and ends each answer within its time limit: a search that is too slow has `more` with what it
 * found, or rejects with `timed_out`. Fails otherwise like a `CodeHost`. An invalid pattern rejects with `malformed`. An error with the
 * reason `NOT_COPIED` means that this repository must be read without questions.
 */
export interface RepositoryQuestions {
  /** The full SHA of a commit, at least 7 digits, that the revision contains or is; `null`: it does not. */
  contained(
    repository: string,
    revision: string,
    commit: string,
    signal: AbortSignal,
  ): Promise<string | null>;
  /** The lines of a text file; `null`: there is no such file, or it is not text. */
  lines(
    repository: string,
    revision: string,
    path: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | null>;
  /** `null`: there is no such folder. `''` is the top. */
  folder(
    repository: string,
    revision: string,
    path: string,
    signal: AbortSignal,
  ): Promise<readonly FolderEntry[] | null>;
  /** Absent: the host cannot search at a revision. */
  search?(
    repository: string,
    revision: string,
    query: {
      readonly text: string;
      readonly pattern: boolean;
      readonly path?: string | undefined;
      readonly most: number;
      readonly isAllowed: IsAllowed;
    },
    signal: AbortSignal,
  ): Promise<Found<SourceMatch>>;
  /** Newest first. `null`: the host cannot answer this kind of query. Absent: none. */
  history?(
    repository: string,
    revision: string,
    query: HistoryQuery,
    signal: AbortSignal,
  ): Promise<Found<ListedCommit> | null>;
}

/**
 * Reads a repository's history. The same request for the same revision must always return the same result, so results may be
 * cached. Values are passed as parameters, never concatenated into a command or query. A file that cannot be
 * blamed is reported in its own entry and does not affect others. An unreachable host rejects with `code_host_unavailable`
 * (retryable), a missing permission with `code_host_forbidden` and its name, an unknown repository with
 * `repository_not_found`. The signal cancels all work.
 */
export interface CodeHost {
  /** Set if this one combines several systems. Absent: it reads every repository itself. */
  readonly systems?: Systems<CodeHost>;
  /** Absent: nobody knows whether a release contains a fix. */
  readonly ancestry?: Ancestry;
  /** Absent: nobody knows who owns a file. */
  readonly owners?: OwnersReader;
  /** Absent: what blame, commits and ancestry do not say cannot be asked. */
  readonly questions?: RepositoryQuestions;
  /** Maximum diffs per analysis if each is a network request. Absent: the policy's `diffBudget`. */
  readonly diffsAtMost?: number;
  /**
   * Rejects with `revision_not_found` if nothing matches the hints and there is no head; with `revision_foreign` if the host
   * also finds commits of other repositories, as GitHub does of forks, and the named one is in no branch or tag of this one.
   */
  tree(repository: string, hints: RevisionHints, signal: AbortSignal): Promise<Tree>;
  blame(repository: string, sha: string, paths: readonly string[], signal: AbortSignal): Promise<Blame>;
  /** In the requested order, without unknown ones. At most 150 at once. */
  commits(repository: string, shas: readonly string[], signal: AbortSignal): Promise<readonly Commit[]>;
  diff(repository: string, sha: string, signal: AbortSignal): Promise<Diff>;
}
export const CodeHost = Symbol('CodeHost') as Port<CodeHost | null>;
