import type { Blame, BlamedFile, CodeHost, Commit, Diff, RevisionHints, Tree } from '@culprit/core';
import * as v from 'valibot';
import { askGraphql, askRest, askRestOrNull, type Place, placeOf, unreadable } from './ask.js';
import { type BlameAnswer, ignoredRevs } from './blame.js';
import { blameInBatches, noRevision } from './blame-batches.js';
import { AnswerCache } from './cache.js';
import { type GithubClient, read } from './client.js';
import { mapCommit } from './commit.js';
import { diffFile } from './patch.js';
import { commitsQuery } from './queries.js';
import { resolveRevision } from './revision.js';
import { commitObject, gitTree, restCommit } from './schema.js';

/** GitHub pages the files of a commit by 300; more say nothing new about a crash. */
const DIFF_PAGES = 3;

/** Blame and commits through GraphQL, trees and diffs through REST; what never changes is asked once. */
export class GithubCodeHost implements CodeHost {
  readonly diffsAtMost = 12;
  private readonly trees = new AnswerCache<Tree['paths']>(8);
  private readonly files = new AnswerCache<BlamedFile>(512);
  private readonly surroundings = new AnswerCache<Pick<BlameAnswer, 'recent' | 'ignoreText'>>(64);
  private readonly details = new AnswerCache<Commit>(2_000);
  private readonly diffs = new AnswerCache<Diff>(256);
  /** Learned from the first answer; a token without Pull requests: read is not asked for them again. */
  private mayReadPullRequests = true;

  constructor(
    private readonly client: GithubClient,
    private readonly web: string,
  ) {}

  async tree(repository: string, hints: RevisionHints, signal: AbortSignal): Promise<Tree> {
    signal.throwIfAborted();
    const place = placeOf(this.client, repository, signal);
    const revision = await resolveRevision(place, hints);
    const links = {
      commit: `${this.web}/${repository}/commit/{sha}`,
      line: `${this.web}/${repository}/blob/{sha}/{path}#L{line}`,
    };
    const key = `${repository} ${revision.sha}`;
    const kept = this.trees.get(key);
    if (kept) return { revision, paths: kept, truncated: false, links };
    const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
    const { data } = await askRest(place, route, { tree_sha: revision.sha, recursive: '1' });
    const { tree, truncated } = read(gitTree, data, unreadable);
    const paths = tree
      .flatMap(({ path, type }) => (type === 'blob' && path !== undefined ? [path] : []))
      .sort();
    if (!truncated) this.trees.set(key, paths);
    return { revision, paths, truncated, links };
  }

  async blame(
    repository: string,
    sha: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Blame> {
    signal.throwIfAborted();
    const place = placeOf(this.client, repository, signal);
    const revision = `${repository} ${sha}`;
    const files = new Map<string, BlamedFile>();
    for (const path of paths) {
      const kept = isPath(path) ? this.files.get(`${revision} ${path}`) : noFile(path);
      if (kept) files.set(path, kept);
    }
    const unknown = paths.filter((path) => !files.has(path));
    const answers =
      unknown.length > 0 || !this.surroundings.get(revision) ? await blameInBatches(place, sha, unknown) : [];
    for (const answer of answers) {
      for (const file of answer.files) {
        files.set(file.path, file);
        if (file.status !== 'failed') this.files.set(`${revision} ${file.path}`, file);
      }
      if (answer.recent.length > 0) this.surroundings.set(revision, answer);
    }
    const { recent = [], ignoreText = '' } = this.surroundings.get(revision) ?? {};
    return {
      files: paths.flatMap((path) => files.get(path) ?? []),
      recent,
      ignored: ignoredRevs(ignoreText),
    };
  }

  async commits(
    repository: string,
    shas: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Commit[]> {
    signal.throwIfAborted();
    const place = placeOf(this.client, repository, signal);
    const unknown = shas.filter((sha) => this.details.get(`${repository} ${sha}`) === undefined);
    if (unknown.length > 0) {
      for (const commit of await this.askCommits(place, unknown))
        this.details.set(`${repository} ${commit.sha}`, commit);
    }
    return shas.flatMap((sha) => this.details.get(`${repository} ${sha}`) ?? []);
  }

  async diff(repository: string, sha: string, signal: AbortSignal): Promise<Diff> {
    signal.throwIfAborted();
    const key = `${repository} ${sha}`;
    const kept = this.diffs.get(key);
    if (kept) return kept;
    if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha)) throw noRevision(sha, repository);
    const place = placeOf(this.client, repository, signal);
    const files: Diff['files'][number][] = [];
    let more = true;
    for (let page = 1; more && page <= DIFF_PAGES; page++) {
      const parameters = { ref: sha, page, per_page: 300 };
      const answer = await askRestOrNull(place, 'GET /repos/{owner}/{repo}/commits/{ref}', parameters);
      if (answer === null) throw noRevision(sha, repository);
      files.push(...read(restCommit, answer.data, unreadable).files.map(diffFile));
      more = /rel="next"/.test(String(answer.headers.link ?? ''));
    }
    const diff = { sha, files, truncated: more };
    this.diffs.set(key, diff);
    return diff;
  }

  private async askCommits(place: Place, shas: readonly string[]): Promise<readonly Commit[]> {
    const variables = Object.fromEntries(shas.map((sha, index) => [`s${index}`, sha]));
    const answer = await askGraphql(place, commitsQuery(shas.length, this.mayReadPullRequests), variables);
    if (
      answer.errors.some(({ type, path }) => type === 'FORBIDDEN' && path?.includes('associatedPullRequests'))
    ) {
      this.mayReadPullRequests = false;
    }
    const repository = (answer.data?.repository ?? {}) as Record<string, unknown>;
    return shas.flatMap((_, index) => {
      const parsed = v.safeParse(commitObject, repository[`c${index}`]);
      return parsed.success ? [mapCommit(parsed.output)] : [];
    });
  }
}

/** Whether it can be a file of a tree at all. */
function isPath(path: string): boolean {
  return path !== '' && !path.includes('\0') && !/(^|\/)(\.{1,2})?(\/|$)/.test(path);
}

function noFile(path: string): BlamedFile {
  const detail = 'There can be no file of this name.';
  return { path, status: 'missing', detail, ranges: [], history: [], lines: null };
}
