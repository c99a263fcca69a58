const MINUTE = 60_000;

/** A fault that affects two POSTs: core is killed during the first, and the restarted core sends the second. */
const postRow = (post, name, fault, more) => ({
  name,
  arm: (repository) => repository.fault({ ...post, times: 2, ...fault }),
  ...more,
});
const status = (code, more = {}) => ({ kind: 'status', status: code, ...more });
/**
 * The faults, one at a time. Core is killed around the request `at`, by default the POST. `lagMs` is the listing lag, `late`
 * how long a request may still take effect. `afterwards` happens after the approval, and after the kill. With `transferred` the
 * issue is published and transferred before core is killed, around the delivery of the same crash.
 */
export function rowsOf({ requests, rows }) {
  const { post: POST, list: LIST, read: READ, readMoved: MOVED, first: FIRST } = requests;
  const post = (name, fault, more = {}) => postRow(POST, name, fault, more);
  /** Creation is impossible until `heal`. */
  const impossible = (name, arm, heal, at = POST) => ({ name, impossible: true, arm, heal, at });
  return [
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
    post('timeout, nothing created', { kind: 'hang' }),
    post('timeout after the issue was created', { kind: 'hang-after', times: 1 }),
    post('connection reset before', { kind: 'reset-before' }),
    post('connection reset after', { kind: 'reset-after', times: 1 }),
    post('a response that is not JSON', { kind: 'garbage', afterEffect: true, times: 1 }),
    post('60-second response to the POST', { kind: 'slow', ms: MINUTE, times: 1 }, { late: MINUTE }),
    {
      name: '60-second response to the list',
      at: LIST,
      arm: (repository) => repository.fault({ ...LIST, kind: 'slow', ms: MINUTE, times: 2 }),
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
    {
      name: 'repository renamed',
      arm: (repository) => repository.change({ renamedTo: `${repository.repository}-store` }),
    },
    impossible(
      'expired token',
      (repository) => repository.changeToken({ expiresAt: 1 }),
      (repository) => repository.changeToken({ expiresAt: 1e15 }),
      FIRST,
    ),
    impossible(
      'token refused at the POST',
      (repository) => repository.fault({ ...POST, ...status(401), times: 1_000 }),
      (repository) => repository.clearFaults(),
    ),
    impossible(
      'issues disabled',
      (repository) => repository.change({ issuesDisabled: true }),
      (repository) => repository.change({ issuesDisabled: false }),
      LIST,
    ),
    impossible(
      'repository archived',
      (repository) => repository.change({ archived: true }),
      (repository) => repository.change({ archived: false }),
    ),
    // Some hosts move no issues to other repositories.
    ...(MOVED === undefined
      ? []
      : [
          {
            name: 'issue transferred, then the same crash',
            transferred: true,
            at: MOVED,
            before: READ,
            arm: () => {},
          },
        ]),
    post(
      'response lost, then 10,050 newer issues',
      { kind: 'reset-after', times: 1 },
      { lagMs: 8 * MINUTE, afterwards: (repository) => repository.crowd(10_050) },
    ),
    ...rows,
  ];
}
