import { type InjectionToken, inject, injectable } from 'tsyringe';
import type { Registry } from '../connector/registry.js';
import { CLOCK, IDS, LOGGER, POLICY, REGISTRY, SANITISER } from '../di/tokens.js';
import type { Delivery, DeliveryBatch } from '../domain/delivery.js';
import type { CrashObject } from '../domain/event.js';
import type { EnginePolicy, IngestInput, IngestResult } from '../engine-api.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { Logger } from '../ports/logger.js';
import type { BatchItem, RecordResult } from '../ports/run-store.js';
import { eventIdOf } from './crash-object/event-id-of.js';
import { fingerprintsOf } from './fingerprint/index.js';
import { ISSUE_STATES, type IssueStates } from './issue-states.js';
import { checkCrashObject, normalise, titleOf } from './normalise/index.js';
import { NOTIFICATIONS, type Notifications } from './notify.js';
import type { Sanitiser } from './sanitise/index.js';

export const INTAKE: InjectionToken<Intake> = Symbol('Intake');

/** From deliveries to counted occurrences: normalise, fingerprint, ask for closed issues where it matters, record. */
@injectable()
export class Intake {
  constructor(
    @inject(REGISTRY) private readonly registry: Registry,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(IDS) private readonly ids: IdGenerator,
    @inject(POLICY) private readonly policy: EnginePolicy,
    @inject(NOTIFICATIONS) private readonly notifications: Notifications,
    @inject(ISSUE_STATES) private readonly issueStates: IssueStates,
    @inject(SANITISER) private readonly sanitiser: Sanitiser,
    @inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One crash of the embedding program. */
  async ingest({ crash, project = 'default' }: IngestInput): Promise<IngestResult> {
    checkCrashObject(crash, { strict: true });
    const { value, redactions } = this.sanitiser.json(crash);
    const delivery: Delivery = {
      sequence: 0,
      event_id: eventIdOf(crash as CrashObject) ?? this.ids.eventId(),
      project,
      door: 'embedded',
      tracker: 'embedded',
      received_at: new Date(this.clock.now()).toISOString(),
      raw_sha256: '',
      headers: {},
      attachments: [],
      redactions,
      crash: value as CrashObject,
    };
    const { outcomes } = await this.record('embedded', [delivery]);
    const [outcome] = outcomes;
    if (!outcome) throw new Error('the store answered no outcome');
    if (outcome.outcome === 'invalid')
      throw new CulpritError('malformed', outcome.detail ?? 'The crash could not be read.');
    return outcome;
  }

  /** An edge's batch; what cannot be read becomes an outcome, never an exception. */
  ingestBatch(batch: DeliveryBatch): Promise<RecordResult> {
    return this.record(batch.edge, batch.deliveries, batch.after);
  }

  private async record(edge: string, deliveries: readonly Delivery[], after?: number): Promise<RecordResult> {
    const items = deliveries.map((delivery) => this.item(delivery));
    const candidates = new Set(items.flatMap(({ occurrence }) => occurrence?.candidate_run_id ?? []));
    const closedIssues = await this.issueStates.closed(items.flatMap(({ occurrence }) => occurrence ?? []));
    const result = await this.registry.runStore.record({
      edge,
      items,
      ...(after === undefined ? {} : { after }),
      now: new Date(this.clock.now()).toISOString(),
      policy: { quietAfterRejectMs: this.policy.quietAfterRejectMs, closedIssues },
    });
    for (const { run_id } of result.outcomes) {
      if (run_id !== null && candidates.delete(run_id)) this.notifications.changed(run_id);
    }
    return result;
  }

  private item(delivery: Delivery): BatchItem {
    const { sequence, event_id } = delivery;
    try {
      const event = normalise(delivery);
      const occurrence = {
        event,
        ...fingerprintsOf(event),
        title: titleOf(event),
        candidate_run_id: this.ids.runId(),
      };
      return { sequence, event_id, occurrence, refusal: null };
    } catch (error) {
      if (!isCulpritError(error))
        this.logger.error({ event_id, err: error }, 'a crash could not be normalised');
      const detail = isCulpritError(error)
        ? error.message
        : 'The crash could not be read because of a bug. See the log for details.';
      return { sequence, event_id, occurrence: null, refusal: { outcome: 'invalid', detail } };
    }
  }
}
