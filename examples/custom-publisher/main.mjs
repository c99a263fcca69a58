// A custom publisher: checked by the published contract suite, then used.
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine, silentLogger } from '@culprit/core';
import { publisherContract } from '@culprit/core/testing';
import { listPublisher } from './publisher.mjs';

const connector = listPublisher({ baseUrl: 'https://issues.example.com' });
const signal = new AbortController().signal;
for (const { name, run } of publisherContract) {
  await run(async () => {
    const { publisher } = await connector.setup({ fetch, logger: silentLogger, signal });
    return { publisher, repository: 'shop' };
  });
  console.log(`ok ${name}`);
}

const engine = await createEngine({
  connectors: [storage({ url: 'memory:' }), template({}), connector],
  projects: { default: { publishRepository: 'shop' } },
});
const me = { name: 'ada', via: 'engine' };
const { run_id } = await engine.ingest({ crash: { message: 'the till is stuck' } });
await engine.approveGateOne(run_id, me);
const { draft } = await engine.run(run_id);
console.log((await engine.approveGateTwo(run_id, me, { digest: draft.digest })).issue_url);
await engine.close();
