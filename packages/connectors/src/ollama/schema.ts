import * as v from 'valibot';

const MAX = { claims: 16, cites: 16, chars: 4_000 } as const;
const text = v.pipe(v.string(), v.maxLength(MAX.chars));

/** The requested answer. Accepts slightly more than requested, which core truncates; any other shape is rejected. */
export const answerSchema = v.object({
  insufficient: v.boolean(),
  claims: v.pipe(
    v.array(
      v.object({
        text,
        cites: v.pipe(v.array(v.object({ evidence: text, quote: text })), v.maxLength(MAX.cites)),
      }),
    ),
    v.maxLength(MAX.claims),
  ),
});

/** The reader's answer, in the same way. `why` makes a model give its reason first; it is not used. */
export const readingSchema = v.object({
  choices: v.pipe(v.array(v.object({ commit: text, quote: text })), v.maxLength(MAX.claims)),
});

/** One line of a `/api/chat` response. */
export const chatChunk = v.object({
  message: v.optional(v.object({ content: v.optional(v.string(), '') })),
  done: v.optional(v.boolean(), false),
  done_reason: v.optional(v.string()),
  error: v.optional(v.string()),
});

/** `/api/tags` */
export const modelList = v.object({
  models: v.array(
    v.object({ name: v.string(), model: v.optional(v.string()), digest: v.optional(v.string()) }),
  ),
});

/** `/api/show`. Servers before May 2025 do not list capabilities. */
export const modelDescription = v.object({ capabilities: v.optional(v.array(v.string()), []) });
