import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@culprit/client';
import { NO_EFFECT } from '@culprit/core/internal/domain/investigation';
import { likelihood } from '@culprit/core/internal/domain/verdict';
import { print } from '../log/terminal.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { form, type Given, overCore } from './over-core.js';
import { clipped, oneLine, plural, printJson } from './print.js';
import { onInterrupt } from './stop-signal.js';

type Trail = Answer<'getInvestigation', 200>;

const POLL_MS = 1_000;
const INPUT_CHARS = 100;

/** Starts an investigation, and prints its questions as they are asked. */
export const investigate = overCore(
  'investigate',
  {
    flags: { stop: { meaning: 'stop the investigation of the run' } },
    notes: [
      'Waits for the end. Ctrl-C only stops watching. Without a model that can investigate it prints what an agent of yours needs.',
    ],
  },
  { '': { takes: 'RUN [--stop]', run: investigateRun } },
);

/** Whose suspects the draft of a run follows. */
export const suspects = overCore(
  'suspects',
  {
    flags: { by: { value: 'WHOM', meaning: 'ranking, or investigation' } },
    notes: ['Replaces the draft of a run at Gate 2, also an edited one.'],
  },
  {
    '': form('RUN --by ranking|investigation', {
      async call({ api, flags, args: [run_id = ''] }) {
        const by = (['ranking', 'investigation'] as const).find((one) => one === flags.text('by'));
        if (by === undefined) throw usageError('Pass --by ranking or --by investigation.');
        const { draft } = await api.getRun({ run_id });
        if (draft === null) throw new CommandFailure('The run has no draft.', EXIT.conflict);
        return api.chooseSuspects({ run_id, by, if_match: draft.digest });
      },
      text: ({ suspects: [first], draft }) =>
        `${first ? `First suspect: ${oneLine(first.sha.slice(0, 12))} ${oneLine(first.title)} (${likelihood(first)})` : 'No suspect.'}\nDigest: ${draft?.digest}\n`,
    }),
  },
);

async function investigateRun({ api, flags, args: [run_id = ''] }: Given) {
  if (flags.has('stop')) {
    const { investigation } = await api.stopInvestigation({ run_id });
    print(investigation?.reason === 'stopped' ? 'Stopped.\n' : 'The run has no running investigation.\n');
    return EXIT.done;
  }
  try {
    await api.startInvestigation({ run_id });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'no_investigator') throw error;
    print(forAgents(run_id));
    return EXIT.failed;
  }
  const watching = new AbortController();
  const ignoreInterrupt = onInterrupt(() => watching.abort());
  try {
    const trail = await watch(api, run_id, watching.signal, !flags.has('json'));
    if (flags.has('json')) printJson(trail);
    else print(endText(trail));
    return EXIT.done;
  } finally {
    ignoreInterrupt();
  }
}

async function watch(
  api: Given['api'],
  run_id: string,
  signal: AbortSignal,
  prints: boolean,
): Promise<Trail> {
  for (let printed = 0; ; ) {
    const trail = await api.getInvestigation({ run_id });
    for (const { number, question, input } of prints ? trail.asked.slice(printed) : [])
      print(`${number}. ${question} ${oneLine(clipped(JSON.stringify(input), INPUT_CHARS))}\n`);
    printed = trail.asked.length;
    if (trail.investigation?.state !== 'running' || signal.aborted) return trail;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

function endText({ investigation }: Trail): string {
  if (investigation === null) return 'The run has no investigation.\n';
  const { state, reason, detail, finding, probability, measured, questions, tokens, cost, checks } =
    investigation;
  const used = `${plural(questions, 'question')}, ${tokens} tokens${cost === null ? '' : `, cost ${cost.toFixed(4)}`}`;
  if (state === 'running') return `It goes on: ${used} so far.\n`;
  const lines = [
    ...(finding === null
      ? []
      : [
          `Found: ${finding.commits.map((sha) => oneLine(sha.slice(0, 12))).join(', ')} (${likelihood({ probability })}${probability === null || measured ? '' : ', not measured'})`,
          `Place: ${oneLine(finding.place.path)}:${finding.place.line}`,
          `Line:  ${oneLine(finding.quote)}`,
        ]),
    ...checks.flatMap(({ ok, code, detail: wrong }) =>
      ok ? [] : `Check failed: ${code}${wrong === null ? '' : `: ${oneLine(wrong)}`}`,
    ),
    reason === null ? 'The draft follows the finding.' : NO_EFFECT[reason],
    ...(detail === null ? [] : [oneLine(detail)]),
    used,
  ];
  return `${lines.join('\n')}\n`;
}

function forAgents(runId: string): string {
  return `No model that can investigate is configured. Let your own agent do it:
1. culprit token new agent --scopes read,investigate
2. Let your MCP client start "culprit mcp", with that token as CULPRIT_TOKEN.
3. Use its prompt investigate_run, with run_id ${oneLine(runId)}.
More: docs/guides/investigate.md
`;
}
