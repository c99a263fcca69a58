import * as v from 'valibot';

/** One line of a `/api/chat` response. */
export const chatChunk = v.object({
  message: v.optional(v.object({ content: v.optional(v.string(), ''), thinking: v.optional(v.string()) })),
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
export const modelDescription = v.object({
  capabilities: v.optional(v.array(v.string()), []),
  details: v.optional(v.object({ family: v.optional(v.string()) }), {}),
});
