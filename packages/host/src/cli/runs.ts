import type { CoreApi } from '../client/core-api.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import { type CommandUsage, type ReadFlags, readFlags } from './read-flags.js';
import { printList, printRun } from './runs-text.js';

export const RUNS_USAGE: CommandUsage = {
  name: 'runs',
  summary: 'list runs, show one, open or close its gates.',
  forms: [
    'runs list [--state STATE,…] [--project NAME] [--query WORDS] [--limit N] [flags]',
    'runs show RUN [--draft|--diff|--history|--evidence] [flags]',
    'runs approve RUN [--digest DIGEST] [flags]',
    'runs reject RUN --reason TEXT [--to staged_raw|rejected] [flags]',
  ],
  flags: {
    state: { value: 'STATE,…', meaning: 'list: only these states' },
    project: { value: 'NAME', meaning: 'list: only this project' },
    query: { value: 'WORDS', meaning: 'list: words of the title, the fingerprint or the id' },
    limit: { value: 'N', meaning: 'list: at most so many (default 50)' },
    draft: { meaning: 'show: the draft as it stands, nothing else' },
    diff: { meaning: 'show: what reviewers changed in the machine’s draft' },
    history: { meaning: 'show: every decision and step' },
    evidence: { meaning: 'show: the evidence bundle as JSON' },
    digest: { value: 'DIGEST', meaning: 'approve at Gate 2: the draft that was read, 12 digits or more' },
    reason: { value: 'TEXT', meaning: 'reject: why' },
    to: { value: 'STATE', meaning: 'reject at Gate 2: back to staged_raw, or rejected (default)' },
    ...CLIENT_FLAGS,
  },
  notes: [
    'Gate 2 signs a text. So approving there needs the digest that `runs show` prints beside the draft.',
  ],
};

/** What reviewers do on the board, without it. */
export async function runs(argv: string[]): Promise<number> {
  const flags = readFlags(argv, RUNS_USAGE);
  if (flags === null) return EXIT.done;
  const [verb = 'list', runId, ...rest] = flags.positionals;
  const action = ACTIONS[verb];
  if (action === undefined) throw usageError(`culprit runs has no "${verb}": list, show, approve or reject.`);
  if (rest.length > 0 || (verb === 'list' && runId !== undefined))
    throw usageError('There is one argument too many.');
  if (verb !== 'list' && runId === undefined) throw usageError(`Say which run: culprit runs ${verb} RUN.`);
  await action(connect(flags), flags, runId ?? '');
  return EXIT.done;
}

type Action = (api: CoreApi, flags: ReadFlags, runId: string) => Promise<void>;
const ACTIONS: Readonly<Record<string, Action | undefined>> = { list, show, approve, reject };

async function list(api: CoreApi, flags: ReadFlags): Promise<void> {
  const query = Object.fromEntries(
    ['state', 'project', 'query'].flatMap((name) => {
      const text = flags.text(name);
      return text === null ? [] : [[name, text]];
    }),
  );
  const page = await api.runs({ ...query, limit: flags.count('limit', 50, 200) });
  if (flags.has('json')) printJson(page);
  else printList(page.runs, page.next !== null);
}

async function show(api: CoreApi, flags: ReadFlags, runId: string): Promise<void> {
  if (flags.has('evidence')) return printJson(await api.evidence(runId));
  if (flags.has('history')) {
    const entries = await api.history(runId);
    return flags.has('json') ? printJson({ entries }) : printRun.history(entries);
  }
  if (flags.has('diff')) {
    const difference = await api.draftDifference(runId);
    return flags.has('json') ? printJson(difference) : printRun.difference(difference);
  }
  if (flags.has('draft')) {
    const draft = await api.draft(runId);
    return flags.has('json') ? printJson(draft) : printRun.draft(draft);
  }
  const run = await api.run(runId);
  if (flags.has('json')) printJson(run);
  else printRun.whole(run);
}

async function approve(api: CoreApi, flags: ReadFlags, runId: string): Promise<void> {
  const run = await api.run(runId);
  const given = flags.text('digest');
  const atGateOne = run.state === 'staged_raw' || run.state === 'analyzing';
  if (atGateOne && given !== null) {
    throw usageError('The run is at Gate 1, where nothing is signed yet: leave --digest out.');
  }
  const result = atGateOne
    ? await api.approveGateOne(runId)
    : await api.approveGateTwo(runId, wholeDigest(given, run.draft?.digest ?? null));
  if (flags.has('json')) return printJson(result);
  const text =
    result.status === 'published'
      ? `published: ${result.issue_url}`
      : `${result.status}: the run is ${result.state}`;
  process.stdout.write(`${text}\n`);
}

/** The standing digest if what was read is its beginning; else what was read, which core refuses. */
function wholeDigest(given: string | null, standing: string | null): string {
  if (given === null) {
    throw usageError(
      'Gate 2 signs a text: give --digest, as `culprit runs show RUN` prints it with the draft.',
    );
  }
  if (!/^[0-9a-f]{12,64}$/.test(given)) throw usageError('--digest must be 12 to 64 hex digits.');
  return standing?.startsWith(given) ? standing : given.padEnd(64, '0');
}

async function reject(api: CoreApi, flags: ReadFlags, runId: string): Promise<void> {
  const reason = flags.text('reason');
  if (reason === null) throw usageError('Say why: --reason TEXT. It is kept in the history.');
  const to = flags.oneOf('to', ['staged_raw', 'rejected'] as const, 'rejected');
  const { state } = await api.run(runId);
  if (state === 'staged_raw' && to === 'staged_raw') throw usageError('The run is at Gate 1 already.');
  const result =
    state === 'staged_draft'
      ? await api.rejectGateTwo(runId, reason, to)
      : await api.rejectGateOne(runId, reason);
  if (flags.has('json')) printJson(result);
  else process.stdout.write(`${result.status}: the run is ${result.state}\n`);
}
