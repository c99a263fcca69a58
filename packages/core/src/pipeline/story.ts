import { inject, injectable } from '../di/inject.js';
import type { HistoryEntry } from '../domain/history.js';
import { membersOf } from '../domain/member.js';
import type { Run } from '../domain/run.js';
import { type Chapter, ISSUE_ENDS, MAX_CHAPTERS, type RunStory } from '../domain/story.js';
import { RunHistory } from '../ports/run-history.js';
import { RunOccurrences } from '../ports/run-occurrences.js';
import { Runs } from '../runs/runs.js';
import { FirstReleases } from './first-releases.js';
import { RECORDED } from './issue-status.js';

/** The runs on one side of a run, nearest first. */
interface Walk {
  readonly runs: readonly Run[];
  readonly whole: boolean;
}

/** The stories of runs. */
@injectable()
export class Stories {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(RunOccurrences) private readonly runOccurrences: RunOccurrences | null,
    @inject(FirstReleases) private readonly firstReleases: FirstReleases,
  ) {}

  /** The runs before a run's crash, the run, and those after it. Rejects with `run_not_found`. */
  async of(runId: string): Promise<RunStory> {
    const { run } = await this.runs.get(runId);
    const before = await this.walk(run, MAX_CHAPTERS - 1, (one) => this.earlierThan(one));
    const after = await this.laterThan(run, MAX_CHAPTERS - 1 - before.runs.length);
    const runs = [...before.runs.toReversed(), run, ...after.runs];
    const chapters = await Promise.all(runs.map((one) => this.chapterOf(one)));
    return { chapters, whole: before.whole && after.whole };
  }

  /** From one run to the next, at most `most` times. Ends at a run that was met before, or that retention has deleted. */
  private async walk(from: Run, most: number, next: (run: Run) => Promise<string | null>): Promise<Walk> {
    const met = new Set([from.run_id]);
    const runs: Run[] = [];
    for (let run = from; ; ) {
      const id = await next(run);
      if (id === null || met.has(id)) return { runs, whole: true };
      if (runs.length >= most) return { runs, whole: false };
      const found = await this.runs.store.get(id);
      if (found === null) return { runs, whole: false };
      met.add(id);
      run = found.run;
      runs.push(run);
    }
  }

  /** The run that this one is a regression of, or else a run merged into it that is a regression. */
  private async earlierThan(run: Run): Promise<string | null> {
    if (run.regression_of !== null) return run.regression_of;
    for (const { run_id, into } of membersOf(run)) {
      if (into !== null && (await this.runs.store.get(run_id))?.run.regression_of) return run_id;
    }
    return null;
  }

  private async laterThan(run: Run, most: number): Promise<Walk> {
    if (nextOf(run) === null && run.state === 'published') return this.unnamedAfter(run, most);
    return this.walk(run, most, async (one) => nextOf(one));
  }

  /** An older version did not name the regression: it is on the way back from the latest run of the fingerprint. */
  private async unnamedAfter(run: Run, most: number): Promise<Walk> {
    const { project, fingerprint, run_id } = run;
    const { runs } = await this.runs.store.page({ project, fingerprint: fingerprint.hash, limit: 1 });
    const latest = runs[0] && (await this.runs.store.get(runs[0].run_id))?.run;
    if (latest === undefined || latest.run_id === run_id) return { runs: [], whole: true };
    const back = await this.walk(latest, MAX_CHAPTERS, (one) => this.earlierThan(one));
    const way = [latest, ...back.runs];
    const at = way.findIndex((one) => one.run_id === run_id);
    // A later run need not be a regression.
    if (at === -1) return { runs: [], whole: true };
    const later = way.slice(0, at).reverse();
    return { runs: later.slice(0, most), whole: later.length <= most };
  }

  private async chapterOf(run: Run): Promise<Chapter> {
    const { run_id, state, first_seen, project, publication, draft } = run;
    const fix = run.fix ? { commit: run.fix.commit, pull_request: run.fix.pull_request } : null;
    const [release, history, fixed_in] = await Promise.all([
      this.firstNamed(run),
      publication === null ? [] : this.runHistory.history(run_id),
      fix === null ? null : this.firstReleases.of(project, fix.commit),
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
  private async firstNamed(run: Run): Promise<string | null> {
    const [own] = membersOf(run);
    const { releases = [], occurrences } = own ?? {};
    const [only = null, ...more] = releases;
    if (more.length === 0) return only;
    const stored = await this.runOccurrences?.statistics(run.run_id);
    if (stored?.occurrences !== occurrences) return null;
    const named = (stored?.releases ?? []).filter(([name]) => releases.includes(name));
    return named.sort(([, first], [, other]) => first - other)[0]?.[0] ?? null;
  }
}

/** Whether the crashes of a run continue in another one. */
function nextOf({ state, merged_into, came_back_as }: Run): string | null {
  return (state === 'merged' ? merged_into : came_back_as) ?? null;
}

function endOf({ resolution }: Run, history: readonly HistoryEntry[]): Chapter['closed'] {
  if (resolution?.by) return { as: 'marked_fixed', at: resolution.at };
  const last = history.findLast(({ name }) => name.startsWith(RECORDED));
  const as = ISSUE_ENDS.find((end) => last?.name === `${RECORDED}${end}`);
  return last === undefined || as === undefined ? null : { as, at: last.at };
}
