import type { Answer } from '@culprit/client';
import { forTerminal } from '../log/terminal.js';
import { checkBase, fileText, readDraftFile, withText } from './draft-file.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { form, type Given, overCore } from './over-core.js';
import { clipped, oneLine, tableText } from './print.js';

type Proposal = Answer<'listProposals', 200>['proposals'][number];

/** What others, such as a coding agent, propose as the text of a draft. */
export const { usage, run } = overCore(
  'proposals',
  {
    flags: {
      file: {
        value: 'FILE',
        meaning:
          'new: the proposed body, or a whole draft as `culprit runs show RUN --draft` prints it; - is standard input',
      },
      title: {
        value: 'TEXT',
        meaning: 'new: the proposed title (default: that of the file, or of the draft)',
      },
      note: { value: 'TEXT', meaning: 'new: what the change is for, for the reviewers' },
      digest: {
        value: 'DIGEST',
        meaning:
          'new: digest of the draft that the text was written from (default: that of the file, or the current draft); take-over: digest of the draft that it replaces',
      },
    },
    notes: [
      'new changes nothing in the draft and comments on the run; it needs the scope comment. A later proposal of the same person or token replaces the earlier one.',
      'take-over makes the proposal the text of the draft and signs nothing. It needs --digest if the draft has changed since the proposal was made. Both take-over and dismiss need the scope gate2.',
    ],
  },
  {
    list: form('RUN', {
      call: ({ api, args: [run_id = ''] }) => api.listProposals({ run_id }),
      text: ({ proposals }) =>
        proposals.length === 0
          ? 'No proposals.\n'
          : tableText(
              proposals.map((one) => [
                one.id,
                clipped(whoOf(one), 60),
                one.at,
                clipped(one.note || one.title, 80),
              ]),
            ),
    }),
    show: form('RUN PROPOSAL', { call: find, text: proposalText }),
    new: form('RUN --file FILE [--title TEXT] [--note TEXT] [--digest DIGEST]', {
      call: propose,
      text: ({ id, digest }) => `proposed: ${id}, for the draft ${digest.slice(0, 12)}\n`,
    }),
    'take-over': form('RUN PROPOSAL [--digest DIGEST]', {
      call: takeOver,
      text: ({ digest }) => `taken over: the digest of the draft is ${digest}\n`,
    }),
    dismiss: form('RUN PROPOSAL', {
      async call(given) {
        const { id } = await find(given);
        await given.api.dismissProposal({ run_id: given.args[0] ?? '', proposal_id: id });
        return { id, status: 'dismissed' };
      },
      text: ({ id }) => `dismissed: ${oneLine(id)}\n`,
    }),
  },
);

async function find({ api, args: [run_id = '', wanted = ''] }: Given): Promise<Proposal> {
  const { proposals } = await api.listProposals({ run_id });
  const found = proposals.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const where = `culprit proposals list ${oneLine(run_id)}`;
  throw new CommandFailure(
    `The run has no proposal ${oneLine(wanted)}. List them with: ${where}`,
    EXIT.notFound,
  );
}

function proposalText(proposal: Proposal): string {
  const { at, digest, note, title, body } = proposal;
  const about = note === '' ? '' : `${oneLine(note)}\n`;
  const head = `${clipped(whoOf(proposal), 120)} at ${at}, for the draft ${digest.slice(0, 12)}\n${about}`;
  return `${head}\n${oneLine(title)}\n\n${forTerminal(body)}\n`;
}

async function propose({ api, flags, args: [run_id = ''] }: Given) {
  const file = flags.text('file');
  if (file === null) throw usageError('--file FILE is missing: the proposed text.');
  const draft = await api.getDraft({ run_id });
  const text = readDraftFile(fileText(file));
  if (flags.text('digest') !== null || text.digest !== null) checkBase(flags, run_id, draft, text.digest);
  const { title, body, labels, assignees } = withText(draft, text);
  if (String([labels, assignees]) !== String([draft.labels, draft.assignees]))
    throw usageError(
      'A proposal cannot change labels or assignees: leave these lines of the file as they are.',
    );
  const note = flags.text('note') ?? undefined;
  return api.proposeDraftEdit({ run_id, title: flags.text('title') ?? title, body, note });
}

async function takeOver(given: Given) {
  const {
    api,
    flags,
    args: [run_id = ''],
  } = given;
  const proposal = await find(given);
  const draft = await api.getDraft({ run_id });
  const base = flags.text('digest') ?? proposal.digest;
  if (!/^[0-9a-f]{12,64}$/.test(base)) throw usageError('--digest must be 12 to 64 hex digits.');
  if (!draft.digest.startsWith(base)) {
    const detail = `The draft is now ${draft.digest.slice(0, 12)}, and this is for ${base.slice(0, 12)}. Read the draft, then pass its --digest.`;
    throw new CommandFailure(detail, EXIT.conflict);
  }
  // A comment that reopens an issue has the title.
  const title = draft.reopens === undefined ? proposal.title : draft.title;
  const saved = await api.editDraft({ run_id, title, body: proposal.body, if_match: draft.digest });
  await api.dismissProposal({ run_id, proposal_id: proposal.id });
  return saved;
}

function whoOf({ by, token }: Proposal): string {
  return token === null ? by : `${token}, a token of ${by}`;
}
