import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { git, outbox, outboxPages, readSource } from '@culprit/connectors/git';
import { type Check, isCulpritError, silentLogger } from '@culprit/core';
import { timeLimit } from '@culprit/core/connector';
import { type HistoryGap, historyGap } from '@culprit/core/internal/domain/history-gap';
import { DEFAULT_PROJECT } from '../../config/credentials.js';
import { shellWord } from '../../config/shell-word.js';
import type { HostRequest, ProjectAddress, RepositoryHost } from './host.js';

const OUTBOX = 'outbox:';
const SETTING = { repositorySetting: 'REPOSITORY' };
const TIMEOUT_MS = 20_000;

/** Needs no account and no network: git repositories on disk, and issues as files in the outbox. */
export const local: RepositoryHost<Record<never, never>> = {
  titles: { codeHost: 'local git', publisher: 'the local outbox' },
  addresses: 'path',
  guide: 'guides/reference-host.md',
  settings: {},
  scheme: 'file:',
  canonical: (rest, cwd) => (/^~(\/|$)/.test(rest) ? resolve(homedir(), rest.slice(2)) : resolve(cwd, rest)),
  recognises: (address, role) => isAbsolute(address) || (role === 'publisher' && address === OUTBOX),
  setUpBy: [],
  compose({ config, roles, repositories, serving }) {
    const directory = join(config.dataDirectory, 'outbox');
    const line = (publicUrl: string) => `${publicUrl}/code/{project}/{sha}/{path}#L{line}`;
    const code = repositories.filter(({ role }) => role === 'codeHost').map(({ address }) => address);
    const graphs = {
      graphDirectory: join(config.dataDirectory, 'commit-graphs'),
      buildGraphs: serving,
      repositories: serving ? [...new Set(code)] : [],
    };
    return {
      connectors: (publicUrl) => [
        ...(roles.codeHost ? [git({ ...SETTING, links: { line: line(publicUrl) }, ...graphs })] : []),
        ...(roles.publisher ? [outbox({ directory, baseUrl: publicUrl })] : []),
      ],
      documents: {
        ...(roles.publisher ? outboxPages({ directory }) : {}),
        ...(roles.codeHost ? { source: sourceReader(repositories) } : {}),
      },
    };
  },
  check: async (_config, repositories) =>
    (await Promise.all(repositories.map((one) => checkRepository(one)))).flat(),
};

/** Reads the project's own folders only: forks share commits, and names of commits are no secret. */
function sourceReader(repositories: HostRequest['repositories']) {
  const code = repositories.filter(({ role }) => role === 'codeHost');
  return async (project: string, sha: string, path: string, signal: AbortSignal): Promise<string | null> => {
    for (const { address: folder } of code.filter((one) => one.project === project)) {
      const text = await readSource(folder, sha, path, signal);
      if (text !== null) return text;
    }
    return null;
  };
}

function gapText({ detail, command }: HistoryGap, folder: string): string {
  if (command === null) return detail;
  return `${detail} Run: ${command.replace(/^git/, () => `git -C ${shellWord(folder)}`)}`;
}

/** Whether this git is new enough, and reads the repository; then also what its history lacks. `program`: where git is, if not in the usual folders. */
export async function checkRepository(
  { project, address }: Pick<ProjectAddress, 'project' | 'address'>,
  program: { readonly searchPath?: string } = {},
): Promise<readonly Check[]> {
  const named = (name: string) => (project === DEFAULT_PROJECT ? name : `${name} of ${project}`);
  const refused = (detail: string) => [{ name: named('repository'), ok: false, detail }];
  const signal = timeLimit(TIMEOUT_MS);
  const { codeHost, check, close } = await git({ ...SETTING, ...program }).setup({
    fetch,
    logger: silentLogger,
    signal,
  });
  try {
    const unusable = (await check?.(signal))?.find(({ ok }) => !ok);
    if (unusable !== undefined) return refused(unusable.detail);
    const hints = { commit: null, release: null, at: new Date().toISOString() };
    const tree = await codeHost?.tree(address, hints, signal);
    const detail = `${address} at ${tree?.revision.sha.slice(0, 12)}, ${tree?.paths.length} files`;
    const gaps = (tree?.gaps ?? []).map((fact) => gapText(historyGap(fact), address));
    return [
      { name: named('repository'), ok: true, detail },
      ...gaps.map((gap) => ({ name: named('history'), ok: false, detail: `${address}: ${gap}` })),
    ];
  } catch (error) {
    if (signal.aborted) return refused(`Reading ${address} took longer than ${TIMEOUT_MS / 1000} s.`);
    if (!isCulpritError(error)) throw error;
    return refused(error.message);
  } finally {
    await close?.();
  }
}
