// A crash of code on Forgejo becomes an issue there: FORGEJO_URL, FORGEJO_TOKEN and REPOSITORY (forgejo:owner/name) say where.
import { forgejo } from '@culprit/connectors/forgejo';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';

const { FORGEJO_URL: url, FORGEJO_TOKEN: token, REPOSITORY: repository } = process.env;
const engine = await createEngine({
  connectors: [
    storage({ url: 'memory:' }),
    forgejo({ url, token, mirrorDirectory: 'mirrors', repository }),
    template({}),
  ],
  projects: { default: { repository } },
});
const me = { name: 'ada', via: 'engine' };
const stack = 'TypeError: no price\n    at total (/app/main.mjs:8:10)';
const { run_id } = await engine.ingest({ crash: { stack, platform: 'node' } });
await engine.approveGateOne(run_id, me);
const { draft, suspects } = await engine.run(run_id);
console.log(`suspect: ${suspects[0]?.title ?? 'none'}`);
console.log((await engine.approveGateTwo(run_id, me, { digest: draft.digest })).issue_url);
await engine.close();
