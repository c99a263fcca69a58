import * as v from 'valibot';

/** `POST /chat/completions`, not streamed. `reasoning_content` is written by llama.cpp, vLLM and DeepSeek, `reasoning` by newer vLLM and OpenRouter. */
export const completion = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        finish_reason: v.nullish(v.string()),
        message: v.object({
          content: v.nullish(v.string()),
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
