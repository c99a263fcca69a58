import { inject, injectable } from '../../di/inject.js';
import { type Deploy, RELEASE_LIMITS, type Release, type ReleaseCommit } from '../../domain/release.js';
import { CulpritError } from '../../errors/error.js';
import { Clock } from '../../ports/clock.js';
import { IdGenerator } from '../../ports/id-generator.js';
import { Values } from '../../ports/values.js';
import { Projects } from '../../runs/projects.js';
import { type Stored, stored } from '../../runs/stored.js';
import { Sanitiser } from '../sanitise/index.js';
import { CommitRanges, type FoundRange } from './commit-range.js';
import {
  checkCommits,
  checkDeploy,
  checkFacts,
  checkRevision,
  checkVersion,
  type NewDeploy,
  type ReleaseContent,
  type ReleaseFacts,
} from './release-facts.js';
import { addToIndex, dropFromIndex, releaseIndex } from './release-index.js';
import { commitsKey, releaseKey } from './release-keys.js';

/** Recorded releases, newest first. */
export interface ReleasePage {
  readonly releases: readonly Release[];
  /** How many are recorded. */
  readonly total: number;
}
/** A project that can have releases, and its repository on the code host. */
export interface ReleaseProject {
  readonly name: string;
  readonly repository: string | null;
}

type Content = Omit<FoundRange, 'commit'> & { readonly commit: string | null };

/** The releases that were recorded, and their deploys. Stored as values, so every storage has them. */
@injectable()
export class ReleaseBook {
  constructor(
    @inject(Values) private readonly values: Values,
    @inject(CommitRanges) private readonly ranges: CommitRanges,
    @inject(Projects) private readonly projects: Projects,
    @inject(Clock) private readonly clock: Clock,
    @inject(IdGenerator) private readonly ids: IdGenerator,
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
  ) {}

  withReleases(): readonly ReleaseProject[] {
    return Object.entries(this.projects.all).map(([name, { repository = null }]) => ({
      name,
      repository,
    }));
  }

  /** Records a release, or adds facts to one that is recorded. Nothing is recorded of a release whose commits are refused. */
  async record(
    project: string,
    version: string,
    facts: ReleaseFacts = {},
    content?: ReleaseContent,
  ): Promise<{ readonly release: Release; readonly created: boolean }> {
    this.requireProject(project);
    checkVersion(version);
    const checked = checkFacts(facts);
    const found = content === undefined ? null : await this.resolve(project, version, content);
    const at = this.clock.now();
    let created = false;
    const release = await this.stored(project, version).change((before) => {
      created = before === null;
      return { ...(before ?? emptyRelease(project, version, at)), ...checked };
    });
    if (release === null) throw notFound(project, version);
    await addToIndex(this.values, project, [version, Date.parse(release.created_at)]);
    return { release: found === null ? release : await this.store(project, version, found), created };
  }

  /** Changes a recorded release. Rejects with `not_found` if it is not recorded. */
  update(project: string, version: string, facts: ReleaseFacts): Promise<Release> {
    const checked = checkFacts(facts);
    return this.change(project, version, (release) => ({ ...release, ...checked }));
  }

  /** Says which commits a release brought; `null` forgets them. A range is resolved by the code host; while it cannot, the number is unknown. */
  async setCommits(project: string, version: string, content: ReleaseContent | null): Promise<Release> {
    if (content === null)
      return this.store(project, version, { commit: null, previous: null, commits: null, more: false });
    await this.require(project, version);
    return this.store(project, version, await this.resolve(project, version, content));
  }

  async deploy(project: string, version: string, given: NewDeploy): Promise<Deploy> {
    const now = new Date(this.clock.now()).toISOString();
    const { text } = this.sanitiser;
    const clean = { name: given.name && text(given.name).value, url: given.url && text(given.url).value };
    const deploy: Deploy = { id: this.ids.eventId(), ...checkDeploy({ ...given, ...clean }, now) };
    await this.change(project, version, (release) => {
      const same = ({ environment, finished_at, started_at }: Deploy) =>
        environment === deploy.environment &&
        finished_at === deploy.finished_at &&
        started_at === deploy.started_at;
      const others = release.deploys.filter((one) => !same(one));
      const deploys = [deploy, ...others].sort((a, b) => (a.finished_at < b.finished_at ? 1 : -1));
      return { ...release, deploys: deploys.slice(0, RELEASE_LIMITS.deploys) };
    });
    return deploy;
  }

  /** `null`: it is not recorded. */
  find(project: string, version: string): Promise<Release | null> {
    return this.stored(project, version).get();
  }

  /** Rejects with `not_found` if the release is not recorded. */
  async require(project: string, version: string): Promise<Release> {
    const found = await this.find(project, version);
    if (found === null) throw notFound(project, version);
    return found;
  }

