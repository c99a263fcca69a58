import { inject, injectable } from '../di/inject.js';
import type { Reviewer } from '../domain/history.js';
import { type Asked, askedSchema } from '../domain/investigation.js';
import type { JsonObject } from '../domain/json.js';
import type { Answer, Question } from '../domain/question.js';
import type { Run } from '../domain/run.js';
import { EnginePolicy } from '../engine-api.js';
import { investigationsOff } from '../operations/refusals.js';
import { investigationKey } from '../pipeline/evidence-key.js';
import { sha256Hex } from '../pipeline/hash.js';
import { ask } from '../pipeline/investigate/ask.js';
import { Clock } from '../ports/clock.js';
import { Values } from '../ports/values.js';
import { boundedMap } from '../resilience/bounded-map.js';
import { keyedMutex } from '../resilience/mutex.js';
import { semaphore } from '../resilience/semaphore.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { type StoredList, storedList } from '../runs/stored.js';
import { Tasks } from '../runs/tasks.js';
import { Conclusions } from './conclusions.js';

/** Time limit of one question; a host's own limits are shorter. */
const ASK_MS = 60_000;
/** Questions of one engine that are answered at once; of a reviewer those that wait or are answered, and those about a run in an hour. */
const MOST = { atOnce: 2, pending: 10, hourly: 100 } as const;
const HOUR_MS = 3_600_000;
const TOO_MANY: Answer = { text: '', more: false, problem: 'limit' };
/** What is kept of each reviewer's questions about a run, until a finding is handed in. */
const KEPT = { entries: 200, chars: 400_000, ms: 7 * 24 * 3_600_000 } as const;

/** What a reviewer and the agents of this reviewer asked about a run in a cycle, oldest first. */
export function askedBy(
  values: Values,
  { run_id, cycle }: Pick<Run, 'run_id' | 'cycle'>,
  reviewer: Pick<Reviewer, 'name'>,
): StoredList<Asked> {
  // No name in the key: an erasure reads only the value.
  const who = sha256Hex(reviewer.name).slice(0, 16);
  return storedList(values, `${investigationKey(run_id, cycle)}:${who}`, {
    schema: askedSchema,
    newest: 'last',
    most: KEPT.entries,
    ttlMs: KEPT.ms,
  });
}

/** Answers the questions of agents and people: one after another of each about a run, so that the gates are not delayed. */
@injectable()
export class Questions {
  private readonly ownTurn = keyedMutex<string>();
  private readonly inTurn = semaphore(MOST.atOnce);
  /** By reviewer. */
  private readonly pending = new Map<string, number>();
  /** By run and reviewer: the times of the last hour. */
  private readonly hourly = boundedMap<string, readonly number[]>(10_000);

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Conclusions) private readonly conclusions: Conclusions,
    @inject(Values) private readonly values: Values,
    @inject(Clock) private readonly clock: Clock,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
  ) {}

  /**
   * Rejects with `no_investigator` if investigations are off, with `state_conflict` if the run has no revision, and like a `CodeHost` if it
   * is out of reach.
   */
  async ask(runId: string, reviewer: Reviewer, question: Question): Promise<Answer> {
    const { run } = await this.runs.get(runId);
    if (this.policy.investigation.when === 'off') throw investigationsOff();
    const { name } = reviewer;
    const key = `${runId} ${name}`;
    const pending = this.pending.get(name) ?? 0;
    if (pending >= MOST.pending || !this.count(key)) return TOO_MANY;
    this.pending.set(name, pending + 1);
    const answer = () => this.answer(run, reviewer, question);
    try {
      return await this.ownTurn(key, () => this.inTurn(answer, this.tasks.signal));
    } finally {
      const left = (this.pending.get(name) ?? 1) - 1;
      if (left > 0) this.pending.set(name, left);
      else this.pending.delete(name);
    }
  }

  /** False: there were too many in the last hour. */
  private count(key: string): boolean {
    const now = this.clock.now();
    const recent = (this.hourly.get(key) ?? []).filter((at) => now - at < HOUR_MS);
    if (recent.length >= MOST.hourly) return false;
    this.hourly.set(key, [...recent, now]);
    return true;
  }

  private async answer(run: Run, reviewer: Reviewer, question: Question): Promise<Answer> {
    const scene = await this.conclusions.scene(run, timeLimit(ASK_MS, this.tasks.signal));
    const started = this.clock.now();
    const answer = await ask(scene, question);
    const now = this.clock.now();
    await this.keep(run, reviewer, {
      ...{ question: question.name, input: question.input as JsonObject, ...answer },
      ...{ at: new Date(now).toISOString(), ms: now - started },
    });
    return answer;
  }

  /** For a finding that is handed in later. */
  private async keep(run: Run, reviewer: Reviewer, asked: Omit<Asked, 'number'>): Promise<void> {
    await askedBy(this.values, run, reviewer).change((before) => {
      const all = [...before, { number: (before.at(-1)?.number ?? 0) + 1, ...asked }];
      let left = KEPT.chars;
      const dropped = all.findLastIndex((one) => {
        left -= JSON.stringify(one).length;
        return left < 0;
      });
      return all.slice(dropped + 1);
    });
  }
}
