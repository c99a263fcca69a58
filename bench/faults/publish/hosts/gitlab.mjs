import { fileURLToPath } from 'node:url';
import { toStored } from '../../../../packages/connectors/dist/gitlab/schema.js';

const COMMITS = { method: 'GET', path: '/repository/commits' };
const gateOne = (name, fault) => ({
  name,
  at: COMMITS,
  before: COMMITS,
  gate: 'gate1',
  arm: (repository) => repository.fault({ ...COMMITS, times: 2, ...fault }),
});

/** GitLab, with a project access token. */
export const gitlab = {
  title: 'GitLab',
  double: fileURLToPath(new URL('../../../../packages/doubles/dist/gitlab/main.js', import.meta.url)),
  requests: {
    post: { method: 'POST', path: '/issues' },
    list: { method: 'GET', path: '/issues' },
    read: { method: 'GET', path: '/issues/1' },
    readMoved: { method: 'GET', path: '-elsewhere/issues/1' },
    // Each core asks once whose token it has, before it lists.
    first: { method: 'GET', path: '/api/v4/user' },
  },
  settings: ({ url, token, repository }) => ({
    GITLAB_URL: url,
    GITLAB_TOKEN: token,
    REPOSITORY: `gitlab:${repository}`,
  }),
  async openAccount(steer, { name }) {
    const token = `glpat-${name}`;
    const user = `bot-${name}`;
    await steer('POST', 'tokens', { token, user, scopes: ['api'] });
    return { token, user, app: null };
  },
  writeIssue: ({ repository, token, title }) => ({
    path: `/api/v4/projects/${encodeURIComponent(repository)}/issues`,
    init: {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    },
  }),
  creationPath: (repository) => `/projects/${encodeURIComponent(repository)}/issues`,
  stored: toStored,
  rows: [
    gateOne('commits 502', { kind: 'status', status: 502 }),
    gateOne('commits 429 with Retry-After', { kind: 'status', status: 429, retryAfter: 30 }),
    gateOne('commits 60-second response', { kind: 'slow', ms: 60_000 }),
  ],
};
