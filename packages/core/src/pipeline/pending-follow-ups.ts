import { inject, injectable } from '../di/inject.js';
import { Clock } from '../ports/clock.js';
import { Values } from '../ports/values.js';
import { type Stored, stored } from '../runs/stored.js';

/** How long a run stays listed without a change of its issue: the list is written before the run. */
const WRITTEN_MS = 60_000;

/** By run: when it was added, in milliseconds since 1970. */
type Listed = Readonly<Record<string, number>>;

/** The runs whose issue may have to be changed or handed over, or that are investigated, so that a start finds them without reading every published run. */
@injectable()
export class PendingFollowUps {
  private readonly listed: Stored<Listed>;

  constructor(
    @inject(Values) values: Values,
    @inject(Clock) private readonly clock: Clock,
  ) {
    this.listed = stored<Listed>(values, 'follow-ups', { none: {} });
  }

  /** Before the decision is stored. */
  async add(runId: string): Promise<void> {
    await this.listed.change((all) => ({ ...all, [runId]: this.clock.now() }));
  }

  async list(): Promise<readonly string[]> {
    return Object.keys(await this.listed.get());
  }

  /** The run has no pending change. Has no effect on a run that was added a moment ago. */
  async drop(runId: string): Promise<void> {
    await this.listed.change(({ [runId]: at, ...rest }) =>
      at === undefined || this.clock.now() - at < WRITTEN_MS ? null : rest,
    );
  }
}
