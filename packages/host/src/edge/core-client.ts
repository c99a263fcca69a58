import type { JsonObject, RecordResult } from '@culprit/core';
import * as v from 'valibot';

/** `retry`: later perhaps. `unauthorised`: not before someone acts. `malformed`: never, for this batch. */
export type RefusalKind = 'retry' | 'unauthorised' | 'malformed';

export class CoreRefusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CoreRefusal';
  }
}

export type BatchAnswer = Pick<RecordResult, 'watermark'> & {
  readonly outcomes: readonly Pick<RecordResult['outcomes'][number], 'sequence' | 'outcome' | 'detail'>[];
};

export interface CoreClient {
  /** `payloads` are deliveries as JSON, in order. Rejects with {@link CoreRefusal}. */
  send(
    edge: string,
    payloads: readonly Buffer[],
    guard: JsonObject,
    signal: AbortSignal,
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
});

export interface CoreClientOptions {
  readonly coreUrl: string;
  readonly secret: string;
  readonly timeoutMs?: number;
}

/** `POST /internal/v1/deliveries` on core. */
export function createCoreClient({ coreUrl, secret, timeoutMs = 15_000 }: CoreClientOptions): CoreClient {
  const url = `${coreUrl.replace(/\/+$/, '')}/internal/v1/deliveries`;
  return {
    async send(edge, payloads, guard, signal) {
      const deliveries = payloads.map((payload) => payload.toString()).join(',');
      const body = `{"edge":${JSON.stringify(edge)},"deliveries":[${deliveries}],"guard":${JSON.stringify(guard)}}`;
      const { limited, release } = limitedSignal(signal, timeoutMs);
      const response = await post(url, secret, body, limited).finally(release);
      const parsed = v.safeParse(answerSchema, response);
      if (!parsed.success)
        throw new CoreRefusal('retry', 'Core gave an answer that is none; is CORE_URL right?');
      return parsed.output as BatchAnswer;
    },
  };
}

/** `AbortSignal.any` on a long-lived signal leaks in Node 20. */
function limitedSignal(signal: AbortSignal, timeoutMs: number) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
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
    throw new CoreRefusal('retry', `Core cannot be reached: ${reason}`, { cause: error });
  }
  const { status } = response;
  if (status === 401 || status === 403) throw new CoreRefusal('unauthorised', `Core answered ${status}.`);
  if (status === 400 || status === 413 || status === 422) {
    throw new CoreRefusal('malformed', `Core answered ${status}: ${text.slice(0, 500)}`);
  }
  if (status !== 200) throw new CoreRefusal('retry', `Core answered ${status}.`);
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
