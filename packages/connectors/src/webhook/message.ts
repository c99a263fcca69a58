import type { RunStory } from '@culprit/core';
import { type Run, sanitiseText } from '@culprit/core/connector';
import { comebacksOf } from '@culprit/core/internal/domain/comeback';
import { sourcesOf, trustMix } from '@culprit/core/internal/domain/source';
import type { Chapter } from '@culprit/core/internal/domain/story';
import { replaceUnseen } from '@culprit/core/internal/domain/unseen';

const TITLE_CHARS = 300;
const SUSPECTS = 3;
/** Chapters of a story, the latest ones. */
const CHAPTERS = 5;
const OWNERS = 10;

/** One message. Its id identifies the run and its version, so repeated sends share it. */
export interface WebhookMessage {
  readonly id: string;
  /** JSON below 20 kB, as the specification recommends. */
  readonly body: string;
}

/** `{ type, timestamp, data }`: the run that waits or has moved, in enough detail to decide whether to look. */
export function webhookMessage(run: Run, boardUrl: string | null, story?: RunStory): WebhookMessage {
  const { run_id, state, version, updated_at } = run;
  const body = JSON.stringify({
    type: `run.${state}`,
    timestamp: updated_at,
    data: webhookData(run, boardUrl, story),
  });
  const sources = sourcesOf(run).length;
  const stage = sources > 1 ? `${version}_${sources}` : version;
  return { id: `${run_id.replace(/[^\w-]/g, '_').slice(0, 64)}_${stage}`, body };
}

/** What a message says about a run. Text from outside is sanitised again, and limited. */
export function webhookData(run: Run, boardUrl: string | null, story?: RunStory) {
  const { run_id, project, state, version, cycle, occurrences, first_seen, last_seen, level } = run;
  const sources = sourcesOf(run);
  return {
    run_id,
    project,
    state,
    gate: state === 'staged_raw' ? 1 : state === 'staged_draft' ? 2 : null,
    cycle,
    version,
    title: outside(run.title),
    level,
    platform: outside(run.platform, 60),
    occurrences,
    first_seen,
    last_seen,
    trust: trustMix(run).kind,
    sources: sources.map(({ door, trust, occurrences: count }) => ({ door, trust, occurrences: count })),
    release: outside(run.releases.at(-1) ?? null, 120),
    environment: outside(run.environments.at(-1) ?? null, 120),
    suspects: run.suspects.slice(0, SUSPECTS).map(({ sha, title, verdict, probability }) => ({
      sha,
      title: outside(title),
      verdict,
      probability,
    })),
    owners: ownersOf(run),
    digest: run.draft?.digest ?? null,
    issue_url: run.publication?.issue_url ?? null,
    regression_of: run.regression_of,
    resolved_as: run.resolution?.as ?? null,
    issue_change: run.follow_up?.state ?? null,
    came_back_as: run.came_back_as ?? null,
    comebacks: comebacksOf(run).map(({ code }) => code),
    story: story?.chapters.slice(-CHAPTERS).map(chapterOf) ?? null,
    returned_reason: outside(run.returned?.reason ?? null),
    snoozed_until: run.snooze?.until ?? null,
    woken: run.woken?.why ?? null,
    error: run.last_error?.code ?? null,
    url: boardUrl === null ? null : `${boardUrl.replace(/\/+$/, '')}/#${run_id}`,
  };
}

function chapterOf({ run_id, release, issue, fix, fixed_in }: Chapter) {
  return {
    run_id,
    release: outside(release, 120),
    issue_url: issue?.url ?? null,
    fixed_by: fix?.commit ?? null,
    fixed_in: outside(fixed_in, 120),
  };
}

/** Of the crashed file, each with the line of the code owners file. */
function ownersOf({ ownership }: Run) {
  const [crashed] = ownership?.files ?? [];
  const owned =
    crashed?.rules.flatMap(({ owners, line }) => owners.map(({ name }) => ({ name, line }))) ?? [];
  return owned.slice(0, OWNERS).map(({ name, line }) => ({ name: outside(name, 100), line }));
}

/** Sanitised again, and limited. */
function outside<Text extends string | null>(text: Text, most = TITLE_CHARS): Text {
  if (text === null) return text;
  const clean = replaceUnseen(sanitiseText(text).value.replace(/\r\n?/g, '\n'), () => '');
  const end = clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return end as Text;
}
