import { inject, injectable } from '../di/inject.js';
import { EnginePolicy } from '../engine-api.js';
import { Findings } from '../gates/findings.js';
import { GateOne } from '../gates/gate-one.js';
import { GateTwo } from '../gates/gate-two.js';
import { HandingOff } from '../gates/handing-off.js';
import { Investigations } from '../gates/investigations.js';
import { Questions } from '../gates/questions.js';
import { Reader } from '../gates/reader.js';
import { Resolving } from '../gates/resolving.js';
import { Intake } from '../pipeline/intake.js';
import { IssueStates } from '../pipeline/issue-states.js';
import { Notifications } from '../pipeline/notify.js';
import { ReleaseBook } from '../pipeline/releases/release-book.js';
import { ReleaseTally } from '../pipeline/releases/release-tally.js';
import { Sanitiser } from '../pipeline/sanitise/index.js';
import { CacheStore } from '../ports/cache.js';
import { Clock } from '../ports/clock.js';
import { type Explainer, Explainers } from '../ports/explainer.js';
import { PersonErasure } from '../ports/person-erasure.js';
import { StatusFeed } from '../ports/status-feed.js';
import { Values } from '../ports/values.js';
import { Progress } from '../runs/progress.js';
import { Runs } from '../runs/runs.js';

/** What operations are carried out with, and what an engine shows of itself. */
@injectable()
export class EngineParts {
  constructor(
    @inject(Runs) readonly runs: Runs,
    @inject(StatusFeed) readonly statusFeed: StatusFeed,
    @inject(Values) readonly values: Values,
    @inject(CacheStore) readonly cache: CacheStore | null,
    @inject(PersonErasure) readonly personErasure: PersonErasure | null,
    @inject(Explainers) readonly explainers: readonly Explainer[],
    @inject(Sanitiser) readonly sanitiser: Sanitiser,
    @inject(Clock) readonly clock: Clock,
    @inject(EnginePolicy) readonly policy: EnginePolicy,
    @inject(Progress) readonly progress: Progress,
    @inject(Intake) readonly intake: Intake,
    @inject(Reader) readonly reader: Reader,
    @inject(Questions) readonly questions: Questions,
    @inject(GateOne) readonly gateOne: GateOne,
    @inject(GateTwo) readonly gateTwo: GateTwo,
    @inject(Resolving) readonly resolving: Resolving,
    @inject(HandingOff) readonly handingOff: HandingOff,
    @inject(Investigations) readonly investigations: Investigations,
    @inject(Findings) readonly findings: Findings,
    @inject(IssueStates) readonly issueStates: IssueStates,
    @inject(Notifications) readonly notifications: Notifications,
    @inject(ReleaseBook) readonly releases: ReleaseBook,
    @inject(ReleaseTally) readonly tally: ReleaseTally,
  ) {}
}
