import * as v from 'valibot';

/** Response of `GET /api/v1/session`. */
export const sessionSchema = v.object({
  name: v.string(),
  expires_at: v.pipe(v.nullable(v.string()), v.description('ISO 8601; `null` with a bearer token.')),
  data_directory: v.optional(
    v.pipe(v.string(), v.description('Where core keeps its data, and the secrets that it generated.')),
  ),
  rules: v.object({
    second_person: v.pipe(
      v.boolean(),
      v.description(
        'The reviewers who approved Gate 1 and who last edited the draft may not approve Gate 2.',
      ),
    ),
    bound_approval: v.pipe(v.boolean(), v.description('Gate 2 requires `If-Match`.')),
  }),
});
export type SessionInfo = v.InferOutput<typeof sessionSchema>;
