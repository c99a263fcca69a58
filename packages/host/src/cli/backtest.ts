import { writeFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { type NamedFix, readFixes } from '@culprit/connectors/git';
import { CulpritError } from '@culprit/core';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
import type { Measured } from '../backtest/measure.js';
import { backtestPage, headlineText } from '../backtest/page.js';
import { runCase } from '../backtest/run-case.js';
import { type Backtest, GROUP_TITLES, shareText, summarise } from '../backtest/summary.js';
import { canonicalAddress } from '../compose/hosts/hosts.js';
import { currentConfig } from '../config/load-config.js';
import { print, printError } from '../log/terminal.js';
import { INVESTIGATE_FLAGS, investigateCases, printMeasured } from './backtest-investigate.js';
import { type CodePlace, openPlace } from './blame.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, printJson, tableText } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { stopSignal } from './stop-signal.js';

const AT_ONCE = 2;

export const usage: CommandUsage = {
  forms: ['backtest [flags]'],
  flags: {
    repository: { value: 'DIR', meaning: 'a local clone (REPOSITORY; default: this directory)' },
    cases: { value: 'N', meaning: 'maximum number of fixes, the newest first (default 100)' },
    diffs: { value: 'N', meaning: 'maximum number of diffs to read for each (default 50; GitHub reads 25)' },
    html: { value: 'FILE', meaning: 'write a page with the tables and plots' },
    ...INVESTIGATE_FLAGS,
    ...CLIENT_FLAGS,
  },
  notes: [
    'Reads the fixes and reverts that name the commit at fault, and ranks suspects as of the commit before each. Nothing is published.',
    '--investigate asks a model, which costs time and, if it is hosted, money. Stop it with Ctrl-C; the same command continues.',
  ],
};

/** Exit code 3 if no fix names its culprit, 1 if there is nothing to save. */
export async function run(flags: ReadFlags): Promise<number> {
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort(new CommandFailure('Stopped.', EXIT.interrupted)));
  const { signal } = stop;
  if (flags.positionals.length > 0) throw usageError('culprit backtest takes only flags: --repository DIR.');
  const { repository } = currentConfig({ data: flags.text('data'), config: flags.text('config') });
  const given = flags.text('repository') ?? repository ?? '.';
  if (!isAbsolute(canonicalAddress(given, { cwd: process.cwd() })))
    throw usageError('culprit backtest reads a local clone: --repository DIR.');
  const saving = flags.has('save');
  if (saving && !flags.has('investigate')) throw usageError('--save needs --investigate.');
  const core = saving ? connect(flags) : null;
  await core?.getSession();
  const place = await openPlace(flags, signal);
  try {
    const diffBudget = flags.count('diffs', 50, 500);
    const { result, fixes } = await backtest(place, { flags, diffBudget, signal });
    const requested = { place, fixes, cases: result.cases, diffBudget, flags };
    const investigated = flags.has('investigate') ? await investigateCases(requested, stop) : null;
    const file = flags.text('html');
    if (file !== null) await writePage(file, backtestPage(result, investigated));
    if (flags.has('json')) printJson(investigated === null ? result : { ...result, investigated });
    else printResult(result, investigated, file);
    if (result.cases.length === 0) return EXIT.notFound;
    if (core === null) return EXIT.done;
    if (investigated?.fit == null) {
      printError('culprit: too few findings for a fit, so nothing is saved.\n');
      return EXIT.failed;
    }
    await core.setModelFit(investigated.fit);
    if (!flags.has('json')) print('Saved. Investigations of this model use it from now on.\n');
    return EXIT.done;
  } finally {
    await place.close();
  }
}

async function backtest(
  { codeHost, repository }: CodePlace,
  {
    flags,
    diffBudget,
    signal,
  }: { readonly flags: ReadFlags; readonly diffBudget: number; readonly signal: AbortSignal },
): Promise<{ readonly result: Backtest; readonly fixes: readonly NamedFix[] }> {
  const most = flags.count('cases', 100, 5_000);
  const fixes = await readFixes({ repository, most, signal });
  const progress = progressOn(process.stderr, !flags.has('json'));
  const limit = semaphore(AT_ONCE);
  let done = 0;
  const rank = (fix: NamedFix) =>
    limit(async () => {
      const result = await runCase({ codeHost, repository, fix, diffBudget, signal });
      progress.at(++done, fixes.length);
      return result;
    });
  try {
    return { result: summarise(repository, await Promise.all(fixes.map(rank))), fixes };
  } finally {
    progress.end();
  }
}

async function writePage(file: string, page: string): Promise<void> {
  try {
    await writeFile(file, page);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CulpritError('configuration', `${resolve(file)} could not be written (${code ?? 'unknown'}).`, {
      cause,
    });
  }
}

function printResult(
  { headline, groups, cases, skipped }: Backtest,
  investigated: Measured | null,
  file: string | null,
): void {
  const rows = [headline, ...groups].map(({ name, cases: number, first, firstFive, newest }) => [
    ...[GROUP_TITLES[name], String(number), shareText(first), shareText(firstFive), shareText(newest)],
  ]);
  const head = ['Cases', 'Number', 'First suspect', 'First five', 'Newest blamed line'];
  print(`${headlineText(headline)}\n\n${tableText([head, ...rows])}\n`);
  const missed = cases.filter(({ place }) => place !== 1).slice(0, 5);
  for (const { fix, place } of missed)
    print(`${place ?? '–'}  ${fix.sha.slice(0, 12)} ${clipped(fix.title, 90)}\n`);
  const { no_code_changed, no_place_found, failed } = skipped;
  print(
    `Left out: ${no_code_changed} changed no code, ${no_place_found} have no line in the tree of that time, ${failed} could not be read.\n`,
  );
  if (investigated !== null) printMeasured(investigated);
  if (file !== null) print(`Page: ${resolve(file)}\n`);
}
