// A crash of code on GitHub becomes an issue there: GITHUB_TOKEN and REPOSITORY (owner/name) say where.
import { github } from '@culprit/connectors/github';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';

const { GITHUB_API_URL: apiUrl, GITHUB_TOKEN: token, REPOSITORY: repository } = process.env;
const engine = await createEngine({
  connectors: [
    storage({ url: 'memory:' }),
    github({ token, repository, ...(apiUrl && { apiUrl }) }),
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
