import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIssueFile } from '../../../../packages/connectors/dist/git/outbox/issue-folder.js';

/** Issues as files in core's own folder. There are no requests that could fail, so core is only killed at random. */
export const outbox = {
  title: 'the outbox',
  start: async ({ folder, time }) => {
    const repositories = new Map();
    const steer = async (method, path, body) => {
      if (method === 'POST' && path === 'repositories') repositories.set(body.name, body.git);
      return method === 'GET' && path === 'issues'
        ? { issues: issuesBelow(folder) }
        : { bugs: [], violations: [] };
    };
    return { host: { ...outbox, repositories }, url: '', time, steer, stop: async () => {} };
  },
  settings: ({ repository, host }) => ({ REPOSITORY: host.repositories.get(repository) }),
  openAccount: async () => ({ token: '', user: '', app: null }),
  creationPath: () => '',
  stored: (body) => body,
};

/** The issues of every core whose folder is below this one. */
function issuesBelow(folder) {
  return readdirSync(folder).flatMap((core) => {
    const directory = join(folder, core, 'data/outbox');
    if (!existsSync(directory)) return [];
    const names = readdirSync(directory).filter((name) => name.endsWith('.md'));
    return names.flatMap((name) => readIssueFile(readFileSync(join(directory, name), 'utf8')) ?? []);
  });
}
