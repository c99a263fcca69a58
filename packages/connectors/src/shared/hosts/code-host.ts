import {
  type CodeHost,
  CulpritError,
  type Diff,
  isCulpritError,
  type Revision,
  type RevisionHints,
  type Tree,
} from '@culprit/core/connector';
import type { Ancestry, BlamedFile, CommitRange } from '@culprit/core/internal/ports/code-host';
import { type Cache, type CacheContext, cachesOf, GROWING, IMMUTABLE } from '../open-cache.js';
import { noRevision, type Subject } from './errors.js';

export interface DatedCommit {
  readonly sha: string;
  /** ISO 8601. */
  readonly committed_at: string;
}

export type PreviousRelease = NonNullable<Tree['previous_release']>;
export type ListedFiles = Pick<Tree, 'paths' | 'truncated' | 'submodules'>;

const SHA = /^[0-9a-f]{7,64}$/;
export const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A commit that a crash names, and what names it. */
export interface NamedCommit {
  readonly sha: string;
  readonly how: 'explicit' | 'release';
}

/** What a host knows of the revision that a crash names. */
export interface RevisionReader {
  /** `null`: the repository has no such commit. */
  commitAt(sha: string): Promise<DatedCommit | null>;
  /** Whether a branch or tag contains the commit: hosts also find the commits of forks. */
  isReachable(commit: DatedCommit): Promise<boolean>;
  /** The commit of the first form that is a tag, a release or a deployment. */
  released(forms: readonly string[]): Promise<{ commit: DatedCommit; how: 'tag' | 'release' } | null>;
  /** The head, or the newest commit until a time. */
  newest(until?: string): Promise<DatedCommit | null>;
}

/** Reads a repository by requests of one host. Answers that never change are cached. */
export abstract class RestCodeHost<Target extends Subject> implements CodeHost {
  /** Each is a request. From here on the first suspect is right as often as with 50: `docs/accuracy.md`. */
  readonly diffsAtMost = 25;
  /** Commits that are in the repository. */
  private readonly revisions: Cache<DatedCommit>;
  private readonly trees: Cache<ListedFiles>;
  private readonly previous: Cache<PreviousRelease>;
  private readonly diffs: Cache<Diff>;
  protected readonly files: Cache<BlamedFile>;

  /** `web`: base address of the host's pages. */
  constructor(
    protected readonly web: string,
    context: CacheContext,
    host: string,
  ) {
    const open = cachesOf(context, host);
    this.revisions = open('reachable.1', 256, IMMUTABLE);
    this.trees = open('tree', 8, { ...IMMUTABLE, local: true });
    this.files = open('blame.1', 512, IMMUTABLE);
    this.previous = open('release', 256, GROWING);
    this.diffs = open('diff.2', 256, IMMUTABLE);
  }

  protected abstract targetOf(repository: string, signal: AbortSignal): Target;
  protected abstract revisionReader(
    target: Target,
    hints: RevisionHints,
    named: readonly NamedCommit[],
    forms: readonly string[],
  ): RevisionReader;
  protected abstract previousRelease(target: Target, sha: string): Promise<PreviousRelease | null>;
  protected abstract listFiles(target: Target, sha: string): Promise<ListedFiles>;
  /** The files of folders that the paths of a stack may mean, where the list of all files is cut off. */
  protected abstract listFolders(
    target: Target,
    sha: string,
    paths: readonly string[],
  ): Promise<readonly string[]>;
  protected abstract links(target: Target): Tree['links'];
  protected abstract readDiff(target: Target, sha: string): Promise<Diff>;
  /** Whether one commit is a descendant of another, or the same. `null`: the host does not have both. */
  protected abstract containsCommit(target: Target, sha: string, commit: string): Promise<boolean | null>;
  protected abstract range(
    target: Target,
    from: string,
    to: string,
    most: number,
  ): Promise<CommitRange | null>;
  protected abstract firstRelease(target: Target, commit: string): Promise<string | null>;
  abstract readonly blame: CodeHost['blame'];
  abstract readonly commits: CodeHost['commits'];

  readonly tree: CodeHost['tree'] = async (repository, hints, signal) => {
    const target = this.targetOf(repository, signal);
    const revision = await this.revision(target, hints);
    const { sha, how } = revision;
    const isNamed = how === 'tag' || how === 'release';
    const previous_release = isNamed ? await this.knownPrevious(target, sha) : null;
    const listed = await this.trees.through(this.key(target, sha), () => this.listFiles(target, sha));
    const tree = { revision, previous_release, ...listed, links: this.links(target) };
    if (!listed.truncated) return tree;
    const others = await this.listFolders(target, sha, hints.paths ?? []);
    return { ...tree, paths: [...new Set([...listed.paths, ...others])].sort() };
  };

  /** One feature of the ranking: if the host cannot provide it, the analysis continues without it. */
  private async knownPrevious(target: Target, sha: string): Promise<PreviousRelease | null> {
    try {
      return await this.previous.through(this.key(target, sha), () => this.previousRelease(target, sha));
    } catch {
      target.signal.throwIfAborted();
      return null;
    }
  }

