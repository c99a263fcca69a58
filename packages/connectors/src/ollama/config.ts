import * as v from 'valibot';

const count = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

/** `host`, `host:port` or a URL. 0.0.0.0, common in Ollama's own variable, means this machine. */
const host = v.pipe(
  v.string(),
  v.transform((text) => modelHost(text) ?? ''),
  v.nonEmpty('must be a host, host:port or http(s) URL without credentials'),
);

/** Ollama reads a text with Go's `time.ParseDuration`, which requires units, and a number as seconds. */
const keepAlive = v.pipe(
  v.string(),
  v.regex(
    /^-?(?:\d{1,6}|(?:\d{1,6}(?:\.\d{1,3})?(?:ms|s|m|h))+)$/,
    'must be a duration such as 10m or 1h30m, or whole seconds',
  ),
  v.transform((text) => (/^-?\d+$/.test(text) ? Number(text) : text)),
);

export const ollamaConfig = v.strictObject({
  /** The model as `ollama list` names it, such as `llama3.2:3b`. */
  model: v.pipe(v.string(), v.regex(/^[\w.:/-]{1,120}$/, 'must be a model name')),
  host: v.optional(host, 'http://127.0.0.1:11434'),
  /** Time limit for one answer, to its last byte. Must be below the engine's `explainMs`. */
  timeoutMs: v.optional(count(50, 600_000), 50_000),
  /** UTF-8 bytes of the whole prompt. Excess evidence is left out, least relevant first. */
  promptBytes: v.optional(count(4_096, 262_144), 16_384),
  /** `num_predict`: maximum tokens of the answer. */
  answerTokens: v.optional(count(64, 8_192), 900),
  /** `num_ctx`: tokens of prompt and answer together. */
  contextTokens: v.optional(count(1_024, 131_072), 8_192),
  /** Maximum bytes of an answer. */
  answerBytes: v.optional(count(1_024, 4_194_304), 524_288),
  /** Consecutive failures that open the circuit breaker. */
  failureLimit: v.optional(count(1, 100), 3),
  /** How long the open circuit breaker rejects calls before it lets one through. */
  coolDownMs: v.optional(count(10, 3_600_000), 60_000),
  /** How long Ollama keeps the model loaded: a duration as Go writes it (`90s`, `1h30m`), or whole seconds. Negative: always. */
  keepAlive: v.optional(keepAlive, '10m'),
  /** True: the model also gives a second opinion on the first suspects of an uncertain ranking, with one more call. */
  reader: v.optional(v.boolean(), false),
  /** True: `check()` also asks the model for one short answer. For `culprit doctor`; `/readyz` only asks whether it is there. */
  tryAnswering: v.optional(v.boolean(), false),
});
export type OllamaConfig = v.InferOutput<typeof ollamaConfig>;

/** Normalises the address of a model server; `null` if it is invalid. */
export function modelHost(text: string): string | null {
  const whole = /^https?:\/\//i.test(text) ? text : text.includes('://') ? '' : `http://${text}`;
  let url: URL;
  try {
    url = new URL(whole);
  } catch {
    return null;
  }
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || url.hostname === '') return null;
  const name = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[url.hostname] ?? url.hostname;
  const bare = !/^https?:\/\//i.test(text);
  const port = url.port !== '' ? `:${url.port}` : bare ? ':11434' : '';
  return `${url.protocol}//${name}${port}${url.pathname.replace(/\/+$/, '')}`;
}
