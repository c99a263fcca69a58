import { randomBytes, randomUUID } from 'node:crypto';
import { connectorContext } from './connector/connector-context.js';
import { fetchInTime } from './connector/fetch-in-time.js';
import { type Registry, startConnectors } from './connector/registry.js';
import type { engineContainer } from './di/container.js';
import {
  GATE_ONE,
  GATE_TWO,
  HANDING_OFF,
  INTAKE,
  ISSUE_STATES,
  NOTIFICATIONS,
  READER,
  RECOVERY,
  RELEASE_BOOK,
  RELEASE_TALLY,
  RESOLVING,
  SNOOZING,
} from './di/tokens.js';
import type { Reviewer } from './domain/history.js';
import type { Engine, EngineOptions } from './engine-api.js';
import { CulpritError } from './errors/error.js';
import { RUN_COMMANDS, type RunCommandMethods } from './operations/commands.js';
import { methodsOf } from './operations/method.js';
import { type EngineMethods, type EngineParts, METHODS } from './operations/methods.js';
import { RELEASE_METHODS, type ReleaseMethods } from './operations/release-methods.js';
import { createSanitiser } from './pipeline/sanitise/index.js';
import { DEFAULT_POLICY } from './policy.js';
import type { Values } from './ports/values.js';
import { timeLimit } from './resilience/time-limit.js';
import { Progress } from './runs/progress.js';
import type { EngineServices, Install, ProjectLookup } from './runs/services.js';
import { Tasks } from './runs/tasks.js';
import { silentLogger, systemClock, systemIds } from './system.js';

/**
 * Starts an engine: sets up connectors in order, then resumes interrupted runs. Rejects with `configuration`
 * or `connector_missing` if it cannot. Call `close()` when done.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { clock = systemClock, ids = systemIds, logger = silentLogger } = options;
  const sanitiser = createSanitiser(options.scrub);
  const tasks = new Tasks(logger);
  let started: Registry | null = null;
  const own = { fetch: fetchInTime(options.fetch ?? globalThis.fetch), logger, signal: tasks.signal };
  const registry = await startConnectors(options.connectors, (id) =>
    connectorContext(id, own, () => started),
  );
  started = registry;
  const now = new Date(clock.now()).toISOString();
  const services: EngineServices = {
    ...registry,
    clock,
    ids,
    logger,
    tasks,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    projects: projectLookup(options.projects ?? {}),
    projectConfigs: options.projects ?? {},
    install: await keptInstall(registry.values, now, options.installKey),
    engineId: randomUUID(),
    sanitiser,
    progress: new Progress(),
    sourceMaps: options.sourceMaps ?? null,
  };
  // Loaded only now, because the edge and most commands use this package without an engine.
  const parts = await import('./di/container.js');
  const container = parts.engineContainer(services);
  container.resolve(SNOOZING).start();
  container.resolve(RECOVERY).start();
  container.resolve(NOTIFICATIONS).start();
  return facade(container, services, registry);
}

function facade(
  container: ReturnType<typeof engineContainer>,
  services: EngineServices,
  registry: Registry,
): Engine {
  const { explainers, tasks, sanitiser, policy, progress } = services;
  const parts: EngineParts = {
    ...services,
    intake: container.resolve(INTAKE),
    reader: container.resolve(READER),
    gateOne: container.resolve(GATE_ONE),
    gateTwo: container.resolve(GATE_TWO),
    resolving: container.resolve(RESOLVING),
    handingOff: container.resolve(HANDING_OFF),
    notifications: container.resolve(NOTIFICATIONS),
    issueStates: container.resolve(ISSUE_STATES),
  };
  const releaseParts = { book: container.resolve(RELEASE_BOOK), tally: container.resolve(RELEASE_TALLY) };
  let closing: Promise<void> | null = null;
  const open = () => {
    if (closing) throw new CulpritError('closed', 'The engine is closing. Try again in a moment.');
  };
  const methods = methodsOf(METHODS, open, ({ handle }, args) => handle(parts, ...args)) as EngineMethods;
  const commands = methodsOf(RUN_COMMANDS, open, ({ carryOut }, args) => {
    const [runId, reviewer, input = {}] = args as readonly unknown[] as [string, Reviewer, unknown?];
    return carryOut(parts, runId, reviewer, input);
  }) as RunCommandMethods;
  const releases = methodsOf(RELEASE_METHODS, open, ({ handle }, args) =>
    handle(releaseParts, ...args),
  ) as ReleaseMethods;
  return {
    ...methods,
    ...commands,
    policy,
    model: () => explainers.find(({ status }) => status !== undefined)?.status?.() ?? null,
    releases: { ...releases, projects: () => releaseParts.book.projects() },
    feed: registry.statusFeed,
    progress,
    values: registry.values,
    cache: registry.cache,
    erasure: registry.personErasure,
    shared: registry.runStore.shared === true,
    trackers: registry.trackers,
    sanitiser,
    check: () => registry.check(timeLimit(policy.checkMs)),
    close: () => {
      closing ??= stop(container, registry, tasks);
      return closing;
    },
  };
}

async function stop(
  container: ReturnType<typeof engineContainer>,
  registry: Registry,
  tasks: Tasks,
): Promise<void> {
  await tasks.stop(
    new CulpritError('closed', 'The engine is closing. The run continues after the next start.'),
  );
  await container.resolve(RELEASE_TALLY).close();
  await container.dispose();
  await registry.close();
}

function projectLookup(projects: NonNullable<EngineOptions['projects']>): ProjectLookup {
  const known = new Map(Object.entries(projects));
  return (project) => known.get(project) ?? {};
}

const ALWAYS = '1970-01-01T00:00:00.000Z';

/**
 * Generated once per storage. A copied or restored storage has the same values, so it finds its own issues however old
 * the copy is. A configured key may be older than the storage, so its age is unknown.
 */
async function keptInstall(values: Values, now: string, given?: string): Promise<Install> {
  if (given !== undefined) return { key: given, since: ALWAYS };
  const kept = await values.get('install-key');
  if (kept !== undefined) return { key: kept, since: (await values.get('installed-at')) ?? ALWAYS };
  // If several processes start at once, all use the values of the first. The date is written before the key: a
  // key without a date would count as a key of unknown age.
  const since = await values.change('installed-at', (before) => (before === undefined ? now : undefined));
  const made = randomBytes(32).toString('hex');
  const key = await values.change('install-key', (before) => (before === undefined ? made : undefined));
  return { key: key ?? made, since: since ?? now };
}
