import { CulpritError, type Engine, isCulpritError, type RunSummary } from '@culprit/core';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import { limitReleases } from './limited-releases.js';
import { isWithin, type Within } from './permit.js';

/** Runs read at once to learn their projects. */
const AT_ONCE = 16;

/**
 * The engine within projects: runs of others are refused, or do not exist. Every member is listed, so a new one does not compile
 * until somebody decides what it shows.
 */
export function limitEngine(engine: Engine, within: Within): Engine {
  const { projects } = within;
  if (projects === null) return engine;
  const own = (run: Pick<RunSummary, 'project'>) => isWithin(within, run.project);
  const ownRun = async (runId: string) => {
    const run = await engine.run(runId);
    if (!own(run)) throw within.refusal(run.project) ?? absent(runId);
    return run;
  };
  /** Calls with a run's id as the first argument. */
  const ofRun =
    <Rest extends readonly unknown[], Result>(call: (runId: string, ...rest: Rest) => Promise<Result>) =>
    async (runId: string, ...rest: Rest): Promise<Result> => {
      await ownRun(runId);
      return call(runId, ...rest);
    };
  return {
    run: ownRun,
    async runs(query) {
      const page = await engine.runs({ ...query, projects });
      // A store of another author may not know the filter.
      return { ...page, runs: page.runs.filter(own) };
    },
    searchValues: refused,
    quotaUsage: refused,
    ingest: refused,
    ingestBatch: refused,
    issueChanged: refused,

    history: ofRun(engine.history),
    chain: ofRun(engine.chain),
    evidence: ofRun(engine.evidence),
    stack: ofRun(engine.stack),
    brief: ofRun(engine.brief),
    // The installation’s, and it names no project.
    model: engine.model,
    occurrences: ofRun(engine.occurrences),
    occurrence: ofRun(engine.occurrence),
    statistics: ofRun(engine.statistics),
    story: ofRun(engine.story),
    preview: ofRun(engine.preview),
    draftDifference: ofRun(engine.draftDifference),
    verify: ofRun(engine.verify),
    resolutionEffect: ofRun(engine.resolutionEffect),
    approveGateOne: ofRun(engine.approveGateOne),
    startGateOne: ofRun(engine.startGateOne),
    rejectGateOne: ofRun(engine.rejectGateOne),
    editDraft: ofRun(engine.editDraft),
    approveGateTwo: ofRun(engine.approveGateTwo),
    startGateTwo: ofRun(engine.startGateTwo),
    rejectGateTwo: ofRun(engine.rejectGateTwo),
    reopen: ofRun(engine.reopen),
    resolve: ofRun(engine.resolve),
    unresolve: ofRun(engine.unresolve),
    handOff: ofRun(engine.handOff),
    async merge(runId, into, reviewer) {
      await ownRun(runId);
      await ownRun(into);
      return engine.merge(runId, into, reviewer);
    },
    split: ofRun(engine.split),
    snooze: ofRun(engine.snooze),
    wake: ofRun(engine.wake),
    claim: ofRun(engine.claim),
    releaseClaim: ofRun(engine.releaseClaim),
    comment: ofRun(engine.comment),

    async failedNotifications() {
      const failed = await engine.failedNotifications();
      const visible = await visibleRuns(
        engine,
        failed.map(({ run_id }) => run_id),
        projects,
      );
      return failed.filter(({ run_id }) => visible.has(run_id));
    },
    async retryNotification(connector, runId) {
      await ownRun(runId);
      return engine.retryNotification(connector, runId);
    },

    releases: limitReleases(engine.releases, within),
    ...limitNews(engine, own),
    policy: engine.policy,
    values: engine.values,
    cache: engine.cache,
    // It concerns all projects.
    erasure: null,
    shared: engine.shared,
    trackers: engine.trackers,
    sanitiser: engine.sanitiser,
    check: refused,
    close: refused,
  };
}

/** Changes and progress of own runs. */
function limitNews(
  { feed, progress }: Pick<Engine, 'feed' | 'progress'>,
  own: (run: Pick<RunSummary, 'project'>) => boolean,
): Pick<Engine, 'feed' | 'progress'> {
  return {
    feed: {
      head: () => feed.head(),
      async since(cursor, limit) {
        return (await feed.since(cursor, limit))?.filter(({ run }) => own(run)) ?? null;
      },
      watch: (listener, reset) =>
        feed.watch((entry) => {
          if (own(entry.run)) listener(entry);
        }, reset),
    },
    progress: {
      all: () => progress.all().filter(({ run }) => own(run)),
      watch: (listener) =>
        progress.watch((one) => {
          if (own(one.run)) listener(one);
        }),
    },
  };
}

/** Those of the runs that exist and belong to the projects; `null`: to any. */
export async function visibleRuns(
  engine: Pick<Engine, 'run'>,
  runIds: readonly string[],
  projects: readonly string[] | null,
): Promise<ReadonlySet<string>> {
  if (projects === null) return new Set(runIds);
  const found = await inBatches([...new Set(runIds)], AT_ONCE, async (runId) => {
    try {
      return projects.includes((await engine.run(runId)).project) ? runId : null;
    } catch (error) {
      if (isCulpritError(error, 'run_not_found')) return null;
      throw error;
    }
  });
  return new Set(found.filter((runId) => runId !== null));
}

/** As the engine answers for an unknown run. */
function absent(runId: string): CulpritError {
  return new CulpritError('run_not_found', `There is no run ${runId.slice(0, 64)}.`);
}

async function refused(): Promise<never> {
  throw new CulpritError('forbidden', 'This concerns all projects, and your credential is limited to some.');
}
