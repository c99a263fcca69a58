import { join, resolve } from 'node:path';
import type { NamedFix } from '@culprit/connectors/git';
import { isCulpritError } from '@culprit/core';
import { NO_EFFECT } from '@culprit/core/internal/domain/investigation';
import type { InvestigationPolicy } from '@culprit/core/internal/engine-api';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
import { type Investigating, openInvestigating } from '../backtest/investigate.js';
import { type InvestigatedCase, isFinal, keepCase, readCases } from '../backtest/investigated-case.js';
import { fitText, usedText } from '../backtest/investigated-section.js';
import { type Measured, measure } from '../backtest/measure.js';
import { type CaseResult, crashBefore } from '../backtest/run-case.js';
import { shareOf, shareText } from '../backtest/summary.js';
import { isModelLocal } from '../compose/explainers.js';
import { enginePolicy } from '../config/config.js';
import { currentConfig } from '../config/load-config.js';
import { print, printError } from '../log/terminal.js';
import { type CodePlace, codeConnectors } from './blame.js';
import { confirmed } from './confirmed.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, plural, tableText } from './print.js';
import type { Flags, ReadFlags } from './read-flags.js';

const AT_ONCE = 2;
/** Cases in a row whose model does not answer, before the command ends. */
const MAX_FAILED = 3;

export const INVESTIGATE_FLAGS: Flags = {
  investigate: { meaning: 'also let the configured model investigate the cases, apart from reverts' },
  most: { value: 'N', meaning: 'investigate: maximum number of cases, the newest first (default 60)' },
  results: {
    value: 'FILE',
    meaning: 'investigate: where finished cases are kept (default: backtest.jsonl in the data directory)',
  },
  yes: { meaning: 'investigate: start without asking' },
  save: { meaning: 'investigate: store the result in core, which then trusts the model as measured' },
};

interface Requested {
  readonly place: CodePlace;
  readonly fixes: readonly NamedFix[];
  readonly cases: readonly CaseResult[];
  readonly diffBudget: number;
  readonly flags: ReadFlags;
}

/** Investigates the cases that are not finished. Those that are finished are kept, so that the command continues where it was stopped. */
export async function investigateCases(requested: Requested, stop: AbortController): Promise<Measured> {
  const { place, flags, diffBudget } = requested;
  const { repository } = place;
  const config = currentConfig({ data: flags.text('data'), config: flags.text('config') });
  const most = flags.count('most', 60, 5_000);
  const cases = requested.cases.filter(({ source }) => source !== 'revert').slice(0, most);
  const file = resolve(flags.text('results') ?? join(config.dataDirectory, 'backtest.jsonl'));
  const kept = await readCases(file);
  const today = new Date().toISOString().slice(0, 10);
  const spent = kept.reduce((sum, { at, cost }) => sum + (at.startsWith(today) ? (cost ?? 0) : 0), 0);
  const connectors = codeConnectors(config, repository);
  const investigating = await openInvestigating({
    ...{ config, connectors, repository, diffBudget, cases, spent },
  });
  try {
    const { model, prompt } = investigating;
    const finished = kept.filter(
      (one) => isFinal(one) && one.repository === repository && one.model === model && one.prompt === prompt,
    );
    const done = cases.flatMap(({ fix }) => finished.findLast((one) => one.fix === fix.sha) ?? []);
    const left = cases.filter(({ fix }) => !done.some((one) => one.fix === fix.sha));
    if (left.length > 0) {
      const { investigation } = enginePolicy(config);
      printError(
        `${model} investigates ${plural(left.length, 'case')}; ${done.length} are finished. ${limitsText(investigation, left.length)}\nFinished cases are kept in ${file}.\n`,
      );
      const asks = investigation.price !== null || !isModelLocal(config);
      if (asks && !flags.has('yes')) await confirm(flags);
      await investigating.ready(stop.signal);
    }
    const fresh = await investigateEach(requested, { investigating, left, file }, stop);
    return measure(model, [...done, ...fresh], new Date().toISOString());
  } finally {
    await investigating.close();
  }
}

