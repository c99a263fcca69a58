import type { Client } from '@culprit/client';
import { forTerminal, print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: [
    'proposals list RUN [flags]',
    'proposals show RUN PROPOSAL [flags]',
    'proposals take-over RUN PROPOSAL [--digest DIGEST] [flags]',
    'proposals dismiss RUN PROPOSAL [flags]',
  ],
  flags: {
    digest: { value: 'DIGEST', meaning: 'take-over: digest of the draft that it replaces' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'take-over makes the proposal the text of the draft and signs nothing. It needs --digest if the draft has changed since the proposal was made. Both take-over and dismiss need the scope gate2.',
  ],
};

type Proposal = Awaited<ReturnType<Client['proposals']>>[number];
type Action = (api: Client, flags: ReadFlags, runId: string, proposal: Proposal) => Promise<void>;
const ACTIONS: Readonly<Record<string, Action>> = { show, 'take-over': takeOver, dismiss };

/** What others, such as a coding agent, propose as the text of a draft. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = '', runId, proposalId, ...rest] = flags.positionals;
  const action = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined;
  if (verb !== 'list' && action === undefined)
    throw unknownWord('subcommand', verb, ['list', ...Object.keys(ACTIONS)]);
  if (runId === undefined) throw usageError(`A run is missing: culprit proposals ${verb} RUN.`);
  if (rest.length > 0 || (verb === 'list' && proposalId !== undefined))
    throw usageError('Too many arguments.');
  if (action !== undefined && proposalId === undefined)
    throw usageError(`A proposal is missing: culprit proposals ${verb} RUN PROPOSAL.`);
  const api = connect(flags);
  const proposals = await api.proposals(runId);
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
  const about = note === '' ? '' : `${forTerminal(note)}\n`;
  print(`${clipped(whoOf(proposal), 120)} at ${at}, for the draft ${digest.slice(0, 12)}\n${about}\n`);
  print(`${oneLine(title)}\n\n${forTerminal(body)}\n`);
}

async function takeOver(api: Client, flags: ReadFlags, runId: string, proposal: Proposal): Promise<void> {
  const draft = await api.draft(runId);
  const given = flags.text('digest') ?? proposal.digest;
  if (!/^[0-9a-f]{12,64}$/.test(given)) throw usageError('--digest must be 12 to 64 hex digits.');
  if (!draft.digest.startsWith(given)) {
    const detail = `The draft is now ${draft.digest.slice(0, 12)}, and this is for ${given.slice(0, 12)}. Read the draft, then pass its --digest.`;
    throw new CommandFailure(detail, EXIT.conflict);
  }
  // A comment that reopens an issue has the title.
  const title = draft.reopens === undefined ? proposal.title : draft.title;
  const saved = await api.saveDraft(runId, { title, body: proposal.body }, draft.digest);
  await api.dismissProposal(runId, proposal.id);
  if (flags.has('json')) printJson(saved);
  else print(`taken over: the digest of the draft is ${saved.digest}\n`);
}

async function dismiss(api: Client, flags: ReadFlags, runId: string, { id }: Proposal): Promise<void> {
  await api.dismissProposal(runId, id);
  if (flags.has('json')) printJson({ id, status: 'dismissed' });
  else print(`dismissed: ${oneLine(id)}\n`);
}

function whoOf({ by, token }: Proposal): string {
  return token === null ? by : `${token}, a token of ${by}`;
}
