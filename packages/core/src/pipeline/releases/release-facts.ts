import {
  type Deploy,
  RELEASE_LIMITS,
  type Release,
  type ReleaseCommit,
  versionProblem,
} from '../../domain/release.js';
import { CulpritError } from '../../errors/error.js';

/** What is recorded of a release; absent members stay as they are. Times are ISO 8601. */
export interface ReleaseFacts {
  readonly started_at?: string | undefined;
  readonly finalised_at?: string | undefined;
  readonly url?: string | null | undefined;
  readonly archived?: boolean | undefined;
}

/** The commits of a release: sent one by one, or a range that the code host resolves. */
export type ReleaseContent =
  | { readonly commits: readonly ReleaseCommit[] }
  | {
      /** A SHA, or a tag of the repository. */
      readonly commit: string;
      /** Default: the commit of the release before. */
      readonly previous?: string | null | undefined;
    };

/** A deploy to record. `finished_at` defaults to now. */
export interface NewDeploy {
  readonly environment: string;
  readonly name?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly started_at?: string | null | undefined;
  readonly finished_at?: string | null | undefined;
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** What a repository can know: an abbreviated SHA or a tag. */
const REVISION = /^[A-Za-z0-9][A-Za-z0-9._+@/-]{0,199}$/;

export const isFullSha = (text: string) => SHA.test(text);

/** A SHA in lower case, or the name of a tag. @throws `malformed` */
export function checkRevision(text: string, path: string): string {
  if (!REVISION.test(text)) throw malformed(path, 'must be a SHA or the name of a tag');
  return /^[0-9a-fA-F]{40}$|^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : text;
}

export function checkVersion(version: string): string {
  const problem = versionProblem(version);
  if (problem !== null) throw malformed('version', problem);
  return version;
}

type CheckedFacts = Partial<Pick<Release, 'started_at' | 'finalised_at' | 'url' | 'archived'>>;

export function checkFacts({ started_at, finalised_at, url, archived }: ReleaseFacts): CheckedFacts {
  return {
    ...(started_at === undefined ? {} : { started_at: time(started_at, 'started_at') }),
    ...(finalised_at === undefined ? {} : { finalised_at: time(finalised_at, 'finalised_at') }),
    ...(url === undefined ? {} : { url: address(url, 'url') }),
    ...(archived === undefined ? {} : { archived }),
  };
}

export function checkDeploy(deploy: NewDeploy, now: string): Omit<Deploy, 'id'> {
  const { environment, name = null, url = null, started_at = null, finished_at } = deploy;
  const most = RELEASE_LIMITS.environmentChars;
  if (!hasVisible(environment) || environment.length > most || hasControl(environment))
    throw malformed('environment', `must be a name of at most ${most} characters`);
  const started = started_at === null ? null : time(started_at, 'started_at');
  const finished =
    finished_at === undefined || finished_at === null ? null : time(finished_at, 'finished_at');
  if (started !== null && finished !== null && finished < started)
    throw malformed('finished_at', 'must not be before "started_at"');
  return {
    environment,
    name: name === null ? null : line(name, RELEASE_LIMITS.titleChars),
    url: address(url, 'url'),
    started_at: started,
    finished_at: finished ?? now,
  };
}

/** Commits that a program sends. At most `RELEASE_LIMITS.commits` of them are kept, the first ones. */
export function checkCommits(commits: readonly ReleaseCommit[]): readonly ReleaseCommit[] {
  return commits.slice(0, RELEASE_LIMITS.commits).map(({ sha, title, committed_at }, at) => {
    const name = sha.toLowerCase();
    if (!SHA.test(name)) throw malformed(`commits[${at}].id`, 'must be a full SHA');
    return {
      sha: name,
      title: line(title, RELEASE_LIMITS.titleChars),
      committed_at: committed_at === null ? null : time(committed_at, `commits[${at}].timestamp`),
    };
  });
}

/** The first line, without control characters. */
export function line(text: string, most: number): string {
  const [first = ''] = text.split(/[\r\n\u2028\u2029]/, 1);
  return (hasControl(first) ? first.replace(CONTROL, ' ') : first).slice(0, most).trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced here.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
const hasControl = (text: string) => text.search(CONTROL) !== -1;
const hasVisible = (text: string) => text.trim() !== '';

function time(text: string, path: string): string {
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw malformed(path, 'must be a time in ISO 8601');
  return new Date(ms).toISOString();
}

function address(text: string | null, path: string): string | null {
  if (text === null || text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!plain || text.length > RELEASE_LIMITS.urlChars)
    throw malformed(path, 'must be an http or https address without a password');
  return url.href;
}

function malformed(path: string, problem: string): CulpritError {
  return new CulpritError('malformed', `"${path}" ${problem}.`, { path });
}
