import type { Check, Connector, OnePorts } from './connector/connector.js';
import type { ModelStatus } from './domain/model-status.js';
import type { Port } from './domain/port.js';
import type { ProjectConfig } from './domain/project-config.js';
import type { Quotas } from './domain/quota.js';
import type { Following } from './domain/resolution.js';
import type { RunCommandMethods } from './operations/commands.js';
import type { EngineMethods } from './operations/methods.js';
import type { ReleaseMethods } from './operations/release-methods.js';
import type { FirstReleases } from './pipeline/first-releases.js';
import type { Notifications } from './pipeline/notify.js';
import type { ReleaseProject } from './pipeline/releases/release-book.js';
import type { Sanitiser, SanitiserOptions } from './pipeline/sanitise/index.js';
import type { CacheStore } from './ports/cache.js';
import type { Clock } from './ports/clock.js';
import type { Explainer } from './ports/explainer.js';
import type { IdGenerator } from './ports/id-generator.js';
import type { Logger } from './ports/logger.js';
import type { ConnectedNotifier } from './ports/notifier.js';
import type { PersonErasure } from './ports/person-erasure.js';
import type { SourceMaps } from './ports/source-maps.js';
import type { StatusFeed } from './ports/status-feed.js';
import type { Tracker } from './ports/tracker.js';
import type { Values } from './ports/values.js';
import type { ProgressFeed } from './runs/progress.js';

/** Everything `createEngine` needs; only `connectors` is required. */
export interface EngineOptions {
  readonly connectors: readonly Connector[];
  /** By name; `default` if only one is configured. */
  readonly projects?: Readonly<Record<string, ProjectConfig>>;
  /** Key of the publication markers. Default: generated at the first start and stored. */
  readonly installKey?: string;
  readonly policy?: Partial<EnginePolicy>;
  /** Sanitising rules in addition to the built-in ones, for crashes and for everything sent out. */
  readonly scrub?: SanitiserOptions;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly logger?: Logger;
  /** Uploaded source maps, for crashes of built JavaScript. Default: none. */
  readonly sourceMaps?: SourceMaps;
  readonly fetch?: typeof globalThis.fetch;
  /** Changes what the engine is made of. A name that it does not know rejects with `configuration`. */
  readonly override?: EngineOverride;
}

/** What `override` can change: the ports that connectors offer, and two classes of the engine. */
export interface Overridable extends OnePorts {
  /** In the order in which they are asked. */
  readonly explainers: readonly Explainer[];
  readonly notifiers: readonly ConnectedNotifier[];
  /** Looks up which release of a project contains a fix first. */
  readonly firstReleases: Pick<FirstReleases, keyof FirstReleases>;
  /** Sends changed runs to the notifiers. */
  readonly notifications: Pick<Notifications, keyof Notifications>;
}

/**
 * A function for each name: it gets what the engine would use, and returns what the engine uses instead. Called once, at the
 * start. A port that no connector offers is `null`, also one that the engine needs. Two connectors that offer the same port stay
 * an error. A list is replaced by the list that is returned.
 */
export type EngineOverride = {
  readonly [Name in keyof Overridable]?: (unchanged: Overridable[Name]) => Overridable[Name];
};

/**
 * Time budgets, approval rules, retry schedules, and how runs and issues follow each other. Durations are in milliseconds.
 * Defaults: `resolvedRuns` comment, `closedIssues` resolve, `regressionIssues` new.
 */
