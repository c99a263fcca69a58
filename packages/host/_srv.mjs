import { createServer } from 'node:http';
import { git, outbox } from '@culprit/connectors/git';
import { keyv } from '@culprit/connectors/keyv';
import { sentry } from '@culprit/connectors/sentry';
import { template } from '@culprit/connectors/template';
import { errortracker, native } from '@culprit/connectors/tracker';
import { createEngine } from '@culprit/core';
import { createFetchHandler, nodeListener } from '@culprit/host/fetch';

const publicUrl = 'http://127.0.0.1:28700';
const engine = await createEngine({
  connectors: [
    keyv({ url: 'memory:' }),
    git({}),
    outbox({ directory: '/tmp/hc/fetchout', baseUrl: publicUrl }),
    template({}),
    native({
      tokens: [
        { project: 'default', name: 'shop', token: 'svc-token-1' },
        { project: 'default', name: 'shop2', token: 'svc-token-2' },
      ],
    }),
    errortracker({
      secrets: [
        { project: 'default', secret: 'hook-secret-one' },
        { project: 'default', secret: 'hook-secret-two' },
      ],
    }),
    sentry({ keys: [{ project: 'default', key: '0123456789abcdef0123456789abcdef' }] }),
  ],
  projects: { default: { repository: '/tmp/hc/a/repo' } },
});
const culprit = createFetchHandler({
  engine,
  publicUrl,
  reviewers: [{ name: 'ada', token: 'rev-token-ada' }],
});
createServer(nodeListener(culprit)).listen(28700, '127.0.0.1', () => console.log('up'));
