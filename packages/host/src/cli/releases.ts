import { execFileSync } from 'node:child_process';
import type { Answer, Input, ListedRelease, Release } from '@culprit/client';
import { commitsText } from '@culprit/core/internal/domain/release';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { usageError } from './exit-codes.js';
import { type Form, form, type Given, overCore } from './over-core.js';
import { clipped, oneLine, tableText } from './print.js';
import type { ReadFlags } from './read-flags.js';

const HEAD = ['PROJECT', 'VERSION', 'DEPLOYED', 'NEW RUNS', 'REGRESSED', 'CRASHES', 'LAST DAY', 'COMMITS'];

/** Releases: recording, reading and changing them, and their deploys. */
export const { usage, run } = overCore(
  'releases',
  {
    flags: {
      project: { value: 'NAME', meaning: `the project (default: ${DEFAULT_PROJECT}; list: all)` },
      'release-url': { value: 'URL', meaning: 'with new or finalize: the page of the release' },
      commit: { value: 'REVISION', meaning: 'the released commit: a SHA, or a tag of the repository' },
      previous: {
        value: 'REVISION',
        meaning: 'the commit of the previous release (default: that of the last recorded one)',
      },
      auto: { meaning: 'with new or set-commits: the commit that is checked out in this folder' },
      finalize: { meaning: 'with new: finalise it, too' },
      name: { value: 'TEXT', meaning: 'with deploy: its name' },
      'deploy-url': { value: 'URL', meaning: 'with deploy: its page' },
      started: { value: 'TIME', meaning: 'with deploy: when it started, in ISO 8601' },
      finished: { value: 'TIME', meaning: 'with deploy: when it finished (default: now)' },
    },
    notes: [
      'VERSION is the release as crashes name it, such as shop@2.4.1.',
      'All of them are safe to repeat. Writing needs the scope release, list and show the scope read.',
    ],
  },
  {
    '[list]': form('', {
      call: ({ api, flags }) => api.listReleases({ limit: 50, project: flags.text('project') ?? undefined }),
      text: ({ releases, total }) =>
        releases.length === 0
          ? 'No releases. Record one with: culprit releases new VERSION --auto\n'
          : `${tableText([HEAD, ...releases.map(rowOf)])}${total > releases.length ? `and ${total - releases.length} more\n` : ''}`,
    }),
    show: form('VERSION', { call: (given) => given.api.getRelease(placeOf(given)), text: detailText }),
    new: form('VERSION', {
      call(given) {
        const { api, flags } = given;
        const now = new Date().toISOString();
        const finalised = flags.has('finalize') ? { finalised_at: now } : {};
        const facts = { started_at: now, url: urlOf(flags), ...finalised, ...contentOf(flags) };
        return api.recordRelease({ ...placeOf(given), ...facts });
      },
      text: recordedText,
    }),
    'set-commits': changes('VERSION --auto|--commit REVISION', (flags) => {
      const content = contentOf(flags);
      if (content === null) throw usageError('Pass --auto, or --commit REVISION.');
      return content;
    }),
    finalize: changes('VERSION', (flags) => ({
      finalised_at: new Date().toISOString(),
      url: urlOf(flags),
    })),
    deploy: form('VERSION ENVIRONMENT', {
      call: (given) =>
        given.api.recordDeploy({
          ...placeOf(given),
          environment: given.args[1] ?? '',
          name: given.flags.text('name') ?? undefined,
          url: given.flags.text('deploy-url') ?? undefined,
          started_at: given.flags.text('started') ?? undefined,
          finished_at: given.flags.text('finished') ?? undefined,
        }),
      text: ({ finished_at }, { args: [version = '', environment = ''] }) =>
        `Deployed ${oneLine(version)} to ${oneLine(environment)} at ${finished_at}.\n`,
    }),
    archive: changes('VERSION', () => ({ archived: true })),
    restore: changes('VERSION', () => ({ archived: false })),
    delete: form('VERSION', {
      async call(given) {
        await given.api.deleteRelease(placeOf(given));
        return { status: 'deleted' };
      },
      text: () => 'Forgotten.\n',
    }),
  },
);

/** A form that changes a recorded release. */
function changes(takes: string, factsOf: (flags: ReadFlags) => Partial<Input<'recordRelease'>>): Form {
  return form(takes, {
    call: (given) => given.api.recordRelease({ ...factsOf(given.flags), ...placeOf(given), if_match: '*' }),
    text: recordedText,
  });
}

function placeOf({ flags, args: [version = ''] }: Given) {
  return { project: flags.text('project') ?? DEFAULT_PROJECT, version };
}

function urlOf(flags: ReadFlags): string | undefined {
  return flags.text('release-url') ?? undefined;
}

function recordedText({ version, project, commit, commits, more_commits }: Release): string {
  const brought = commits === null ? '' : ` It brought ${commitsText(commits, more_commits)}.`;
  const at = commit === null ? '' : ` at ${commit.slice(0, 12)}`;
  return `Release ${oneLine(version)} of ${oneLine(project)} is recorded${at}.${brought}\n`;
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

function detailText({ project, version, at, release, counts, commits }: Answer<'getRelease', 200>): string {
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
  const brought = commits ?? [];
  return [
    tableText(rows.map((row) => row.map((cell) => clipped(cell, 200)))),
    ...brought.slice(0, 20).map(({ sha, title }) => `  ${sha.slice(0, 7)} ${clipped(title, 80)}\n`),
    ...(brought.length > 20 ? [`  and ${brought.length - 20} more\n`] : []),
  ].join('');
}

function contentOf(flags: ReadFlags) {
  const commit = flags.text('commit') ?? (flags.has('auto') ? checkedOut() : null);
  return commit === null ? null : { commit, previous: flags.text('previous') ?? undefined };
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
