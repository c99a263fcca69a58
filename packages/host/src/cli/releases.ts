import { execFileSync } from 'node:child_process';
import type { Answer, Client, ListedRelease, Release } from '@culprit/client';
import { commitsText } from '@culprit/core/internal/domain/release';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: [
    'releases [list] [flags]',
    'releases show VERSION [flags]',
    'releases new VERSION [flags]',
    'releases set-commits VERSION --auto|--commit REVISION [flags]',
    'releases finalize VERSION [flags]',
    'releases deploy VERSION ENVIRONMENT [flags]',
    'releases archive VERSION [flags]',
    'releases restore VERSION [flags]',
    'releases delete VERSION [flags]',
  ],
  flags: {
    project: { value: 'NAME', meaning: `the project (default: ${DEFAULT_PROJECT}; list: all)` },
    'release-url': { value: 'URL', meaning: 'with new or finalize: the page of the release' },
    commit: { value: 'REVISION', meaning: 'the released commit: a SHA, or a tag of the repository' },
    previous: {
      value: 'REVISION',
      meaning: 'the commit of the release before (default: that of the last recorded one)',
    },
    auto: { meaning: 'with new or set-commits: the commit that is checked out in this folder' },
    finalize: { meaning: 'with new: finalise it, too' },
    name: { value: 'TEXT', meaning: 'with deploy: its name' },
    'deploy-url': { value: 'URL', meaning: 'with deploy: its page' },
    started: { value: 'TIME', meaning: 'with deploy: when it started, in ISO 8601' },
    finished: { value: 'TIME', meaning: 'with deploy: when it finished (default: now)' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'VERSION is the release as crashes name it, such as shop@2.4.1.',
    'All of them are safe to repeat. Writing needs the scope release, list and show the scope read.',
  ],
};

type ReleaseDetail = Answer<'getRelease', 200>;
type Verb = (api: Client, version: string, flags: ReadFlags, project: string) => Promise<unknown>;

const VERBS: Readonly<Record<string, Verb>> = {
  show: async (api, version, flags, project) => {
    const found = await api.getRelease({ project, version });
    if (!flags.has('json')) printDetail(found);
    return found;
  },
  new: async (api, version, flags, project) => {
    const finalised = flags.has('finalize') ? { finalised_at: new Date().toISOString() } : {};
    const facts = { started_at: new Date().toISOString(), ...urlOf(flags), ...finalised };
    return told(flags, await api.recordRelease({ project, version, ...facts, ...contentOf(flags) }));
  },
  'set-commits': async (api, version, flags, project) => {
    const content = contentOf(flags);
    if (content === null) throw usageError('Pass --auto, or --commit REVISION.');
    return told(flags, await api.recordRelease({ project, version, ...content, if_match: '*' }));
  },
  finalize: async (api, version, flags, project) => {
    const facts = { finalised_at: new Date().toISOString(), ...urlOf(flags) };
    return told(flags, await api.recordRelease({ project, version, ...facts, if_match: '*' }));
  },
  archive: async (api, version, flags, project) =>
    told(flags, await api.recordRelease({ project, version, archived: true, if_match: '*' })),
  restore: async (api, version, flags, project) =>
    told(flags, await api.recordRelease({ project, version, archived: false, if_match: '*' })),
  delete: async (api, version, flags, project) => {
    await api.deleteRelease({ project, version });
    if (!flags.has('json')) print('Forgotten.\n');
    return { status: 'deleted' };
  },
};

export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', version, environment, ...rest] = flags.positionals;
  const project = flags.text('project') ?? DEFAULT_PROJECT;
  if (verb === 'list' && version === undefined) return list(flags);
  if (verb === 'deploy' && version !== undefined && environment !== undefined && rest.length === 0)
    return deploy(flags, project, version, environment);
  const work = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (work === undefined || version === undefined || environment !== undefined)
    throw usageError(
      'Use culprit releases [list], deploy VERSION ENVIRONMENT, or a verb with a VERSION. See culprit releases --help.',
    );
  const result = await work(connect(flags), version, flags, project);
  if (flags.has('json')) printJson(result);
  return EXIT.done;
}

