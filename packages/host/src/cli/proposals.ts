import type { Answer, Client } from '@culprit/client';
import { forTerminal, print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { checkBase, fileText, readDraftFile, withText } from './draft-file.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: [
    'proposals list RUN [flags]',
    'proposals show RUN PROPOSAL [flags]',
    'proposals new RUN --file FILE [--title TEXT] [--note TEXT] [--digest DIGEST] [flags]',
    'proposals take-over RUN PROPOSAL [--digest DIGEST] [flags]',
    'proposals dismiss RUN PROPOSAL [flags]',
  ],
  flags: {
    file: {
      value: 'FILE',
      meaning:
        'new: the proposed body, or a whole draft as `culprit runs show RUN --draft` prints it; - is standard input',
    },
    title: { value: 'TEXT', meaning: 'new: the proposed title (default: that of the file, or of the draft)' },
    note: { value: 'TEXT', meaning: 'new: what the change is for, for the reviewers' },
    digest: {
      value: 'DIGEST',
      meaning:
        'new: digest of the draft that the text was written from (default: that of the file, or the current draft); take-over: digest of the draft that it replaces',
    },
    ...CLIENT_FLAGS,
  },
  notes: [
    'new changes nothing in the draft and comments on the run; it needs the scope comment. A later proposal of the same person or token replaces the earlier one.',
    'take-over makes the proposal the text of the draft and signs nothing. It needs --digest if the draft has changed since the proposal was made. Both take-over and dismiss need the scope gate2.',
  ],
};

type Proposal = Answer<'listProposals', 200>['proposals'][number];
type Action = (api: Client, flags: ReadFlags, runId: string, proposal: Proposal) => Promise<void>;
const ACTIONS: Readonly<Record<string, Action>> = { show, 'take-over': takeOver, dismiss };

/** What others, such as a coding agent, propose as the text of a draft. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = '', runId, proposalId, ...rest] = flags.positionals;
  const action = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined;
  if (verb !== 'list' && verb !== 'new' && action === undefined)
    throw unknownWord('subcommand', verb, ['list', 'new', ...Object.keys(ACTIONS)]);
  if (runId === undefined) throw usageError(`A run is missing: culprit proposals ${verb} RUN.`);
  if (rest.length > 0 || (action === undefined && proposalId !== undefined))
    throw usageError('Too many arguments.');
  if (action !== undefined && proposalId === undefined)
    throw usageError(`A proposal is missing: culprit proposals ${verb} RUN PROPOSAL.`);
  const api = connect(flags);
  if (verb === 'new') {
    await propose(api, flags, runId);
    return EXIT.done;
  }
  const proposals = (await api.listProposals({ run_id: runId })).proposals;
  if (action === undefined) list(flags, proposals);
  else await action(api, flags, runId, find(proposals, runId, proposalId));
  return EXIT.done;
}

function find(proposals: readonly Proposal[], runId: string, wanted = ''): Proposal {
  const found = proposals.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const where = `culprit proposals list ${oneLine(runId)}`;
  throw new CommandFailure(
    `The run has no proposal ${oneLine(wanted)}. List them with: ${where}`,
    EXIT.notFound,
  );
}

function list(flags: ReadFlags, proposals: readonly Proposal[]): void {
  const rows = proposals.map((one) => [
    one.id,
    clipped(whoOf(one), 60),
    one.at,
    clipped(one.note || one.title, 80),
  ]);
  if (flags.has('json')) printJson({ proposals });
  else print(rows.length === 0 ? 'No proposals.\n' : tableText(rows));
}

async function show(_api: Client, flags: ReadFlags, _runId: string, proposal: Proposal): Promise<void> {
  if (flags.has('json')) return printJson(proposal);
  const { at, digest, note, title, body } = proposal;
  const about = note === '' ? '' : `${oneLine(note)}\n`;
  print(`${clipped(whoOf(proposal), 120)} at ${at}, for the draft ${digest.slice(0, 12)}\n${about}\n`);
  print(`${oneLine(title)}\n\n${forTerminal(body)}\n`);
}

async function propose(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const file = flags.text('file');
  if (file === null) throw usageError('--file FILE is missing: the proposed text.');
  const draft = await api.getDraft({ run_id: runId });
  const text = readDraftFile(fileText(file));
  if (flags.text('digest') !== null || text.digest !== null) checkBase(flags, runId, draft, text.digest);
  const { title, body, labels, assignees } = withText(draft, text);
  if (String([labels, assignees]) !== String([draft.labels, draft.assignees]))
    throw usageError(
      'A proposal cannot change labels or assignees: leave these lines of the file as they are.',
    );
  const note = flags.text('note');
  const proposal = await api.proposeDraftEdit({
    run_id: runId,
    title: flags.text('title') ?? title,
    body,
    ...(note === null ? {} : { note }),
  });
  if (flags.has('json')) printJson(proposal);
  else print(`proposed: ${proposal.id}, for the draft ${proposal.digest.slice(0, 12)}\n`);
}

async function takeOver(api: Client, flags: ReadFlags, runId: string, proposal: Proposal): Promise<void> {
  const draft = await api.getDraft({ run_id: runId });
  const given = flags.text('digest') ?? proposal.digest;
  if (!/^[0-9a-f]{12,64}$/.test(given)) throw usageError('--digest must be 12 to 64 hex digits.');
  if (!draft.digest.startsWith(given)) {
    const detail = `The draft is now ${draft.digest.slice(0, 12)}, and this is for ${given.slice(0, 12)}. Read the draft, then pass its --digest.`;
    throw new CommandFailure(detail, EXIT.conflict);
  }
  // A comment that reopens an issue has the title.
  const title = draft.reopens === undefined ? proposal.title : draft.title;
  const saved = await api.editDraft({ run_id: runId, title, body: proposal.body, if_match: draft.digest });
  await api.dismissProposal({ run_id: runId, proposal_id: proposal.id });
  if (flags.has('json')) printJson(saved);
  else print(`taken over: the digest of the draft is ${saved.digest}\n`);
}

async function dismiss(api: Client, flags: ReadFlags, runId: string, { id }: Proposal): Promise<void> {
  await api.dismissProposal({ run_id: runId, proposal_id: id });
  if (flags.has('json')) printJson({ id, status: 'dismissed' });
  else print(`dismissed: ${oneLine(id)}\n`);
}

function whoOf({ by, token }: Proposal): string {
  return token === null ? by : `${token}, a token of ${by}`;
}
