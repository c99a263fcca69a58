import { inject, injectable } from '../di/inject.js';
import type { Delivery, DeliveryBatch, Recorded } from '../domain/delivery.js';
import type { JsonObject } from '../domain/json.js';
import { EnginePolicy } from '../engine-api.js';
import type { IngestInput, IngestResult } from '../engine-results.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { Clock } from '../ports/clock.js';
import { IdGenerator } from '../ports/id-generator.js';
import { Logger } from '../ports/logger.js';
import type { BatchItem, RecordResult } from '../ports/run-store.js';
import { type BoundedMap, boundedMap } from '../resilience/bounded-map.js';
import { Runs } from '../runs/runs.js';
import { eventIdOf } from './crash-object/event-id-of.js';
import { fingerprintsOf } from './fingerprint/index.js';
import { IssueStates } from './issue-states.js';
import {
  boundEvent,
  boundFingerprint,
  checkCrashObject,
  fitShape,
  normalise,
  titleOf,
} from './normalise/index.js';
import { Notifications } from './notify.js';
import { ReleaseTally } from './releases/release-tally.js';
import { Sanitiser } from './sanitise/index.js';

/** Pause between two log lines about the same quota, and how many quotas are remembered. */
const REPORT_MS = 60 * 60_000;
const MAX_REPORTED = 1_000;

/** Turns deliveries into counted occurrences: normalise, fingerprint, check for closed issues, record. */
@injectable()
export class Intake {
  private readonly reported: BoundedMap<string, number> = boundedMap(MAX_REPORTED);

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Clock) private readonly clock: Clock,
    @inject(IdGenerator) private readonly ids: IdGenerator,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
    @inject(Logger) private readonly logger: Logger,
    @inject(IssueStates) private readonly issueStates: IssueStates,
    @inject(ReleaseTally) private readonly tally: ReleaseTally,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** Ingests one crash of the embedding program. */
  async ingest({ crash, project = 'default' }: IngestInput): Promise<IngestResult> {
    const fitted = fitShape(crash as JsonObject);
    checkCrashObject(fitted.value, { strict: true });
    const { value, redactions } = this.sanitiser.json(fitted.value);
    const delivery: Delivery = {
      sequence: 0,
      event_id: eventIdOf(crash as JsonObject) ?? this.ids.eventId(),
      project,
      door: 'embedded',
      trust: 'trusted',
      tracker: 'embedded',
      received_at: new Date(this.clock.now()).toISOString(),
      raw_sha256: '',
      headers: {},
      attachments: [],
      redactions,
      ...(fitted.notes.length === 0
        ? {}
        : { trimmed: fitted.notes.map((note) => this.sanitiser.text(note).value) }),
      crash: value as JsonObject,
    };
    const { outcomes } = await this.record('embedded', [delivery]);
    const [outcome] = outcomes;
    if (!outcome) throw new Error('the store returned no outcome');
    if (outcome.outcome === 'invalid')
      throw new CulpritError('malformed', outcome.detail ?? 'The crash could not be read.');
    return ingestResult(outcome);
  }

  /** Ingests an edge's batch; unreadable deliveries become outcomes, never exceptions. */
  ingestBatch(batch: DeliveryBatch): Promise<RecordResult> {
    return this.record(batch.edge, batch.deliveries, batch.after);
  }

  private async record(edge: string, deliveries: readonly Delivery[], after?: number): Promise<RecordResult> {
    const read = deliveries.map((delivery) => this.item(delivery));
    const candidates = new Set(read.flatMap(({ occurrence }) => occurrence?.candidate_run_id ?? []));
    const { beforeFix, ...issues } = await this.issueStates.ended(
      read.flatMap(({ occurrence }) => occurrence ?? []),
    );
    const items = read.map((item) => {
      const before_fix_of = item.occurrence && beforeFix.get(item.occurrence);
      return before_fix_of ? { ...item, occurrence: { ...item.occurrence, before_fix_of } } : item;
    });
    const { quietAfterRejectMs, quotas } = this.policy;
    const result = await this.runs.store.record({
      edge,
      items,
      ...(after === undefined ? {} : { after }),
      now: new Date(this.clock.now()).toISOString(),
      policy: { quietAfterRejectMs, ...issues, ...(quotas === null ? {} : { quotas }) },
    });
    this.reportRefused(items, result);
    this.tally.add(edge, items, result.outcomes);
    const { outcomes, watermark, changed = [] } = result;
    const created = outcomes.flatMap(({ run_id }) =>
      run_id !== null && candidates.has(run_id) ? [run_id] : [],
    );
    for (const run_id of new Set([...created, ...changed])) this.notifications.changed(run_id);
    return { outcomes, watermark };
  }

  /** One line an hour for each quota that refuses crashes. */
  private reportRefused(items: readonly BatchItem[], { outcomes }: RecordResult): void {
    for (const [at, { quota }] of outcomes.entries()) {
      const occurrence = items[at]?.occurrence;
      if (quota === undefined || !occurrence) continue;
      const { key, event } = occurrence;
      const subject = { ...quota, project: event.project, door: event.door, key };
      const name = JSON.stringify(subject);
      const now = this.clock.now();
      if (now - (this.reported.get(name) ?? Number.NEGATIVE_INFINITY) < REPORT_MS) continue;
      this.reported.set(name, now);
      this.logger.warn(subject, 'a quota is used up; new crashes start no runs');
    }
  }

  private item(delivery: Delivery): BatchItem {
    const { sequence, event_id } = delivery;
    try {
      const event = normalise(delivery);
      const { fingerprint, aliases, family } = fingerprintsOf(event);
      const occurrence = {
        event: boundEvent(event, this.policy.eventBytes),
        fingerprint: boundFingerprint(fingerprint),
        aliases,
        family,
        title: titleOf(event),
        key: delivery.key ?? null,
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

/** An embedded crash has no other outcomes: `invalid` is thrown, and the others belong to doors. */
function ingestResult({ outcome, event_id, run_id, detail, quota }: Recorded): IngestResult {
  if (outcome === 'accepted' && run_id !== null) return { outcome, event_id, run_id };
  if (outcome === 'duplicate') return { outcome, event_id, run_id };
  if (outcome === 'over_quota' && quota !== undefined)
    return { outcome, event_id, run_id: null, detail: detail ?? '', quota };
  throw new Error(`the store returned ${outcome} without what belongs to it`);
}
