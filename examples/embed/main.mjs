// The engine without the host: a crash of this program becomes an issue in ./outbox.
import { git, outbox } from '@culprit/connectors/git';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';

const engine = await createEngine({
  connectors: [
    storage({ url: 'memory:' }),
    git({}),
    outbox({ directory: 'outbox', baseUrl: 'http://127.0.0.1:8000' }),
    template({}),
  ],
  projects: { default: { repository: process.argv[2] ?? process.cwd() } },
});
const total = (order) => order.lines.reduce((sum, line) => sum + line.price.cents, 0);
const me = { name: 'ada', via: 'engine' };
try {
  total({ lines: [{ sku: 'teapot' }] });
} catch (error) {
  const { run_id } = await engine.ingest({ crash: { stack: error.stack, platform: 'node' } });
  await engine.approveGateOne(run_id, me);
  const { draft, suspects } = await engine.run(run_id);
  console.log(`${draft.title}\nsuspect: ${suspects[0]?.title ?? 'none'}`);
  console.log((await engine.approveGateTwo(run_id, me, { digest: draft.digest })).issue_url);
}
await engine.close();
