import * as v from 'valibot';

const text = v.nullish(v.string());

/** The JSON of Bugsink's "Custom" service, only the members in use; others are ignored. */
export const alertSchema = v.object({
  /** Bugsink's id of the issue. */
  id: v.string(),
  title: v.string(),
  calculated_type: v.string(),
  calculated_value: v.string(),
  /** `NEW`, `REGRESSED`, `UNMUTED`, or `TEST` for the test message. */
  alert_reason: v.string(),
  friendly_id: text,
  project_name: text,
  url: text,
  transaction: text,
  last_seen: text,
  unmute_reason: text,
});
export type Alert = v.InferOutput<typeof alertSchema>;