async function list(flags: ReadFlags): Promise<number> {
  const project = flags.text('project');
  const page = await connect(flags).listReleases({ limit: 50, ...(project === null ? {} : { project }) });
  if (flags.has('json')) {
    printJson(page);
    return EXIT.done;
  }
  if (page.releases.length === 0) {
    print('No releases. Record one with: culprit releases new VERSION --auto\n');
    return EXIT.done;
  }
  const head = ['PROJECT', 'VERSION', 'DEPLOYED', 'NEW RUNS', 'REGRESSED', 'CRASHES', 'LAST DAY', 'COMMITS'];
  print(tableText([head, ...page.releases.map(rowOf)]));
  if (page.total > page.releases.length) print(`and ${page.total - page.releases.length} more\n`);
  return EXIT.done;
}

function rowOf({ project, version, release, counts }: ListedRelease): readonly string[] {
  const environments = [...new Set(release?.deploys.map(({ environment }) => environment))];
  return [
    clipped(project, 20),
    clipped(version, 40),
    clipped(environments.join(', ') || '-', 30),
    String(counts?.new_runs ?? 0),
    String(counts?.regressed_runs ?? 0),
    String(counts?.crashes ?? 0),
    counts?.day_share == null ? '-' : `${Math.round(counts.day_share * 100)} %`,
    release?.commits == null ? '-' : `${release.commits}${release.more_commits ? '+' : ''}`,
  ];
}

function printDetail({ project, version, at, release, counts, commits }: ReleaseDetail): void {
  const rows = [
    ['release', version],
    ['project', project],
    [release === null ? 'first crash' : 'recorded', at],
    ...(release?.finalised_at ? [['finalised', release.finalised_at]] : []),
    ...(release?.url ? [['page', release.url]] : []),
    ...(release?.commit ? [['commit', release.commit]] : []),
    ...(release?.commits == null ? [] : [['brought', commitsText(release.commits, release.more_commits)]]),
    ...(release?.deploys ?? []).map((one) => ['deployed', `${one.finished_at} to ${one.environment}`]),
    ...(counts === null
      ? []
      : [
          ['crashes', `${counts.crashes}, the last at ${counts.last_crash_at}`],
          ['runs', `${counts.new_runs} new, ${counts.regressed_runs} regressed`],
        ]),
  ];
  print(tableText(rows.map((row) => row.map((cell) => clipped(cell, 200)))));
  for (const { sha, title } of (commits ?? []).slice(0, 20))
    print(`  ${sha.slice(0, 7)} ${clipped(title, 80)}\n`);
  if ((commits ?? []).length > 20) print(`  and ${(commits ?? []).length - 20} more\n`);
}

async function deploy(
  flags: ReadFlags,
  project: string,
  version: string,
  environment: string,
): Promise<number> {
  const optional = {
    ...textOf(flags, 'name', 'name'),
    ...textOf(flags, 'deploy-url', 'url'),
    ...textOf(flags, 'started', 'started_at'),
    ...textOf(flags, 'finished', 'finished_at'),
  };
  const made = await connect(flags).recordDeploy({ project, version, environment, ...optional });
  if (flags.has('json')) printJson(made);
  else print(`Deployed ${oneLine(version)} to ${oneLine(environment)} at ${made.finished_at}.\n`);
  return EXIT.done;
}

function told(flags: ReadFlags, release: Release): Release {
  if (flags.has('json')) return release;
  const { version, project, commit, commits, more_commits } = release;
  const brought = commits === null ? '' : ` It brought ${commitsText(commits, more_commits)}.`;
  const at = commit === null ? '' : ` at ${commit.slice(0, 12)}`;
  print(`Release ${oneLine(version)} of ${oneLine(project)} is recorded${at}.${brought}\n`);
  return release;
}

function contentOf(flags: ReadFlags): { readonly commit: string; readonly previous?: string } | null {
  const commit = flags.text('commit') ?? (flags.has('auto') ? checkedOut() : null);
  const previous = flags.text('previous');
  if (commit === null) return null;
  return { commit, ...(previous === null ? {} : { previous }) };
}

function checkedOut(): string {
  try {
    return execFileSync('git', ['rev-parse', '--verify', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    throw usageError('--auto needs git and a checkout in this folder. Pass --commit REVISION.');
  }
}

const urlOf = (flags: ReadFlags) => textOf(flags, 'release-url', 'url');

function textOf<Name extends string>(flags: ReadFlags, flag: string, name: Name): { [N in Name]?: string } {
  const text = flags.text(flag);
  return text === null ? {} : ({ [name]: text } as { [N in Name]?: string });
}
