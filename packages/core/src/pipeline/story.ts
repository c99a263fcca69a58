import type { HistoryEntry } from '../domain/history.js';
import { membersOf } from '../domain/member.js';
import type { Run } from '../domain/run.js';
import { type Chapter, ISSUE_ENDS, MAX_CHAPTERS, type RunStory } from '../domain/story.js';
import { getRun } from '../runs/change-run.js';
import type { EngineServices } from '../runs/services.js';
import type { FirstReleaseOf } from './first-releases.js';
import { RECORDED } from './issue-status.js';

/** The ports and services that a story is read from. */
export type StoryParts = Pick<EngineServices, 'runStore' | 'runHistory' | 'runOccurrences'> & {
  readonly firstRelease: FirstReleaseOf;
};

/** The runs on one side of a run, nearest first. */
interface Walk {
  readonly runs: readonly Run[];
  readonly whole: boolean;
}

/** The story of a run's crash: the runs before it, the run, and those after it. Rejects with `run_not_found`. */
export async function storyOf(parts: StoryParts, runId: string): Promise<RunStory> {
  const { run } = await getRun(parts.runStore, runId);
  const before = await walk(parts, run, MAX_CHAPTERS - 1, (one) => earlierThan(parts, one));
  const after = await laterThan(parts, run, MAX_CHAPTERS - 1 - before.runs.length);
  const runs = [...before.runs.toReversed(), run, ...after.runs];
  const chapters = await Promise.all(runs.map((one) => chapterOf(parts, one)));
  return { chapters, whole: before.whole && after.whole };
}

/** From one run to the next, at most `most` times. Ends at a run that was met before, or that retention has deleted. */
async function walk(
  { runStore }: StoryParts,
  from: Run,
  most: number,
  next: (run: Run) => Promise<string | null>,
): Promise<Walk> {
  const met = new Set([from.run_id]);
  const runs: Run[] = [];
  for (let run = from; ; ) {
    const id = await next(run);
    if (id === null || met.has(id)) return { runs, whole: true };
    if (runs.length >= most) return { runs, whole: false };
    const found = await runStore.get(id);
    if (found === null) return { runs, whole: false };
    met.add(id);
    run = found.run;
    runs.push(run);
  }
}

/** The run that this one is a regression of, or else a run merged into it that is a regression. */
async function earlierThan({ runStore }: StoryParts, run: Run): Promise<string | null> {
  if (run.regression_of !== null) return run.regression_of;
  for (const { run_id, into } of membersOf(run)) {
    if (into !== null && (await runStore.get(run_id))?.run.regression_of) return run_id;
  }
  return null;
}

/** Whether the crashes of a run go on in another one. */
function nextOf({ state, merged_into, came_back_as }: Run): string | null {
  return (state === 'merged' ? merged_into : came_back_as) ?? null;
}

async function laterThan(parts: StoryParts, run: Run, most: number): Promise<Walk> {
  if (nextOf(run) === null && run.state === 'published') return unnamedAfter(parts, run, most);
  return walk(parts, run, most, async (one) => nextOf(one));
}

/** An older version did not name the regression: it is on the way back from the latest run of the fingerprint. */
async function unnamedAfter(parts: StoryParts, run: Run, most: number): Promise<Walk> {
  const { project, fingerprint, run_id } = run;
  const { runs } = await parts.runStore.page({ project, fingerprint: fingerprint.hash, limit: 1 });
  const latest = runs[0] && (await parts.runStore.get(runs[0].run_id))?.run;
  if (latest === undefined || latest.run_id === run_id) return { runs: [], whole: true };
  const back = await walk(parts, latest, MAX_CHAPTERS, (one) => earlierThan(parts, one));
  const way = [latest, ...back.runs];
  const at = way.findIndex((one) => one.run_id === run_id);
  // A later run need not be a regression.
  if (at === -1) return { runs: [], whole: true };
  const later = way.slice(0, at).reverse();
  return { runs: later.slice(0, most), whole: later.length <= most };
}

async function chapterOf(parts: StoryParts, run: Run): Promise<Chapter> {
  const { run_id, state, first_seen, project, publication, draft } = run;
  const fix = run.fix ? { commit: run.fix.commit, pull_request: run.fix.pull_request } : null;
  const [release, history, fixed_in] = await Promise.all([
    firstNamed(parts, run),
    publication === null ? [] : parts.runHistory.history(run_id),
    fix === null ? null : parts.firstRelease(project, fix.commit),
  ]);
  return {
    ...{ run_id, state, first_seen, release },
    merged_into: state === 'merged' ? (run.merged_into ?? null) : null,
    issue: publication && {
      number: publication.number,
      url: publication.issue_url,
      published_at: publication.published_at,
      reopened: publication.comment_url !== undefined || draft?.reopens !== undefined,
    },
    closed: endOf(run, history),
    ...{ fix, fixed_in },
  };
}

/** The first release that the run's own crashes named. A run lists its releases in the order in which they crashed last. */
async function firstNamed({ runOccurrences }: StoryParts, run: Run): Promise<string | null> {
  const [own] = membersOf(run);
  const { releases = [], occurrences } = own ?? {};
  const [only = null, ...more] = releases;
  if (more.length === 0) return only;
  const stored = await runOccurrences?.statistics(run.run_id);
  if (stored?.occurrences !== occurrences) return null;
  const named = (stored?.releases ?? []).filter(([name]) => releases.includes(name));
  return named.sort(([, first], [, other]) => first - other)[0]?.[0] ?? null;
}

function endOf({ resolution }: Run, history: readonly HistoryEntry[]): Chapter['closed'] {
  if (resolution?.by) return { as: 'marked_fixed', at: resolution.at };
  const last = history.findLast(({ name }) => name.startsWith(RECORDED));
  const as = ISSUE_ENDS.find((end) => last?.name === `${RECORDED}${end}`);
  return last === undefined || as === undefined ? null : { as, at: last.at };
}
