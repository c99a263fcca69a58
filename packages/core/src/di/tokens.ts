import type { InjectionToken } from 'tsyringe';
import type { Registry } from '../connector/registry.js';
import type { EnginePolicy, ProjectConfig } from '../engine-api.js';
import type { Sanitiser } from '../pipeline/sanitise/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { Logger } from '../ports/logger.js';
import type { Tasks } from '../runs/tasks.js';

/** How projects are looked up by name. */
export type ProjectLookup = (project: string) => ProjectConfig;

/** What makes publications of this installation recognisable, for good. */
export interface Install {
  /** Key of the publication markers. */
  readonly key: string;
  /** ISO 8601: no issue with a marker of this key is older. */
  readonly since: string;
}

/** What every part of one engine shares. */
export const REGISTRY: InjectionToken<Registry> = Symbol('Registry');
export const CLOCK: InjectionToken<Clock> = Symbol('Clock');
export const IDS: InjectionToken<IdGenerator> = Symbol('IdGenerator');
export const LOGGER: InjectionToken<Logger> = Symbol('Logger');
export const POLICY: InjectionToken<EnginePolicy> = Symbol('EnginePolicy');
export const PROJECTS: InjectionToken<ProjectLookup> = Symbol('ProjectLookup');
export const INSTALL: InjectionToken<Install> = Symbol('Install');
/** Names this engine as the owner of leases. */
export const ENGINE_ID: InjectionToken<string> = Symbol('engineId');
/** Takes out what the installation wants taken out, on the way in and on the way out. */
export const SANITISER: InjectionToken<Sanitiser> = Symbol('Sanitiser');
export const TASKS: InjectionToken<Tasks> = Symbol('Tasks');
