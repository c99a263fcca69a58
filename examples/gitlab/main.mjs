// A crash of code on GitLab becomes an issue there: GITLAB_URL, GITLAB_TOKEN and REPOSITORY (gitlab:group/project) say where.
import { gitlab } from '@culprit/connectors/gitlab';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';

const { GITLAB_URL: url, GITLAB_TOKEN: token, REPOSITORY: repository } = process.env;
const engine = await createEngine({
  connectors: [storage({ url: 'memory:' }), gitlab({ url, token, repository }), template({})],
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
