import type { BlamedFile, Commit, Diff } from '../ports/code-host.js';

/** One commit to create: files that it writes (`null`: removes) on top of its first parent's. */
export interface SampleCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string };
  /** ISO 8601; author and committer alike. */
  readonly committed_at: string;
  readonly message: string;
  readonly files: Readonly<Record<string, string | null>>;
}

/** A tiny repository as data, and what a code host must return for it. */
export interface KnownHistory {
  /** Oldest first; the last is the head of `main`. */
  readonly make: readonly SampleCommit[];
  readonly tags: readonly { readonly name: string; readonly sha: string; readonly annotated: boolean }[];
  /** Files at the head, sorted. */
  readonly paths: readonly string[];
  /** Newest first. */
  readonly commits: readonly Omit<Commit, 'url' | 'pull_request'>[];
  readonly blame: readonly {
    readonly at: string;
    readonly file: Pick<BlamedFile, 'path' | 'ranges' | 'history' | 'lines'>;
  }[];
  /** A path at the head that is not text. */
  readonly binary: string;
  /** Listed in `.git-blame-ignore-revs` at the head. */
  readonly ignored: readonly string[];
  readonly diffs: readonly Diff[];
}
