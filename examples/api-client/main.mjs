// A program that works through the inbox over core's API. Set CULPRIT_URL and CULPRIT_TOKEN to use a core of your own.
import { ApiError, createClient, pages } from '@culprit/client';
import { ownCore } from './own-core.mjs';

const { CULPRIT_URL: url, CULPRIT_TOKEN: token } = process.env;
const own = url === undefined ? await ownCore() : null;
const culprit = createClient(own ?? { url, token });

for await (const { runs } of pages(culprit.listRuns, { state: 'staged_raw', q: 'level:fatal' }))
  for (const run of runs) await review(run);
await own?.close();

async function review({ run_id, title, occurrences }) {
  console.log(`${title}: ${occurrences} crashes`);
  // The same key for the same deploy: a second start of this program adds no second comment.
  const once = culprit.with({ idempotencyKey: `deploy-2.4.1 ${run_id}` });
  await once.commentOnRun({ run_id, comment: 'Seen after 2.4.1.' });
  await culprit.approveGateOne({ run_id });
  const draft = await culprit.getDraft({ run_id });
  const { digest: read, body } = draft;
  const edited = await culprit.editDraft({ run_id, title: `[shop] ${draft.title}`, body, if_match: read });
  console.log(edited.title);
  try {
    await culprit.approveGateTwo({ run_id, if_match: read });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'draft_changed') throw error;
    console.log('As expected, core refused the old digest: the draft was edited after it.');
  }
}