/** What so many investigations can use. */
function limitsText({ questions, tokens, price, cost }: InvestigationPolicy, cases: number): string {
  const byTokens = price && (tokens * Math.max(price.input, price.output)) / 1_000_000;
  const most = byTokens === null ? cost : Math.min(byTokens, cost ?? byTokens);
  const total = most === null ? '' : `, at most ${(most * cases).toFixed(2)} in all`;
  return `At most ${questions} questions and ${tokens} tokens each${total}.`;
}

async function confirm(flags: ReadFlags): Promise<void> {
  if (flags.has('json') || !process.stdin.isTTY) throw usageError('Pass --yes to start.');
  if (!(await confirmed('Start? Type yes: ')))
    throw new CommandFailure('Nothing was investigated.', EXIT.failed);
}

interface Left {
  readonly investigating: Investigating;
  readonly left: readonly CaseResult[];
  readonly file: string;
}

async function investigateEach(
  { place: { codeHost, repository }, fixes }: Requested,
  { investigating, left, file }: Left,
  stop: AbortController,
): Promise<readonly InvestigatedCase[]> {
  const { signal } = stop;
  const { model, prompt } = investigating;
  const limit = semaphore(AT_ONCE);
  const end = (why: string) => stop.abort(new CommandFailure(`${why} Finished cases are kept.`, EXIT.failed));
  let done = 0;
  let failed = 0;
  const investigated = async (one: CaseResult): Promise<InvestigatedCase | null> => {
    const { sha, committed_at } = one.fix;
    const fix = fixes.find((named) => named.sha === sha);
    const crash = fix && (await crashBefore({ codeHost, repository, fix, signal }));
    if (crash == null) return null;
    const outcome = await investigating.investigate(crash.delivery, one, signal);
    const at = new Date().toISOString();
    const result = { ...{ repository, model, prompt, at, fix: sha, committed_at }, ...outcome };
    await keepCase(file, result);
    failed = result.reason === 'model_failed' ? failed + 1 : 0;
    if (failed === MAX_FAILED) end(result.detail ?? NO_EFFECT.model_failed);
    if (result.reason === 'daily_cost') end(NO_EFFECT.daily_cost);
    return isFinal(result) ? result : null;
  };
  const inTurn = left.map((one) =>
    limit(async () => {
      const result = await investigated(one).catch((error: unknown) => {
        if (signal.aborted || !isCulpritError(error) || error.code === 'no_investigator') throw error;
        return null;
      });
      const name = `${one.fix.sha.slice(0, 10)} ${clipped(one.fix.title, 60)}`;
      printError(`${++done}/${left.length}  ${name}: ${result === null ? 'failed' : outcomeText(result)}\n`);
      signal.throwIfAborted();
      return result;
    }, signal),
  );
  return (await Promise.all(inTurn)).filter((one) => one !== null);
}

function outcomeText({ place, reason, questions, tokens, cost }: InvestigatedCase): string {
  const found = place === null ? 'not found' : place === 1 ? 'found' : `place ${place}`;
  const money = cost === null ? '' : `, cost ${cost.toFixed(2)}`;
  return `${found}${reason === null ? '' : ` (${reason})`}, ${questions} questions, ${tokens} tokens${money}`;
}

export function printMeasured(measured: Measured): void {
  const { model, ranking, investigated, fit } = measured;
  const rows = [
    ['', 'First suspect', 'First five'],
    ['Ranking alone', shareText(ranking.first), shareText(ranking.firstFive)],
    [`Investigated by ${model}`, shareText(investigated.first), shareText(investigated.firstFive)],
  ];
  print(`\n${tableText(rows)}\n${usedText(measured)}\n${fitText(measured)}\n`);
  for (const { from, to, right, of } of fit?.reliability ?? [])
    print(`  ${from} to ${to}: ${shareText(shareOf(right, of))} right\n`);
}
