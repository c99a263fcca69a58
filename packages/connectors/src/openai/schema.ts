import * as v from 'valibot';

/** Mistral writes thoughts and answer as parts of the content. */
const contentParts = v.array(v.object({ type: v.optional(v.string()), text: v.nullish(v.unknown()) }));

/** `POST /chat/completions`, not streamed. `reasoning_content` is written by llama.cpp, vLLM and DeepSeek, `reasoning` by newer vLLM and OpenRouter. */
export const completion = v.object({
  model: v.nullish(v.string()),
  /** The build of llama.cpp; of hosted services their configuration. */
  system_fingerprint: v.nullish(v.string()),
  choices: v.pipe(
    v.array(
      v.object({
        finish_reason: v.nullish(v.string()),
        message: v.object({
          content: v.nullish(v.union([v.string(), contentParts])),
          refusal: v.nullish(v.string()),
          reasoning_content: v.nullish(v.string()),
          reasoning: v.nullish(v.string()),
        }),
      }),
    ),
    v.minLength(1),
  ),
});

/** `GET /models` */
export const modelList = v.object({ data: v.array(v.object({ id: v.string() })) });
