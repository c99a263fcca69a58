import { CulpritError, type HistoryEntry, type Run } from '@culprit/core';
import type { CoreApi } from '../client/core-api.js';
import type { DemoServers } from './servers.js';
import { harmless, type StoryPrinter } from './story-printer.js';
import { tellSuspects } from './tell.js';
import { waitUntil } from './wait.js';

export interface Gates {
  readonly paper: StoryPrinter;
  readonly core: CoreApi;
  readonly servers: DemoServers;
  readonly runId: string;
  /** True: the demo opens both gates. False: a person does, on the board. */
  readonly auto: boolean;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = { auto: 120_000, person: Number.POSITIVE_INFINITY };

/** Sees the run through both gates; resolves with the published run. */
export async function passGates(gates: Gates): Promise<Run> {
  const { paper, core, runId, auto } = gates;
  let run = await core.run(runId);
  if (run.state === 'published') {
    paper.section('Published before');
    paper.line('This data directory knows the crash: it was counted, and nothing is published twice.');
    paper.pair('issue', paper.style('bold', run.publication?.issue_url ?? ''));
    return run;
  }
  if (!auto) tellReviewer(gates);
  paper.section('Gate 1: is this worth looking into?');
  if (auto && run.state === 'staged_raw') {
    const started = performance.now();
    await core.approveGateOne(runId);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    paper.pair('approved', `by ${gates.servers.reviewer.name} through the API, analysed in ${seconds} s`);
  }
  if (!auto && run.state === 'staged_raw') tellWaiting(gates);
  run = await reach(gates, ['staged_draft', 'publishing', 'published']);
  await tellWay(gates);
  tellSuspects(paper, run, Date.now());
  if (run.last_error !== null) paper.pair('trouble', paper.style('yellow', harmless(run.last_error.detail)));

  paper.section('Gate 2: is this what should be published?');
  if (auto && run.state === 'staged_draft' && run.draft !== null) {
    paper.pair('draft', harmless(run.draft.title));
    await core.approveGateTwo(runId, run.draft.digest);
    paper.pair('signed', `by ${gates.servers.reviewer.name}, digest ${run.draft.digest.slice(0, 12)}…`);
  }
  if (!auto && run.state === 'staged_draft') tellWaiting(gates);
  run = await reach(gates, ['published']);
  await tellWay(gates);
  paper.pair('issue', paper.style('bold', run.publication?.issue_url ?? ''));
  for (const change of run.publication?.divergence ?? []) paper.pair('changed', harmless(change));
  return run;
}

function tellReviewer({ paper, servers }: Gates): void {
  paper.section('Your turn');
  paper.pair('board', paper.style('bold', `${servers.coreUrl}/`));
  paper.pair('token', `${servers.reviewer.token}   ${paper.style('dim', '(sign in with it)')}`);
  paper.line('Open Gate 1 for the run, read the draft, sign it at Gate 2. Ctrl-C ends the demo.');
}

function tellWaiting({ paper, servers }: Gates): void {
  paper.pair('waiting', `for you, at ${servers.coreUrl}/`);
}

async function reach({ core, runId, auto, signal }: Gates, states: readonly Run['state'][]): Promise<Run> {
  const look = async (): Promise<Run | null> => {
    signal.throwIfAborted();
    const run = await core.run(runId);
    if (states.includes(run.state)) return run;
    if (run.state === 'rejected') {
      throw new CulpritError(
        'internal',
        'The run was rejected, so there is no issue. Run the demo again for another try.',
      );
    }
    if (auto && run.state === 'staged_raw' && run.last_error !== null) {
      throw new CulpritError('internal', `The analysis did not come through: ${run.last_error.detail}`);
    }
    return null;
  };
  const run = await waitUntil(look, {
    everyMs: auto ? 50 : 400,
    forMs: PATIENCE_MS[auto ? 'auto' : 'person'],
    signal,
  });
  if (run === null)
    throw new CulpritError('internal', `The run did not come to ${states.join(' or ')} within 2 minutes.`);
  return run;
}

/** The states in a run's history. */
export function statesOf(entries: readonly HistoryEntry[]): string[] {
  const states: string[] = [];
  for (const { to } of entries) if (to !== null && states.at(-1) !== to) states.push(to);
  return states;
}

/** The states so far. */
async function tellWay({ paper, core, runId }: Gates): Promise<void> {
  const entries = await core.history(runId);
  paper.pair('states', statesOf(entries).join(' → '));
}
