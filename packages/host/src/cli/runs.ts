import { type Client, nullIfNotFound } from '@culprit/client';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { RUN_ORDERS } from '@culprit/core/internal/domain/search/run-order';
import { print } from '../log/terminal.js';
import { CLIENT_FLAGS, clientConfig, connect } from './client-flags.js';
import { edit } from './edit.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { type Decision, decideOn, type Told } from './many-runs.js';
import { printOccurrences } from './occurrences-text.js';
import { oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { printList, printRun } from './runs-text.js';
import { printStory } from './story-text.js';
import { TURNS } from './turns.js';
import { findView, queryOf } from './views.js';

export const usage: CommandUsage = {
  forms: [
    'runs list [--view NAME] [--state STATE,…] [--project NAME] [--search SEARCH] [--order ORDER] [--limit N] [flags]',
    'runs show RUN [--draft|--preview|--diff|--history|--story|--evidence] [flags]',
    'runs occurrences RUN [--limit N] [--cursor CURSOR | --number N] [flags]',
    'runs edit RUN [--file FILE | --title TEXT] [--digest DIGEST] [flags]',
    'runs approve RUN… [--digest DIGEST] [flags]',
    'runs reject RUN… --reason TEXT [--to staged_raw|rejected] [flags]',
    'runs reopen RUN… [flags]',
    'runs snooze RUN… --until TIME|--crashes N|--next-release [--reason TEXT] [flags]',
    'runs wake RUN… [flags]',
    'runs claim RUN… [--take-over] [flags]',
    'runs release RUN… [flags]',
    'runs resolve RUN [--next-release | --commit SHA] [--dry-run] [flags]',
    'runs unresolve RUN [--dry-run] [flags]',
    'runs comment RUN --text TEXT [flags]',
    'runs merge RUN --into RUN [flags]',
    'runs split RUN [flags]',
  ],
  flags: {
    view: { value: 'NAME', meaning: 'list: a saved view, see `culprit views`; the other flags change it' },
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
    draft: { meaning: 'show: only the draft, as a file that edit takes' },
    preview: {
      meaning:
        'show: the whole issue as signing would publish it, with trailer and signer; signed: as published',
    },
    diff: { meaning: 'show: what reviewers changed in the generated draft' },
    history: { meaning: 'show: every decision and step' },
    story: { meaning: 'show: the runs before and after, if the crash came back after its issue was closed' },
    evidence: { meaning: 'show: the evidence bundle as JSON' },
    file: {
      value: 'FILE',
      meaning: 'edit: the new body, or a whole draft as `show --draft` prints it; - is standard input',
    },
    title: { value: 'TEXT', meaning: 'edit: the new title' },
    digest: {
      value: 'DIGEST',
      meaning:
        'approve at Gate 2: digest of the draft that you read, at least 12 digits; edit: digest of the draft that the text was written from (default: the line Digest: of the file)',
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
    '`runs edit RUN` opens the draft in the editor of VISUAL or EDITOR. Delete a line `Label:` or `Assignee:` to remove it. A draft that somebody else has changed meanwhile is not replaced, and your text stays in a file.',
    'RUN… takes one or more runs. Each is decided on its own; the exit code is that of the first that failed. Gate 2 is signed for one run at a time.',
    '`runs show RUN --preview --json` has the exact bytes of title and body.',
  ],
};

/** What reviewers do on the board, from the command line. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', ...runIds] = flags.positionals;
  const decide = wordOf(DECISIONS, verb);
  const action = wordOf(ACTIONS, verb);
  if (decide === undefined && action === undefined && verb !== 'list')
    throw unknownWord('subcommand', verb, ['list', ...Object.keys(ACTIONS), ...Object.keys(DECISIONS)]);
  const [runId] = runIds;
  if (verb !== 'list' && runId === undefined) throw usageError(`A run is missing: culprit runs ${verb} RUN.`);
  const most = verb === 'list' ? 0 : MANY.has(verb) ? Number.POSITIVE_INFINITY : 1;
  if (runIds.length > most) throw usageError('Too many arguments.');
  for (const state of flags.text('state')?.split(',') ?? []) checkState(state.trim());
  const api = connect(flags);
  if (runId === undefined) await list(api, flags);
  else if (action !== undefined) await action(api, flags, runId);
  else if (decide !== undefined) return decideAll(api, flags, [...new Set(runIds)], decide);
  return EXIT.done;
}

async function decideAll(
  api: Client,
  flags: ReadFlags,
  runIds: readonly string[],
  decide: Decision,
): Promise<number> {
  const [runId = '', ...others] = runIds;
  if (others.length > 0) {
    if (flags.text('digest') !== null)
      throw usageError('--digest signs one draft: approve the runs at Gate 2 one by one.');
    return decideOn(api, flags, runIds, decide);
  }
  const { value, text } = await decide(api, flags, runId);
  if (flags.has('json')) printJson(value);
  else print(`${text}\n`);
  return EXIT.done;
}

function wordOf<Value>(words: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

function checkState(state: string): void {
  const known: readonly string[] = RUN_STATES;
  if (!known.includes(state)) throw unknownWord('state', state, known);
}

type Action = (api: Client, flags: ReadFlags, runId: string) => Promise<void>;
const ACTIONS: Readonly<Record<string, Action>> = { show, occurrences, edit };
const DECISIONS: Readonly<Record<string, Decision>> = { approve, reject, reopen, ...TURNS, merge, split };
/** Decisions on more than one run. */
const MANY: ReadonlySet<string> = new Set([
  'approve',
  'reject',
  'reopen',
  'snooze',
  'wake',
  'claim',
  'release',
]);

async function list(api: Client, flags: ReadFlags): Promise<void> {
  const view = flags.text('view');
  const query = Object.fromEntries(
    (['state', 'project', 'search', 'order'] as const).flatMap((name) => {
      const text = flags.text(name);
      return text === null ? [] : [[name === 'search' ? 'q' : name, text]];
    }),
  );
  const page = await api.listRuns({
    ...(view === null ? {} : queryOf(findView((await api.listViews()).views, view))),
    ...query,
    limit: flags.count('limit', 50, 200),
  });
  if (flags.has('json')) printJson(page);
  else printList(page, flags.text('project') === null && clientConfig(flags).projects.length > 1);
}

async function show(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  if (flags.has('evidence')) return printJson(await api.getEvidence({ run_id: runId }));
  if (flags.has('history')) {
    const entries = (await api.getHistory({ run_id: runId })).entries;
    return flags.has('json') ? printJson({ entries }) : printRun.history(entries);
  }
  if (flags.has('story')) {
    const story = await api.getStory({ run_id: runId });
    return flags.has('json') ? printJson(story) : printStory(story, runId);
  }
  if (flags.has('diff')) {
    const difference = await api.getDraftDifference({ run_id: runId });
    return flags.has('json') ? printJson(difference) : printRun.difference(difference);
  }
  if (flags.has('draft')) {
    const draft = await api.getDraft({ run_id: runId });
    return flags.has('json') ? printJson(draft) : printRun.draft(draft);
  }
  if (flags.has('preview')) {
    const preview = await api.previewDraft({ run_id: runId });
    return flags.has('json') ? printJson(preview) : printRun.preview(preview);
  }
  const run = await api.getRun({ run_id: runId });
  if (flags.has('json')) return printJson(run);
  const cameBack = run.regression_of !== null || run.state === 'published' || run.state === 'merged';
  const stack = await api.getStack({ run_id: runId }).catch(nullIfNotFound);
  printRun.whole(run, cameBack ? await api.getStory({ run_id: runId }) : null, stack);
}

async function occurrences(api: Client, flags: ReadFlags, runId: string): Promise<void> {
  const number = flags.text('number');
  if (number !== null) {
    if (!/^[1-9]\d{0,14}$/.test(number)) throw usageError('--number must be a whole number from 1.');
    return printJson(await api.getOccurrence({ run_id: runId, number: Number(number) }));
  }
  const cursor = flags.text('cursor');
  const page = await api.listOccurrences({
    run_id: runId,
    limit: flags.count('limit', 50, 200),
    ...(cursor === null ? {} : { cursor }),
  });
  if (flags.has('json')) return printJson(page);
  const [statistics, run] = await Promise.all([
    api.getStatistics({ run_id: runId }),
    api.getRun({ run_id: runId }),
  ]);
  printOccurrences(page, statistics, run.occurrences);
}

async function approve(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const run = await api.getRun({ run_id: runId });
  const given = flags.text('digest');
  if (run.publication !== null && given === null) {
    const { issue_url } = run.publication;
    return { value: { status: 'published', issue_url }, text: `already published: ${oneLine(issue_url)}` };
  }
  const gateOne = ['staged_raw', 'analyzing'];
  const atGateOne = gateOne.includes(run.snooze?.from ?? run.state);
  if (atGateOne && given !== null) {
    throw usageError('The run is at Gate 1, where there is no draft yet: remove --digest.');
  }
  const result = atGateOne
    ? await api.approveGateOne({ run_id: runId })
    : await api.approveGateTwo({ run_id: runId, if_match: fullDigest(given, run.draft?.digest ?? null) });
  const text =
    result.status === 'published'
      ? `published: ${oneLine(result.issue_url)}`
      : `${result.status}: the run is ${result.state}`;
  return { value: result, text };
}

/** The current digest if it starts with the given one; otherwise the given one, which core rejects. */
function fullDigest(given: string | null, current: string | null): string {
  if (given === null) {
    throw new CommandFailure(
      'Approving Gate 2 signs the draft: pass the --digest that `culprit runs show RUN` prints.',
      EXIT.usage,
      'precondition_required',
    );
  }
  if (!/^[0-9a-f]{12,64}$/.test(given)) throw usageError('--digest must be 12 to 64 hex digits.');
  return current?.startsWith(given) ? current : given.padEnd(64, '0');
}

async function reject(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const reason = flags.text('reason');
  if (reason === null) throw usageError('--reason TEXT is missing. The history records it.');
  const to = flags.oneOf('to', ['staged_raw', 'rejected'] as const, 'rejected');
  const { state } = await api.getRun({ run_id: runId });
  if (state === 'staged_raw' && to === 'staged_raw')
    throw new CommandFailure('The run is already at Gate 1.', EXIT.usage, 'state_conflict');
  const result =
    state === 'staged_draft'
      ? await api.rejectGateTwo({ run_id: runId, reason, to })
      : await api.rejectGateOne({ run_id: runId, reason });
  return { value: result, text: `${result.status}: the run is ${result.state}` };
}

async function reopen(api: Client, _flags: ReadFlags, runId: string): Promise<Told> {
  const result = await api.reopenRun({ run_id: runId });
  return { value: result, text: `reopened: the run is ${result.state}` };
}

async function merge(api: Client, flags: ReadFlags, runId: string): Promise<Told> {
  const other = flags.text('into');
  if (other === null) throw usageError('--into RUN is missing: the run that counts the crashes from now on.');
  const result = await api.mergeRun({ run_id: runId, into: other });
  const crashes = result.into?.occurrences ?? 0;
  return { value: result, text: `merged: ${runId} into ${other}, which has counted ${crashes} crashes` };
}

async function split(api: Client, _flags: ReadFlags, runId: string): Promise<Told> {
  const result = await api.splitRun({ run_id: runId });
  const { state, occurrences } = result.run;
  return { value: result, text: `split: ${runId} is ${state} again and has counted ${occurrences} crashes` };
}
