import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@culprit/core';
import * as v from 'valibot';
import { createBreaker } from './breaker.js';
import { type BatchAnswer, type CoreClient, CoreRefusal, type EdgeReport } from './core-client.js';
import { type CommandResult, operatorCommandSchema } from './operator/commands.js';
import type { Operator } from './operator/operator.js';
import type { SpoolBatch } from './spool/reader.js';
import type { Spool } from './spool/spool.js';

/** `waiting`: core does not answer, the next try is due later. `unauthorised`: core refuses our secret. */
export type ForwarderState = 'idle' | 'sending' | 'waiting' | 'unauthorised';

export interface ForwarderStats {
  readonly state: ForwarderState;
  /** Deliveries that core has taken since the start. */
  readonly sent: number;
  readonly failures: number;
  readonly last_error: string | null;
  /** Core's own figure; `null` before its first answer. */
  readonly watermark: number | null;
  /** ISO 8601; when the oldest waiting delivery was received. */
  readonly oldest_at: string | null;
  /** `open`: core failed so often that it is only asked now and then, with nothing to carry, whether it is back. */
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
  /** How often core hears of an edge that has nothing to send. */
  readonly heartbeatMs?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export interface Forwarder {
  stats(): ForwarderStats;
  /** Breaks the batch under way off; what core has not confirmed is sent again by the next edge. */
  close(): Promise<void>;
}

/** Figures are for people and change all the time: not with every batch. */
const REPORT_EVERY_MS = 1_000;

/** Sends the spool to core in order, and moves on only when core has said that it keeps what was sent. */
export function startForwarder(options: ForwarderOptions): Forwarder {
  const { spool, core, logger, heartbeatMs = 5_000, records: most = 200 } = options;
  const stop = new AbortController();
  const breaker = createBreaker(options);
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
  /** Core's watermark stays where it was while what came after it are dead letters only. */
  let buried = { above: 0, upTo: 0 };
  spool.onGrown(() => {
    grown = true;
    wake();
  });

  const send = async (payloads: readonly Buffer[], after?: number): Promise<BatchAnswer> => {
    const due = payloads.length === 0 || performance.now() - reportedAt >= REPORT_EVERY_MS;
    const told = done;
    const report = due ? { ...options.report(), done: told } : null;
    const answer = await core.send(spool.identity(), payloads, report, stop.signal, after);
    if (due) {
      reportedAt = performance.now();
      done = done.filter((result) => !told.includes(result));
    }
    for (const command of answer.commands) await execute(command);
    return answer;
  };
  const execute = async (given: unknown) => {
    const command = v.safeParse(operatorCommandSchema, given);
    if (!command.success) return logger.warn({}, 'core gave a command that this edge does not know');
    const result = await options.operator.run(command.output);
    if (!done.some(({ id }) => id === result.id)) done.push(result);
  };
  const idle = async () => {
    status.state = 'idle';
    status.oldest_at = null;
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
        'core knows more of this edge than its spool: a new identity',
      );
      await spool.restart();
    } else follow(watermark);
    met = true;
    status.watermark = watermark;
  };
  /** Core may come back from an older state: then what it has lost is sent again, as far as it is still here. */
  const follow = (watermark: number) => {
    const { acknowledged } = spool.stats();
    if (watermark >= acknowledged || (watermark >= buried.above && acknowledged <= buried.upTo)) return;
    logger.warn({ watermark, acknowledged }, 'core has lost deliveries; they are sent again');
    spool.rewind(watermark);
  };
  const deliver = async (batch: SpoolBatch) => {
    status.state = 'sending';
    const answer = await send(batch.payloads, status.watermark ?? undefined);
    const invalid = answer.outcomes.filter(({ outcome }) => outcome === 'invalid');
    await deadLetter(batch, new Map(invalid.map(({ sequence, detail }) => [sequence, detail ?? 'invalid'])));
    status.watermark = answer.watermark;
    if (answer.watermark < batch.last)
      throw new CoreRefusal('retry', 'Core has lost what it took before; it is sent again.');
    await spool.acknowledge(batch.last);
    status.sent += batch.payloads.length;
  };
  const deadLetter = async (batch: SpoolBatch, details: ReadonlyMap<number, string>) => {
    if (details.size === 0) return;
    if (spool.deadLetters.full()) {
      throw new CoreRefusal('retry', 'There are too many dead letters: resend or drop some of them.');
    }
    const at = new Date().toISOString();
    const letters = batch.payloads.flatMap((payload) => {
      const delivery = JSON.parse(payload.toString());
      const detail = details.get(delivery.sequence);
      return detail === undefined ? [] : [{ at, sequence: delivery.sequence, detail, delivery }];
    });
    await spool.deadLetters.add(letters);
    reportedAt = Number.NEGATIVE_INFINITY;
    logger.warn({ count: letters.length }, 'core refused deliveries as invalid; see the dead letters');
  };
  /** Core refuses the whole batch as malformed: halves it until the delivery to blame is alone, and buries that. */
  const isolate = async (batch: SpoolBatch, detail: string) => {
    if (batch.payloads.length > 1) {
      records = Math.ceil(batch.payloads.length / 2);
      return;
    }
    const { acknowledged } = spool.stats();
    await deadLetter(batch, new Map([[batch.first, detail]]));
    await spool.acknowledge(batch.last);
    const goesOn = buried.upTo === acknowledged;
    buried = { above: goesOn ? buried.above : (status.watermark ?? acknowledged), upTo: batch.last };
    records = most;
  };
  const step = async () => {
    grown = false;
    const limits = { records, bytes: options.bytes ?? 1024 * 1024 };
    let batch = await spool.read(limits);
    status.oldest_at = receivedAt(batch?.payloads[0]);
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
        breaker.succeeded();
        if (status.last_error !== null) logger.info({}, 'core takes deliveries again');
        status.last_error = null;
      } catch (error) {
        if (stop.signal.aborted) break;
        status.failures++;
        report(error);
        // A core that is too slow for a batch may manage a smaller one.
        records = Math.max(1, Math.ceil(records / 2));
        const pause = Math.max(breaker.failed(), error instanceof CoreRefusal ? error.retryAfterMs : 0);
        await sleep(pause, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
  };
  const report = (error: unknown) => {
    const refused = error instanceof CoreRefusal && error.kind === 'unauthorised';
    const first = status.last_error === null;
    status.state = refused ? 'unauthorised' : 'waiting';
    status.last_error = error instanceof Error ? error.message : 'unknown';
    // Core may have been restored or replaced meanwhile, so it is asked for its watermark first.
    status.watermark = null;
    if (refused)
      logger.error({ error }, 'core refuses INTERNAL_GATEWAY_SECRET; set the same on edge and core');
    else if (first) logger.warn({ error }, 'core does not take deliveries; they wait on disk');
  };
  const running = run();
  return {
    stats: () => ({ ...status, circuit: breaker.state() }),
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
