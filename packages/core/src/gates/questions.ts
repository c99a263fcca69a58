import { inject, injectable } from '../di/inject.js';
import type { Reviewer } from '../domain/history.js';
import { type Asked, askedSchema } from '../domain/investigation.js';
import type { JsonObject } from '../domain/json.js';
import type { Answer, Question } from '../domain/question.js';
import type { Run } from '../domain/run.js';
import { investigationKey } from '../pipeline/evidence-key.js';
import { sha256Hex } from '../pipeline/hash.js';
import { ask } from '../pipeline/investigate/ask.js';
import { Clock } from '../ports/clock.js';
import { Values } from '../ports/values.js';
import { timeLimit } from '../resilience/time-limit.js';
import { Runs } from '../runs/runs.js';
import { type StoredList, storedList } from '../runs/stored.js';
import { Tasks } from '../runs/tasks.js';
import { Conclusions } from './conclusions.js';

/** Time limit of one question; a host's own limits are shorter. */
const ASK_MS = 60_000;
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

/** Answers the questions of agents and people. */
@injectable()
export class Questions {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Conclusions) private readonly conclusions: Conclusions,
    @inject(Values) private readonly values: Values,
    @inject(Clock) private readonly clock: Clock,
    @inject(Tasks) private readonly tasks: Tasks,
  ) {}

  /** Rejects with `state_conflict` if the run has no revision, and like a `CodeHost` if it is out of reach. */
  async ask(runId: string, reviewer: Reviewer, question: Question): Promise<Answer> {
    const { run } = await this.runs.get(runId);
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
