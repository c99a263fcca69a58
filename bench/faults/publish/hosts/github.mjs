import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const REST = { post: { method: 'POST', path: '/issues' }, list: { method: 'GET', path: '/issues' } };
const GRAPHQL = { path: '/graphql' };
const status = (code, more = {}) => ({ kind: 'status', status: code, ...more });
const gateOne = (name, fault) => ({
  name,
  at: GRAPHQL,
  gate: 'gate1',
  arm: (repository) => repository.fault({ ...GRAPHQL, times: 2, ...fault }),
});

/** GitHub, with a personal token or as an App. */
export const github = {
  title: 'GitHub',
  double: fileURLToPath(new URL('../../../../packages/doubles/dist/github/main.js', import.meta.url)),
  requests: {
    ...REST,
    read: { method: 'GET', path: '/issues/1' },
    readMoved: { method: 'GET', path: '-elsewhere/issues/1' },
    // Both gates ask by GraphQL first: for the revision, and for core's own account.
    first: GRAPHQL,
  },
  settings: ({ url, token, app, repository }) => ({
    ...(app === null ? { GITHUB_TOKEN: token } : { GITHUB_APP_ID: app.id, GITHUB_APP_KEY: app.privateKey }),
    GITHUB_API_URL: url,
    REPOSITORY: repository,
  }),
  async openAccount(steer, { name, repository, asApp }) {
    const token = `github_pat_${name}`;
    const permissions = { contents: 'read', issues: 'write' };
    const user = asApp ? `${name}[bot]` : `bot-${name}`;
    await steer('POST', 'tokens', { token, user, permissions });
    const app = asApp
      ? await openApp(steer, { id: `Iv1.${name}`, slug: name, permissions, repository })
      : null;
    return { token, user, app };
  },
  writeIssue: ({ repository, token, title }) => ({
    path: `/repos/${repository}/issues`,
    init: { headers: { authorization: `Bearer ${token}` }, body: JSON.stringify({ title }) },
  }),
  /** A creation of a random round: part of its path. */
  creationPath: (repository) => `/repos/${repository}/issues`,
  /** What the host stores of a body. */
  stored: (body) => body,
  /** Rows of this host alone. */
  rows: [
    {
      name: 'secondary limit: 80 creations a minute',
      arm: async ({ write }) => {
        for (let made = 0; made < 80; made += 1) await write(`other ${made}`);
      },
    },
    {
      name: 'App token expires at the list and at the POST',
      asApp: true,
      arm: async (repository) => {
        await repository.fault({ ...REST.list, kind: 'expired-token' });
        await repository.fault({ ...REST.post, kind: 'expired-token' });
      },
    },
    gateOne('GraphQL 200 with errors', { kind: 'graphql-errors' }),
    gateOne('GraphQL 200 RATE_LIMITED', { kind: 'graphql-rate-limited' }),
    gateOne('GraphQL out of resources', { kind: 'graphql-resource-limits' }),
    gateOne('GraphQL partial data', { kind: 'graphql-partial' }),
    gateOne('GraphQL 502', status(502)),
    gateOne('GraphQL 60-second response', { kind: 'slow', ms: 60_000 }),
  ],
};

async function openApp(steer, { id, slug, permissions, repository }) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  await steer('POST', 'apps', { id, slug, publicKey, permissions, repositories: [repository] });
  return { id, privateKey };
}
