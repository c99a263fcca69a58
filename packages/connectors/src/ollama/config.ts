import * as v from 'valibot';
import { count, modelLimits } from '../shared/model/parts.js';
import { ownSettings } from '../shared/own-settings.js';

/** `host`, `host:port` or a URL. 0.0.0.0, common in Ollama's own variable, means this machine. */
const host = v.pipe(
  v.string(),
  v.transform((text) => modelHost(text) ?? ''),
  v.nonEmpty('must be a host, host:port or URL without a password'),
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
  ...modelLimits,
  /** The model as `ollama list` names it, such as `llama3.2:3b`. */
  model: v.pipe(v.string(), v.regex(/^[\w.:/-]{1,120}$/, 'must be a model name such as llama3.2:3b')),
  host: v.optional(host, 'http://127.0.0.1:11434'),
  /** `num_ctx`: tokens of prompt and answer together. */
  contextTokens: v.optional(count(1_024, 131_072), 8_192),
  /** How long Ollama keeps the model loaded: a duration as Go writes it (`90s`, `1h30m`), or whole seconds. Negative: always. */
  keepAlive: v.optional(keepAlive, '10m'),
});
export type OllamaConfig = v.InferOutput<typeof ollamaConfig>;

/** The members that an operator sets. */
export const ollamaSettings = ownSettings(ollamaConfig.entries, {
  ollamaHost: {
    of: 'host',
    format: 'host, host:port or URL',
    otherwise: '127.0.0.1:11434',
    meaning: 'The model server. Used only with OLLAMA_MODEL; should be https unless it is loopback.',
  },
  ollamaModel: {
    of: 'model',
    format: 'name',
    otherwise: 'none: model off',
    meaning:
      'The model that writes explanations, as named by `ollama list`. Without it they are deterministic.',
  },
});

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
