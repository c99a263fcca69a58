import { type Answer, type Input, nullIfNotFound, type OperationId, type SavedView } from '@culprit/client';
import { ORDERS, readFilter, VIEWS } from '@culprit/core/internal/domain/inbox-filter';
import { effectText } from '@culprit/core/internal/domain/resolution';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { RUN_ORDERS } from '@culprit/core/internal/domain/search/run-order';
import { SNOOZE_LIMITS, type SnoozeUntil, snoozeText } from '@culprit/core/internal/domain/snooze';
import { RUN_COMMANDS } from '@culprit/core/internal/operations/commands';
import { clientConfig } from './client-flags.js';
import { edit } from './edit.js';
import { CommandFailure, EXIT, unknownWord, usageError } from './exit-codes.js';
import { type Decision, decision } from './many-runs.js';
import { type Form, type Given, overCore } from './over-core.js';
import { clipped, oneLine, printJson } from './print.js';
import { type Flags, type ReadFlags, spanMs } from './read-flags.js';
import {
  followUpWords,
  printList,
  printOccurrences,
  printRun,
  printStory,
  resolutionLine,
} from './runs-text.js';

const FLAGS: Flags = {
  view: { value: 'NAME', meaning: 'list: a view that you saved on the board; the other flags change it' },
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
  'take-over': { meaning: 'claim: even if another reviewer has claimed the run' },
  text: { value: 'TEXT', meaning: 'comment: at most 2,000 characters' },
  into: { value: 'RUN', meaning: 'merge: the run that counts the crashes from now on' },
};

const NOTES = [
  'Approving Gate 2 signs a draft, so it needs the digest that `runs show` prints with the draft.',
  '`runs edit RUN` opens the draft in the editor of VISUAL or EDITOR. Delete a line `Label:` or `Assignee:` to remove it. A draft that somebody else has changed meanwhile is not replaced, and your text stays in a file.',
  'RUN… takes one or more runs. Each run is decided on its own; the exit code is that of the first failure. Gate 2 is signed for one run at a time.',
  '`runs show RUN --preview --json` has the exact bytes of title and body.',
];

/** The commands on a run that need no flags, by their rows. */
const SIMPLE = Object.entries(RUN_COMMANDS).flatMap(([name, { id, done, input }]) =>
  typeof done !== 'string' || Object.keys(input.entries).length > 0
    ? []
    : [
        [
          name,
          decision(
            'RUN…',
            act(id as OperationId, () => done),
          ),
        ] as const,
      ],
);

/** What reviewers do on the board, from the command line. */
export const { usage, run } = overCore(
  'runs',
  { flags: FLAGS, notes: NOTES },
  {
    list: prints(
      '[--view NAME] [--state STATE,…] [--project NAME] [--search SEARCH] [--order ORDER] [--limit N]',
      list,
    ),
    show: prints('RUN [--draft|--preview|--diff|--history|--story|--evidence]', show),
    occurrences: prints('RUN [--limit N] [--cursor CURSOR | --number N]', occurrences),
    edit: prints('RUN [--file FILE | --title TEXT] [--digest DIGEST]', edit),
    approve: decision('RUN… [--digest DIGEST]', approve),
    reject: decision('RUN… --reason TEXT [--to staged_raw|rejected]', reject),
    reopen: decision(
      'RUN…',
      act('reopenRun', ({ state }) => `reopened: the run is ${state}`),
    ),
    snooze: decision(
      'RUN… --until TIME|--crashes N|--next-release [--reason TEXT]',
      act(
        'snoozeRun',
        ({ snooze, state }) => (snooze ? `snoozed ${snoozeText(snooze)}` : `the run is ${state}`),
        (flags) => ({ until: readUntil(flags), reason: flags.text('reason') ?? undefined }),
      ),
    ),
    wake: decision(
      'RUN…',
      act('wakeRun', ({ state }) => `awake: the run is ${state}`),
    ),
    claim: decision(
      'RUN… [--take-over]',
      act(
        'claimRun',
        ({ claim }) => `claimed by ${clipped(claim?.by ?? '', 60)} until ${claim?.until}`,
        (flags) => ({ take_over: flags.has('take-over') }),
      ),
    ),
    release: decision(
      'RUN…',
      act('releaseClaim', () => 'nobody has claimed the run'),
    ),
    resolve: decision(
      'RUN [--next-release | --commit SHA] [--dry-run]',
      orForetell(
        act(
          'resolveRun',
          (run) => (run.resolution ? resolutionLine(run) : `the run is ${run.state}`),
          fixedIn,
        ),
      ),
    ),
    unresolve: decision(
      'RUN [--dry-run]',
      orForetell(act('unresolveRun', (run) => `not marked as fixed${followUpWords(run)}`)),
    ),
    comment: decision(
      'RUN --text TEXT',
      act(
        'commentOnRun',
        ({ comments }) => `comment ${comments} added`,
        (flags) => ({ comment: needed(flags, 'text', '--text TEXT is missing.') }),
      ),
    ),
    merge: decision(
      'RUN --into RUN',
      act(
        'mergeRun',
        ({ into }, run_id, flags) =>
          `merged: ${run_id} into ${flags.text('into')}, which has counted ${into?.occurrences ?? 0} crashes`,
        (flags) => ({
          into: needed(flags, 'into', '--into RUN is missing: the run that counts the crashes from now on.'),
        }),
      ),
    ),
    ...Object.fromEntries(SIMPLE),
    split: decision(
      'RUN',
      act(
        'splitRun',
        ({ run: { state, occurrences: count } }, run_id) =>
          `split: ${run_id} is ${state} again and has counted ${count} crashes`,
      ),
    ),
  },
);

