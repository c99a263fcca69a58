import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@culprit/core';
import { retryDelayMs } from '@culprit/core/internal/resilience/retry-delay';
import * as v from 'valibot';
import { type BatchAnswer, type CoreClient, CoreRefusal, type EdgeReport } from './core-client.js';
import { type CommandResult, operatorCommandSchema } from './operator/commands.js';
import type { Operator } from './operator/operator.js';
import type { SpoolBatch } from './spool/reader.js';
import type { Spool } from './spool/spool.js';

/** `waiting`: core is unreachable, a retry is scheduled. `unauthorised`: core rejects the secret. */
export type ForwarderState = 'idle' | 'sending' | 'waiting' | 'unauthorised';

export interface ForwarderStats {
  readonly state: ForwarderState;
  /** Deliveries that core has accepted since the start. */
  readonly sent: number;
  readonly failures: number;
  readonly last_error: string | null;
  /** As core reports it; `null` before its first reply. */
  readonly watermark: number | null;
  /** When the oldest delivery in the queue was received, ISO 8601. */
  readonly oldest_at: string | null;
  /** `open`: after repeated failures, core is only probed, without deliveries. */
  readonly circuit: 'closed' | 'open';
}

export interface ForwarderOptions {
  readonly spool: Spool;
  readonly core: CoreClient;
  readonly operator: Operator;
  readonly report: () => Omit<EdgeReport, 'done'>;
  readonly logger: Logger;
  readonly records?: number;
  readonly bytes?: number;
  /** The interval of reports while there is nothing to send. */
  readonly heartbeatMs?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export interface Forwarder {
  stats(): ForwarderStats;
  /** Aborts the current batch. The next edge sends whatever core has not confirmed. */
  close(): Promise<void>;
}

/** Minimum time between reports of figures. */
const REPORT_EVERY_MS = 1_000;

/** Consecutive failures after which the circuit is open. Each retry then starts with a probe without deliveries. */
const CIRCUIT_OPENS_AFTER = 5;

/** Forwards the spool to core in order. A batch is acknowledged only once core has confirmed it. */
export function startForwarder(options: ForwarderOptions): Forwarder {
  const { spool, core, logger, heartbeatMs = 5_000, records: most = 200 } = options;
  const stop = new AbortController();
  const schedule = { firstMs: options.firstPauseMs ?? 250, maxMs: options.longestPauseMs ?? 30_000 };
  /** Consecutive. */
  let failures = 0;
  const status = {
    state: 'idle' as ForwarderState,
    sent: 0,
    failures: 0,
    last_error: null as string | null,
    watermark: null as number | null,
    oldest_at: null as string | null,
  };
  let met = false;
  let grown = false;
  let wake = () => {};
  let records = most;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let done: CommandResult[] = [];
  /** Core's watermark does not move while only dead letters follow it. */
  let skipped = { above: 0, upTo: 0 };
  spool.onGrown(() => {
    grown = true;
    status.oldest_at ??= new Date().toISOString();
    wake();
  });

  const send = async (payloads: readonly Buffer[], after?: number): Promise<BatchAnswer> => {
    const due = payloads.length === 0 || performance.now() - reportedAt >= REPORT_EVERY_MS;
    const reported = done;
    const report = due ? { ...options.report(), done: reported } : null;
    const answer = await core.send(spool.identity(), payloads, report, stop.signal, after);
    if (due) {
      reportedAt = performance.now();
      done = done.filter((result) => !reported.includes(result));
    }
    for (const command of answer.commands) await execute(command);
    return answer;
  };
  const execute = async (given: unknown) => {
    const command = v.safeParse(operatorCommandSchema, given);
    if (!command.success) return logger.warn({}, 'core sent an unknown command');
    const result = await options.operator.run(command.output);
    if (!done.some(({ id }) => id === result.id)) done.push(result);
  };
  const idle = async () => {
    status.state = 'idle';
    const pause = new AbortController();
    wake = () => pause.abort();
    if (grown || done.length > 0 || stop.signal.aborted) pause.abort();
    await sleep(heartbeatMs, undefined, { signal: pause.signal }).catch(() => {});
  };
  const handshake = async () => {
    const { watermark } = await send([]);
    if (!met && watermark > spool.lastAtOpen) {
      logger.error(
        { watermark, last: spool.lastAtOpen },
        'the watermark of core is ahead of the spool; continuing under a new identity',
      );
      await spool.restart();
    } else follow(watermark);
    met = true;
    status.watermark = watermark;
  };
  /** Core may be restored from an older state. Deliveries that it lost are sent again if they still exist. */
  const follow = (watermark: number) => {
    const { acknowledged } = spool.stats();
    if (watermark >= acknowledged || (watermark >= skipped.above && acknowledged <= skipped.upTo)) return;
    logger.warn({ watermark, acknowledged }, 'core has lost deliveries; sending them again');
    spool.rewind(watermark);
  };
  const deliver = async (batch: SpoolBatch) => {
    status.state = 'sending';
    const answer = await send(batch.payloads, status.watermark ?? undefined);
    const invalid = answer.outcomes.filter(({ outcome }) => outcome === 'invalid');
    await deadLetter(batch, new Map(invalid.map(({ sequence, detail }) => [sequence, detail ?? 'invalid'])));
    status.watermark = answer.watermark;
    if (answer.watermark < batch.last)
      throw new CoreRefusal('retry', 'Core has lost deliveries that it had accepted. They are sent again.');
    await spool.acknowledge(batch.last);
    status.sent += batch.payloads.length;
  };
  const deadLetter = async (batch: SpoolBatch, details: ReadonlyMap<number, string>) => {
    if (details.size === 0) return;
    if (spool.deadLetters.full()) {
      throw new CoreRefusal('retry', 'Too many dead letters. Resend or drop some of them.');
    }
    const at = new Date().toISOString();
    const letters = batch.payloads.flatMap((payload) => {
      const delivery = JSON.parse(payload.toString());
      const detail = details.get(delivery.sequence);
      return detail === undefined ? [] : [{ at, sequence: delivery.sequence, detail, delivery }];
    });
    await spool.deadLetters.add(letters);
    reportedAt = Number.NEGATIVE_INFINITY;
    logger.warn({ count: letters.length }, 'core rejected deliveries as invalid; see the dead letters');
  };
  /**
   * Core rejects the whole batch as malformed. Halves the batch until the invalid delivery is alone, then makes it a
   * dead letter.
   */
  const isolate = async (batch: SpoolBatch, detail: string) => {
    if (batch.payloads.length > 1) {
      records = Math.ceil(batch.payloads.length / 2);
      return;
    }
    const { acknowledged } = spool.stats();
    await deadLetter(batch, new Map([[batch.first, detail]]));
    await spool.acknowledge(batch.last);
    const continues = skipped.upTo === acknowledged;
    skipped = { above: continues ? skipped.above : (status.watermark ?? acknowledged), upTo: batch.last };
    records = most;
  };
  const step = async () => {
    grown = false;
    const limits = { records, bytes: options.bytes ?? 1024 * 1024 };
    let batch = await spool.read(limits);
    // Deliveries that arrive during the read are the oldest if it found none.
    if (batch !== null || !grown) status.oldest_at = receivedAt(batch?.payloads[0]);
    if (status.watermark === null) {
      await handshake();
      batch = await spool.read(limits);
    }
    if (batch === null) {
      await idle();
      if (!stop.signal.aborted && spool.stats().depth === 0) await handshake();
      return;
    }
    try {
      await deliver(batch);
      if (spool.stats().depth === 0) status.oldest_at = null;
      records = Math.min(most, records * 2);
    } catch (error) {
      if (!(error instanceof CoreRefusal) || error.kind !== 'malformed') throw error;
      await isolate(batch, error.message);
    }
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        await step();
        failures = 0;
        if (status.last_error !== null) logger.info({}, 'core accepts deliveries again');
        status.last_error = null;
      } catch (error) {
        if (stop.signal.aborted) break;
        status.failures++;
        report(error);
        // A slow core may manage a smaller batch.
        records = Math.max(1, Math.ceil(records / 2));
        failures++;
        const retryAfterMs = error instanceof CoreRefusal ? error.retryAfterMs : 0;
        // Jitter, so that edges that failed together do not retry together.
        const delay = retryDelayMs(schedule, failures, { jitter: 0.5, retryAfterMs });
        await sleep(delay, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
  };
  const report = (error: unknown) => {
    const refused = error instanceof CoreRefusal && error.kind === 'unauthorised';
    const first = status.last_error === null;
    status.state = refused ? 'unauthorised' : 'waiting';
    status.last_error = error instanceof Error ? error.message : 'unknown';
    // Core may have been restored or replaced, so request its watermark first.
    status.watermark = null;
    // A refusal of core is no fault of this program, so its stack would tell nothing.
    const why = error instanceof CoreRefusal ? { reason: error.message } : { error };
    if (refused)
      logger.error(why, 'core rejects INTERNAL_GATEWAY_SECRET; set the same value on edge and core');
    else if (first) logger.warn(why, 'core does not accept deliveries; they stay in the spool');
  };
  const running = run();
  return {
    stats: () => ({ ...status, circuit: failures >= CIRCUIT_OPENS_AFTER ? 'open' : 'closed' }),
    async close() {
      stop.abort();
      wake();
      await running;
    },
  };
}

function receivedAt(payload: Buffer | undefined): string | null {
  return /"received_at":"([^"]{1,40})"/.exec(payload?.toString('latin1', 0, 1_024) ?? '')?.[1] ?? null;
}
