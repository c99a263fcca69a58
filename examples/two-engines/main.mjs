// Two teams in one process: each engine has its own storage, reviewers and issues; they share nothing.
import { outbox } from '@culprit/connectors/git';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';

const engineOf = (team) =>
  createEngine({
    connectors: [
      storage({ url: `file:.culprit/${team}` }),
      outbox({ directory: `outbox/${team}`, baseUrl: `http://127.0.0.1:8000/${team}` }),
      template({}),
    ],
    projects: { default: { publishRepository: `${team}/shop` } },
  });
const [shop, pay] = await Promise.all([engineOf('shop'), engineOf('pay')]);

const crash = { event_id: 'same-id', message: 'the same crash' };
const [{ run_id }] = await Promise.all([shop.ingest({ crash }), pay.ingest({ crash })]);
await shop.approveGateOne(run_id, { name: 'ada', via: 'engine' });
await shop.close();

for (const run of (await pay.runs({ limit: 10 })).runs) console.log(`pay: ${run.occurrences} × ${run.state}`);
await pay.close();