  readonly diff: CodeHost['diff'] = async (repository, sha, signal) => {
    const target = this.targetOf(repository, signal);
    return this.diffs.through(this.key(target, sha), async () => {
      if (!FULL_SHA.test(sha)) throw noRevision(sha, repository);
      return this.readDiff(target, sha);
    });
  };

  readonly ancestry: Ancestry = {
    contains: async (repository, commit, hints, signal) => {
      const target = this.targetOf(repository, signal);
      return ofNamedRevision(
        () => this.revision(target, hints),
        (sha) => this.containsCommit(target, sha, commit),
      );
    },
    range: async (repository, from, to, most, signal) =>
      this.range(this.targetOf(repository, signal), from, to, most),
    firstRelease: async (repository, commit, signal) =>
      this.firstRelease(this.targetOf(repository, signal), commit),
  };

  /** Includes the server: two servers may have repositories of the same name. */
  protected key({ repository }: Target, sha: string): string {
    return `${this.web} ${repository} ${sha}`;
  }

  /** The crashed commit: explicit information first, a guess last. A commit that the hints name counts only if it is reachable. */
  private async revision(target: Target, hints: RevisionHints): Promise<Revision & DatedCommit> {
    const named = namedCommits(hints);
    const forms = tagForms(hints.release ?? '');
    const reader = this.revisionReader(target, hints, named, forms);
    for (const { sha, how } of named) {
      const known = FULL_SHA.test(sha) ? await this.revisions.get(this.key(target, sha)) : undefined;
      if (known) return { ...known, how };
      const found = await reader.commitAt(sha);
      if (!found?.sha.startsWith(sha)) continue;
      if (!(await reader.isReachable(found)))
        throw new CulpritError(
          'revision_foreign',
          `No branch or tag of ${target.repository} contains commit ${found.sha}. It may come from a fork, or its branch was deleted.`,
        );
      await this.revisions.set(this.key(target, found.sha), found);
      return { ...found, how };
    }
    const released = forms.length === 0 ? null : await reader.released(forms);
    if (released) return { ...released.commit, how: released.how };
    const head = await reader.newest();
    if (head === null) throw new CulpritError('revision_not_found', `${target.repository} has no commits.`);
    const at = iso(hints.at);
    const before = head.committed_at <= at ? null : await reader.newest(at);
    return before ? { ...before, how: 'date' } : { ...head, how: 'head' };
  }
}

function namedCommits({ commit, release }: RevisionHints): readonly NamedCommit[] {
  const text = release ?? '';
  const version = text.slice(text.lastIndexOf('@') + 1).replace(/\+.*$/, '');
  const named: NamedCommit[] = [];
  if (commit !== null && SHA.test(commit)) named.push({ sha: commit, how: 'explicit' });
  if (SHA.test(version)) named.push({ sha: version, how: 'release' });
  return named;
}

export function iso(date: string): string {
  return new Date(date).toISOString();
}

export interface Tag {
  readonly name: string;
  readonly commit: DatedCommit;
}

/** The tags before one of the same family, as on local git. */
export function earlierTags(tags: readonly Tag[], own: Tag, family: string): readonly Tag[] {
  return tags.filter(
    ({ name, commit }) =>
      name.startsWith(family) &&
      /^\d/.test(name.slice(family.length)) &&
      commit.sha !== own.commit.sha &&
      commit.committed_at <= own.commit.committed_at,
  );
}

export interface Deployment {
  readonly sha: string;
  readonly environment: string;
  readonly succeeded: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The last one that succeeded before the commit's first one in the same environment. `listed`: newest first. */
export function deploymentBefore<Listed extends Deployment>(
  listed: readonly Listed[],
  sha: string,
): Listed | undefined {
  const first = listed.findLast((one) => one.sha === sha);
  return (
    first &&
    listed.find(
      (one) =>
        one.succeeded &&
        one.environment === first.environment &&
        one.sha !== sha &&
        one.createdAt < first.createdAt,
    )
  );
}

/** Asks about the revision that a crash names. `null`: it names none, or one that the repository does not have. */
async function ofNamedRevision(
  revision: () => Promise<{ readonly sha: string; readonly how: string }>,
  ask: (sha: string) => Promise<boolean | null>,
): Promise<boolean | null> {
  try {
    const { sha, how } = await revision();
    return how === 'head' || how === 'date' ? null : await ask(sha);
  } catch (error) {
    if (isCulpritError(error, 'revision_foreign') || isCulpritError(error, 'revision_not_found')) return null;
    throw error;
  }
}

/** The usual tag names of a release. */
function tagForms(release: string): readonly string[] {
  if (release === '' || release.length > 200 || /[\s~^:?*[\\]|\.\.|^[-/]|@\{/.test(release)) return [];
  const at = release.lastIndexOf('@');
  const name = at > 0 ? release.slice(0, at) : '';
  const version = release
    .slice(at + 1)
    .replace(/\+.*$/, '')
    .replace(/^v(?=\d)/, '');
  if (version === '') return [];
  const forms = [release, `v${version}`, version, `release-${version}`];
  if (name !== '') forms.push(`${name}@${version}`, `${name}-v${version}`, `${name}/v${version}`);
  return [...new Set(forms)];
}
