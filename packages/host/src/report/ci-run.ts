/** What the environment of a CI job says about it. Absent values are `null`. */
export interface CiRun {
  readonly commit: string | null;
  readonly branch: string | null;
  /** The job's page. */
  readonly url: string | null;
  /** Identifies this attempt of this job, so that a report that is sent again is counted once. */
  readonly id: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the predefined variables of GitHub Actions, GitLab CI, Forgejo Actions (which has GitHub's), Jenkins and Buildkite. */
export function ciRunOf(env: Environment): CiRun {
  const first = (...names: readonly string[]) =>
    names.map((name) => env[name]).find((value) => value) ?? null;
  const actions = [env.GITHUB_RUN_ID, env.GITHUB_RUN_ATTEMPT, env.GITHUB_JOB].filter((part) => part);
  return {
    commit: first('GITHUB_SHA', 'CI_COMMIT_SHA', 'GIT_COMMIT', 'BUILDKITE_COMMIT'),
    branch: first('GITHUB_REF_NAME', 'CI_COMMIT_REF_NAME') ?? jenkinsBranch(env) ?? first('BUILDKITE_BRANCH'),
    url: actions.length > 0 ? runPage(env) : first('CI_JOB_URL', 'BUILD_URL', 'BUILDKITE_BUILD_URL'),
    id: actions.length > 0 ? actions.join('/') : first('CI_JOB_ID', 'BUILD_TAG', 'BUILDKITE_JOB_ID'),
  };
}

/** GitHub names the page of a run by its id; Forgejo and Gitea by its number in the repository, and their address ends with a slash. */
function runPage(env: Environment): string {
  const server = env.GITHUB_SERVER_URL?.replace(/\/+$/, '');
  const run = env.FORGEJO_ACTIONS || env.GITEA_ACTIONS ? env.GITHUB_RUN_NUMBER : env.GITHUB_RUN_ID;
  return `${server}/${env.GITHUB_REPOSITORY}/actions/runs/${run}`;
}

/** Jenkins writes the remote before it: `origin/main`. */
function jenkinsBranch({ GIT_BRANCH: branch }: Environment): string | null {
  return branch?.replace(/^origin\//, '') || null;
}
