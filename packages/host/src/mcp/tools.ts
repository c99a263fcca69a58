import type { Client } from '@culprit/client';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { about } from '@culprit/core/internal/domain/schema';
import { RUN_ORDERS } from '@culprit/core/internal/domain/search/run-order';
import * as v from 'valibot';
import { type Answer, answerText } from './answer.js';
import { runIdArgument } from './arguments.js';
import { getDraft } from './draft.js';
import { getEvidence } from './evidence.js';
import { getInvestigation } from './investigation.js';
import { getOccurrences } from './occurrences.js';
import { getRun } from './run.js';
import { searchRuns } from './search-runs.js';
import { getStack } from './stack.js';
import { getSuspects } from './suspects.js';

/** What the reading tools call. Nothing here changes a run. */
export type RunReads = Pick<
  Client,
  | 'listRuns'
  | 'getRun'
  | 'getStack'
  | 'listOccurrences'
  | 'getOccurrence'
  | 'getEvidence'
  | 'getBrief'
  | 'getDraft'
  | 'getInvestigation'
> & {
  /** The second sanitising pass, over every answer. */
  readonly scrub: (text: string) => string;
};

/** A tool as both transports serve it. `Access`: what it is called with. */
export interface Tool<Access> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: v.GenericSchema;
  /** Resolves with Markdown. */
  readonly call: (access: Access, input: unknown) => Promise<string>;
}

const MAX_RUNS = 50;
const MAX_OCCURRENCES = 100;
const cursor = v.optional(
  about(v.pipe(v.string(), v.maxLength(1_000)), 'From the answer of the previous call.'),
);
const ofRun = v.strictObject({ run_id: runIdArgument });
const limitOf = (most: number, otherwise: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most)), otherwise);

/** Every tool, in the order in which clients list them. All of them only read. */
export const TOOLS: readonly Tool<RunReads>[] = [
  tool(
    'search_runs',
    'Search runs',
    'Lists runs (one run is one crash under triage), latest first. Start here.',
    v.strictObject({
      query: v.optional(
        about(
          v.pipe(v.string(), v.maxLength(2_000)),
          'Words, "exact words" and qualifiers, such as level:fatal env:prod release:1.4.0.',
        ),
      ),
      state: v.optional(about(v.picklist(RUN_STATES), 'Only runs in this state.')),
      project: v.optional(v.pipe(v.string(), v.maxLength(64))),
      order: v.optional(v.picklist(RUN_ORDERS)),
      limit: limitOf(MAX_RUNS, 20),
      cursor,
    }),
    (reads, { query, ...rest }) =>
      searchRuns(reads, { ...defined(rest), ...(query === undefined ? {} : { q: query }) }),
  ),
  tool(
    'get_run',
    'Get a run',
    'State, counts, releases, suspects and explanation of one run.',
    ofRun,
    (reads, input) => getRun(reads, input.run_id),
  ),
  tool(
    'get_stack',
    'Get the stack',
    'The exceptions and frames of a run, with file, line and source at the crashed commit.',
    ofRun,
    (reads, input) => getStack(reads, input.run_id),
  ),
  tool(
    'get_occurrences',
    'Get occurrences',
    'The crashes that a run has counted; with `number`, one of them with its request, tags and contexts.',
    v.strictObject({
      run_id: runIdArgument,
      number: v.optional(
        about(v.pipe(v.number(), v.integer(), v.minValue(1)), 'One occurrence, with its event.'),
      ),
      limit: limitOf(MAX_OCCURRENCES, 20),
      cursor,
    }),
    (reads, input) => getOccurrences(reads, input.run_id, input),
  ),
  tool(
    'get_suspects',
    'Get suspects',
    'The commits that may have caused the crash, with probability where it was measured, reasons and diff, or why there are none.',
    ofRun,
    (reads, input) => getSuspects(reads, input.run_id),
  ),
  tool(
    'get_evidence',
    'Get the evidence',
    'What the analysis was based on: claims with verbatim quotes, versions, and the calls to the code host and the model.',
    ofRun,
    (reads, input) => getEvidence(reads, input.run_id),
  ),
  tool(
    'get_investigation',
    'Get the investigation',
    'The latest investigation of a run: how far it is, what was asked, what it found, and which checks passed.',
    ofRun,
    (reads, input) => getInvestigation(reads, input.run_id),
  ),
  tool(
    'get_draft',
    'Get the draft',
    'The issue as it would be published: title and body, who edited it last, and the digest that an edit needs.',
    ofRun,
    (reads, input) => getDraft(reads, input.run_id),
  ),
  {
    name: 'get_fix_brief',
    title: 'Get the fix brief',
    description:
      'One page to start a fix from: crash, mechanism, suspect change, files, how to reproduce, tests of these files, and what is unknown.',
    input: ofRun,
    call: async (reads, input) => reads.getBrief({ run_id: v.parse(ofRun, input).run_id }),
  },
];

function tool<Schema extends v.GenericSchema>(
  name: string,
  title: string,
  description: string,
  input: Schema,
  answer: (reads: RunReads, input: v.InferOutput<Schema>) => Promise<Answer>,
): Tool<RunReads> {
  return {
    name,
    title,
    description,
    input,
    call: async (reads, given) => answerText(await answer(reads, v.parse(input, given)), reads.scrub),
  };
}

/** Without the members that are `undefined`. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