/** A decision that is one call of an operation on the run. */
function act<Id extends OperationId>(
  id: Id,
  words: (answer: Answer<Id>, runId: string, flags: ReadFlags) => string,
  inputOf: (flags: ReadFlags) => Omit<Input<Id>, 'run_id'> | object = () => ({}),
): Decision {
  return async ({ api, flags }, run_id) => {
    const call = api[id] as (input: object) => Promise<Answer<Id>>;
    const value = await call({ run_id, ...inputOf(flags) });
    return { value, text: words(value, run_id, flags) };
  };
}

/** With `--dry-run` only what the decision would do to the issue. */
function orForetell(decide: Decision): Decision {
  return async (given, run_id) => {
    if (!given.flags.has('dry-run')) return decide(given, run_id);
    const effect = await given.api.getResolutionEffect({ run_id, ...fixedIn(given.flags) });
    const words = effectText(effect) ?? 'does nothing to the issue';
    return { value: effect, text: effect.comment === null ? words : `${words}\n\n${effect.comment}` };
  };
}

function fixedIn(flags: ReadFlags) {
  const next = flags.has('next-release') ? { next_release: true } : {};
  return { commit: flags.text('commit') ?? undefined, ...next };
}

function needed(flags: ReadFlags, flag: string, problem: string): string {
  const text = flags.text(flag);
  if (text === null) throw usageError(problem);
  return text;
}

/** A form that prints in several ways. */
function prints(takes: string, print: (given: Given, runId: string) => Promise<void>): Form {
  return {
    takes,
    async run(given) {
      await print(given, given.args[0] ?? '');
      return EXIT.done;
    },
  };
}

async function list({ api, flags }: Given): Promise<void> {
  for (const state of flags.text('state')?.split(',') ?? []) checkState(state.trim());
  const limit = flags.count('limit', 50, 200);
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
    limit,
  });
  if (flags.has('json')) printJson(page);
  else printList(page, flags.text('project') === null && clientConfig(flags).projects.length > 1);
}

/** The view with this name; otherwise a failure with the names that there are. */
function findView(views: readonly SavedView[], name: string): SavedView {
  const found = views.find((view) => view.name === name);
  if (found !== undefined) return found;
  const known =
    views.length === 0
      ? 'You have none.'
      : `You have ${views.map((view) => JSON.stringify(view.name)).join(', ')}.`;
  throw new CommandFailure(`No saved view ${JSON.stringify(name)}. ${known}`, EXIT.notFound);
}

/** What core is asked for the runs of a view. */
function queryOf({ address }: SavedView) {
  const { view, project, query, sort } = readFilter(address);
  return {
    state: VIEWS[view].states.join(','),
    order: ORDERS[sort],
    ...(project === '' ? {} : { project }),
    ...(query.trim() === '' ? {} : { q: query.trim() }),
  };
}

function checkState(state: string): void {
  const known: readonly string[] = RUN_STATES;
  if (!known.includes(state)) throw unknownWord('state', state, known);
}

