import { HAND_OFF_TARGETS } from '@culprit/core/internal/domain/hand-off';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['hand-off RUN --to github|webhook [flags]'],
  flags: {
    to: {
      value: 'TARGET',
      meaning: 'who gets it: github (its coding agent) or webhook (receivers of run.handed_off)',
    },
    comments: {
      value: 'DIGEST',
      meaning: 'you have read the comments on the issue, which the coding agent reads as well',
    },
    ...CLIENT_FLAGS,
  },
  notes: [
    'Only after Gate 2, and once for each target. github assigns the coding agent to the published issue and needs GITHUB_AGENT_TOKEN; webhook sends the fix brief. If others have commented on the issue, the command says so, with the digest for --comments.',
  ],
};

export async function run(flags: ReadFlags): Promise<number> {
  const runId = flags.only('A run is missing: culprit hand-off RUN --to github|webhook.');
  const to = HAND_OFF_TARGETS.find((target) => target === flags.text('to'));
  if (to === undefined) throw usageError('Pass --to github or --to webhook.');
  const api = connect(flags);
  const { publication, state, hand_offs: before = [] } = await api.getRun({ run_id: runId });
  if (publication === null)
    throw new CommandFailure(`The run is ${state}. Only a published run can be handed over.`, EXIT.conflict);
  const after = await api.handOffRun({
    run_id: runId,
    to,
    if_match: publication.digest,
    comments: flags.text('comments') ?? undefined,
  });
  if (flags.has('json')) printJson({ run_id: runId, hand_offs: after.hand_offs ?? [] });
  else {
    const whom = to === 'github' ? 'GitHub’s coding agent' : 'webhooks';
    const done = before.find((one) => one.to === to && one.state === 'done');
    const text =
      done === undefined
        ? `Handed ${oneLine(runId)} to ${whom}: ${oneLine(publication.issue_url)}`
        : `${oneLine(done.by)} handed ${oneLine(runId)} to ${whom} at ${oneLine(done.at)}. Nothing was sent again.`;
    print(`${text}\n`);
  }
  return EXIT.done;
}
