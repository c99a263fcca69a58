import type { Delivery, DeliveryBatch } from '../domain/delivery.js';
import type { CrashObject } from '../domain/event.js';
import type { IngestInput, IngestResult } from '../engine-api.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { BatchItem, RecordResult } from '../ports/run-store.js';
import type { EngineServices } from '../runs/services.js';
import { eventIdOf } from './crash-object/event-id-of.js';
import { fingerprintsOf } from './fingerprint/index.js';
import type { IssueStates } from './issue-states.js';
import { checkCrashObject, normalise, titleOf } from './normalise/index.js';
import type { Notifications } from './notify.js';

/** The ports and services that Intake uses. */
export type IntakeParts = Pick<
  EngineServices,
  'runStore' | 'clock' | 'ids' | 'policy' | 'sanitiser' | 'logger'
> & { readonly notifications: Pick<Notifications, 'changed'>; readonly issueStates: IssueStates };

/** Turns deliveries into counted occurrences: normalise, fingerprint, check for closed issues, record. */
export class Intake {
  constructor(private readonly parts: IntakeParts) {}

  /** Ingests one crash of the embedding program. */
  async ingest({ crash, project = 'default' }: IngestInput): Promise<IngestResult> {
    checkCrashObject(crash, { strict: true });
    const { value, redactions } = this.parts.sanitiser.json(crash);
    const delivery: Delivery = {
      sequence: 0,
      event_id: eventIdOf(crash as CrashObject) ?? this.parts.ids.eventId(),
      project,
      door: 'embedded',
      trust: 'trusted',
      tracker: 'embedded',
      received_at: new Date(this.parts.clock.now()).toISOString(),
      raw_sha256: '',
      headers: {},
      attachments: [],
      redactions,
      crash: value as CrashObject,
    };
    const { outcomes } = await this.record('embedded', [delivery]);
    const [outcome] = outcomes;
    if (!outcome) throw new Error('the store returned no outcome');
    if (outcome.outcome === 'invalid')
      throw new CulpritError('malformed', outcome.detail ?? 'The crash could not be read.');
    return outcome;
  }

  /** Ingests an edge's batch; unreadable deliveries become outcomes, never exceptions. */
  ingestBatch(batch: DeliveryBatch): Promise<RecordResult> {
    return this.record(batch.edge, batch.deliveries, batch.after);
  }

  private async record(edge: string, deliveries: readonly Delivery[], after?: number): Promise<RecordResult> {
    const items = deliveries.map((delivery) => this.item(delivery));
    const candidates = new Set(items.flatMap(({ occurrence }) => occurrence?.candidate_run_id ?? []));
    const closedIssues = await this.parts.issueStates.closed(
      items.flatMap(({ occurrence }) => occurrence ?? []),
    );
    const result = await this.parts.runStore.record({
      edge,
      items,
      ...(after === undefined ? {} : { after }),
      now: new Date(this.parts.clock.now()).toISOString(),
      policy: { quietAfterRejectMs: this.parts.policy.quietAfterRejectMs, closedIssues },
    });
    const { outcomes, watermark, changed = [] } = result;
    const created = outcomes.flatMap(({ run_id }) =>
      run_id !== null && candidates.has(run_id) ? [run_id] : [],
    );
    for (const run_id of new Set([...created, ...changed])) this.parts.notifications.changed(run_id);
    return { outcomes, watermark };
  }

  private item(delivery: Delivery): BatchItem {
    const { sequence, event_id } = delivery;
    try {
      const event = normalise(delivery);
      const occurrence = {
        event,
        ...fingerprintsOf(event),
        title: titleOf(event),
        candidate_run_id: this.parts.ids.runId(),
      };
      return { sequence, event_id, occurrence, refusal: null };
    } catch (error) {
      if (!isCulpritError(error))
        this.parts.logger.error({ event_id, err: error }, 'a crash could not be normalised');
      const detail = isCulpritError(error)
        ? error.message
        : 'The crash could not be read because of a bug. See the log for details.';
      return { sequence, event_id, occurrence: null, refusal: { outcome: 'invalid', detail } };
    }
  }
}