export interface EnginePolicy extends Following {
  /** How long a rejected fingerprint is only counted. Default 7 days. */
  readonly quietAfterRejectMs: number;
  /** Time limit of the whole analysis at Gate 1. Default 120,000. */
  readonly analysisMs: number;
  /** When a crash is investigated, and how far. */
  readonly investigation: InvestigationPolicy;
  /** Time limit of one explainer. Default 60,000. */
  readonly explainMs: number;
  /** How long a Gate 2 request waits before it responds with `publishing`. Default 25,000. */
  readonly publishWaitMs: number;
  /**
   * How long an issue that may have been created is searched for before it is created again. A listing that lags longer
   * makes a second issue. Default one hour.
   */
  readonly publishSearchMs: number;
  /** Rejects Gate 2 approvals without a digest (428). Default false. */
  readonly requireBoundApproval: boolean;
  /** How long a claim lasts unless it is renewed. Default one hour. */
  readonly claimMs: number;
  /** The reviewers who approved Gate 1 and who edited the draft may not approve Gate 2. Default false. */
  readonly requireSecondPerson: boolean;
  /** Maximum diffs read per analysis; a code host may allow fewer. Default 50. Accuracy of both: docs/accuracy.md. */
  readonly diffBudget: number;
  /** Delays between attempts of a notification, before it is listed as failed. Default 1 s up to 5 h, about 8 h in total. */
  readonly notifyPausesMs: readonly number[];
  /**
   * When the crash of a published run returns, its issue is read to see whether it is closed: at once, then after delays that
   * double from 5 s up to this. Default 10 min.
   */
  readonly issueStateMs: number;
  /** Limits what each key, door and project may store; `null`: no limits. Default {@link DEFAULT_QUOTAS}. */
  readonly quotas: Quotas | null;
  /** Bytes of one stored event as JSON, 65,536 or more; what is cut is listed in its `trimmed`. Default 262,144. */
  readonly eventBytes: number;
  /** Time limit of `check()`, all connectors together. Default 5,000. */
  readonly checkMs: number;
}

/** Limits of one investigation, unless said otherwise. */
export interface InvestigationPolicy {
  /**
   * `auto`: after Gate 1, unless the ranking's verdict is `auto`, if there is an investigator that is up to it. `ask`: when a reviewer
   * says so. `off`: never; agents cannot hand in findings either. Default `auto`.
   */
  readonly when: 'auto' | 'ask' | 'off';
  /** Questions. Default 12. */
  readonly questions: number;
  /** Tokens of all calls to the model. Default 200,000. */
  readonly tokens: number;
  /** Milliseconds of work; the time in which core was down does not count. Default 300,000. */
  readonly ms: number;
  /** Per million tokens, in the currency of your bill. `null`: unknown, so cost is not limited. Default `null`. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /** Cost of one investigation; `null`: not limited. Default `null`. */
  readonly cost: number | null;
  /** Cost of all investigations of a day (UTC); `null`: not limited. Default `null`. */
  readonly costPerDay: number | null;
}
export const EnginePolicy = Symbol('EnginePolicy') as Port<EnginePolicy>;

/** Recorded releases. Recording a release changes no run by itself: the next analysis reads it. */
export interface EngineReleases extends ReleaseMethods {
  /** The projects that can have releases. */
  projects(): readonly ReleaseProject[];
}

/**
 * The engine. Methods may be called concurrently; errors are `CulpritError`s. A reviewer's commands on a run take its id, the reviewer
 * and an object with what they need.
 */
export interface Engine extends EngineMethods, RunCommandMethods {
  /** The policy of this engine. */
  readonly policy: EnginePolicy;
  /** What is known about the model that explains first; `null` if there is none, or it does not say. */
  model(): ModelStatus | null;
  /** Whether a reviewer can start an investigation: a model that is able to investigate is configured, and the policy allows it. */
  investigates(): boolean;
  /** Recorded releases, their deploys, and what is counted of them. */
  readonly releases: EngineReleases;
  readonly feed: StatusFeed;
  /** The steps of the analyses that run in this process. */
  readonly progress: ProgressFeed;
  readonly values: Values;
  /** Where caches are shared; `null`: nowhere. */
  readonly cache: CacheStore | null;
  /** Counts and erases a person in the storage; `null` if the storage cannot. */
  readonly erasure: PersonErasure | null;
  /** True if other processes use the same storage. */
  readonly shared: boolean;
  /** Trackers by connector id, for hosts that receive deliveries themselves. */
  readonly trackers: ReadonlyMap<string, Tracker>;
  /** The engine's sanitiser, for the same hosts. */
  readonly sanitiser: Sanitiser;
  /** The checks of all connectors. */
  check(): Promise<readonly Check[]>;
  /** Rejects new work, waits for work in progress, closes connectors in reverse order. */
  close(): Promise<void>;
}
