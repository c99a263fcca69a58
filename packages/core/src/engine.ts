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
  MERGING,
  NOTIFICATIONS,
  READER,
  RECOVERY,
  RELEASE_BOOK,
  RELEASE_TALLY,
  REMARKS,
  REOPENING,
  RESOLVING,
  SNOOZING,
} from './di/tokens.js';
import type { Engine, EngineOptions } from './engine-api.js';
import { engineReleases } from './engine-releases.js';
import { CulpritError } from './errors/error.js';
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
  { explainers, tasks, sanitiser, policy, progress }: EngineServices,
  registry: Registry,
): Engine {
  const intake = container.resolve(INTAKE);
  const reader = container.resolve(READER);
  const gateOne = container.resolve(GATE_ONE);
  const gateTwo = container.resolve(GATE_TWO);
  const reopening = container.resolve(REOPENING);
  const resolving = container.resolve(RESOLVING);
  const handingOff = container.resolve(HANDING_OFF);
  const snoozing = container.resolve(SNOOZING);
  const remarks = container.resolve(REMARKS);
  const merging = container.resolve(MERGING);
  const notifications = container.resolve(NOTIFICATIONS);
  const issueStates = container.resolve(ISSUE_STATES);
  let closing: Promise<void> | null = null;
  /** Rejects new work once the engine closes. */
  const open = <Arguments extends unknown[], Result>(work: (...args: Arguments) => Promise<Result>) => {
    return async (...args: Arguments): Promise<Result> => {
      if (closing) throw new CulpritError('closed', 'The engine is closing. Try again in a moment.');
      return work(...args);
    };
  };
  return {
    ingest: open((input) => intake.ingest(input)),
    ingestBatch: open((batch) => intake.ingestBatch(batch)),
    quotaUsage: open(async () => (await registry.runUsage?.usage()) ?? []),
    runs: open((query) => reader.page(query)),
    searchValues: open((query) => reader.values(query)),
    run: open((runId) => reader.run(runId)),
    history: open((runId) => reader.history(runId)),
    chain: open((runId) => reader.chain(runId)),
    evidence: open((runId) => reader.evidence(runId)),
    stack: open((runId) => reader.stack(runId, tasks.signal)),
    brief: open((runId) => reader.brief(runId)),
    model: () => explainers.find(({ status }) => status !== undefined)?.status?.() ?? null,
    occurrences: open((runId, query) => reader.occurrences(runId, query)),
    occurrence: open((runId, number) => reader.occurrence(runId, number)),
    statistics: open((runId) => reader.statistics(runId)),
    story: open((runId) => reader.story(runId)),
    policy,
    preview: open((runId, reviewer) => reader.preview(runId, reviewer)),
    draftDifference: open((runId) => reader.draftDifference(runId)),
    verify: open((runId) => reader.verify(runId, tasks.signal)),
    approveGateOne: open((runId, reviewer) => gateOne.approve(runId, reviewer)),
    startGateOne: open((runId, reviewer) => gateOne.start(runId, reviewer)),
    rejectGateOne: open((runId, reviewer, reason) => gateOne.reject(runId, reviewer, reason)),
    editDraft: open((runId, edit, reviewer, ifMatch) => gateTwo.edit(runId, edit, reviewer, ifMatch)),
    approveGateTwo: open((runId, reviewer, digest) => gateTwo.approve(runId, reviewer, digest)),
    startGateTwo: open((runId, reviewer, digest) => gateTwo.start(runId, reviewer, digest)),
    rejectGateTwo: open((runId, reviewer, reason, to) => gateTwo.reject(runId, reviewer, reason, to)),
    reopen: open((runId, reviewer) => reopening.reopen(runId, reviewer)),
    resolve: open((runId, reviewer, fixedIn) => resolving.resolve(runId, reviewer, fixedIn)),
    unresolve: open((runId, reviewer) => resolving.unresolve(runId, reviewer)),
    resolutionEffect: open((runId, fixedIn, reviewer) => resolving.effect(runId, fixedIn, reviewer)),
    handOff: open((...args) => handingOff.handOff(...args)),
    snooze: open((runId, reviewer, until, reason) => snoozing.snooze(runId, reviewer, until, reason)),
    wake: open((runId, reviewer) => snoozing.wake(runId, reviewer)),
    claim: open((runId, reviewer, takeOver) => remarks.claim(runId, reviewer, takeOver)),
    releaseClaim: open((runId, reviewer) => remarks.release(runId, reviewer)),
    comment: open((runId, reviewer, comment) => remarks.comment(runId, reviewer, comment)),
    merge: open((runId, into, reviewer) => merging.merge(runId, into, reviewer)),
    split: open((runId, reviewer) => merging.split(runId, reviewer)),
    issueChanged: open((issue) => issueStates.changed(issue)),
    failedNotifications: open(() => notifications.failed()),
    retryNotification: open((connector, runId) => notifications.retry(connector, runId)),
    releases: engineReleases(container.resolve(RELEASE_BOOK), container.resolve(RELEASE_TALLY), open),
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
