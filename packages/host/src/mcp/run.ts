import type { Run } from '@culprit/core';
import { commitsText, durationText } from '@culprit/core/internal/domain/release';
import { REVISION_SOURCE_WORDS } from '@culprit/core/internal/domain/run';
import { segmentsOf } from '@culprit/core/internal/pipeline/explain/phrases';
import { type Answer, listOf, untrusted } from './answer.js';
import { noSuspectText, suspectLine } from './suspects.js';
import type { RunReads } from './tools.js';

const LISTED = 8;

/** Everything short about a run. */
export async function getRun(reads: RunReads, runId: string): Promise<Answer> {
  const run = await reads.getRun({ run_id: runId });
  return {
    heading: `Run ${untrusted(run.run_id)}: ${untrusted(run.title)}`,
    blocks: [listOf(factsOf(run)), ...suspectsOf(run), ...explanationOf(run), ...decisionsOf(run)],
    next: 'More: get_stack, get_suspects, get_occurrences, get_evidence, get_draft, get_fix_brief.',
  };
}

function factsOf(run: Run): readonly string[] {
  const { state, level, platform, project, occurrences, first_seen, last_seen, event } = run;
  const named = (name: string, values: readonly string[]) =>
    values.length === 0
      ? []
      : [
          `${name}: ${values
            .slice(-LISTED)
            .map((value) => untrusted(value))
            .join(', ')}`,
        ];
  return [
    `State: ${untrusted(state)}`,
    `Level: ${untrusted(level)}, platform ${untrusted(platform)}, project ${untrusted(project)}`,
    `Seen: ${occurrences === 1 ? 'once' : `${occurrences} times`}, first at ${untrusted(first_seen)}, last at ${untrusted(last_seen)}`,
    ...named('Releases', run.releases),
    ...named('Environments', run.environments),
    ...deployFact(run),
    ...(event.transaction === null ? [] : [`Transaction: ${untrusted(event.transaction)}`]),
    ...(run.revision === null
      ? []
      : [`Crashed commit: ${untrusted(run.revision.sha)}, ${REVISION_SOURCE_WORDS[run.revision.how]}`]),
    ...draftFact(run),
    ...(event.trust === 'untrusted' ? ['Reported with a public key, so anyone could have sent it.'] : []),
  ];
}

function draftFact({ draft }: Run): readonly string[] {
  if (draft === null) return [];
  const by = draft.edited_by === null ? 'generated' : `edited by ${untrusted(draft.edited_by)}`;
  return [`Draft: ${untrusted(draft.title)}, ${by}`];
}

function deployFact({ release_window }: Run): readonly string[] {
  if (!release_window?.deploy) return [];
  const { version, commits, more_commits, deploy } = release_window;
  const brought = commits === null ? '' : `, which brought ${commitsText(commits, more_commits)}`;
  return [
    `First crash: ${durationText(deploy.after_ms)} after the deploy of release ${untrusted(version)} to ${untrusted(deploy.environment)}${brought}`,
  ];
}

function suspectsOf(run: Run): readonly string[] {
  if (run.suspects.length === 0) return [`### Suspects\n\n${noSuspectText(run)}`];
  return [`### Suspects\n\n${listOf(run.suspects.slice(0, 3).map(suspectLine))}`];
}

/** Claims in the words of our own rules as text; a model's claims as one code span each. */
function explanationOf({ explanation }: Run): readonly string[] {
  if (explanation === null || explanation.claims.length === 0) return [];
  const claims = explanation.claims.map(({ text }) => {
    const own = explanation.source === 'template' ? segmentsOf(text) : null;
    return own === null
      ? untrusted(text, 'span', 400)
      : own.map((one) => (one.kind === 'code' ? untrusted(one.text) : one.text)).join('');
  });
  const by =
    explanation.source === 'model' ? 'By a model, which may be wrong.' : 'By fixed rules, from the evidence.';
  return [`### Explanation\n\n${by}\n\n${listOf(claims)}`];
}

/** What people and the code host have decided. */
function decisionsOf({ publication, regression_of, merged_into, last_error, fix }: Run): readonly string[] {
  const lines = [
    ...(publication === null
      ? []
      : [`Published as issue ${publication.number}: ${untrusted(publication.issue_url)}`]),
    ...(fix ? ['The issue is closed as completed.'] : []),
    ...(regression_of === null
      ? []
      : [`Regression of run ${untrusted(regression_of)}, whose issue was closed`]),
    ...(merged_into ? [`Merged into run ${untrusted(merged_into)}`] : []),
    ...(last_error === null
      ? []
      : [`Last error: ${untrusted(`${last_error.code}: ${last_error.detail}`, 'span', 400)}`]),
  ];
  return lines.length === 0 ? [] : [`### Decisions\n\n${listOf(lines)}`];
}
