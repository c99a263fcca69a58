import { secret } from '@culprit/core/connector';
import * as v from 'valibot';
import { modelLimits } from '../shared/model/parts.js';
import { ownSettings } from '../shared/own-settings.js';

/** The part before `/chat/completions`, without a trailing slash. */
const baseUrl = v.pipe(
  v.string(),
  v.transform((text) => modelUrl(text) ?? ''),
  v.nonEmpty('must be an http(s) URL without credentials, such as http://127.0.0.1:8080/v1'),
);

export const openaiConfig = v.strictObject({
  ...modelLimits,
  /** As the server names it in `GET /models`. */
  model: v.pipe(v.string(), v.regex(/^[\w.:/@+-]{1,160}$/, 'must be a model name as GET /models shows it')),
  /** The address before `/chat/completions`. There is no default: source lines are sent there. */
  url: baseUrl,
  /** Sent as `Authorization: Bearer`. Servers on your own machine often need none. */
  apiKey: v.optional(secret()),
});
export type OpenaiConfig = v.InferOutput<typeof openaiConfig>;

/** The members that an operator sets. */
export const openaiSettings = ownSettings(openaiConfig.entries, {
  openaiModel: {
    of: 'model',
    format: 'name',
    otherwise: 'none',
    meaning:
      'Instead of OLLAMA_MODEL: a model behind an OpenAI-compatible address (llama.cpp, vLLM, LM Studio, hosted). Needs OPENAI_BASE_URL.',
  },
  openaiBaseUrl: {
    of: 'url',
    format: 'URL',
    meaning:
      'The address before /chat/completions, such as http://127.0.0.1:8080/v1. Prompts, which contain source lines, are sent there, so there is no default.',
  },
  openaiApiKey: {
    of: 'apiKey',
    secret: true,
    format: 'key',
    otherwise: 'none is sent',
    meaning: 'Key of OPENAI_BASE_URL. Used only with OPENAI_MODEL.',
  },
});

/** Normalises the base URL of a model server; `null` if it is invalid. */
export function modelUrl(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const { protocol, username, password, search, hash } = url;
  if (!/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== '') return null;
  return url.href.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
}
