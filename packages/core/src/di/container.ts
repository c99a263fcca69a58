import 'reflect-metadata';
import { container, instanceCachingFactory, Lifecycle } from 'tsyringe';
import type { OnePorts, Ports } from '../connector/connector.js';
import type { Connectors, Started } from '../connector/start-connectors.js';
import { type EngineOptions, type EngineOverride, EnginePolicy, type Overridable } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { Recovery } from '../gates/recovery.js';
import { Snoozing } from '../gates/snoozing.js';
import { EngineParts } from '../operations/engine-parts.js';
import { FirstReleases } from '../pipeline/first-releases.js';
import { Notifications } from '../pipeline/notify.js';
import { createSanitiser, Sanitiser } from '../pipeline/sanitise/index.js';
import { DEFAULT_POLICY } from '../policy.js';
import { CacheStore } from '../ports/cache.js';
import { Clock } from '../ports/clock.js';
import { CodeHost } from '../ports/code-host.js';
import { Explainers } from '../ports/explainer.js';
import { IdGenerator } from '../ports/id-generator.js';
import { Investigator } from '../ports/investigator.js';
import { Logger } from '../ports/logger.js';
import { Notifiers } from '../ports/notifier.js';
import { PersonErasure } from '../ports/person-erasure.js';
import { Publisher } from '../ports/publisher.js';
import { RunHistory } from '../ports/run-history.js';
import { RunOccurrences } from '../ports/run-occurrences.js';
import { RunStore } from '../ports/run-store.js';
import { RunUsage } from '../ports/run-usage.js';
import { RunValues } from '../ports/run-values.js';
import { SourceMaps } from '../ports/source-maps.js';
import { StatusFeed } from '../ports/status-feed.js';
import { Values } from '../ports/values.js';
import { Install, keptInstall } from '../runs/install.js';
import { Progress } from '../runs/progress.js';
import { Projects } from '../runs/projects.js';
import { Tasks } from '../runs/tasks.js';
import { silentLogger, systemClock, systemIds } from '../system.js';
import { INJECTABLES, type Token } from './inject.js';

type Tokens<Names extends keyof Overridable> = { readonly [Name in Names]: Token<Overridable[Name]> };

/** The ports of which an engine has one, by their names in connectors. */
const PORTS: Tokens<keyof OnePorts> = {
  codeHost: CodeHost,
  investigator: Investigator,
  publisher: Publisher,
  runStore: RunStore,
  runHistory: RunHistory,
  runOccurrences: RunOccurrences,
  runValues: RunValues,
  runUsage: RunUsage,
  personErasure: PersonErasure,
  statusFeed: StatusFeed,
  values: Values,
  cache: CacheStore,
};
/** One token for each list: its order counts, and a registration of tsyringe could add to a list, but not change it. */
const LISTS: Tokens<'explainers' | 'notifiers'> = { explainers: Explainers, notifiers: Notifiers };
const CLASSES: Tokens<'firstReleases' | 'notifications'> = {
  firstReleases: FirstReleases,
  notifications: Notifications,
};
const NEEDED: readonly string[] = ['runStore', 'runHistory', 'statusFeed', 'values'];

type EnginePorts = Pick<Overridable, keyof typeof PORTS | keyof typeof LISTS>;

/** Gives what the engine uses in place of what it would use. */
type Change = <Name extends keyof Overridable>(
  name: Name,
  unchanged: Overridable[Name] | null,
) => Overridable[Name];

/** What the connectors of one engine offer, as its options change it. */
function portsOf(started: readonly Started[], changed: Change): EnginePorts {
  const offers = <Name extends keyof Ports>(name: Name) =>
    started.flatMap(({ id, parts: { [name]: port } }) =>
      port === undefined ? [] : [{ id, port: port as NonNullable<Ports[Name]> }],
    );
  const one = (name: keyof OnePorts) => {
    const found = offers(name);
    if (found.length > 1) {
      const names = found.map(({ id }) => `"${id}"`).join(' and ');
      throw new CulpritError('configuration', `Connectors ${names} both implement ${name}. Remove one.`);
    }
    const port = changed(name, found[0]?.port ?? null);
    if (port === null && NEEDED.includes(name)) {
      const hint =
        'Add a storage connector, such as storage({ url: "file:.culprit" }) of @culprit/connectors/storage.';
      throw new CulpritError('connector_missing', `No connector implements ${name}. ${hint}`);
    }
    return port;
  };
  const ports = Object.keys(PORTS).map((name) => [name, one(name as keyof OnePorts)]);
  return {
    ...(Object.fromEntries(ports) as OnePorts),
    explainers: changed(
      'explainers',
      offers('explainer').map(({ port }) => port),
    ),
    notifiers: changed(
      'notifiers',
      offers('notifier').map(({ id, port }) => ({ id, notifier: port })),
    ),
  };
}

/** Throws `configuration` for a name that cannot be overridden. */
export function checkOverride(override: EngineOverride): void {
  const known = Object.keys({ ...PORTS, ...LISTS, ...CLASSES });
  const unknown = Object.keys(override).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const detail = `"override" cannot change "${unknown.slice(0, 64)}". It can change: ${known.join(', ')}.`;
  throw new CulpritError('configuration', detail, { path: 'override' });
}

/**
 * Makes what one engine consists of. Each has its own container, so two engines in one process share nothing. It makes one instance of each
 * class, with the ports and the instances that the constructor names. Nothing is looked up in it later.
 */
export async function startParts(options: EngineOptions, connectors: Connectors, tasks: Tasks) {
  const { clock = systemClock, ids = systemIds, logger = silentLogger } = options;
  const { projects = {}, override = {} } = options;
  const own = container.createChildContainer();
  // As a factory, because tsyringe does not take `null` for a value.
  const provide = <T>(token: Token<T>, value: T) =>
    own.register(token as symbol, { useFactory: () => value });
  const changed: Change = (name, unchanged) => {
    const change: ((unchanged: never) => Overridable[typeof name]) | undefined = override[name];
    return change === undefined ? (unchanged as Overridable[typeof name]) : change(unchanged as never);
  };

  const shared = portsOf(connectors.started, changed);
  for (const [name, token] of Object.entries({ ...PORTS, ...LISTS }))
    provide<unknown>(token, shared[name as keyof EnginePorts]);
  connectors.share(shared);
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const now = new Date(clock.now()).toISOString();
  provide(Clock, clock);
  provide(IdGenerator, ids);
  provide(Logger, logger);
  provide(EnginePolicy, policy);
  provide(Sanitiser, createSanitiser(options.scrub));
  provide(SourceMaps, options.sourceMaps ?? null);
  provide(Tasks, tasks);
  provide(Progress, new Progress());
  provide(Projects, new Projects(projects, policy));
  provide(Install, await keptInstall(shared.values, now, options.installKey));

  for (const one of INJECTABLES) own.register(one, one, { lifecycle: Lifecycle.ContainerScoped });
  for (const [name, one] of Object.entries(CLASSES)) {
    const unchanged = Symbol(name);
    own.register(unchanged, one as new () => object, { lifecycle: Lifecycle.ContainerScoped });
    const useFactory = instanceCachingFactory(() =>
      changed(name as keyof typeof CLASSES, own.resolve(unchanged)),
    );
    own.register(one as symbol, { useFactory });
  }
  // Here, because an error of an override loses its code where another class asks for the instance.
  for (const one of Object.values(CLASSES)) own.resolve<object>(one as symbol);
  own.resolve(Snoozing).start();
  own.resolve(Recovery).start();
  own.resolve(Notifications).start();
  return { parts: own.resolve(EngineParts), dispose: async () => own.dispose() };
}
