const POST = { method: 'POST', path: '/issues' };
const LIST = { method: 'GET', path: '/issues' };
const READ = { method: 'GET', path: '/issues/1' };
const MOVED = { method: 'GET', path: '-elsewhere/issues/1' };
const GRAPHQL = { path: '/graphql' };
const MINUTE = 60_000;

/** A fault that affects two POSTs: core is killed during the first, and the restarted core sends the second. */
const post = (name, fault, more = {}) => ({
  name,
  arm: (github) => github.fault({ ...POST, times: 2, ...fault }),
  ...more,
});
const status = (code, more = {}) => ({ kind: 'status', status: code, ...more });
const gateOne = (name, fault) => ({
  name,
  at: GRAPHQL,
  gate: 'gate1',
  arm: (github) => github.fault({ ...GRAPHQL, times: 2, ...fault }),
});
/** Creation is impossible until `heal`. */
const impossible = (name, arm, heal, at = POST) => ({ name, impossible: true, arm, heal, at });

/**
 * The faults, one at a time. Core is killed around the request `at`, by default the POST. `lagMs` is the listing lag, `late`
 * how long a request may still take effect. `afterwards` happens after the approval, and after the kill. With `transferred` the
 * issue is published and transferred before core is killed, around the delivery of the same crash.
 */
export const ROWS = [
  { name: 'nothing', arm: () => {} },
  post('500', status(500)),
  post('502', status(502)),
  post('503', status(503)),
  post('500 with Retry-After', status(500, { retryAfter: 30 })),
  post('502 with Retry-After', status(502, { retryAfter: 30 })),
  post('503 with Retry-After', status(503, { retryAfter: 30 })),
  post('502 after the issue was created', status(502, { afterEffect: true, times: 1 })),
  post('429 with Retry-After', status(429, { retryAfter: 30 })),
  post('429 without Retry-After', status(429)),
  post('403 with Retry-After', status(403, { retryAfter: 30 })),
  post('403 without Retry-After', status(403)),
  { name: 'secondary limit: 80 creations a minute', arm: flood },
  post('timeout, nothing created', { kind: 'hang' }),
  post('timeout after the issue was created', { kind: 'hang-after', times: 1 }),
  post('connection reset before', { kind: 'reset-before' }),
  post('connection reset after', { kind: 'reset-after', times: 1 }),
  post('a response that is not JSON', { kind: 'garbage', afterEffect: true, times: 1 }),
  post('60-second response to the POST', { kind: 'slow', ms: MINUTE, times: 1 }, { late: MINUTE }),
  {
    name: '60-second response to the list',
    at: LIST,
    arm: (github) => github.fault({ ...LIST, kind: 'slow', ms: MINUTE, times: 2 }),
  },
  { name: 'listing lag 30 s', lagMs: 30_000, arm: () => {} },
  { name: 'listing lag 8 min', lagMs: 8 * MINUTE, arm: () => {} },
  post('listing lag 30 s, response lost', { kind: 'reset-after', times: 1 }, { lagMs: 30_000 }),
  post('listing lag 8 min, response lost', { kind: 'reset-after', times: 1 }, { lagMs: 8 * MINUTE }),
  post(
    'listing lag 49 min, response lost',
    { kind: 'reset-after', times: 1 },
    { lagMs: 49 * MINUTE, search: '1h' },
  ),
  { name: 'repository renamed', arm: (github) => github.change({ renamedTo: `${github.repository}-store` }) },
  impossible(
    'expired token',
    (github) => github.changeToken({ expiresAt: 1 }),
    (github) => github.changeToken({ expiresAt: 1e15 }),
    GRAPHQL,
  ),
  impossible(
    'token refused at the POST',
    (github) => github.fault({ ...POST, ...status(401), times: 1_000 }),
    (github) => github.clearFaults(),
  ),
  impossible(
    'issues disabled',
    (github) => github.change({ issuesDisabled: true }),
    (github) => github.change({ issuesDisabled: false }),
    LIST,
  ),
  impossible(
    'repository archived',
    (github) => github.change({ archived: true }),
    (github) => github.change({ archived: false }),
  ),
  {
    name: 'App token expires at the list and at the POST',
    asApp: true,
    arm: async (github) => {
      await github.fault({ ...LIST, kind: 'expired-token' });
      await github.fault({ ...POST, kind: 'expired-token' });
    },
  },
  {
    name: 'issue transferred, then the same crash',
    transferred: true,
    at: MOVED,
    before: READ,
    arm: () => {},
  },
  gateOne('GraphQL 200 with errors', { kind: 'graphql-errors' }),
  gateOne('GraphQL 200 RATE_LIMITED', { kind: 'graphql-rate-limited' }),
  gateOne('GraphQL out of resources', { kind: 'graphql-resource-limits' }),
  gateOne('GraphQL partial data', { kind: 'graphql-partial' }),
  gateOne('GraphQL 502', status(502)),
  gateOne('GraphQL 60-second response', { kind: 'slow', ms: MINUTE }),
  post(
    'response lost, then 10,050 newer issues: pages beyond 10,000 are 422',
    { kind: 'reset-after', times: 1 },
    { lagMs: 8 * MINUTE, afterwards: (github) => github.crowd(10_050) },
  ),
];

/** Another client writes as the same user until GitHub's limit is reached. */
async function flood({ write }) {
  for (let made = 0; made < 80; made += 1) await write({ title: `other ${made}` });
}
