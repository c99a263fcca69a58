import type { Registry } from '../connector/registry.js';
import type { ProjectConfig } from '../domain/project-config.js';
import type { EnginePolicy } from '../engine-api.js';
import type { Sanitiser } from '../pipeline/sanitise/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { Logger } from '../ports/logger.js';
import type { SourceMaps } from '../ports/source-maps.js';
import type { Progress } from './progress.js';
import type { Tasks } from './tasks.js';

/** Looks up a project's configuration by its name. */
export type ProjectLookup = (project: string) => ProjectConfig;

/** Identifies this installation's publications, permanently. */
export interface Install {
  /** Key of the publication markers. */
  readonly key: string;
  /** ISO 8601: no issue with a marker of this key is older. */
  readonly since: string;
}

/** The ports of all connectors and what one engine adds. A gate or step names the members it uses. */
export interface EngineServices extends Omit<Registry, 'check' | 'close'> {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly policy: EnginePolicy;
  readonly projects: ProjectLookup;
  /** Every configured project. */
  readonly projectConfigs: Readonly<Record<string, ProjectConfig>>;
  readonly install: Install;
  /** The owner of this engine's leases. */
  readonly engineId: string;
  /** Applied to incoming crashes and to everything sent out. */
  readonly sanitiser: Sanitiser;
  readonly tasks: Tasks;
  readonly progress: Progress;
  /** `null`: there are none. */
  readonly sourceMaps: SourceMaps | null;
}
