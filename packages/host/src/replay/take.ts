import { otlp } from '@culprit/connectors/otlp';
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { type Connector, CulpritError, type Logger, silentLogger } from '@culprit/core';
import type { ParsedDelivery, RawDelivery, Tracker } from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { sha256Hex } from '@culprit/core/internal/pipeline/hash';
import { sanitiseJson } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { NATIVE_ANSWERS } from '../edge/doors/answers.js';
import { receive } from '../edge/doors/receive.js';
import { createTurns } from '../edge/doors/turns.js';
import { createGuards } from '../edge/guards/guards.js';
import { EDGE_LIMITS, NO_RATE_LIMITS } from '../edge/limits.js';
import type { Spool } from '../edge/spool/spool.js';
import type { CapturedRequest } from './captured.js';

/** Not a credential: replayed deliveries were verified on receipt, so only parsing is repeated. */
const PLACEHOLDER = 'replayed_without_a_credential';

/** Processes captured requests as the edge does: decode, parse, check, sanitise. The spool is a list in memory. */
export interface Taker {
  /** Rejects with the door's error. A request without a crash gives no deliveries. */
  take(request: CapturedRequest, receivedAt: number): Promise<readonly Omit<Delivery, 'sequence'>[]>;
}

export async function createTaker(logger: Logger = silentLogger): Promise<Taker> {
  const trackers = await openTrackers(logger);
  const limits = { ...EDGE_LIMITS, ...NO_RATE_LIMITS };
  const guards = createGuards(limits);
  const turns = createTurns();
  return {
    async take(request, receivedAt) {
      const tracker = trackers.get(request.tracker);
      if (tracker === undefined)
        throw new CulpritError('not_found', `No connector "${request.tracker}" for this delivery.`);
      const [path = '', query = ''] = request.path.split('?');
      const accepted: Omit<Delivery, 'sequence'>[] = [];
      const spool = {
        append: async (deliveries: readonly Omit<Delivery, 'sequence'>[]) =>
          void accepted.push(...deliveries),
      } as Spool;
      let refusal: unknown = null;
      const answers = {
        accepted: NATIVE_ANSWERS.accepted,
        refused: (error: unknown) => {
          refusal = error;
          return NATIVE_ANSWERS.refused(error);
        },
      };
      await receive(
        { guards, spool, sanitise: sanitiseJson, turns, logger },
        { kind: request.door, name: request.tracker, tracker, answersOf: () => answers },
        {
          method: 'POST',
          path,
          params: { project: '1' },
          query: Object.fromEntries(new URLSearchParams(query)),
          headers: request.headers,
          body: request.body,
          receivedAt,
          remoteAddress: '127.0.0.1',
          signal: new AbortController().signal,
        },
      );
      if (refusal !== null) throw refusal;
      return accepted;
    },
  };
}

/** The doors' trackers. `verify` always succeeds, for project `default`. */
async function openTrackers(logger: Logger): Promise<ReadonlyMap<string, Tracker>> {
  const connectors: readonly Connector[] = [
    errortracker({ secrets: [{ project: 'default', secret: PLACEHOLDER }] }),
    native({ tokens: [{ project: 'default', name: 'replay', token: PLACEHOLDER }] }),
    otlp({ tokens: [{ project: 'default', name: 'replay', token: PLACEHOLDER }] }),
    sentry({ keys: [{ project: 'default', key: PLACEHOLDER }] }),
  ];
  const trackers = new Map<string, Tracker>();
  for (const connector of connectors) {
    const signal = new AbortController().signal;
    const { tracker } = await connector.setup({ fetch: globalThis.fetch, logger, signal });
    if (tracker === undefined) continue;
    // Without `trust`: the door's.
    const verify = () => ({ ok: true, project: 'default', credential: 'replay' }) as const;
    trackers.set(connector.id, { verify, parse: (delivery) => named(tracker.parse(delivery), delivery) });
  }
  return trackers;
}

/** A crash without an id gets one derived from its bytes, so that the same input gives the same draft. */
function named(parsed: ParsedDelivery, { body }: RawDelivery): ParsedDelivery {
  const crashes = parsed.crashes.map((crash, index) => ({
    ...crash,
    event_id: crash.event_id ?? sha256Hex(`${sha256Hex(body)}:${index}`).slice(0, 32),
  }));
  return { ...parsed, crashes };
}
