// A program that works through the inbox over core's API. Set CULPRIT_URL and CULPRIT_TOKEN to use a core of your own.
import { ApiError, createClient } from '@culprit/client';
import { ownCore } from './own-core.mjs';

const { CULPRIT_URL: url, CULPRIT_TOKEN: token } = process.env;
const own = url === undefined ? await ownCore() : null;
const culprit = createClient(own ?? { url, token });

for await (const run of culprit.allRuns({ state: 'staged_raw', q: 'level:fatal' })) {
  console.log(`${run.title}: ${run.occurrences} crashes`);
  // The same key for the same deploy: a second start of this program adds no second comment.
  await culprit
    .with({ idempotencyKey: `deploy-2.4.1 ${run.run_id}` })
    .comment(run.run_id, 'Seen after 2.4.1.');
  await culprit.approveGateOne(run.run_id);
  const draft = await culprit.draft(run.run_id);
  const edited = await culprit.saveDraft(
    run.run_id,
    { ...draft, title: `[shop] ${draft.title}` },
    draft.digest,
  );
  console.log(edited.title);
  try {
    await culprit.approveGateTwo(run.run_id, draft.digest);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'draft_changed') throw error;
    console.log('As expected, core refused the old digest: the draft was edited after it.');
  }
}
await own?.close();
