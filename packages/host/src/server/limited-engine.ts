import { CulpritError, type Engine, isCulpritError, type RunSummary } from '@culprit/core';
import { RUN_COMMANDS } from '@culprit/core/internal/operations/commands';
import { METHODS } from '@culprit/core/internal/operations/methods';
import { type Limits, limitOperations } from '@culprit/core/internal/operations/reach';
import { RELEASE_METHODS } from '@culprit/core/internal/operations/release-methods';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import { isWithin, type Within } from './permit.js';

/** Runs read at once to learn their projects. */
const AT_ONCE = 16;

/**
 * The engine within projects: runs of others are refused, or do not exist. What an operation shows is the `reach` of its row; the
 * other members are listed, so a new one does not compile until somebody decides what it shows.
 */
export function limitEngine(engine: Engine, within: Within): Engine {
  const { projects } = within;
  if (projects === null) return engine;
  const limits = limitsOf(engine, within, projects);
  const { releases } = engine;
  return {
    ...limitOperations(METHODS, engine, limits, refused),
    ...limitOperations(RUN_COMMANDS, engine, limits, refused),
    releases: {
      ...limitOperations(RELEASE_METHODS, releases, limits, refused),
      projects: () => releases.projects().filter(({ name }) => isWithin(within, name)),
    },
    ...limitNews(engine, limits.own),
    // The installation’s, and it names no project.
    model: engine.model,
    investigates: engine.investigates,
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

function limitsOf(engine: Engine, within: Within, projects: readonly string[]): Limits {
  const own: Limits['own'] = ({ project }) => isWithin(within, project);
  return {
    projects,
    own,
    async run(runId) {
      const run = await engine.run(runId);
      // As the engine answers for an unknown run.
      if (!own(run))
        throw within.refusal(run.project) ?? absent('run_not_found', `run ${runId.slice(0, 64)}`);
      return run;
    },
    project(name) {
      if (isWithin(within, name)) return;
      throw within.refusal(name) ?? absent('not_found', `project ${JSON.stringify(name.slice(0, 64))}`);
    },
    visible: (runIds) => visibleRuns(engine, runIds, projects),
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

function absent(code: 'run_not_found' | 'not_found', what: string): CulpritError {
  return new CulpritError(code, `There is no ${what}.`);
}

async function refused(): Promise<never> {
  throw new CulpritError('forbidden', 'This concerns all projects, but your credential is limited to some.');
}
