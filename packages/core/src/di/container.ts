import 'reflect-metadata';
import { container, type DependencyContainer, type InjectionToken, instanceCachingFactory } from 'tsyringe';
import { GateOne } from '../gates/gate-one.js';
import { GateTwo } from '../gates/gate-two.js';
import { HandingOff } from '../gates/handing-off.js';
import { Reader } from '../gates/reader.js';
import { Recovery } from '../gates/recovery.js';
import { Resolving } from '../gates/resolving.js';
import { Snoozing } from '../gates/snoozing.js';
import { type FirstReleaseOf, firstReleases } from '../pipeline/first-releases.js';
import { FollowUps } from '../pipeline/follow-up.js';
import { Intake } from '../pipeline/intake.js';
import { IssueStates } from '../pipeline/issue-states.js';
import { Notifications } from '../pipeline/notify.js';
import { Publishing } from '../pipeline/publish.js';
import { ReleaseBook } from '../pipeline/releases/release-book.js';
import { ReleaseTally } from '../pipeline/releases/release-tally.js';
import type { EngineServices } from '../runs/services.js';
import * as tokens from './tokens.js';

/**
 * Wires one engine. Each has its own container, so two engines in one process share nothing. Only this folder knows
 * tsyringe: gates and steps take their ports as constructor parameters.
 */
export function engineContainer(services: EngineServices): DependencyContainer {
  const child = container.createChildContainer();
  const single = <T>(token: InjectionToken<T>, create: () => T) =>
    child.register(token, { useFactory: instanceCachingFactory(create) });
  const notifications = () => child.resolve(tokens.NOTIFICATIONS);
  const publishing = () => child.resolve(tokens.PUBLISHING);

  const firstRelease: FirstReleaseOf = (...asked) => child.resolve(tokens.FIRST_RELEASE)(...asked);

  const releases = () => child.resolve(tokens.RELEASE_BOOK);

  single(tokens.RELEASE_BOOK, () => new ReleaseBook(services));
  single(tokens.RELEASE_TALLY, () => new ReleaseTally(services));
  single(tokens.FIRST_RELEASE, () => firstReleases({ ...services, releases: releases() }));
  single(tokens.NOTIFICATIONS, () => new Notifications({ ...services, firstRelease }));
  single(tokens.ISSUE_STATES, () => new IssueStates({ ...services, releases: releases() }));
  single(tokens.READER, () => new Reader({ ...services, firstRelease, releases: releases() }));
  single(
    tokens.PUBLISHING,
    () =>
      new Publishing({
        ...services,
        notifications: notifications(),
        followUps: child.resolve(tokens.FOLLOW_UPS),
      }),
  );
  single(tokens.FOLLOW_UPS, () => new FollowUps({ ...services, notifications: notifications() }));
  single(
    tokens.RESOLVING,
    () =>
      new Resolving({
        ...services,
        followUps: child.resolve(tokens.FOLLOW_UPS),
        releases: releases(),
        issueStates: child.resolve(tokens.ISSUE_STATES),
        notifications: notifications(),
      }),
  );
  single(
    tokens.GATE_ONE,
    () => new GateOne({ ...services, firstRelease, releases: releases(), notifications: notifications() }),
  );
  single(
    tokens.GATE_TWO,
    () => new GateTwo({ ...services, notifications: notifications(), publishing: publishing() }),
  );
  single(tokens.HANDING_OFF, () => new HandingOff({ ...services, notifications: notifications() }));
  single(tokens.SNOOZING, () => new Snoozing({ ...services, notifications: notifications() }));
  single(tokens.INTAKE, () => {
    const issueStates = child.resolve(tokens.ISSUE_STATES);
    const tally = child.resolve(tokens.RELEASE_TALLY);
    return new Intake({ ...services, notifications: notifications(), issueStates, tally });
  });
  single(tokens.RECOVERY, () => {
    const gateOne = child.resolve(tokens.GATE_ONE);
    const snoozing = child.resolve(tokens.SNOOZING);
    const followUps = child.resolve(tokens.FOLLOW_UPS);
    return new Recovery({ ...services, gateOne, publishing: publishing(), followUps, snoozing });
  });
  return child;
}