async function show({ api, flags }: Given, run_id: string): Promise<void> {
  const said = <Value>(value: Value, inWords: (value: Value) => void) =>
    flags.has('json') ? printJson(value) : inWords(value);
  if (flags.has('evidence')) return printJson(await api.getEvidence({ run_id }));
  if (flags.has('history'))
    return said({ entries: (await api.getHistory({ run_id })).entries }, printRun.history);
  if (flags.has('story')) return said(await api.getStory({ run_id }), (story) => printStory(story, run_id));
  if (flags.has('diff')) return said(await api.getDraftDifference({ run_id }), printRun.difference);
  if (flags.has('draft')) return said(await api.getDraft({ run_id }), printRun.draft);
  if (flags.has('preview')) return said(await api.previewDraft({ run_id }), printRun.preview);
  const run = await api.getRun({ run_id });
  if (flags.has('json')) return printJson(run);
  const cameBack = run.regression_of !== null || run.state === 'published' || run.state === 'merged';
  const stack = await api.getStack({ run_id }).catch(nullIfNotFound);
  printRun.whole(run, cameBack ? await api.getStory({ run_id }) : null, stack);
}

async function occurrences({ api, flags }: Given, run_id: string): Promise<void> {
  const number = flags.text('number');
  if (number !== null) {
    if (!/^[1-9]\d{0,14}$/.test(number)) throw usageError('--number must be a whole number from 1.');
    return printJson(await api.getOccurrence({ run_id, number: Number(number) }));
  }
  const limit = flags.count('limit', 50, 200);
  const page = await api.listOccurrences({ run_id, limit, cursor: flags.text('cursor') ?? undefined });
  if (flags.has('json')) return printJson(page);
  const [statistics, run] = await Promise.all([api.getStatistics({ run_id }), api.getRun({ run_id })]);
  printOccurrences(page, statistics, run.occurrences);
}

async function approve({ api, flags }: Given, run_id: string) {
  const run = await api.getRun({ run_id });
  const given = flags.text('digest');
  if (run.publication !== null && given === null) {
    const { issue_url } = run.publication;
    return { value: { status: 'published', issue_url }, text: `already published: ${oneLine(issue_url)}` };
  }
  const atGateOne = ['staged_raw', 'analyzing'].includes(run.snooze?.from ?? run.state);
  if (atGateOne && given !== null)
    throw usageError('The run is at Gate 1, where there is no draft yet: remove --digest.');
  const value = atGateOne
    ? await api.approveGateOne({ run_id })
    : await api.approveGateTwo({ run_id, if_match: fullDigest(given, run.draft?.digest ?? null) });
  const text =
    value.status === 'published'
      ? `published: ${oneLine(value.issue_url)}`
      : `${value.status}: the run is ${value.state}`;
  return { value, text };
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

async function reject({ api, flags }: Given, run_id: string) {
  const reason = needed(flags, 'reason', '--reason TEXT is missing. The history records it.');
  const to = flags.oneOf('to', ['staged_raw', 'rejected'] as const, 'rejected');
  const { state } = await api.getRun({ run_id });
  if (state === 'staged_raw' && to === 'staged_raw')
    throw new CommandFailure('The run is already at Gate 1.', EXIT.usage, 'state_conflict');
  const value =
    state === 'staged_draft'
      ? await api.rejectGateTwo({ run_id, reason, to })
      : await api.rejectGateOne({ run_id, reason });
  return { value, text: `${value.status}: the run is ${value.state}` };
}

/** Exactly one of `--until`, `--crashes` and `--next-release`. */
function readUntil(flags: ReadFlags): SnoozeUntil {
  const until = flags.text('until');
  const given = [until !== null, flags.text('crashes') !== null, flags.has('next-release')].filter(Boolean);
  if (given.length !== 1) throw usageError('Pass one of --until TIME, --crashes N and --next-release.');
  if (flags.has('next-release')) return { kind: 'release' };
  if (until === null) return { kind: 'crashes', more: flags.count('crashes', 1, SNOOZE_LIMITS.crashes) };
  const span = spanMs(until);
  const time = span === null ? Date.parse(until) : Date.now() + span;
  if (Number.isNaN(time))
    throw usageError(
      '--until must be a duration such as 30m, 4h or 7d, or a time such as 2026-11-30T09:00Z.',
    );
  return { kind: 'time', at: new Date(time).toISOString() };
}
