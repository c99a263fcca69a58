import { fileURLToPath } from 'node:url';

/** Forgejo or Gitea. Neither moves issues to another repository. */
export const forgejo = {
  title: 'Forgejo',
  double: fileURLToPath(new URL('../../../../packages/doubles/dist/forgejo/main.js', import.meta.url)),
  requests: {
    post: { method: 'POST', path: '/issues' },
    list: { method: 'GET', path: '/issues' },
    read: { method: 'GET', path: '/issues/1' },
    // Each core asks once whose token it has, before it lists.
    first: { method: 'GET', path: '/api/v1/user' },
  },
  settings: ({ url, token, repository }) => ({
    FORGEJO_URL: url,
    FORGEJO_TOKEN: token,
    REPOSITORY: `forgejo:${repository}`,
  }),
  async openAccount(steer, { name }) {
    const token = `forgejo_${name}`;
    const user = `bot-${name}`;
    await steer('POST', 'tokens', { token, user, scopes: ['read:repository', 'read:user', 'write:issue'] });
    return { token, user, app: null };
  },
  writeIssue: ({ repository, token, title }) => ({
    path: `/api/v1/repos/${repository}/issues`,
    init: { headers: { authorization: `token ${token}` }, body: JSON.stringify({ title }) },
  }),
  creationPath: (repository) => `/repos/${repository}/issues`,
  stored: (body) => body,
  rows: [],
};
