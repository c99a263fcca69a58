import { inject, injectable } from '../di/inject.js';
import type { Fix } from '../domain/fix.js';
import { EnginePolicy } from '../engine-api.js';
import { isCulpritError } from '../errors/error.js';
import { Clock } from '../ports/clock.js';
import { type Ancestry, CodeHost } from '../ports/code-host.js';
import { Logger } from '../ports/logger.js';
import type { Occurrence } from '../ports/run-store.js';
import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Projects } from '../runs/projects.js';
import { codeHostOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';
import { ReleaseBook } from './releases/release-book.js';

/** Time limit of one question. */
const READ_MS = 30_000;
/** How long the code host is left alone after a failure. */
const FAILED_MS = 30_000;
/** Questions started for a batch, and for one fix while answers are valid: releases come from outside. */
const MAX_READS = 8;
const MAX_OF_A_FIX = 30;
/** Answers and fixes remembered. */
const MAX_KNOWN = 10_000;

/** `pending`: not known yet, so the crash is counted, and the next one is looked at again. `unknown`: nobody can tell. */
export type Contained = 'yes' | 'no' | 'unknown' | 'pending';
interface Answer {
  readonly contained: Contained;
  readonly until: number;
}

/** An occurrence of a published run whose issue is closed, with its fix. */
export interface FixedOccurrence {
  readonly runId: string;
  readonly occurrence: Occurrence;
  readonly fix: Fix;
}

/** Whether the revisions of crashes contain the fix of their issue. The code host decides; its answers are kept in memory. */
@injectable()
export class FixedReleases {
  private readonly answers: BoundedMap<string, Answer> = boundedMap(MAX_KNOWN);
  private readonly asked: BoundedMap<string, { readonly since: number; count: number }> =
    boundedMap(MAX_KNOWN);
  private readonly asking = new Map<string, Promise<void>>();

  constructor(
    @inject(CodeHost) private readonly codeHost: CodeHost | null,
    @inject(ReleaseBook) private readonly releases: ReleaseBook,
    @inject(Projects) private readonly projects: Projects,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Logger) private readonly logger: Logger,
  ) {}

  /** Asks about those that are not known. Never rejects. */
  async look(occurrences: readonly FixedOccurrence[]): Promise<void> {
    const pending = occurrences.filter((one) => this.contained(one) === 'pending');
    const questions = [...new Map(pending.map((one) => [keyOf(one), one]))]
      .filter(([key]) => this.known(key) === undefined)
      .slice(0, MAX_READS)
      .map(([key, one]) => this.asking.get(key) ?? this.start(key, one));
    await Promise.all(questions);
  }

  contained(one: FixedOccurrence): Contained {
    const { project, commit, release } = one.occurrence.event;
    if (this.ancestryOf(project) === null) return 'unknown';
    return commit === null && release === null ? 'unknown' : (this.known(keyOf(one)) ?? 'pending');
  }

  private ancestryOf(project: string): { readonly repository: string; readonly ancestry: Ancestry } | null {
    const { codeHost } = this;
    const { repository } = this.projects.of(project);
    if (codeHost === null || !repository) return null;
    const { ancestry } = codeHostOf(codeHost, repository);
    return ancestry === undefined ? null : { repository, ancestry };
  }

  private known(key: string): Contained | undefined {
    const answer = this.answers.get(key);
    return answer !== undefined && this.clock.now() < answer.until ? answer.contained : undefined;
  }

  private start(key: string, one: FixedOccurrence): Promise<void> {
    const asking = new Promise<void>((resolve) => {
      this.tasks.start('contained fix', async () => {
        try {
          const contained = await (this.mayAsk(one) ? this.ask(one) : ('unknown' as const));
          const ms = contained === 'pending' ? FAILED_MS : this.policy.issueStateMs;
          this.answers.set(key, { contained, until: this.clock.now() + ms });
        } finally {
          this.asking.delete(key);
          resolve();
        }
      });
    });
    this.asking.set(key, asking);
    return asking;
  }

  /** A sender that invents releases costs no more than these questions; beyond them nobody can tell. */
  private mayAsk({ occurrence, fix }: FixedOccurrence): boolean {
    const key = JSON.stringify([occurrence.event.project, fix.commit]);
    const now = this.clock.now();
    const kept = this.asked.get(key);
    const counter = kept && now - kept.since < this.policy.issueStateMs ? kept : { since: now, count: 0 };
    counter.count += 1;
    this.asked.set(key, counter);
    return counter.count <= MAX_OF_A_FIX;
  }

  private async ask({ occurrence, fix }: FixedOccurrence): Promise<Contained> {
    const { tasks, logger } = this;
    const { project, commit, release, received_at } = occurrence.event;
    const found = this.ancestryOf(project);
    if (found === null) return 'unknown';
    try {
      const named = commit === null && release !== null ? await this.releases.find(project, release) : null;
      const hints = { commit: commit ?? named?.commit ?? null, release, at: received_at };
      const signal = timeLimit(READ_MS, tasks.signal);
      const contains = await found.ancestry.contains(found.repository, fix.commit, hints, signal);
      return contains === null ? 'unknown' : contains ? 'yes' : 'no';
    } catch (error) {
      logger.warn({ err: error, commit: fix.commit }, 'it is unknown whether a release contains a fix');
      return isCulpritError(error) && !error.retryable ? 'unknown' : 'pending';
    }
  }
}

function keyOf({ occurrence, fix }: FixedOccurrence): string {
  const { project, commit, release } = occurrence.event;
  return JSON.stringify([project, fix.commit, commit, release]);
}
