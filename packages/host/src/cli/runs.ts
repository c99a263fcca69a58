import type { Client } from '@culprit/client';
import { RUN_ORDERS, RUN_STATES } from '@culprit/core/model';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, unknownWord, usageError } from './exit-codes.js';
import { printOccurrences } from './occurrences-text.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { printList, printRun } from './runs-text.js';
import { printStory } from './story-text.js';
import { TURNS } from './turns.js';

export const usage: CommandUsage = {
  forms: [
    'runs list [--state STATE,…] [--project NAME] [--search SEARCH] [--order ORDER] [--limit N] [flags]',
    'runs show RUN [--draft|--preview|--diff|--history|--story|--evidence] [flags]',
    'runs occurrences RUN [--limit N] [--cursor CURSOR | --number N] [flags]',
    'runs approve RUN [--digest DIGEST] [flags]',
    'runs reject RUN --reason TEXT [--to staged_raw|rejected] [flags]',
    'runs reopen RUN [flags]',
    'runs snooze RUN --until TIME|--crashes N|--next-release [--reason TEXT] [flags]',
    'runs wake RUN [flags]',
    'runs claim RUN [--take-over] [flags]',
    'runs release RUN [flags]',
    'runs resolve RUN [--next-release | --commit SHA] [--dry-run] [flags]',
    'runs unresolve RUN [--dry-run] [flags]',
    'runs comment RUN --text TEXT [flags]',
    'runs merge RUN --into RUN [flags]',
    'runs split RUN [flags]',
  ],
  flags: {
    state: { value: 'STATE,…', meaning: 'list: only these states' },
    project: { value: 'NAME', meaning: 'list: only this project' },
    search: {
      value: 'SEARCH',
      meaning: `list: only what a search finds, such as 'level:fatal env:prod "exact words"'`,
    },
    order: { value: 'ORDER', meaning: `list: ${RUN_ORDERS.join(', ')} (default ${RUN_ORDERS[0]})` },
    limit: { value: 'N', meaning: 'list, occurrences: at most N (default 50)' },
    cursor: { value: 'CURSOR', meaning: 'occurrences: the next page' },
    number: { value: 'N', meaning: 'occurrences: occurrence N with its event as JSON' },
    draft: { meaning: 'show: only the draft' },
    preview: {
      meaning:
        'show: the whole issue as signing would publish it, with trailer and signer; signed: as published',
    },
    diff: { meaning: 'show: what reviewers changed in the generated draft' },
    history: { meaning: 'show: every decision and step' },
    story: { meaning: 'show: the runs before and after, if the crash came back after its issue was closed' },
    evidence: { meaning: 'show: the evidence bundle as JSON' },
    digest: {
      value: 'DIGEST',
      meaning: 'approve at Gate 2: digest of the draft that you read, at least 12 digits',
    },
    reason: { value: 'TEXT', meaning: 'reject, snooze: why' },
    to: { value: 'STATE', meaning: 'reject at Gate 2: back to staged_raw, or rejected (default)' },
    until: { value: 'TIME', meaning: 'snooze: for 30m, 4h or 7d, or until 2026-11-30T09:00Z' },
    crashes: { value: 'N', meaning: 'snooze: until the run has crashed N more times' },
    'next-release': {
      meaning:
        'snooze: until it crashes in a release that is new to the run; resolve: the next release has the fix',
    },
    commit: { value: 'SHA', meaning: 'resolve: the commit that fixes it, as a full SHA' },
    'dry-run': { meaning: 'resolve, unresolve: only show what would happen to the issue' },
    'take-over': { meaning: 'claim: also if another reviewer has claimed the run' },
    text: { value: 'TEXT', meaning: 'comment: at most 2,000 characters' },
    into: { value: 'RUN', meaning: 'merge: the run that counts the crashes from now on' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'Approving Gate 2 signs a draft, so it needs the digest that `runs show` prints with the draft.',
    '`runs show RUN --preview --json` has the exact bytes of title and body.',
  ],
};

/** What reviewers do on the board, from the command line. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', runId, ...rest] = flags.positionals;
  const action = ACTIONS[verb];
  if (action === undefined) throw unknownWord('subcommand', verb, Object.keys(ACTIONS));
  if (rest.length > 0 || (verb === 'list' && runId !== undefined)) throw usageError('Too many arguments.');
  if (verb !== 'list' && runId === undefined) throw usageError(`A run is missing: culprit runs ${verb} RUN.`);
  for (const state of flags.text('state')?.split(',') ?? []) checkState(state.trim());
  await action(connect(flags), flags, runId ?? '');
  return EXIT.done;
}

function checkState(state: string): void {
  const known: readonly string[] = RUN_STATES;
  if (!known.includes(state)) throw unknownWord('state', state, known);
}

type Action = (api: Client, flags: ReadFlags, runId: string) => Promise<void>;
const ACTIONS: Readonly<Record<string, Action | undefined>> = {
  list,
  show,
  occurrences,
  approve,
  reject,
  reopen,
  ...TURNS,
  merge,
  split,
};

async function list(api: Client, flags: ReadFlags): Promise<void> {
  const query = Object.fromEntries(
    (['state', 'project', 'search', 'order'] as const).flatMap((name) => {
      const text = flags.text(name);
      return text === null ? [] : [[name === 'search' ? 'q' : name, text]];
    }),
  );
  const page = await api.runs({ ...query, limit: flags.count('limit', 50, 200) });
  if (flags.has('json')) printJson(page);
  else printList(page);
}

async function show(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  if (flags.has('evidence')) return printJson(await api.evidence(runId));
  if (flags.has('history')) {
    const entries = await api.history(runId);
    return flags.has('json') ? printJson({ entries }) : printRun.history(entries);
  }
  if (flags.has('story')) {
    const story = await api.story(runId);
    return flags.has('json') ? printJson(story) : printStory(story, runId);
  }
  if (flags.has('diff')) {
    const difference = await api.draftDifference(runId);
    return flags.has('json') ? printJson(difference) : printRun.difference(difference);
  }
  if (flags.has('draft')) {
    const draft = await api.draft(runId);
    return flags.has('json') ? printJson(draft) : printRun.draft(draft);
  }
  if (flags.has('preview')) {
    const preview = await api.draftPreview(runId);
    return flags.has('json') ? printJson(preview) : printRun.preview(preview);
  }
  const run = await api.run(runId);
  if (flags.has('json')) return printJson(run);
  const cameBack = run.regression_of !== null || run.state === 'published' || run.state === 'merged';
  const stack = run.explanation === null ? null : await api.stack(runId);
  printRun.whole(run, cameBack ? await api.story(runId) : null, stack);
}

async function occurrences(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const number = flags.text('number');
  if (number !== null) {
    if (!/^[1-9]\d{0,14}$/.test(number)) throw usageError('--number must be a whole number from 1.');
    return printJson(await api.occurrence(runId, Number(number)));
  }
  const cursor = flags.text('cursor');
  const page = await api.occurrences(runId, {
    limit: flags.count('limit', 50, 200),
    ...(cursor === null ? {} : { cursor }),
  });
  if (flags.has('json')) return printJson(page);
  const [statistics, run] = await Promise.all([api.statistics(runId), api.run(runId)]);
  printOccurrences(page, statistics, run.occurrences);
}

async function approve(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const run = await api.run(runId);
  const given = flags.text('digest');
  const gateOne = ['staged_raw', 'analyzing'];
  const atGateOne = gateOne.includes(run.snooze?.from ?? run.state);
  if (atGateOne && given !== null) {
    throw usageError('The run is at Gate 1, where there is no draft yet: remove --digest.');
  }
  const result = atGateOne
    ? await api.approveGateOne(runId)
    : await api.approveGateTwo(runId, fullDigest(given, run.draft?.digest ?? null));
  if (flags.has('json')) return printJson(result);
  const text =
    result.status === 'published'
      ? `published: ${result.issue_url}`
      : `${result.status}: the run is ${result.state}`;
  print(`${text}\n`);
}

/** The current digest if it starts with the given one; otherwise the given one, which core rejects. */
function fullDigest(given: string | null, current: string | null): string {
  if (given === null) {
    throw usageError(
      'Approving Gate 2 signs the draft: pass the --digest that `culprit runs show RUN` prints.',
    );
  }
  if (!/^[0-9a-f]{12,64}$/.test(given)) throw usageError('--digest must be 12 to 64 hex digits.');
  return current?.startsWith(given) ? current : given.padEnd(64, '0');
}

async function reject(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const reason = flags.text('reason');
  if (reason === null) throw usageError('--reason TEXT is missing. The history records it.');
  const to = flags.oneOf('to', ['staged_raw', 'rejected'] as const, 'rejected');
  const { state } = await api.run(runId);
  if (state === 'staged_raw' && to === 'staged_raw') throw usageError('The run is already at Gate 1.');
  const result =
    state === 'staged_draft'
      ? await api.rejectGateTwo(runId, reason, to)
      : await api.rejectGateOne(runId, reason);
  if (flags.has('json')) printJson(result);
  else print(`${result.status}: the run is ${result.state}\n`);
}

async function reopen(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const result = await api.reopen(runId);
  if (flags.has('json')) printJson(result);
  else print(`reopened: the run is ${result.state}\n`);
}

async function merge(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const other = flags.text('into');
  if (other === null) throw usageError('--into RUN is missing: the run that counts the crashes from now on.');
  const result = await api.merge(runId, other);
  if (flags.has('json')) return printJson(result);
  const crashes = result.into?.occurrences ?? 0;
  print(`merged: ${runId} into ${other}, which has counted ${crashes} crashes\n`);
}

async function split(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const result = await api.split(runId);
  if (flags.has('json')) return printJson(result);
  const { state, occurrences } = result.run;
  print(`split: ${runId} is ${state} again and has counted ${occurrences} crashes\n`);
}
