import { FINDING_CHECKS, NO_EFFECT } from '@culprit/core/internal/domain/investigation';
import { likelihood } from '@culprit/core/internal/domain/verdict';
import { type Answer, listOf, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

/** How far an investigation is, what it found, and what was asked; the answers are in the API. */
export async function getInvestigation(reads: RunReads, runId: string): Promise<Answer> {
  const { investigation, asked } = await reads.getInvestigation({ run_id: runId });
  const heading = `Investigation of run ${untrusted(runId)}`;
  if (investigation === null) return { heading, blocks: ['The run has none.'] };
  const { state, reason, by, questions, finding, checks, probability, measured } = investigation;
  const found =
    finding === null
      ? []
      : [
          `Commits, best first: ${finding.commits.map((sha) => untrusted(sha.slice(0, 12))).join(', ')}`,
          `Place: ${untrusted(`${finding.place.path}:${finding.place.line}`)}`,
          `Line: ${untrusted(finding.quote, 'span', 300)}`,
          `Probability of the first: ${likelihood({ probability })}${probability === null || measured ? '' : `, not measured with this ${by.kind}`}`,
        ];
  const facts = [
    `State: ${untrusted(state)}${reason === null ? '' : `, ${untrusted(reason)}: ${untrusted(NO_EFFECT[reason])}`}`,
    `By ${untrusted(by.kind)} ${untrusted(by.name)}, ${questions} questions`,
    ...found,
    ...checks.map(({ code, ok }) => `${ok ? 'Passed' : 'Failed'}: ${untrusted(FINDING_CHECKS[code])}`),
  ];
  const list = asked.map(
    ({ number, question, input, problem }) =>
      `${number}. ${untrusted(question)} ${untrusted(JSON.stringify(input))}${problem === null ? '' : `: ${untrusted(problem)}`}`,
  );
  return { heading, blocks: [listOf(facts), ...(list.length === 0 ? [] : ['Asked:', list.join('\n')])] };
}
