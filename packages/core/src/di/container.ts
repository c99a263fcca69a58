import 'reflect-metadata';
import { container, type DependencyContainer, type InjectionToken, Lifecycle } from 'tsyringe';
import type { Registry } from '../connector/registry.js';
import type { EnginePolicy } from '../engine-api.js';
import { GATE_ONE, GateOne } from '../gates/gate-one.js';
import { GATE_TWO, GateTwo } from '../gates/gate-two.js';
import { READER, Reader } from '../gates/reader.js';
import { RECOVERY, Recovery } from '../gates/recovery.js';
import { INTAKE, Intake } from '../pipeline/intake.js';
import { ISSUE_STATES, IssueStates } from '../pipeline/issue-states.js';
import { NOTIFICATIONS, Notifications } from '../pipeline/notify.js';
import { PUBLISHING, Publishing } from '../pipeline/publish.js';
import type { Sanitiser } from '../pipeline/sanitise/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { Logger } from '../ports/logger.js';
import type { Tasks } from '../runs/tasks.js';
import * as tokens from './tokens.js';

export interface EngineParts {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly policy: EnginePolicy;
  readonly projects: tokens.ProjectLookup;
  readonly install: tokens.Install;
  readonly engineId: string;
  readonly sanitiser: Sanitiser;
  readonly tasks: Tasks;
}

/** A container of its own for each engine: two engines in one process share nothing. The only place that registers. */
export function engineContainer(parts: EngineParts): DependencyContainer {
  const child = container.createChildContainer();
  const value = <T>(token: InjectionToken<T>, useValue: T) => child.register(token, { useValue });
  value(tokens.REGISTRY, parts.registry);
  value(tokens.CLOCK, parts.clock);
  value(tokens.IDS, parts.ids);
  value(tokens.LOGGER, parts.logger);
  value(tokens.POLICY, parts.policy);
  value(tokens.PROJECTS, parts.projects);
  value(tokens.INSTALL, parts.install);
  value(tokens.ENGINE_ID, parts.engineId);
  value(tokens.SANITISER, parts.sanitiser);
  value(tokens.TASKS, parts.tasks);

  const once = { lifecycle: Lifecycle.ContainerScoped } as const;
  child.register(NOTIFICATIONS, { useClass: Notifications }, once);
  child.register(ISSUE_STATES, { useClass: IssueStates }, once);
  child.register(INTAKE, { useClass: Intake }, once);
  child.register(PUBLISHING, { useClass: Publishing }, once);
  child.register(GATE_ONE, { useClass: GateOne }, once);
  child.register(GATE_TWO, { useClass: GateTwo }, once);
  child.register(READER, { useClass: Reader }, once);
  child.register(RECOVERY, { useClass: Recovery }, once);
  return child;
}
