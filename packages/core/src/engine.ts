import { Connectors } from './connector/start-connectors.js';
import type { Engine, EngineOptions } from './engine-api.js';
import { CulpritError } from './errors/error.js';
import { RUN_COMMANDS, type RunCommandMethods } from './operations/commands.js';
import type { EngineParts } from './operations/engine-parts.js';
import { methodsOf } from './operations/method.js';
import { type EngineMethods, METHODS } from './operations/methods.js';
import { RELEASE_METHODS, type ReleaseMethods } from './operations/release-methods.js';
import { timeLimit } from './resilience/time-limit.js';
import { Tasks } from './runs/tasks.js';
import { silentLogger } from './system.js';

/**
 * Starts an engine: sets up connectors in order, then resumes interrupted runs. Rejects with `configuration`
 * or `connector_missing` if it cannot. Call `close()` when done.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  // Loaded only now, because the edge and most commands use this package without an engine.
  const { checkOverride, startParts } = await import('./di/container.js');
  checkOverride(options.override ?? {});
  const { logger = silentLogger, fetch = globalThis.fetch } = options;
  const tasks = new Tasks(logger);
  const connectors = new Connectors();
  let dispose = async () => {};
  /** Connectors close last, because what runs uses them. */
  const stop = async (reason: string) => {
    try {
      await tasks.stop(new CulpritError('closed', reason));
      await dispose();
    } finally {
      await connectors.close();
    }
  };
  try {
    await connectors.start(options.connectors, { fetch, logger, signal: tasks.signal });
    const started = await startParts(options, connectors, tasks);
    ({ dispose } = started);
    return facade(started.parts, connectors, () =>
      stop('The engine is closing. The run continues after the next start.'),
    );
  } catch (error) {
    await stop('The engine could not start.').catch(() => {});
    throw error;
  }
}

function facade(parts: EngineParts, connectors: Connectors, stop: () => Promise<void>): Engine {
  const { policy, statusFeed, progress, values, cache, personErasure, sanitiser, runs, releases } = parts;
  let closing: Promise<void> | null = null;
  const open = () => {
    if (closing) throw new CulpritError('closed', 'The engine is closing. Try again in a moment.');
  };
  return {
    ...methodsOf<EngineMethods>(METHODS, parts, open),
    ...methodsOf<RunCommandMethods>(RUN_COMMANDS, parts, open),
    releases: {
      ...methodsOf<ReleaseMethods>(RELEASE_METHODS, parts, open),
      projects: () => releases.withReleases(),
    },
    ...{ policy, progress, values, cache, sanitiser },
    model: () => parts.explainers.find(({ status }) => status !== undefined)?.status?.() ?? null,
    investigates: () => parts.investigations.startable() !== null,
    feed: statusFeed,
    erasure: personErasure,
    shared: runs.store.shared === true,
    trackers: connectors.trackers(),
    check: () => connectors.check(timeLimit(policy.checkMs)),
    close: () => {
      closing ??= stop();
      return closing;
    },
  };
}
