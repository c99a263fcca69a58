import type { JsonObject } from '@culprit/core';
import type { RecordResult } from '@culprit/core/internal/ports/run-store';
import * as v from 'valibot';
import type { CommandResult, DeadLetterSummary, LimitSettings } from './operator/commands.js';

/**
 * `retry`: try again later. `unauthorised`: the configuration must change first. `malformed`: never send this batch
 * again.
 */
export type RefusalKind = 'retry' | 'unauthorised' | 'malformed';

export class CoreRefusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    options?: ErrorOptions & { readonly retryAfterMs?: number },
  ) {
    super(message, options);
    this.name = 'CoreRefusal';
    this.retryAfterMs = options?.retryAfterMs ?? 0;
  }
  /** The delay that core requested; 0 if none. */
  readonly retryAfterMs: number;
}

/** What an edge reports besides deliveries, about once a second. */
export interface EdgeReport {
  readonly guard: JsonObject;
  readonly limits: LimitSettings;
  /** The latest, oldest first. */
  readonly dead_letters: readonly DeadLetterSummary[];
  /** Results of commands. */
  readonly done: readonly CommandResult[];
}

export type BatchAnswer = Pick<RecordResult, 'watermark'> & {
  readonly outcomes: readonly Pick<RecordResult['outcomes'][number], 'sequence' | 'outcome' | 'detail'>[];
  /** Commands of operators, not validated. A command may be repeated. */
  readonly commands: readonly unknown[];
};

export interface CoreClient {
  /**
   * Sends `payloads`, deliveries as JSON in order. `after` is the watermark of the last reply. Rejects with {@link
   * CoreRefusal}.
   */
  send(
    edge: string,
    payloads: readonly Buffer[],
    report: EdgeReport | null,
    signal: AbortSignal,
    after?: number,
  ): Promise<BatchAnswer>;
}

const answerSchema = v.object({
  outcomes: v.array(
    v.object({
      sequence: v.number(),
      outcome: v.string(),
      detail: v.nullish(v.string(), null),
    }),
  ),
  watermark: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  commands: v.optional(v.array(v.unknown()), []),
});

export interface CoreClientOptions {
  readonly coreUrl: string;
  readonly secret: string;
  readonly timeoutMs?: number;
}

/** Upper bound of a delay that core requests. */
const LONGEST_WAIT_MS = 300_000;

/** `POST /internal/v1/deliveries` on core. */
export function createCoreClient({ coreUrl, secret, timeoutMs = 15_000 }: CoreClientOptions): CoreClient {
  const url = `${coreUrl.replace(/\/+$/, '')}/internal/v1/deliveries`;
  return {
    async send(edge, payloads, report, signal, after) {
      const deliveries = payloads.map((payload) => payload.toString()).join(',');
      const rest = report === null ? '' : `,${JSON.stringify(report).slice(1, -1)}`;
      const watermark = after === undefined ? '' : `,"after":${after}`;
      const body = `{"edge":${JSON.stringify(edge)},"deliveries":[${deliveries}]${watermark}${rest}}`;
      const { limited, release } = limitedSignal(signal, timeoutMs);
      const response = await post(url, secret, body, limited).finally(release);
      const parsed = v.safeParse(answerSchema, response);
      if (!parsed.success) throw new CoreRefusal('retry', 'Core sent an unreadable reply. Check CORE_URL.');
      return parsed.output as BatchAnswer;
    },
  };
}

/** `AbortSignal.any` on a long-lived signal leaks in Node 20. */
function limitedSignal(signal: AbortSignal, timeoutMs: number) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no reply within ${timeoutMs} ms`)), timeoutMs);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  };
  return { limited: controller.signal, release };
}

async function post(url: string, secret: string, body: string, signal: AbortSignal): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body,
      signal,
      redirect: 'error',
    });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CoreRefusal('retry', `Core is unreachable: ${reason}`, { cause: error });
  }
  const { status } = response;
  if (status === 401 || status === 403) throw new CoreRefusal('unauthorised', `Core answered ${status}.`);
  if (status === 400 || status === 413 || status === 422) {
    throw new CoreRefusal('malformed', `Core answered ${status}: ${text.slice(0, 500)}`);
  }
  if (status !== 200) {
    const seconds = Number(response.headers.get('retry-after'));
    const retryAfterMs = seconds > 0 ? Math.min(seconds * 1_000, LONGEST_WAIT_MS) : 0;
    throw new CoreRefusal('retry', `Core answered ${status}.`, { retryAfterMs });
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