  /** Newest first; `null`: unknown. */
  commits(project: string, version: string): Promise<readonly ReleaseCommit[] | null> {
    return this.storedCommits(project, version).get();
  }

  /** The versions of a project's recorded releases and when each was recorded, newest first. */
  async versions(project: string): Promise<readonly { readonly version: string; readonly at: number }[]> {
    return (await releaseIndex(this.values, project).get()).map(([version, at]) => ({ version, at }));
  }

  /** Of one project, or of all. `from`: how many to skip. At most `RELEASE_LIMITS.page` at once. */
  async page(query: {
    readonly projects: readonly string[];
    readonly from: number;
    readonly limit: number;
  }): Promise<ReleasePage> {
    const lists = await Promise.all(
      query.projects.map(async (project) =>
        (await this.versions(project)).map((one) => ({ project, ...one })),
      ),
    );
    const all = lists.flat().sort((a, b) => b.at - a.at);
    const limit = Math.min(query.limit, RELEASE_LIMITS.page);
    const shown = all.slice(query.from, query.from + limit);
    const found = await Promise.all(shown.map(({ project, version }) => this.find(project, version)));
    return { releases: found.filter((one) => one !== null), total: all.length };
  }

  /** The release recorded before this one that has a commit; of an unknown one, the newest. */
  async before(project: string, version: string): Promise<Release | null> {
    const versions = await this.versions(project);
    const at = versions.findIndex((one) => one.version === version);
    for (const { version: earlier } of versions.slice(at + 1, at + 1 + LOOKED_BACK)) {
      const found = await this.find(project, earlier);
      if (found !== null && found.commit !== null && !found.archived) return found;
    }
    return null;
  }

  /** Rejects with `not_found` if it is not recorded. */
  async remove(project: string, version: string): Promise<void> {
    await this.require(project, version);
    await dropFromIndex(this.values, project, version);
  }

  private async commitBefore(project: string, version: string): Promise<string | null> {
    return (await this.before(project, version))?.commit ?? null;
  }

  private async resolve(project: string, version: string, content: ReleaseContent): Promise<Content> {
    if ('commits' in content) {
      const commits = checkCommits(content.commits);
      const more = content.commits.length > commits.length;
      return { commit: commits[0]?.sha ?? null, previous: null, commits, more };
    }
    const commit = checkRevision(content.commit, 'commit');
    const given = content.previous ?? null;
    const previous =
      given === null ? await this.commitBefore(project, version) : checkRevision(given, 'previous');
    const { repository } = this.projects.of(project);
    return this.ranges.find(repository ?? null, { commit, previous });
  }

  private async store(project: string, version: string, found: Content): Promise<Release> {
    const { sanitiser } = this;
    const stored = this.storedCommits(project, version);
    const clean = found.commits?.map((one) => ({ ...one, title: sanitiser.text(one.title).value }));
    if (clean === undefined) await stored.delete();
    else await stored.set(clean);
    return this.change(project, version, (release) => ({
      ...release,
      commit: found.commit,
      previous_commit: found.previous,
      commits: found.commits?.length ?? null,
      more_commits: found.more,
    }));
  }

  private async change(
    project: string,
    version: string,
    decide: (before: Release) => Release,
  ): Promise<Release> {
    const release = await this.stored(project, version).change((before) => before && decide(before));
    if (release === null) throw notFound(project, version);
    return release;
  }

  private stored(project: string, version: string): Stored<Release | null> {
    return stored<Release | null>(this.values, releaseKey(project, version), { none: null });
  }

  private storedCommits(project: string, version: string): Stored<readonly ReleaseCommit[] | null> {
    return stored(this.values, commitsKey(project, version), { none: null });
  }

  private requireProject(project: string): void {
    if (Object.hasOwn(this.projects.all, project)) return;
    const names = Object.keys(this.projects.all).slice(0, 20).join(', ');
    const detail = `There is no project ${JSON.stringify(project.slice(0, 100))}. The projects are: ${names}.`;
    throw new CulpritError('not_found', detail);
  }
}

/** Releases without a commit that are skipped when the one before is looked for. */
const LOOKED_BACK = 50;

function emptyRelease(project: string, version: string, at: number): Release {
  return {
    project,
    version,
    created_at: new Date(at).toISOString(),
    started_at: null,
    finalised_at: null,
    url: null,
    archived: false,
    commit: null,
    previous_commit: null,
    commits: null,
    more_commits: false,
    deploys: [],
  };
}

function notFound(project: string, version: string): CulpritError {
  const shown = JSON.stringify(version.slice(0, 200));
  const detail = `Project ${JSON.stringify(project.slice(0, 100))} has no release ${shown}. Record it with: culprit releases new`;
  return new CulpritError('not_found', detail);
}
