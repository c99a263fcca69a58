import { ApiError, type Client } from '@culprit/client';
import type { Claim, Explainer, Explanation, ExplanationComparison } from '@culprit/core';
import { silentLogger, systemClock } from '@culprit/core';
import { compareExplanations, type RefusedClaim } from '@culprit/core/analysis';
import { timeLimit } from '@culprit/core/resilience';
import { composeExplainers } from '../compose/explainers.js';
import { print, printError, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, clientConfig, connect } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { type Line, sideBySide } from './side-by-side.js';

export const usage: CommandUsage = {
  forms: ['explain RUN... [flags]', 'explain --compare [RUN...] [--last N] [flags]'],
  flags: {
    compare: { meaning: 'ask the configured model now, and show its text beside the deterministic one' },
    last: { value: 'N', meaning: 'with --compare and no run: the last N runs that have a draft (default 5)' },
    ...CLIENT_FLAGS,
  },
  notes: [
    '--compare changes nothing: it derives each run again from its evidence. Claims whose quotes are not in the evidence are refused, as in an analysis, and shown with the reason.',
    'If OLLAMA_MODEL or OPENAI_MODEL is set here, --compare asks that model from here, so you can try one before core uses it. Otherwise core asks its own, which needs a token with the scope gate1.',
    'On terminals of less than 80 columns the texts are one below the other.',
  ],
};

const MOST_RUNS = 100;
/** For all runs, and for one answer of a model that is asked from here. */
const LIMIT_MS = 600_000;
const EXPLAIN_MS = 60_000;
/** Width of what is written to a file or a pipe. */
const COLUMNS_OF_FILES = 120;

/** What one explainer said about one run. */
interface Told {
  readonly by: string;
  /** How long it took; `null`: not asked now. */
  readonly seconds: number | null;
  readonly claims: readonly Claim[];
  /** The claims that were refused for want of a citation. */
  readonly refused: readonly RefusedClaim[];
  /** Why there is no usable answer; `null` if there is one. */
  readonly failed: { readonly detail: string } | null;
}

type Compare = (runId: string) => Promise<ExplanationComparison>;

/** Exit code 1 if `--compare` could not compare every run. */
export async function run(flags: ReadFlags): Promise<number> {
  const api = connect(flags);
  if (!flags.has('compare')) return showStored(api, flags);
  const ids =
    flags.positionals.length > 0 ? flags.positionals : await lastRuns(api, flags.count('last', 5, MOST_RUNS));
  if (ids.length === 0) throw new CommandFailure('No run has a draft yet.', EXIT.notFound);
  const compare = (await comparingHere(flags, api)) ?? ((id: string) => api.compareExplanations(id));
  const compared: object[] = [];
  let failures = 0;
  for (const id of ids) {
    try {
      const { title } = await api.run(id);
      const { template, model } = await compare(id);
      compared.push({ run_id: id, title, template, model });
      if (!flags.has('json')) printBoth(id, title, [template, model]);
    } catch (error) {
      // The others would fail, too.
      if (error instanceof ApiError && error.code === 'no_model') throw error;
      failures += 1;
      printError(`culprit: ${id}: ${clipped(error instanceof Error ? error.message : String(error), 200)}\n`);
    }
  }
  if (flags.has('json')) printJson(compared);
  return failures === 0 ? EXIT.done : EXIT.failed;
}

async function showStored(api: Client, { positionals, has }: ReadFlags): Promise<number> {
  if (positionals.length === 0)
    throw usageError('A run is missing: culprit explain RUN, or culprit explain --compare.');
  const found: object[] = [];
  for (const id of positionals) {
    const { title, explanation } = await api.run(id);
    if (!explanation)
      throw new CommandFailure(`${id} has no explanation yet. Approve Gate 1 first.`, EXIT.notFound);
    found.push({ run_id: id, title, explanation });
    if (!has('json')) printBoth(id, title, [storedOf(explanation)]);
  }
  if (has('json')) printJson(found);
  return EXIT.done;
}

function storedOf({ source, model, claims, note }: Explanation): Told {
  const by = source === 'template' ? 'template' : (model ?? 'model');
  return { by, seconds: null, claims, refused: [], failed: note === null ? null : { detail: note } };
}

async function lastRuns(api: Client, most: number): Promise<readonly string[]> {
  const pages = await Promise.all(
    (['staged_draft', 'published'] as const).map((state) => api.runs({ state, limit: most })),
  );
  return pages
    .flatMap(({ runs }) => runs)
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at))
    .slice(0, most)
    .map(({ run_id }) => run_id);
}

/** With the model of this machine's settings; `null` if they name none. */
async function comparingHere(flags: ReadFlags, api: Client): Promise<Compare | null> {
  const signal = timeLimit(LIMIT_MS);
  const connectors = composeExplainers({ ...clientConfig(flags).config, suspectsReader: false }, true);
  const made = await Promise.all(
    connectors.map((connector) => connector.setup({ fetch: globalThis.fetch, logger: silentLogger, signal })),
  );
  const [model, template]: readonly Explainer[] = made.flatMap(({ explainer }) => explainer ?? []);
  if (model === undefined || template === undefined) return null;
  const parts = { template, model, explainMs: EXPLAIN_MS, clock: systemClock, signal };
  return async (id) => compareExplanations(await api.evidence(id), parts);
}

function printBoth(id: string, title: string, all: readonly Told[]): void {
  const style = styleFor(process.stdout);
  print(`${style('bold', id)}  ${clipped(title, 100)}\n\n`);
  print(sideBySide(all.map(linesOf), process.stdout.columns ?? COLUMNS_OF_FILES, style));
  print('\n');
}

function linesOf({ by, seconds, claims, refused, failed }: Told): readonly Line[] {
  const line = (text: string, style: Line['style'] = null): Line => ({ text, style });
  return [
    line(`${clipped(by, 80)}${seconds === null ? '' : `  ${seconds} s`}`, 'cyan'),
    ...claims.flatMap(({ text, cites }, index) => [
      line(`${index + 1}. ${clipped(text, 400)}`),
      ...cites.map(({ evidence, quote }) =>
        line(`   ${clipped(evidence, 60)}: ${clipped(quote, 80)}`, 'dim'),
      ),
    ]),
    ...refused.flatMap(({ text, why }) => [
      line(`refused, no citation: ${clipped(text, 400)}`, 'yellow'),
      line(`   ${clipped(why, 200)}`, 'dim'),
    ]),
    ...(failed === null ? [] : [line(clipped(failed.detail, 400), 'dim')]),
  ];
}
