import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@culprit/client';
import { CulpritError, type HistoryEntry, type Run } from '@culprit/core';
import { linkFor, ONCE } from '../cli/link.js';
import { oneLine } from '../cli/print.js';
import type { DemoServers } from './servers.js';
import { printSuspects, type StoryPrinter } from './story.js';

export interface Gates {
  readonly story: StoryPrinter;
  readonly core: Client;
  readonly servers: DemoServers;
  readonly runId: string;
  /** Whether the demo approves both gates. Otherwise the user does, on the board. */
  readonly auto: boolean;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = { auto: 120_000, person: Number.POSITIVE_INFINITY };

/** Takes the run through both gates. Returns the published run. */
export async function passGates(gates: Gates): Promise<Run> {
  const { story, core, runId, auto } = gates;
  let run = await core.getRun({ run_id: runId });
  if (run.state === 'published') {
    story.section('Already published');
    story.line(
      'This data directory has a published run for the crash, which counts it as another occurrence.',
    );
    story.pair('issue', story.style('bold', run.publication?.issue_url ?? ''));
    return run;
  }
  if (!auto) await printReviewer(gates);
  story.section('Gate 1: analyse this crash?');
  if (auto && run.state === 'staged_raw') {
    const started = performance.now();
    await core.approveGateOne({ run_id: runId });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    story.pair('approved', `by ${gates.servers.reviewer.name} over the API, analysed in ${seconds} s`);
  }
  if (!auto && run.state === 'staged_raw') printWaiting(gates);
  run = await reach(gates, ['staged_draft', 'publishing', 'published']);
  await printStates(gates);
  printSuspects(story, run, Date.now());
  if (run.last_error !== null) story.pair('error', story.style('yellow', run.last_error.detail));

  story.section('Gate 2: publish this draft?');
  if (auto && run.state === 'staged_draft' && run.draft !== null) {
    story.pair('draft', oneLine(run.draft.title));
    await core.approveGateTwo({ run_id: runId, if_match: run.draft.digest });
    story.pair('signed', `by ${gates.servers.reviewer.name}, digest ${run.draft.digest.slice(0, 12)}…`);
  }
  if (!auto && run.state === 'staged_draft') printWaiting(gates);
  run = await reach(gates, ['published']);
  await printStates(gates);
  story.pair('issue', story.style('bold', run.publication?.issue_url ?? ''));
  for (const change of run.publication?.divergence ?? []) story.pair('changed', oneLine(change));
  return run;
}

async function printReviewer({ story, servers }: Gates): Promise<void> {
  const link = await linkFor(servers.coreUrl, servers.reviewer.token);
  story.section('Review on the board');
  story.pair('board', story.style('bold', `${servers.coreUrl}/`));
  if (link !== null) story.pair('sign in', `${story.style('bold', link)}   ${story.style('dim', ONCE)}`);
  story.pair('token', `${servers.reviewer.token}   ${story.style('dim', '(to sign in)')}`);
  story.line('Approve Gate 1, review the draft, then sign it at Gate 2. Press Ctrl-C to stop.');
}

function printWaiting({ story, servers }: Gates): void {
  story.pair('waiting', `for your review at ${servers.coreUrl}/`);
}

async function reach({ core, runId, auto, signal }: Gates, states: readonly Run['state'][]): Promise<Run> {
  const look = async (): Promise<Run | null> => {
    signal.throwIfAborted();
    const run = await core.getRun({ run_id: runId });
    if (states.includes(run.state)) return run;
    if (run.state === 'rejected') {
      throw new CulpritError(
        'internal',
        'The run was rejected, so there is no issue. Run the demo again to retry.',
      );
    }
    if (auto && run.state === 'staged_raw' && run.last_error !== null) {
      throw new CulpritError('internal', `The analysis failed: ${run.last_error.detail}`);
    }
    return null;
  };
  const run = await waitUntil(look, {
    everyMs: auto ? 50 : 400,
    forMs: PATIENCE_MS[auto ? 'auto' : 'person'],
    signal,
  });
  if (run === null)
    throw new CulpritError('internal', `The run did not reach ${states.join(' or ')} within 2 minutes.`);
  return run;
}

/** The states in a run's history. */
export function statesOf(entries: readonly HistoryEntry[]): string[] {
  const states: string[] = [];
  for (const { to } of entries) if (to !== null && states.at(-1) !== to) states.push(to);
  return states;
}

async function printStates({ story, core, runId }: Gates): Promise<void> {
  const entries = (await core.getHistory({ run_id: runId })).entries;
  story.pair('states', statesOf(entries).join(' → '));
}

/** Polls until there is a result. Returns `null` on a timeout; rejects when the signal is aborted. */
export async function waitUntil<T>(
  ask: () => Promise<T | null>,
  options: { readonly everyMs: number; readonly forMs: number; readonly signal?: AbortSignal },
): Promise<T | null> {
  const deadline = performance.now() + options.forMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() >= deadline) return null;
    await delay(options.everyMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}
