import * as v from 'valibot';

const text = v.nullish(v.string());

/** Bugsink 2's payload, only the members in use; others are ignored. */
export const alertSchema = v.object({
  event_type: v.string(),
  data: v.optional(
    v.object({
      issue_id: text,
      issue_url: text,
      summary: text,
      error_type: text,
      error_message: text,
      project: text,
      last_seen: text,
      alert_type: text,
      alert_reason: text,
      unmute_reason: text,
    }),
  ),
  // Without "Include Full Payload" only these two exist.
  summary: text,
  issue_id: text,
});
export type Alert = v.InferOutput<typeof alertSchema>;
